"""`self.b = self.b.to(x.device)`, `self.b *= 2`, `self.b = nn.Buffer(...)`, where self.b is an nn.Buffer."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import Confidence, FunctionView, Hit, Instance, Rule, Tensor, ir

BUFFERS = frozenset(("torch.nn.Buffer", "torch.nn.parameter.Buffer"))
# They give the tensor itself where it is already as asked for, which is the usual state of a buffer.
CONVERSIONS = frozenset(("to", "type_as", "cpu", "cuda", "contiguous", "float"))


def check(node: ir.Assign | ir.AugAssign, view: FunctionView) -> Iterator[Hit]:
    if isinstance(node, ir.AugAssign):
        if _is_buffer(node.target, view):
            yield Hit(node, "same", {"call": view.text(node)})
    elif node.value is not None and any(_is_of_module(target, view) for target in node.targets):
        yield from _stored(node, node.value, view)


def _stored(node: ir.Assign, value: ir.Expr, view: FunctionView) -> Iterator[Hit]:
    confidence = Confidence.PROVED
    whole = value
    while isinstance(value, ir.Call):
        func = value.func
        if not BUFFERS.isdisjoint(view.callees(value)):
            yield Hit(node, "made", {"call": view.text(whole)}, confidence=confidence)
            return
        if not isinstance(func, ir.Attribute):
            return
        if func.attr in CONVERSIONS:
            if not _asks_for_what_it_is(value, func, view):
                return
            confidence = Confidence.LIKELY
        elif not _is_in_place(func.attr):
            return
        value = func.base
    if value is not whole and _is_buffer(value, view) and not _differs(node, value, view):
        yield Hit(node, "same", {"call": view.text(whole)}, confidence=confidence)


def _differs(node: ir.Node, buffer: ir.Expr, view: FunctionView) -> bool:
    """Whether a store stands under `if self.b.device != x.device:`, so that it stores another tensor."""
    text = view.text(buffer)
    parent = view.parent(node)
    while parent is not None:
        if isinstance(parent, ir.Branch) and isinstance(parent.test, ir.Compare):
            sides = (parent.test.left, *parent.test.rights)
            of_it = any(isinstance(s, ir.Attribute) and view.text(s.base) == text for s in sides)
            if of_it and parent.test.ops[0] in ("!=", "is not"):
                return True
        parent = view.parent(parent)
    return False


def _asks_for_what_it_is(call: ir.Call, func: ir.Attribute, view: FunctionView) -> bool:
    """Not a fixed dtype (`.to(torch.float16)`): whether that changes anything is not in the source."""
    if func.attr == "float":
        return all(isinstance(a, Tensor) and a.dtype == "float" for a in view.value(func.base).atoms)
    return not any(
        view.text(argument.value).startswith("torch.") and argument.keyword in (None, "dtype")
        for argument in call.args
    )


def _is_buffer(node: ir.Expr, view: FunctionView) -> bool:
    """Whether an attribute of a module is an nn.Buffer object, whatever methods have run before."""
    if not isinstance(node, ir.Attribute):
        return False
    makers = view.makers(node)
    return not BUFFERS.isdisjoint(makers) and all(maker in BUFFERS or _keeps(maker) for maker in makers)


def _keeps(maker: str) -> bool:
    """Whether methods of an nn.Buffer, '.to.mul_', give the buffer itself."""
    first, *methods = maker.split(".")
    return not first and bool(methods) and all(name in CONVERSIONS or _is_in_place(name) for name in methods)


def _is_in_place(method: str) -> bool:
    return method.endswith("_") and not method.startswith("_")


def _is_of_module(target: ir.Expr, view: FunctionView) -> bool:
    return isinstance(target, ir.Attribute) and any(
        isinstance(atom, Instance) and atom.module for atom in view.value(target.base).atoms
    )


def _stores_attribute(node: ir.Assign | ir.AugAssign) -> bool:
    if isinstance(node, ir.AugAssign):
        return isinstance(node.target, ir.Attribute)
    return isinstance(node.value, ir.Call) and any(isinstance(t, ir.Attribute) for t in node.targets)


RULE = Rule(on=(ir.Assign, ir.AugAssign), check=check, where=_stores_attribute)
