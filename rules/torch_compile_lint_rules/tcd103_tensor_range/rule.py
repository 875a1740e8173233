"""`range(t)`: the number of turns is the value of a tensor."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir, tensor_confidence


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    if "builtins.range" not in view.callees(call):
        return
    for argument in call.args:
        confidence = tensor_confidence(view.value(argument.value))
        if confidence is not None:
            yield Hit(call, "range", {"value": view.text(argument.value)}, argument.value, confidence)
            return


RULE = Rule(on=(ir.Call,), check=check, callees=("builtins.range",))
