"""`for h, w in shapes` over a tensor that was made of a list of numbers: let the callers pass the list.

What the function itself must fulfil is asked here: the parameter is only looped over, and of a row only
numbers are asked (sizes, slice bounds, arithmetic). What the calls must fulfil is asked where their
text is known (``place_calls.py``).
"""

from __future__ import annotations

from torch_compile_lint.facts import ir
from torch_compile_lint.model import Fix, Outside, Safety
from torch_compile_lint.program.view import FunctionView
from torch_compile_lint.rewrite.flow import captured, names_in, reads_of, statement_of, writes_of
from torch_compile_lint.rewrite.purity import is_tensor

# What takes a whole number where it takes a 0-d tensor: sizes and ends.
_METHODS = frozenset(("view", "reshape", "expand", "repeat", "new_zeros", "new_ones", "new_empty"))
_FUNCTIONS = frozenset(f"torch.{name}" for name in ("arange", "linspace", "zeros", "ones", "empty", "eye"))
_DEPTH = 8


def pass_the_list(node: ir.Node, view: FunctionView) -> Fix | None:
    """The fix for a call that needs a number of a row; None where a row is asked for more than numbers."""
    asked = names_in(node)
    for loop in view.nodes(ir.For):
        given = _looped(loop, view)
        rows = _rows(loop, given, view)
        if given is None or not rows or not asked & _made_of(rows, view):
            continue
        if all(_is_number(use, rows, view) for row in rows for use in reads_of(row, view)):
            outside = (Outside("calls", (view.facts.qualname, given.name)),)
            return Fix(f"Pass the list that `{given.name}` is made of", Safety.UNSAFE, (), outside=outside)
    return None


def _looped(loop: ir.For, view: FunctionView) -> ir.Name | None:
    """The parameter that is looped over, if nothing else is done with it."""
    found = loop.iter
    if isinstance(found, ir.Call):
        if view.callees(found) != ("builtins.enumerate",) or len(found.args) != 1 or found.args[0].star:
            return None
        found = found.args[0].value
    if not isinstance(found, ir.Name) or found.scope != "local" or loop.is_async:
        return None
    name = found.name
    taken = any(p.name == name and p.kind.startswith("positional") for p in view.facts.params)
    if not taken or writes_of(name, view) or captured(name, view) or not is_tensor(found, view):
        return None
    return found if len(reads_of(name, view)) == 1 else None


def _rows(loop: ir.For, given: ir.Name | None, view: FunctionView) -> set[str]:
    """The names of the parts of a row, bound by the loop only."""
    target = loop.target
    if isinstance(loop.iter, ir.Call):
        if not isinstance(target, ir.Sequence) or len(target.items) != 2:
            return set()
        target = target.items[1]
    if not isinstance(target, ir.Sequence) or not all(isinstance(i, ir.Name) for i in target.items):
        return set()
    names = {item.name for item in target.items if isinstance(item, ir.Name)}
    alone = all(len(writes_of(n, view)) == 1 and not captured(n, view) for n in names)
    return names if alone and len(names) == len(target.items) else set()


def _made_of(rows: set[str], view: FunctionView) -> set[str]:
    """The parts of a row and the sums that are kept of them."""
    return rows | {n.name for n in view.nodes(ir.Name) if n.name not in rows and _counts(n.name, rows, view)}


def _counts(name: str, rows: set[str], view: FunctionView, depth: int = 0) -> bool:
    """Whether a local name holds numbers and arithmetic on parts of a row, and nothing else."""
    writes = writes_of(name, view)
    if not writes or captured(name, view) or depth > _DEPTH or any(p.name == name for p in view.facts.params):
        return False
    for write in writes:
        op = view.parent(write)
        sums = isinstance(op, ir.AugAssign) and op.op.rstrip("=") in ("+", "-", "*")
        value = op.value if isinstance(op, ir.Assign | ir.AugAssign) else None
        if value is None or not (sums or isinstance(op, ir.Assign)):
            return False
        if not _numbery(value, rows | {name}, view, depth + 1):
            return False
    return True


def _numbery(expr: ir.Expr, rows: set[str], view: FunctionView, depth: int = 0) -> bool:
    if isinstance(expr, ir.Const):
        return type(expr.value) in (int, float)
    if isinstance(expr, ir.Binary):
        sides = (expr.left, expr.right)
        return expr.op in ("+", "-", "*") and all(_numbery(s, rows, view, depth) for s in sides)
    if not isinstance(expr, ir.Name) or expr.scope != "local":
        return False
    return expr.name in rows or _counts(expr.name, rows, view, depth + 1)


def _is_number(use: ir.Expr, rows: set[str], view: FunctionView, depth: int = 0) -> bool:
    """Whether a whole number does at this place what a 0-d tensor of integers does."""
    parent = view.parent(use)
    if depth > _DEPTH:
        return False
    if isinstance(parent, ir.Slice):
        return True
    if isinstance(parent, ir.Argument):
        call = view.parent(parent)
        return isinstance(call, ir.Call) and not parent.star and _takes_sizes(call, view)
    if isinstance(parent, ir.Binary) and parent.op in ("+", "-", "*"):
        other = parent.right if parent.left is use else parent.left
        if _numbery(other, rows, view):
            return _is_number(parent, rows, view, depth + 1)
        return is_tensor(other, view) and not names_in(other) & _made_of(rows, view)
    if isinstance(parent, ir.Assign | ir.AugAssign) and parent.value is use:
        targets = parent.targets if isinstance(parent, ir.Assign) else (parent.target,)
        if len(targets) != 1 or not isinstance(targets[0], ir.Name):
            return False
        name = targets[0].name
        if not _counts(name, rows, view):
            return False
        reads = [r for r in reads_of(name, view) if statement_of(r, view) is not parent]
        return all(_is_number(read, rows | {name}, view, depth + 1) for read in reads)
    return False


def _takes_sizes(call: ir.Call, view: FunctionView) -> bool:
    callees = view.callees(call)
    if callees:
        return all(s in _FUNCTIONS or s.removeprefix("torch.Tensor.") in _METHODS for s in callees)
    return (
        isinstance(call.func, ir.Attribute) and call.func.attr in _METHODS and is_tensor(call.func.base, view)
    )
