"""Constructs that torch 2.3, 2.6 or 2.9 could not trace and later releases can: a table and a few shapes."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import (
    ClassRef,
    Container,
    FunctionView,
    Hit,
    Instance,
    Number,
    Opaque,
    Rule,
    Tensor,
    ir,
    tensor_confidence,
)

CALLS = {
    "torch.Tensor.as_subclass": "subclass",
    "torch.Tensor._make_subclass": "subclass",
    **{f"dataclasses.{name}": "dataclass" for name in ("replace", "asdict", "astuple", "fields")},
    **{
        f"torch.func.{name}": "func" for name in ("vmap", "grad", "vjp", "jvp", "jacrev", "jacfwd", "hessian")
    },
    "torch.func.functional_call": "func",
    "torch.func.grad_and_value": "func",
    "torch.vmap": "func",
    "weakref.ref": "weakref",
    "weakref.ref.__call__": "weakref",
    "weakref.proxy": "weakref",
    "torch.compile": "compile",
    "builtins.filter": "filter",
}
ON_TENSORS = {
    "builtins.pow": "pow",
    "builtins.id": "id",
    "builtins.getattr": "getattr",
    "builtins.hasattr": "getattr",
}
METHODS = {("list", "sort"), ("dict", "setdefault")}
SETTABLE = frozenset(("data", "grad", "requires_grad", "names"))


def _becomes_number(call: ir.Call, view: FunctionView) -> bool:
    """`float(np.sqrt(4.0))`: a numpy scalar made of constants, turned into a Python number."""
    argument = view.parent(call)
    outer = view.parent(argument) if isinstance(argument, ir.Argument) else None
    return (
        isinstance(outer, ir.Call)
        and not {"builtins.float", "builtins.int"}.isdisjoint(view.callees(outer))
        and all(isinstance(atom, Number) and atom.source == "python" for atom in view.value(call).atoms)
    )


def _form(call: ir.Call, view: FunctionView) -> str | None:
    for symbol in view.callees(call):
        if symbol in CALLS:
            return CALLS[symbol]
        if symbol == "torch._check" and view.argument(call, 1, "message") is not None:
            return "check"
    result = view.value(call).atoms
    if all(isinstance(atom, Opaque) and atom.label == "enum" for atom in result):
        return "enum"
    if any(symbol.startswith("numpy.") for symbol in view.callees(call)) and _becomes_number(call, view):
        return "numpy"
    func = call.func
    if isinstance(func, ir.Attribute):
        for atom in view.value(func.base).atoms:
            if isinstance(atom, Container) and (atom.kind, func.attr) in METHODS:
                return "method"
    return None


def _call(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    form = _form(call, view)
    tested = None
    if form is None:
        tested = next((ON_TENSORS[symbol] for symbol in view.callees(call) if symbol in ON_TENSORS), None)
        if tested is None:
            return
    first = view.argument(call, 0)
    slots = {"func": view.text(call.func), "value": "" if first is None else view.text(first)}
    if form is not None:
        yield Hit(call, form, slots)
    elif tested is not None and first is not None:
        confidence = tensor_confidence(view.value(first))
        if confidence is not None:
            yield Hit(call, tested, slots, first, confidence)


def _assign(node: ir.Assign, view: FunctionView) -> Iterator[Hit]:
    for target in node.targets:
        if isinstance(target, ir.Attribute) and target.attr not in SETTABLE:
            atoms = view.value(target.base).atoms
            if all(isinstance(atom, Tensor) for atom in atoms):
                yield Hit(target, "attribute", {"value": view.text(target), "func": ""}, target.base)


def _attribute(node: ir.Attribute, view: FunctionView) -> Iterator[Hit]:
    if node.attr == "__dict__" and any(
        isinstance(atom, Instance | ClassRef) for atom in view.value(node.base).atoms
    ):
        yield Hit(node, "dict", {"value": view.text(node), "func": ""})


def check(node: ir.Call | ir.Assign | ir.Attribute, view: FunctionView) -> Iterator[Hit]:
    if isinstance(node, ir.Call):
        yield from _call(node, view)
    elif isinstance(node, ir.Assign):
        yield from _assign(node, view)
    else:
        yield from _attribute(node, view)


def _may_concern(node: ir.Call | ir.Assign | ir.Attribute) -> bool:
    if isinstance(node, ir.Assign):
        return any(isinstance(target, ir.Attribute) for target in node.targets)
    return isinstance(node, ir.Call) or node.attr == "__dict__"


RULE = Rule(on=(ir.Call, ir.Assign, ir.Attribute), check=check, where=_may_concern)
