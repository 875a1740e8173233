"""A pure function of whole numbers and masks whose code depends on data -> one operator of the graph.

The function runs as it is, inside `torch.library.custom_op`; its fake implementation is the function
without what only writes values into the tensors it returns. Legal where nothing else could tell: the
function stands at module level, takes tensors and gives new tensors of whole numbers or booleans (so
there is no gradient), and changes nothing but tensors that it made.
"""

from __future__ import annotations

from torch_compile_lint.facts import ir
from torch_compile_lint.model import Edit, Fix, Outside, Safety, Span
from torch_compile_lint.program.values import Tensor
from torch_compile_lint.program.view import FunctionView
from torch_compile_lint.rewrite.flow import names_in, statement_of, targets_of
from torch_compile_lint.rewrite.purity import is_pure, is_tensor, only
from torch_compile_lint.rewrite.text import below, lines_of, shadowed, source

_MAKERS = frozenset(
    f"torch.{name}{like}"
    for name in ("zeros", "ones", "full", "empty", "eye", "arange")
    for like in ("", "_like")
)
# Read values, and leave everything as it is: what the function may do besides `is_pure`, its fake not.
_READERS = frozenset(
    f"torch.{owner}{name}"
    for owner in ("", "Tensor.")
    for name in ("nonzero", "argwhere", "unique", "masked_select", "bincount", "item", "tolist")
)
_PYTHON = frozenset(f"builtins.{name}" for name in ("range", "enumerate", "zip", "int", "bool", "len"))


def custom_operator(node: ir.Node, view: FunctionView) -> Fix | None:
    """The function that holds ``node`` as an operator; None where it is not one."""
    facts = view.facts
    if view.is_root or facts.kind != "function" or facts.qualname != facts.name or facts.decorators:
        return None
    if facts.is_async or facts.is_generator or shadowed("torch", view) or facts.free:
        return None
    body = facts.body[1:] if facts.body and _is_docstring(facts.body[0]) else facts.body
    if not facts.params or not all(_is_plain(p, view) for p in facts.params) or not body:
        return None
    last = body[-1]
    if not isinstance(last, ir.Return) or last.value is None or statement_of(node, view) is None:
        return None
    returned = last.value.items if isinstance(last.value, ir.Sequence) else (last.value,)
    if isinstance(last.value, ir.Sequence) and last.value.kind != "tuple":
        return None
    own = {name for name in facts.locals if _is_own(name, view)}
    roots = [_root(value, view) for value in returned]
    made = all(root in own for root in roots) and len(set(roots)) == len(roots)
    if not made or not all(_holds_no_gradient(value, view) for value in returned):
        return None
    if not all(_changes_own_only(op, own, view) for op in body):
        return None
    kept = _fake(body, view)
    if kept is None:
        return None
    return _written(kept, len(returned), isinstance(last.value, ir.Sequence), view)


def _written(kept: list[ir.Op], count: int, as_tuple: bool, view: FunctionView) -> Fix | None:
    name, params = view.facts.name, [p.name for p in view.facts.params]
    gives = f"({', '.join(['Tensor'] * count)})" if as_tuple else "Tensor"
    takes = ", ".join(f"Tensor {p}" for p in params)
    rows = []
    for op in kept:
        lines = lines_of(op, view)
        if lines is None:
            return None
        rows.append((view.source or "")[lines.start : lines.end].rstrip("\r\n").replace("\r\n", "\n"))
    head = (
        "@torch.library.custom_op(\n"
        f'    __name__.replace(".", "_") + "::{name}",\n'
        f'    mutates_args=(),\n    schema="({takes}) -> {gives}",\n'
        ")\n"
    )
    fake = f"_{name.lstrip('_')}_fake"
    text = f"@{name}.register_fake\ndef {fake}({', '.join(params)}):\n" + "\n".join(rows)
    newline = "\r\n" if "\r\n" in (view.source or "") else "\n"
    edit = Edit("", Span(0, 0), head.replace("\n", newline))
    outside = (Outside("behind", (fake,), text),)
    return Fix(f"Make `{name}` an operator of the graph", Safety.UNSAFE, (edit,), ("torch",), outside)


def _is_docstring(op: ir.Op) -> bool:
    return isinstance(op, ir.ExprStmt) and isinstance(op.value, ir.Const)


def _is_plain(param: ir.Param, view: FunctionView) -> bool:
    """A positional parameter that is annotated as a tensor of no default."""
    if param.kind != "positional" or param.default is not None or param.annotation is None:
        return False
    return source(param.annotation, view).rpartition(".")[2].strip("\"'") in _TENSORS


_TENSORS = frozenset(("Tensor", "LongTensor", "IntTensor", "BoolTensor", "FloatTensor"))


def _holds_no_gradient(expr: ir.Expr, view: FunctionView) -> bool:
    value = view.value(expr)
    whole = only(value, Tensor) and all(
        isinstance(a, Tensor) and a.dtype in ("int", "bool") for a in value.atoms
    )
    return whole and is_tensor(expr, view)


def _root(expr: ir.Expr, view: FunctionView) -> str | None:
    """The local name that a chain of pure methods starts at."""
    if not is_pure(expr, view):
        return None
    while isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attribute):
        expr = expr.func.base
    return expr.name if isinstance(expr, ir.Name) and expr.scope == "local" else None


