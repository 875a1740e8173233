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
            node = first_read(call, view)
            named = f"a {kind}" if kind == "GRU" else f"an {kind}"
            yield Hit(node, "rnn", {"call": view.text(call), "kind": named}, call.func)
            return


def first_read(call: ir.Call, view: FunctionView) -> ir.Expr:
    """Where Dynamo meets the layer: where its attribute is first read, if only to ask for None (measured)."""
    layer = call.func
    if isinstance(layer, ir.Attribute) and layer.attr == "forward":
        layer = layer.base
    if not isinstance(layer, ir.Attribute):
        return call
    name = view.text(layer)
    for node in view.nodes(ir.Attribute):
        if node.start >= call.start:
            break
        if node.attr == layer.attr and view.text(node) == name:
            return node
    return call


RULE = Rule(on=(ir.Call,), check=check, callees=LAYERS)
