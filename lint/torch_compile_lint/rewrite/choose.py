"""`if` on a tensor whose branches only choose between tensor values -> ``torch.where``.

Legal where both branches are straight lines of assignments to local names (or both return), every
value is pure, and each pair of values is made of tensors (one of the two may be a number). Both
sides are computed then, which is what the pages of the rules have to say.
"""

from __future__ import annotations

from torch_compile_lint.facts import ir
from torch_compile_lint.model import Edit, Fix, Safety, Span
from torch_compile_lint.program.values import Number, Tensor, Value
from torch_compile_lint.program.view import FunctionView
from torch_compile_lint.records import dataclass, field
from torch_compile_lint.rewrite.condition import Condition, condition
from torch_compile_lint.rewrite.flow import (
    binding_before,
    captured,
    following,
    is_target,
    names_in,
    read_outside,
    reads_of,
    targets_of,
    written_in_place,
)
from torch_compile_lint.rewrite.purity import is_pure, is_tensor, only
from torch_compile_lint.rewrite.text import Lines, argument, below, fresh, lines_of, renamed, source

TITLE = "Choose with torch.where"
Statement = ir.Assign | ir.AugAssign


def where(test: str, yes: str, no: str) -> str:
    """The call."""
    return f"torch.where({test}, {yes}, {no})"


def choose_ternary(node: ir.IfExp, view: FunctionView) -> Fix | None:
    """`a if t else b` -> `torch.where(t, a, b)`."""
    test = condition(node.test, view)
    if test is None or test.static or "#" in source(node, view):
        return None
    if not (is_pure(node.body, view) and is_pure(node.orelse, view)):
        return None
    bound = view.parent(node)
    names = names_in(node.body) | names_in(node.orelse)
    names |= targets_of(bound) if isinstance(bound, ir.Op) else set()
    if names & written_in_place(view):
        return None
    if not _choosable(view.value(node.body), view.value(node.orelse)):
        return None
    text = where(test.tensor, argument(node.body, view), argument(node.orelse, view))
    return Fix(TITLE, Safety.UNSAFE, (Edit("", Span(node.start, node.end), text),), ("torch",))


def choose_branch(branch: ir.Branch, view: FunctionView) -> Fix | None:
    """The fix for an `if` statement on a tensor; None where no form of it is legal."""
    if source(branch, view).startswith("elif"):
        return None
    test = condition(branch.test, view)
    if test is None:
        return None
    return _returns(branch, test, view) or _assigns(branch, test, view)


def _choosable(one: Value, other: Value) -> bool:
    kinds = [only(one, Tensor), only(other, Tensor)]
    return any(kinds) and all(only(v, Tensor, Number) for v in (one, other))


# ---------------------------------------------------------------- both sides return


def _returns(branch: ir.Branch, test: Condition, view: FunctionView) -> Fix | None:
    yes = _only_return(branch.body)
    if yes is None:
        return None
    rest = following(branch, view)
    if branch.orelse:
        no = _only_return(branch.orelse)
        last: ir.Op = branch
    else:
        no = rest[0] if rest and isinstance(rest[0], ir.Return) else None
        last = no if no is not None else branch
    if no is None or (branch.orelse and test.static):
        return None
    if no.value is None or yes.value is None:
        return None
    for value in (yes.value, no.value):
        if not is_pure(value, view) or not is_tensor(value, view):
            return None
    lines = lines_of(branch, view, branch if test.static else last)
    if lines is None:
        return None
    chosen = f"return {where(test.tensor, argument(yes.value, view), argument(no.value, view))}"
    return _fix(lines, [chosen], test, branch, view)


def _only_return(block: ir.Block) -> ir.Return | None:
    only_one = block[0] if len(block) == 1 else None
    return only_one if isinstance(only_one, ir.Return) else None


# ---------------------------------------------------------------- both sides assign


@dataclass(slots=True)
class Side:
    """One branch rewritten: statements to emit first, and per live name its text and value."""

    emitted: list[str] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)


def _assigns(branch: ir.Branch, test: Condition, view: FunctionView) -> Fix | None:
    if branch.orelse and test.static:
        return None
    then, other = _straight(branch.body, view), _straight(branch.orelse, view)
    lines = lines_of(branch, view)
    if then is None or other is None or lines is None:
        return None
    names = list(dict.fromkeys(n for op in (*then, *other) for n in targets_of(op)))
    live = [n for n in names if read_outside(n, (branch,), view)]
    if not live or any(captured(n, view) for n in names):
        return None
    if _reads_first(other, {n for op in then for n in targets_of(op)} - set(live)):
        return None
    if _alias_written(branch, [(op.value, targets_of(op)) for op in (*then, *other)], live, view):
        return None
    inline = len(live) == 1 and all(len(block) <= 1 for block in (then, other))
    yes = _side(then, live, "then", inline, branch, view)
    no = _side(other, live, "else", inline, branch, view)
    if yes is None or no is None:
        return None
    texts = []
    name = "" if inline else fresh("condition", view)
    for target in live:
        pair = []
        for side in (yes, no):
            if target not in side.texts:
                before = _value_before(target, branch, view)
                if before is None:
                    return None
                side.texts[target], side.values[target] = target, before
            pair.append(side.values[target])
        if not _choosable(*pair):
            return None
        texts.append(f"{target} = {where(name or test.tensor, yes.texts[target], no.texts[target])}")
    first = [f"{name} = {test.tensor}"] if name else []
    return _fix(lines, [*first, *yes.emitted, *no.emitted, *texts], test, branch, view)


