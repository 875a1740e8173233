"""`torch.seed()` whose number is used; the other calls are rows of rule.toml."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir

SEEDS = ("torch.seed", "torch.random.seed")


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    """A call for its effect alone is fine: the graph seeds anew each time it runs."""
    if not isinstance(view.parent(call), ir.ExprStmt) and any(s in SEEDS for s in view.callees(call)):
        yield Hit(call, "drawn", {"call": view.text(call)})


RULE = Rule(on=(ir.Call,), check=check, callees=SEEDS)
