"""Calling an nn.RNN, nn.LSTM or nn.GRU layer; the cells are traced."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir

LAYERS = {
    f"torch.nn.{kind}{name}": kind for kind in ("RNN", "LSTM", "GRU") for name in (".__call__", ".forward")
}


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    for symbol in view.callees(call):
        kind = LAYERS.get(symbol)
        if kind is not None:
            yield Hit(call, "rnn", {"call": view.text(call), "kind": kind}, call.func)
            return


RULE = Rule(on=(ir.Call,), check=check, callees=LAYERS)
