"""t.grad_fn; t.data_ptr(), t.untyped_storage(): what only a real tensor has."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir, tensor_confidence

METHODS = {
    "torch.Tensor.untyped_storage": "storage",
    "torch.Tensor.storage": "storage",
    "torch.Tensor.data_ptr": "data-ptr",
}
# Dynamo knows the object and two of its methods (measured on five releases).
UNTYPED = frozenset(("torch.Tensor.untyped_storage",))
TRACED = frozenset(("size", "resize_"))


def check(node: ir.Attribute | ir.Call, view: FunctionView) -> Iterator[Hit]:
    if isinstance(node, ir.Attribute):
        confidence = tensor_confidence(view.value(node.base)) if node.attr == "grad_fn" else None
        if confidence is not None:
            yield Hit(node, "grad-fn", {"value": view.text(node)}, node.base, confidence)
        return
    for symbol in view.callees(node):
        if symbol in METHODS and not (symbol in UNTYPED and _is_traced(node, view)):
            base = node.func.base if isinstance(node.func, ir.Attribute) else None
            yield Hit(node, METHODS[symbol], {"value": view.text(node)}, base)
            return


def _is_traced(node: ir.Call, view: FunctionView) -> bool:
    """Whether nothing is called on the storage here that Dynamo does not know."""
    read = view.parent(node)
    called = view.parent(read) if isinstance(read, ir.Attribute) else None
    return not (
        isinstance(read, ir.Attribute)
        and isinstance(called, ir.Call)
        and called.func is read
        and read.attr not in TRACED
    )


def _reads_grad_fn(node: ir.Attribute | ir.Call) -> bool:
    return isinstance(node, ir.Attribute) and node.attr == "grad_fn"


RULE = Rule(on=(ir.Attribute, ir.Call), check=check, callees=METHODS, where=_reads_grad_fn)
