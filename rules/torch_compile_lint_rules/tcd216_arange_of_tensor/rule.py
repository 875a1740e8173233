"""torch.arange(t): 2.3 only; later releases trace it with a symbolic length."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir, tensor_confidence


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    if "torch.arange" not in view.callees(call):
        return
    for argument in call.args:
        confidence = tensor_confidence(view.value(argument.value))
        if confidence is not None and argument.keyword in (None, "start", "end", "step"):
            slots = {"func": view.text(call.func), "value": view.text(argument.value)}
            yield Hit(call, "arange", slots, argument.value, confidence)
            return


RULE = Rule(on=(ir.Call,), check=check, callees=("torch.arange",))
