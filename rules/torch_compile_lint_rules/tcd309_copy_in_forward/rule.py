"""copy.copy, copy.deepcopy."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir, tensor_confidence


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    callees = view.callees(call)
    if "copy.deepcopy" not in callees and "copy.copy" not in callees:
        return
    copied = view.argument(call, 0, "x")
    is_tensor = copied is not None and tensor_confidence(view.value(copied)) is not None
    yield Hit(call, "tensor" if is_tensor else "copy", {"call": view.text(call)})


RULE = Rule(on=(ir.Call,), check=check, callees=("copy.deepcopy", "copy.copy"))
