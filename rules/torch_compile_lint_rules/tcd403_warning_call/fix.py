"""A statement that warns -> only while not compiling."""

from __future__ import annotations

from torch_compile_lint.rewrite.guard import guard_statement
from torch_compile_lint.rule import Fix, FunctionView, Hit


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    return guard_statement(hit.node, view, "Warn only while not compiling")
