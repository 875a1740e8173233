"""Whether Python has to know a number, or a size, that fullgraph=True leaves unknown.

Since 2.13 (measured on 2.13.0 and 2.14.1) ``torch.compile(fullgraph=True)`` does not raise for
``t.item()`` or ``x[mask]``: the number becomes a symbol of the graph. It raises where the symbol
decides what Python does next: a jump, ``not``/``and``/``or``, a ``range``, a loop over rows, an
index into a list, a key of a dict, text. Arithmetic, slices and sizes of tensors are fine, and so
is an ``assert`` without a dynamic message. Numbers out of the function's own arguments may be known to
Dynamo (it guards on integers), so nothing is said of those.
"""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.facts import ir
from torch_compile_lint.program.function_view import AnalyzedFunction
from torch_compile_lint.program.values import Container, Tensor
from torch_compile_lint.rule import is_computed

_KEEPS = frozenset(("int", "float", "bool", "max", "min", "abs", "round", "len"))  # of a number, a number
_SIZES = frozenset(("shape", "size", "numel"))
_CONCRETE = frozenset(("range", "str", "repr"))


def needs_number(node: ir.Node, view: AnalyzedFunction) -> bool:
    """True where the value of ``node``, or a variable that holds it, decides what Python does."""
    if not isinstance(node, ir.Expr):
        return False
    if isinstance(node, ir.Call) and not _is_tensor(node, view) and not _from_computed(node, view):
        return False
    seen: set[str] = set()
    waiting: list[ir.Expr] = [node]
    while waiting:
        for use, parent in _upwards(waiting.pop(), view):
            if _decides(use, parent, view):
                return True
            names = _bound(use, parent) - seen
            seen |= names
            if names:
                waiting.extend(n for n in view.nodes(ir.Name) if n.name in names and _is_read(n, view))
    return False


def _bound(use: ir.Node, parent: ir.Node) -> set[str]:
    """The variables that ``parent`` gives the value of ``use``."""
    if isinstance(parent, ir.Assign) and parent.value is use:
        return {target.name for target in parent.targets if isinstance(target, ir.Name)}
    if isinstance(parent, ir.Walrus) and parent.value is use and isinstance(parent.target, ir.Name):
        return {parent.target.name}
    return set()


def _from_computed(call: ir.Call, view: AnalyzedFunction) -> bool:
    func = call.func
    source = func.base if isinstance(func, ir.Attribute) and not call.args else None
    if source is None:
        source = call.args[0].value if call.args else None
    return source is None or is_computed(source, view)


def _is_read(name: ir.Name, view: AnalyzedFunction) -> bool:
    parent = view.parent(name)
    targets = parent.targets if isinstance(parent, ir.Assign) else ()
    return not any(target is name for target in targets) and not (
        isinstance(parent, ir.Walrus) and parent.target is name
    )


def _upwards(expr: ir.Expr, view: AnalyzedFunction) -> Iterator[tuple[ir.Node, ir.Node]]:
    """(node, its parent) from ``expr`` outwards, as long as what is made is a number or a size."""
    child: ir.Node = expr
    parent = view.parent(child)
    while parent is not None:
        yield child, parent
        if not _is_number(child, parent, view):
            return
        child, parent = parent, view.parent(parent)


def _is_number(child: ir.Node, parent: ir.Node, view: AnalyzedFunction) -> bool:
    """Whether ``parent`` still is the unknown number, or the rows or size of the tensor."""
    if isinstance(parent, ir.Attribute):
        return parent.attr in _SIZES
    if isinstance(parent, ir.Argument | ir.Walrus):
        return True
    if isinstance(parent, ir.Subscript):
        return parent.base is child and isinstance(child, ir.Attribute) and child.attr in _SIZES
    if isinstance(parent, ir.Call):
        if parent.func is child:
            return isinstance(child, ir.Attribute) and child.attr in _SIZES
        return isinstance(parent.func, ir.Name) and parent.func.name in _KEEPS
    if isinstance(parent, ir.Binary | ir.Unary | ir.Compare):
        return not any(isinstance(atom, Tensor) for atom in view.value(parent).atoms)
    return False


def _decides(child: ir.Node, parent: ir.Node, view: AnalyzedFunction) -> bool:
    if isinstance(parent, ir.BoolOp):
        return True
    if isinstance(parent, ir.Unary):
        return parent.op == "not"
    if isinstance(parent, ir.Branch | ir.While | ir.IfExp):
        return parent.test is child
    if isinstance(parent, ir.Assert):
        return parent.test is child and not isinstance(parent.message, ir.Const | None)
    if isinstance(parent, ir.For):
        return parent.iter is child and isinstance(child, ir.Expr) and _is_tensor(child, view)
    if isinstance(parent, ir.Subscript):
        base = view.value(parent.base)
        return parent.index is child and any(isinstance(atom, Container) for atom in base.atoms)
    if isinstance(parent, ir.Argument):
        call = view.parent(parent)
        if isinstance(call, ir.Call) and isinstance(call.func, ir.Name):
            return call.func.name in _CONCRETE and call.func.scope == "global"
    return isinstance(parent, ir.Clause) and any(condition is child for condition in parent.conditions)


def _is_tensor(expr: ir.Expr, view: AnalyzedFunction) -> bool:
    return any(isinstance(atom, Tensor) for atom in view.value(expr).atoms)
