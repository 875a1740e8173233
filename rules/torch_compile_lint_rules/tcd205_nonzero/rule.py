"""nonzero, argwhere, and torch.where with the condition alone."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir

NONZERO = frozenset(("torch.nonzero", "torch.Tensor.nonzero", "torch.argwhere", "torch.Tensor.argwhere"))


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    callees = view.callees(call)
    if "torch.where" in callees:
        if len(call.args) != 1 or call.args[0].star:
            return
    elif NONZERO.isdisjoint(callees):
        return
    subject = call.func.base if isinstance(call.func, ir.Attribute) else None
    yield Hit(call, "nonzero", {"func": view.text(call.func)}, subject)


RULE = Rule(on=(ir.Call,), check=check, callees=("torch.where", *NONZERO))
