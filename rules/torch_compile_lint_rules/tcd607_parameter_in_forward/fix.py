"""A Parameter or layer made in a method of a module -> made once, in ``__init__``."""

from __future__ import annotations

from torch_compile_lint.rewrite.into_init import into_init
from torch_compile_lint.rule import Fix, FunctionView, Hit, ir


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    if not isinstance(hit.node, ir.Call):
        return None
    return into_init(hit.node, view, hit.form == "layer")
