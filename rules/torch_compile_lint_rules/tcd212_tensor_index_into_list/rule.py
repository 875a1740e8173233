"""`items[t]`: a list, tuple or ModuleList indexed by a tensor; also a tensor by a 0-d tensor."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import (
    Container,
    FunctionView,
    Hit,
    Instance,
    Rule,
    Tensor,
    ir,
    is_computed,
    tensor_confidence,
)

MODULES = frozenset(("torch.nn.ModuleList", "torch.nn.Sequential", "torch.nn.ParameterList"))


def _form(base: ir.Expr, index: ir.Expr, view: FunctionView) -> str | None:
    for atom in view.value(base).atoms:
        if isinstance(atom, Container) and atom.kind in ("list", "tuple"):
            return "list"
        if isinstance(atom, Instance) and atom.symbol in MODULES:
            return "modules"
        if isinstance(atom, Tensor) and all(
            isinstance(a, Tensor) and a.rank == 0 for a in view.value(index).atoms
        ):
            if _is_written_out(index, view):
                return None
            return "computed" if is_computed(index, view) else "tensor"
    return None


def _is_written_out(index: ir.Expr, view: FunctionView) -> bool:
    """`torch.tensor(1)`, or a name that holds nothing else: Dynamo keeps the number and indexes by it."""
    made: list[ir.Expr | None] = [index]
    if isinstance(index, ir.Name):
        text = view.text(index)
        made = [a.value for a in view.nodes(ir.Assign) if any(view.text(t) == text for t in a.targets)]
    return bool(made) and all(
        isinstance(call, ir.Call)
        and "torch.tensor" in view.callees(call)
        and bool(call.args)
        and isinstance(call.args[0].value, ir.Const)
        for call in made
    )


def check(node: ir.Subscript, view: FunctionView) -> Iterator[Hit]:
    confidence = tensor_confidence(view.value(node.index))
    if confidence is None:
        return
    form = _form(node.base, node.index, view)
    if form is not None:
        slots = {"base": view.text(node.base), "value": view.text(node.index)}
        yield Hit(node, form, slots, node.index, confidence)


def _is_computed_index(node: ir.Subscript) -> bool:
    return not isinstance(node.index, ir.Const | ir.Slice)


RULE = Rule(on=(ir.Subscript,), check=check, where=_is_computed_index)
