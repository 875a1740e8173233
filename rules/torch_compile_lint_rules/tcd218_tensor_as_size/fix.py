"""A size that is read from a tensor of sizes -> the callers pass the list that the tensor is made of."""

from __future__ import annotations

from torch_compile_lint.rewrite.rows_of_numbers import pass_the_list
from torch_compile_lint.rule import Fix, FunctionView, Hit


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    return pass_the_list(hit.subject or hit.node, view)
