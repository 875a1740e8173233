"""`yield` in the compiled function itself. A generator consumed inside a compiled function is fine."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir


def check(facts: ir.FunctionFacts, view: FunctionView) -> Iterator[Hit]:
    if view.is_root and facts.is_generator and not facts.is_async:
        first = next(view.nodes(ir.Yield), None)
        if first is not None:
            yield Hit(first, "yield", {"name": facts.name})


RULE = Rule(on=(ir.FunctionFacts,), check=check)
