"""The number first: `t.add_(0.1, other)`, `t.addcdiv_(-lr, a, b)`, as torch was written until 1.5.

torch still takes it, and so does Dynamo for add, sub_, addmm and the other functions and methods (measured);
the in-place methods that it traces itself know the present signature only.
"""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir

# Method -> (arguments that the present signature takes by position, form).
METHODS = {
    "torch.Tensor.add_": (1, "legacy"),
    "torch.Tensor.addcdiv_": (2, "legacy"),
    "torch.Tensor.addcmul_": (2, "addcmul"),
}


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    if any(argument.star or argument.keyword for argument in call.args):
        return
    for symbol in view.callees(call):
        if symbol in METHODS:
            taken, form = METHODS[symbol]
            if len(call.args) == taken + 1:
                slots = {"call": view.text(call), "number": view.text(call.args[0].value)}
                yield Hit(call, form, slots)
            return


RULE = Rule(on=(ir.Call,), check=check, callees=METHODS)
