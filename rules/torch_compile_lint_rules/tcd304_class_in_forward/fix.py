"""A class statement that needs nothing of its function -> module level."""

from __future__ import annotations

from torch_compile_lint.rewrite.to_module_level import class_to_module_level
from torch_compile_lint.rule import Fix, FunctionView, Hit, ir


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    return class_to_module_level(hit.node, view) if isinstance(hit.node, ir.ClassDef) else None
