"""`if t:` -> torch.where; a guard that only raises -> assert; branches that call -> torch.cond, shown."""

from __future__ import annotations

from torch_compile_lint.rewrite.choose import choose_branch
from torch_compile_lint.rewrite.cond import show_cond
from torch_compile_lint.rewrite.flow import statement_of
from torch_compile_lint.rewrite.raises import raise_to_assert
from torch_compile_lint.rule import Fix, FunctionView, Hit, ir


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    branch = statement_of(hit.node, view)
    if not isinstance(branch, ir.Branch):
        return None
    return choose_branch(branch, view) or raise_to_assert(branch, view) or show_cond(branch, view)
