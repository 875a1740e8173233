"""Where a fix writes beyond its own function: module level, and the end of a class's ``__init__``.

In: what ``Fix.outside`` asks for, the index and the text of the file. Out: the edits; None where the
place does not exist or a name it would bind is taken, so that the fix cannot be offered. Rules see one
function and their answers are cached with it; what the rest of the file says is asked here, each time.
"""

from __future__ import annotations

import ast
import builtins
import functools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torch_compile_lint.model import Edit, Fix, Outside, Span
from torch_compile_lint.place_calls import calls_with_list
from torch_compile_lint.place_imports import behind
from torch_compile_lint.rewrite.module_names import global_names
from torch_compile_lint.source import LineIndex, newline_of

if TYPE_CHECKING:
    from torch_compile_lint.facts.index_ir import FileIndex

# Names that every nn.Module has: an attribute of that name would hide a method.
_MODULE_NAMES = """
    add_module apply bfloat16 buffers call_super_init children compile cpu cuda double dump_patches eval
    extra_repr float forward get_buffer get_extra_state get_parameter get_submodule half ipu load_state_dict
    modules mtia named_buffers named_children named_modules named_parameters parameters
    register_backward_hook register_buffer register_forward_hook register_forward_pre_hook
    register_full_backward_hook register_full_backward_pre_hook register_load_state_dict_post_hook
    register_load_state_dict_pre_hook register_module register_parameter register_state_dict_post_hook
    register_state_dict_pre_hook requires_grad_ set_extra_state set_submodule share_memory state_dict
    T_destination to to_empty train training type xpu zero_grad
"""
_RESERVED = frozenset(_MODULE_NAMES.split())
_MODULE = ("torch.nn.Module", "torch.nn.modules.Module", "torch.nn.modules.module.Module")


def placed(fix: Fix, function: str, base: int, index: FileIndex, text: str) -> tuple[Edit, ...] | None:
    """The edits for all that ``fix`` changes outside ``function``, whose unit starts at ``base``."""
    out: list[Edit] = []
    for wanted in fix.outside:
        if wanted.place == "calls":
            edits = _at_calls(wanted, text)
            if edits is None:
                return None
            out += edits
            continue
        if wanted.place == "behind":
            edit = _behind(wanted, base, index, text)
        elif wanted.place == "module":
            edit = _at_module_level(wanted, base, index, text)
        elif wanted.place == "setting":
            edit = _above_definitions(wanted, index, text)
        else:
            edit = _in_init(wanted, function, index, text)
        if edit is None:
            return None
        out.append(edit)
    return tuple(out)


@functools.lru_cache(maxsize=8)
def _parsed(text: str) -> tuple[ast.Module, LineIndex] | None:
    try:
        return ast.parse(text), LineIndex(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _at_calls(wanted: Outside, text: str) -> tuple[Edit, ...] | None:
    parsed = _parsed(text)
    function, parameter = wanted.names
    return None if parsed is None else calls_with_list(function, parameter, *parsed)


# ---------------------------------------------------------------- module level


def _behind(wanted: Outside, base: int, index: FileIndex, text: str) -> Edit | None:
    """``wanted.text`` right behind the module-level function that starts at ``base``."""
    parsed = _parsed(text)
    if parsed is None or index.star_imports:
        return None
    tree, lines = parsed
    taken = {b.local for b in index.imports} | set(index.globals) | set(index.functions) | set(index.classes)
    if any(name in taken or hasattr(builtins, name) for name in wanted.names):
        return None
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef) and lines.starts[statement.lineno - 1] == base:
            end = statement.end_lineno or statement.lineno
            at = lines.starts[end] if end < lines.count else len(text)
            newline = newline_of(text)
            start = "" if text[:at].endswith(("\n", "\r")) else newline
            block = wanted.text.rstrip("\n").replace("\n", newline)
            return Edit("", Span(at, at), f"{start}{newline * 2}{block}{newline}")
    return None


