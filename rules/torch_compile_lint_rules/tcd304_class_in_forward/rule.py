"""A class statement inside a compiled function."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir


def check(node: ir.ClassDef, view: FunctionView) -> Iterator[Hit]:
    if view.facts.kind in ("function", "lambda"):
        yield Hit(node, "class", {"name": node.name})


RULE = Rule(on=(ir.ClassDef,), check=check)
