"""repeat_interleave whose repeats are a tensor and which is not told its output_size."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir, tensor_confidence


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    callees = view.callees(call)
    if "torch.Tensor.repeat_interleave" in callees:
        repeats = view.argument(call, 0, "repeats")
    elif "torch.repeat_interleave" in callees:
        # With one argument it is the repeats themselves.
        repeats = view.argument(call, 1, "repeats") or view.argument(call, 0)
    else:
        return
    if repeats is None or any(
        argument.keyword == "output_size" or argument.star == "**" for argument in call.args
    ):
        return
    confidence = tensor_confidence(view.value(repeats))
    if confidence is not None:
        yield Hit(call, "repeat", {"func": view.text(call.func)}, repeats, confidence)


RULE = Rule(on=(ir.Call,), check=check, callees=("torch.Tensor.repeat_interleave", "torch.repeat_interleave"))
