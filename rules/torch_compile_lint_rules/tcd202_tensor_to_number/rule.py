"""int(t), float(t), complex(t), operator.index(t)."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir, tensor_confidence

NAMES = {
    "builtins.int": "int",
    "builtins.float": "float",
    "builtins.complex": "complex",
    "operator.index": "operator.index",
}


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    name = next((NAMES[symbol] for symbol in view.callees(call) if symbol in NAMES), None)
    argument = view.argument(call, 0)
    if name is None or argument is None:
        return
    confidence = tensor_confidence(view.value(argument))
    if confidence is not None:
        yield Hit(call, "number", {"name": name, "value": view.text(argument)}, argument, confidence)


RULE = Rule(on=(ir.Call,), check=check, callees=NAMES)
