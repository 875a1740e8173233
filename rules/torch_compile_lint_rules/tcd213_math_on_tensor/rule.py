"""math.f(t): the math module computes with Python numbers."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir, tensor_confidence


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    if not any(symbol.startswith("math.") for symbol in view.callees(call)):
        return
    for argument in call.args:
        confidence = tensor_confidence(view.value(argument.value))
        if confidence is not None:
            slots = {"func": view.text(call.func), "value": view.text(argument.value)}
            yield Hit(call, "math", slots, argument.value, confidence)
            return


RULE = Rule(on=(ir.Call,), check=check, callees=("math.*",))
