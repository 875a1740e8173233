"""Reading an attribute that the class defines with functools.cached_property."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir


def check(node: ir.Attribute, view: FunctionView) -> Iterator[Hit]:
    if view.descriptor(node) == "cached-property":
        yield Hit(node, "cached", {"value": view.text(node)})


RULE = Rule(on=(ir.Attribute,), check=check)