def _is_own(name: str, view: FunctionView) -> bool:
    """Whether a local name only ever holds one tensor that the function makes: `torch.zeros(...).bool()`."""
    bound = [op for op in view.nodes(ir.Assign) if name in targets_of(op)]
    if len(bound) != 1 or any(p.name == name for p in view.facts.params):
        return False
    (op,) = bound
    if op.value is None or len(op.targets) != 1 or not isinstance(op.targets[0], ir.Name):
        return False
    expr = op.value
    if not is_pure(expr, view):
        return False
    while isinstance(expr, ir.Call):
        if set(view.callees(expr)) and set(view.callees(expr)) <= _MAKERS:
            return True
        if not isinstance(expr.func, ir.Attribute) or not is_tensor(expr.func.base, view):
            return False
        expr = expr.func.base
    return False


def _changes_own_only(op: ir.Op, own: set[str], view: FunctionView) -> bool:
    """Whether a statement binds local names, and writes into the function's own tensors at most."""
    if isinstance(op, ir.Assign):
        targets = [t for target in op.targets for t in _parts(target)]
        if not all(
            isinstance(t, ir.Name)
            or (isinstance(t, ir.Subscript) and _base(t) in own and _reads(t.index, view))
            for t in targets
        ):
            return False
        return op.value is not None and _reads(op.value, view)
    if isinstance(op, ir.AugAssign):
        # Of a number it binds the name anew; of a tensor it writes into it.
        target = op.target
        number = isinstance(target, ir.Name) and not _may_hold_tensor(target, view)
        return (number or _base(target) in own) and _reads(op.value, view)
    if isinstance(op, ir.For):
        inner = (*op.body, *op.orelse)
        names = all(isinstance(t, ir.Name) for t in _parts(op.target)) and not op.is_async
        return names and _reads(op.iter, view) and all(_changes_own_only(o, own, view) for o in inner)
    if isinstance(op, ir.Branch):
        inner = (*op.body, *op.orelse)
        return _reads(op.test, view) and all(_changes_own_only(o, own, view) for o in inner)
    return isinstance(op, ir.Return) and op is view.facts.body[-1]


def _parts(target: ir.Expr) -> list[ir.Expr]:
    if isinstance(target, ir.Sequence):
        return [part for item in target.items for part in _parts(item)]
    return [target]


def _base(target: ir.Expr) -> str | None:
    held = target.base if isinstance(target, ir.Subscript) else target
    return held.name if isinstance(held, ir.Name) else None


def _may_hold_tensor(name: ir.Name, view: FunctionView) -> bool:
    value = view.value(name)
    return not value.atoms or any(isinstance(a, Tensor) for a in value.atoms)


def _reads(expr: ir.Expr, view: FunctionView) -> bool:
    """Whether an expression only reads: pure, or with calls that look at values."""
    if is_pure(expr, view):
        return True
    if isinstance(expr, ir.Call):
        callees = set(view.callees(expr))
        known = bool(callees) and callees <= _READERS | _PYTHON
        if not known:
            return False
        inner = [a.value for a in expr.args if not a.star]
        if isinstance(expr.func, ir.Attribute):
            inner += [] if source(expr.func.base, view) == "torch" else [expr.func.base]
        return len(inner) >= len(expr.args) and all(_reads(i, view) for i in inner)
    if isinstance(expr, ir.Subscript):
        return _reads(expr.base, view) and is_pure(expr.index, view)
    return False


def _fake(body: ir.Block, view: FunctionView) -> list[ir.Op] | None:
    """The statements that say what shape and dtype the results have; None where the data say so."""
    last = body[-1]
    needed = _wanted(last, view)
    kept = [last]
    if not _is_static(last, view):
        return None
    for op in reversed(body[:-1]):
        bound = targets_of(op) if isinstance(op, ir.Assign) else set()
        if isinstance(op, ir.AugAssign) and isinstance(op.target, ir.Name) and op.target.name in needed:
            if not is_tensor(op.target, view):
                return None
            continue
        if isinstance(op, ir.For | ir.Branch):
            inside = {n for o in below(op) if isinstance(o, ir.Op) for n in _rebound(o, view)}
            if inside & needed:
                return None
            continue
        if bound & needed:
            if not _is_static(op, view):
                return None
            kept.append(op)
            needed |= _wanted(op, view)
    return kept[::-1]


def _rebound(op: ir.Op, view: FunctionView) -> set[str]:
    """Names that a statement gives another value, not only another content."""
    if isinstance(op, ir.For):
        return names_in(op.target)
    if isinstance(op, ir.AugAssign):
        named = isinstance(op.target, ir.Name) and not is_tensor(op.target, view)
        return targets_of(op) if named else set()
    return targets_of(op)


def _wanted(op: ir.Op, view: FunctionView) -> set[str]:
    value = getattr(op, "value", None)
    return names_in(value) if isinstance(value, ir.Node) else set()


def _is_static(op: ir.Op, view: FunctionView) -> bool:
    """Whether a statement can run on tensors that have no values."""
    value = getattr(op, "value", None)
    if not isinstance(value, ir.Expr) or not is_pure(value, view):
        return False
    for node in below(value):
        if isinstance(node, ir.Subscript) and is_tensor(node.base, view):
            return False
        if isinstance(node, ir.Call) and any(c in _PYTHON - {"builtins.len"} for c in view.callees(node)):
            return False
        if isinstance(node, ir.Call) and "torch.where" in view.callees(node):
            return False
    return True
