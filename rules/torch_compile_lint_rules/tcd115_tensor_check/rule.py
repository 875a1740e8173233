"""torch._check_tensor_all(t) and its kin: a check of values that Dynamo has to know."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir, tensor_confidence

#: Where the condition stands among the arguments.
CHECKS = {"torch._check_tensor_all": 0, "torch._check_tensor_all_with": 1}


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    for symbol in view.callees(call):
        place = CHECKS.get(symbol)
        argument = None if place is None else view.argument(call, place, "cond")
        if argument is None:
            continue
        confidence = tensor_confidence(view.value(argument))
        if confidence is not None:
            slots = {"func": symbol, "value": view.text(argument)}
            yield Hit(call, "check", slots, argument, confidence)
        return


RULE = Rule(on=(ir.Call,), check=check, callees=CHECKS)