def _at_module_level(wanted: Outside, base: int, index: FileIndex, text: str) -> Edit | None:
    parsed = _parsed(text)
    if parsed is None or index.star_imports:
        return None
    tree, lines = parsed
    taken = {b.local for b in index.imports} | set(index.globals) | set(index.functions) | set(index.classes)
    if any(name in taken or hasattr(builtins, name) for name in wanted.names):
        return None
    at = _above(base, tree, lines, text)
    if at is None or not all(_bound_before(n, at, index, lines) for n in global_names(wanted.text)):
        return None
    end = newline_of(text)
    block = wanted.text.replace("\r\n", "\n").rstrip("\n").replace("\n", end)
    return Edit("", Span(at, at), f"{block}{end * 3}")


def _above_definitions(wanted: Outside, index: FileIndex, text: str) -> Edit | None:
    """``wanted.text`` above the first class or function of the file: once, whatever function asks."""
    parsed = _parsed(text)
    if parsed is None:
        return None
    tree, lines = parsed
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            at = _above(lines.starts[statement.lineno - 1], tree, lines, text)
            if at is None or not all(_bound_before(n, at, index, lines) for n in global_names(wanted.text)):
                return None
            end = newline_of(text)
            return Edit("", Span(at, at), f"{wanted.text}{end * 3}")
    return None


def _above(base: int, tree: ast.Module, lines: LineIndex, text: str) -> int | None:
    """The start of the module-level statement that holds an offset, comments right above it included."""
    for statement in tree.body:
        decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
        first = min([statement.lineno, *(d.lineno for d in decorators)])
        end = statement.end_lineno or first
        last = lines.starts[end] if end < lines.count else len(text)
        if not lines.starts[first - 1] <= base < last:
            continue
        if not isinstance(statement, ast.ClassDef | ast.FunctionDef):
            return None
        above = first
        while above > 1 and lines.text(above - 1).startswith("#"):
            above -= 1
        return lines.starts[(above if above > 1 else first) - 1]
    return None


def _bound_before(name: str, at: int, index: FileIndex, lines: LineIndex) -> bool:
    """Whether a global name certainly has its value above an offset, and that value only."""
    places = [lines.starts[b.line - 1] for b in index.imports if b.local == name and not b.typing_only]
    if any(b.local == name and b.conditional for b in index.imports):
        return False
    places += [e.start for e in index.globals.get(name, ())]
    places += [
        held.start for held in (index.functions.get(name), index.classes.get(name)) if held is not None
    ]
    if not places:
        return hasattr(builtins, name)
    return len(places) == 1 and places[0] < at


# ---------------------------------------------------------------- __init__


def _in_init(wanted: Outside, function: str, index: FileIndex, text: str) -> Edit | None:
    parsed = _parsed(text)
    if parsed is None or any(name in _RESERVED for name in wanted.names):
        return None
    tree, lines = parsed
    owner = _class(function.rpartition(".")[0], tree)
    if owner is None or not _plain_module(owner, index):
        return None
    init = next((s for s in owner.body if isinstance(s, ast.FunctionDef) and s.name == "__init__"), None)
    if init is None or init.decorator_list or not init.args.args or init.args.args[0].arg != "self":
        return None
    if any(isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) for node in ast.walk(init)):
        return None
    begun = next((n for n, s in enumerate(init.body) if _calls_super(s)), None)
    if begun is None:
        return None
    if wanted.place == "buffer":
        return _as_buffer(wanted.names[0], owner, init.body[begun + 1 :], function, lines)
    return _appended(wanted, owner, init, index, lines, text)


def _class(qualname: str, tree: ast.Module) -> ast.ClassDef | None:
    body: list[ast.stmt] = tree.body
    found = None
    for name in qualname.split("."):
        same = [s for s in body if isinstance(s, ast.ClassDef) and s.name == name]
        if len(same) != 1:
            return None
        found = same[0]
        body = found.body
    return found


def _plain_module(owner: ast.ClassDef, index: FileIndex) -> bool:
    """Whether a class inherits from nn.Module and nothing else: no other class knows its attributes."""
    if len(owner.bases) != 1 or owner.keywords:
        return False
    head, _, rest = ast.unparse(owner.bases[0]).partition(".")
    for binding in index.imports:
        if binding.local == head and not binding.conditional:
            start = binding.module if binding.attr is None else f"{binding.module}.{binding.attr}"
            return (f"{start}.{rest}" if rest else start) in _MODULE
    return False


