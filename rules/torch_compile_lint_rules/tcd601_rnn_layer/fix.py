"""The setting with which Dynamo traces the layers, at module level."""

from __future__ import annotations

from torch_compile_lint.model import Fix, Outside, Safety
from torch_compile_lint.rule import FunctionView, Hit

SETTING = "torch._dynamo.config.allow_rnn = True"


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    # Never applied: it holds for the whole process, unrolls every layer, and an nn.LSTM that is traced
    # raises in training on CPU (measured, see the page).
    place = Outside("setting", (), SETTING)
    return Fix("Let Dynamo trace it (allow_rnn)", Safety.DISPLAY, (), outside=(place,))