def _alias_written(
    branch: ir.Branch,
    given: list[tuple[ir.Expr | None, set[str]]],
    live: list[str],
    view: FunctionView,
) -> bool:
    """Whether a name that may share its tensor with another is written in place elsewhere.

    torch.where makes a new tensor where the branch only gave an old one another name, so a later
    `y += 1` would no longer reach what the other name holds.
    """
    written = written_in_place(view, branch)
    if not written:
        return False
    shared = {n for n in live if not _owned(n, branch, view)}
    for value, targets in given:
        if value is not None and not isinstance(value, ir.Binary | ir.Unary | ir.Compare | ir.Const):
            shared |= targets | names_in(value)
    return bool(shared & written)


def _straight(block: ir.Block, view: FunctionView) -> tuple[Statement, ...] | None:
    """The block as assignments of pure values to single local names; None if it is anything else."""
    out: list[Statement] = []
    for op in block:
        if isinstance(op, ir.Assign):
            plain = len(op.targets) == 1 and op.annotation is None
            target = op.targets[0]
        elif isinstance(op, ir.AugAssign):
            plain, target = True, op.target
        else:
            return None
        if not plain or not isinstance(target, ir.Name) or target.scope != "local":
            return None
        if op.value is None or not is_pure(op.value, view):
            return None
        out.append(op)
    return tuple(out)


def _reads_first(ops: tuple[Statement, ...], names: set[str]) -> bool:
    """Whether ``ops`` read one of ``names`` before they bind it."""
    bound: set[str] = set()
    for op in ops:
        read = names_in(op.value) if op.value is not None else set()
        if isinstance(op, ir.AugAssign):
            read |= targets_of(op)
        if (read - bound) & names:
            return True
        bound |= targets_of(op)
    return False


def _side(
    ops: tuple[Statement, ...],
    live: list[str],
    suffix: str,
    inline: bool,
    branch: ir.Branch,
    view: FunctionView,
) -> Side | None:
    side = Side()
    names: dict[str, str] = {}
    for op in ops:
        (target,) = targets_of(op)
        assert op.value is not None
        text, value = renamed(op.value, names, view), view.value(op.value)
        if isinstance(op, ir.AugAssign):
            if target not in names and not _owned(target, branch, view):
                return None
            value = view.value(op.target)
            right = text if isinstance(op.value, ir.Name | ir.Const | ir.Call | ir.Attribute) else f"({text})"
            text = f"{names.get(target, target)} {op.op} {right}"
        if target not in live:
            if isinstance(op, ir.AugAssign):
                return None
            side.emitted.append(f"{target} = {text}")
            continue
        side.values[target] = value
        if inline:
            side.texts[target] = _as_argument(text, op)
        else:
            names[target] = side.texts[target] = names.get(target) or fresh(f"{target}_{suffix}", view)
            side.emitted.append(f"{names[target]} = {text}")
    return side


def _as_argument(text: str, op: Statement) -> str:
    return f"({text})" if isinstance(op.value, ir.Walrus | ir.Yield | ir.Starred) else text


def _owned(name: str, op: ir.Op, view: FunctionView) -> bool:
    """Whether `name += ...` would write to a tensor that nobody else holds."""
    bound = binding_before(name, op, view)
    if not isinstance(bound, ir.Assign) or not isinstance(bound.value, ir.Binary | ir.Unary):
        return False
    for found in reads_of(name, view):
        parent = view.parent(found)
        if isinstance(parent, ir.Assign | ir.Sequence | ir.Dict) and found.start < op.start:
            return False
    return True


def _value_before(name: str, branch: ir.Branch, view: FunctionView) -> Value | None:
    """What the name holds if its branch is not taken; None where that is not certain."""
    bound = binding_before(name, branch, view)
    if bound is None:
        return None
    for node in below(branch):
        if isinstance(node, ir.Name) and node.name == name and not is_target(node, view):
            return view.value(node)
    if isinstance(bound, ir.Assign) and len(bound.targets) == 1 and isinstance(bound.targets[0], ir.Name):
        return view.value(bound.value) if bound.value is not None else None
    return None


# ---------------------------------------------------------------- text


def _fix(lines: Lines, statements: list[str], test: Condition, branch: ir.Branch, view: FunctionView) -> Fix:
    indent = lines.indent
    rows = []
    if test.static:
        rows.append(f"{indent}if {test.static}:")
        indent = inner_indent(branch, indent, view)
    rows += [indent + statement for statement in statements]
    return Fix(TITLE, Safety.UNSAFE, (lines.replaced(rows),), ("torch",))


def inner_indent(op: ir.Branch, indent: str, view: FunctionView) -> str:
    """The indentation of a branch's body, or four blanks more than its own."""
    lines = lines_of(op.body[0], view)
    return lines.indent if lines is not None and lines.indent.startswith(indent) else indent + "    "
