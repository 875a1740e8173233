"""`match t:` with a pattern that compares values."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir, tensor_confidence


def _compares(pattern: ir.Pattern) -> bool:
    if pattern.kind == "value":
        return True
    return pattern.kind in ("or", "as") and any(_compares(sub) for sub in pattern.patterns)


def check(node: ir.Match, view: FunctionView) -> Iterator[Hit]:
    confidence = tensor_confidence(view.value(node.subject))
    if confidence is not None and any(_compares(case.pattern) for case in node.cases):
        yield Hit(node.subject, "match", {"value": view.text(node.subject)}, node.subject, confidence)


RULE = Rule(on=(ir.Match,), check=check)
