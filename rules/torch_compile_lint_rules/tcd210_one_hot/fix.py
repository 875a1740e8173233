"""`one_hot(t)` -> `one_hot(t, num_classes=n)` where the code says which numbers can occur."""

from __future__ import annotations

from torch_compile_lint.model import Edit, Fix, Safety, Span
from torch_compile_lint.rewrite.flow import binding_before, statement_of, writes_of
from torch_compile_lint.rewrite.purity import is_tensor, only
from torch_compile_lint.rewrite.text import replace, source
from torch_compile_lint.rule import FunctionView, Hit, Number, Tensor, ir

ARGMAX = frozenset(("torch.argmax", "torch.Tensor.argmax"))
INTEGERS = frozenset(("torch.long", "torch.int64"))


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    call = hit.node
    if not isinstance(call, ir.Call) or not call.args or "#" in source(call, view):
        return None
    given = view.argument(call, 0, "tensor")
    number = None if given is None else _classes(given, view)
    if number is None:
        return None
    told = view.argument(call, 1, "num_classes")
    end = call.args[-1].end
    if told is not None:
        edit = replace(told, number)
    elif "".join((view.source or "")[end : call.end].split()) in (")", ",)"):
        edit = Edit("", Span(end, end), f", num_classes={number}")
    else:
        return None  # brackets around the last argument, which no span contains
    return Fix("Say how many classes there are", Safety.UNSAFE, (edit,))


def _classes(given: ir.Expr, view: FunctionView) -> str | None:
    """One more than the largest number a tensor can hold; None where the code does not say."""
    bound: ir.Op | ir.Param | None = None
    if isinstance(given, ir.Name):
        op = statement_of(given, view)
        bound = None if op is None else binding_before(given.name, op, view)
        if not isinstance(bound, ir.Assign) or bound.value is None or len(bound.targets) != 1:
            return None
        if not isinstance(bound.targets[0], ir.Name):
            return None
        given = bound.value
    if isinstance(given, ir.Binary) and given.op == "%" and is_tensor(given.left, view):
        return _steady(given.right, bound, view) if _is_count(given.right, view) else None
    if not isinstance(given, ir.Call):
        return None
    if set(view.callees(given)) <= ARGMAX and view.callees(given):
        return _extent(given, bound, view)
    return "2" if _casts_booleans(given, view) else None


def _is_count(expr: ir.Expr, view: FunctionView) -> bool:
    if isinstance(expr, ir.Const):
        return type(expr.value) is int and expr.value > 0
    atoms = view.value(expr).atoms
    return only(view.value(expr), Number) and all(
        isinstance(a, Number) and a.type == "int" and a.source != "tensor" for a in atoms
    )


def _extent(call: ir.Call, bound: ir.Op | ir.Param | None, view: FunctionView) -> str | None:
    """`t.shape[d]` for the argmax of a named tensor along a constant dimension."""
    method = isinstance(call.func, ir.Attribute) and "torch.argmax" not in view.callees(call)
    base = (
        call.func.base if method and isinstance(call.func, ir.Attribute) else view.argument(call, 0, "input")
    )
    along = view.argument(call, 0 if method else 1, "dim")
    name = None if base is None or not is_tensor(base, view) else _steady(base, bound, view)
    if name is None or not isinstance(base, ir.Name) or along is None:
        return None
    text = source(along, view)
    return f"{name}.shape[{text}]" if text.removeprefix("-").isdigit() else None


def _steady(expr: ir.Expr, bound: ir.Op | ir.Param | None, view: FunctionView) -> str | None:
    """The text of a constant or a local name that means the same at the call as where it was used."""
    if isinstance(expr, ir.Const):
        return source(expr, view)
    if not isinstance(expr, ir.Name) or expr.scope != "local":
        return None
    if bound is not None and any(write.start > bound.start for write in writes_of(expr.name, view)):
        return None
    return expr.name


def _casts_booleans(call: ir.Call, view: FunctionView) -> bool:
    """`b.long()`, `b.to(torch.int64)` of a boolean tensor."""
    if not isinstance(call.func, ir.Attribute):
        return False
    value = view.value(call.func.base)
    if not value.atoms or not all(isinstance(a, Tensor) and a.dtype == "bool" for a in value.atoms):
        return False
    name = call.func.attr
    return (name == "long" and not call.args) or (
        name == "to" and len(call.args) == 1 and source(call.args[0].value, view) in INTEGERS
    )