def _calls_super(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    called = ast.unparse(statement.value.func)
    return called.startswith("super(") and called.endswith(").__init__")


def _appended(
    wanted: Outside, owner: ast.ClassDef, init: ast.FunctionDef, index: FileIndex, lines: LineIndex, text: str
) -> Edit | None:
    """``wanted.text`` as the last statement of ``__init__``, if all it reads is there by then."""
    last = init.body[-1]
    if isinstance(last, ast.Raise) or last.lineno == init.lineno:
        return None
    if any(_mentions(owner, name) for name in wanted.names):
        return None
    given = ast.parse(wanted.text)
    made = {t.attr for s in init.body if isinstance(s, ast.Assign) for t in _attributes_of(s)}
    stored = [n.attr for n in ast.walk(owner) if isinstance(n, ast.Attribute) and _written(n)]
    local = {n.id for n in ast.walk(init) if isinstance(n, ast.Name) and _written(n)} | {
        a.arg for a in ast.walk(init) if isinstance(a, ast.arg)
    }
    for node in ast.walk(given):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            if not _written(node) and (node.attr not in made or stored.count(node.attr) != 1):
                return None
        elif (
            isinstance(node, ast.Name)
            and node.id != "self"
            and (node.id in local or not _bound_before(node.id, len(text), index, lines))
        ):
            return None
    place = behind(last, text, lines, newline_of(text))
    if place is None:
        return None
    offset, before, after = place
    row = lines.text(last.lineno)
    indent = row[: len(row) - len(row.lstrip())]
    return Edit("", Span(offset, offset), f"{before}{indent}{wanted.text}{after}")


def _written(node: ast.Attribute | ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _attributes_of(statement: ast.Assign) -> Iterator[ast.Attribute]:
    for target in statement.targets:
        if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self":
            yield target


def _mentions(owner: ast.ClassDef, name: str) -> bool:
    """Whether a class has anything to do with an attribute of that name, as text or as code."""
    for node in ast.walk(owner):
        if isinstance(node, ast.Attribute) and node.attr == name:
            return True
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and re.fullmatch(rf"(\w+\.)*{name}", node.value)
        ):
            return True
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == name:
            return True
    bound = (
        n.id
        for s in owner.body
        for n in ast.walk(s)
        if not isinstance(s, ast.FunctionDef | ast.ClassDef)
        if isinstance(n, ast.Name) and _written(n)
    )
    return name in bound


def _as_buffer(
    name: str, owner: ast.ClassDef, body: list[ast.stmt], function: str, lines: LineIndex
) -> Edit | None:
    """The one place that stores a whole number as ``self.name``, as a buffer that is not saved."""
    stores = [s for s in body if isinstance(s, ast.Assign) and any(t.attr == name for t in _attributes_of(s))]
    if len(stores) != 1 or len(stores[0].targets) != 1:
        return None
    (store,) = stores
    number = store.value
    if not isinstance(number, ast.Constant) or type(number.value) is not int:
        return None
    method = function.rpartition(".")[2]
    rest = [s for s in owner.body if not (isinstance(s, ast.FunctionDef) and s.name == method)]
    spots = [n for s in rest for n in ast.walk(s) if isinstance(n, ast.Attribute) and n.attr == name]
    texts = [n for s in rest for n in ast.walk(s) if isinstance(n, ast.Constant) and n.value == name]
    if (
        len(spots) != 1
        or texts
        or any(isinstance(s, ast.AnnAssign | ast.Assign) and name in ast.unparse(s) for s in owner.body)
    ):
        return None
    start = lines.from_utf8(store.lineno, store.col_offset)
    end = lines.from_utf8(store.end_lineno or store.lineno, store.end_col_offset or 0)
    new = f'self.register_buffer("{name}", torch.tensor({number.value}), persistent=False)'
    return Edit("", Span(start, end), new)
