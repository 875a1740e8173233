"""nn.Parameter(...) and layers with parameters made while tracing. nn.ReLU()(x) is traced."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir

PARAMETERS = frozenset(("torch.nn.Parameter", "torch.nn.parameter.Parameter"))
LAYER_NAMES = """
Linear Bilinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d Embedding EmbeddingBag
LayerNorm GroupNorm RMSNorm BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d PReLU LSTM GRU
RNN LSTMCell GRUCell RNNCell MultiheadAttention TransformerEncoderLayer TransformerDecoderLayer
"""
LAYERS = frozenset(f"torch.nn.{name}" for name in LAYER_NAMES.split())


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    callees = view.callees(call)
    if not PARAMETERS.isdisjoint(callees):
        yield Hit(call, "parameter", {"call": view.text(call)})
    elif not LAYERS.isdisjoint(callees):
        yield Hit(call, "layer", {"call": view.text(call)})


RULE = Rule(on=(ir.Call,), check=check, callees=PARAMETERS | LAYERS)
