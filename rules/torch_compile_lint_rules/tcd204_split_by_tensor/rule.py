"""torch.split(x, t.tolist()): only 2.6 stumbles over the sizes themselves."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir

SPLITS = frozenset(
    ("torch.split", "torch.Tensor.split", "torch.split_with_sizes", "torch.Tensor.split_with_sizes")
)


def _is_from_tensor(argument: ir.Expr, view: FunctionView) -> bool:
    return isinstance(argument, ir.Call) and "torch.Tensor.tolist" in view.callees(argument)


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    if not SPLITS.isdisjoint(view.callees(call)):
        for argument in call.args:
            if _is_from_tensor(argument.value, view):
                yield Hit(call, "split", {"func": view.text(call.func)}, argument.value)
                return


RULE = Rule(on=(ir.Call,), check=check, callees=SPLITS)
