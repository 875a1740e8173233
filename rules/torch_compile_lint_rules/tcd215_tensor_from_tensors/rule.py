"""torch.tensor([t1, t2]): 2.3 reads the elements; later releases stack them."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import Container, FunctionView, Hit, Rule, elements, ir, tensor_confidence

NAMES = frozenset(("torch.tensor", "torch.as_tensor", "torch.asarray"))


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    data = view.argument(call, 0, "data")
    if data is None or NAMES.isdisjoint(view.callees(call)):
        return
    value = view.value(data)
    if not all(isinstance(atom, Container) for atom in value.atoms):
        return
    for element in elements(value):
        confidence = tensor_confidence(element)
        if confidence is not None:
            yield Hit(
                call, "tensor", {"func": view.text(call.func), "value": view.text(data)}, data, confidence
            )
            return


RULE = Rule(on=(ir.Call,), check=check, callees=NAMES)
