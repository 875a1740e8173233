"""`while t:` -> torch's while_loop, shown only."""

from __future__ import annotations

from torch_compile_lint.rewrite.flow import statement_of
from torch_compile_lint.rewrite.loops import while_loop
from torch_compile_lint.rule import Fix, FunctionView, Hit, ir


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    loop = statement_of(hit.node, view)
    return while_loop(loop, view) if isinstance(loop, ir.While) else None
