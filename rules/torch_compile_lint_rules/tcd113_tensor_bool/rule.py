"""bool(t) of a tensor."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir, tensor_confidence


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    argument = view.argument(call, 0)
    if argument is None or "builtins.bool" not in view.callees(call):
        return
    confidence = tensor_confidence(view.value(argument))
    if confidence is not None:
        yield Hit(call, "bool", {"value": view.text(argument)}, argument, confidence)


RULE = Rule(on=(ir.Call,), check=check, callees=("builtins.bool",))
