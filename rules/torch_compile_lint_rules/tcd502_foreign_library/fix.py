"""The helper that holds the call -> under `@torch.compiler.disable`, shown only."""

from __future__ import annotations

from torch_compile_lint.rewrite.disable_function import disable_function
from torch_compile_lint.rule import Fix, FunctionView, Hit


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    return disable_function(hit.node, view)
