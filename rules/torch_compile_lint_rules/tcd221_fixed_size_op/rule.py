"""Operators with no kernel for fake tensors: Dynamo runs them on real ones, so it must know every size."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import Confidence, FunctionView, Hit, Rule, ir

FORMS = {
    "torch._dirichlet_grad": "op",
    "torch._sample_dirichlet": "op",
    "torch._standard_gamma": "gamma",
    "torch.binomial": "op",
    "torch.geqrf": "op",
    "torch.histogram": "op",
    "torch.Tensor.geqrf": "op",
    "torch.Tensor.histogram": "op",
}


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    for symbol in view.callees(call):
        if symbol in FORMS:
            # Never with one size, surely with a second: which it will be, the call does not say.
            yield Hit(call, FORMS[symbol], {"func": view.text(call.func)}, confidence=Confidence.LIKELY)
            return


RULE = Rule(on=(ir.Call,), check=check, callees=frozenset(FORMS))
