"""any() and all() over an iterable of tensors; filter(None, ...) alike."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, elements, ir, tensor_confidence

NAMES = {"builtins.any": "any", "builtins.all": "all"}


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    names = [NAMES[symbol] for symbol in view.callees(call) if symbol in NAMES]
    argument = view.argument(call, 0)
    if not names or argument is None:
        return
    for element in elements(view.value(argument)):
        confidence = tensor_confidence(element)
        if confidence is not None:
            slots = {"name": names[0], "value": view.text(argument)}
            yield Hit(call, "any", slots, argument, confidence)
            return


RULE = Rule(on=(ir.Call,), check=check, callees=NAMES)
