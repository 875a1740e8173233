"""`self.count += 1` -> `self.count.add_(1)` on a buffer that `__init__` registers."""

from __future__ import annotations

from torch_compile_lint.rewrite.into_buffer import into_buffer
from torch_compile_lint.rule import Fix, FunctionView, Hit, ir


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    return into_buffer(hit.node, view) if isinstance(hit.node, ir.AugAssign) else None
