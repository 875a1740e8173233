"""A pure function of masks and whole numbers that needs nonzero -> one operator of the graph."""

from __future__ import annotations

from torch_compile_lint.rewrite.custom_operator import custom_operator
from torch_compile_lint.rule import Fix, FunctionView, Hit


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    return custom_operator(hit.node, view)
