"""torch.nn.functional.one_hot without num_classes, or with -1."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir

NAMES = frozenset(("torch.nn.functional.one_hot", "torch._C._nn.one_hot"))


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    if NAMES.isdisjoint(view.callees(call)) or any(argument.star for argument in call.args):
        return
    classes = view.argument(call, 1, "num_classes")
    if classes is None or view.text(classes) == "-1":
        yield Hit(call, "one-hot", {"func": view.text(call.func)}, view.argument(call, 0))


RULE = Rule(on=(ir.Call,), check=check, callees=NAMES)
