"""Match patterns. Their spans leave out redundant parentheses, as those of expressions do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.lower_base import EXPR, Lowering, identifier, skip_comma

PatternRule = Callable[[Lowering, Any], ir.Pattern]


def pattern(s: Lowering, node: Any) -> ir.Pattern:
    kind = type(node)
    if kind is cst.MatchValue or kind is cst.MatchSingleton:
        value = node.value
        expr = EXPR[type(value)](s, value)
        name = "value" if kind is cst.MatchValue else "singleton"
        # Parentheses around the value were stepped over with it.
        return _made(s, expr.start, name, exprs=(expr,), end=expr.end)
    if kind is cst.MatchStar:
        return star(s, node)
    own = 1 if kind is cst.MatchTuple else 0
    count = len(node.lpar) - own
    for _ in range(count):
        s.token(1)
    result = PATTERN[kind](s, node)
    for _ in range(count):
        s.token(1)
    return result


def _made(
    s: Lowering,
    start: int,
    kind: str,
    exprs: tuple[ir.Expr, ...] = (),
    patterns: tuple[ir.Pattern, ...] = (),
    names: tuple[str, ...] = (),
    keywords: tuple[str, ...] = (),
    end: int | None = None,
) -> ir.Pattern:
    i = s.ids
    s.ids = i + 1
    s.scope.bound.update(names)
    return ir.Pattern(i, start, s.pos if end is None else end, kind, exprs, patterns, names, keywords)


def _past_commas(s: Lowering) -> None:
    s.pos = skip_comma(s.text, s.pos).end()  # type: ignore[union-attr]


def star(s: Lowering, node: Any) -> ir.Pattern:
    start = s.token(1)
    if node.name is None:
        s.token(1)
        return _made(s, start, "star")
    s.token(len(node.name.value))
    return _made(s, start, "star", names=(identifier(node.name.value),))


def sequence(s: Lowering, node: Any) -> ir.Pattern:
    """``[a, *b]``, ``(a, b)`` or the open form ``a, b``."""
    bracketed = type(node) is cst.MatchTuple or node.lbracket is not None
    start = s.token(1) if bracketed else s.next()
    patterns = []
    end = s.pos
    for element in node.patterns:
        _past_commas(s)
        patterns.append(star(s, element) if type(element) is cst.MatchStar else pattern(s, element.value))
        end = s.pos
    if s.text[s.next()] == ",":
        s.token(1)
        end = s.pos
    if bracketed:
        s.token(1)
        end = s.pos
    s.pos = end
    return _made(s, start, "sequence", patterns=tuple(patterns))


def mapping(s: Lowering, node: Any) -> ir.Pattern:
    start = s.token(1)
    keys = []
    patterns = []
    names: tuple[str, ...] = ()
    for element in node.elements:
        _past_commas(s)
        keys.append(EXPR[type(element.key)](s, element.key))
        s.token(1)
        patterns.append(pattern(s, element.pattern))
    _past_commas(s)
    if node.rest is not None:
        s.token(2)
        s.token(len(node.rest.value))
        names = (identifier(node.rest.value),)
        _past_commas(s)
    s.token(1)
    return _made(s, start, "mapping", exprs=tuple(keys), patterns=tuple(patterns), names=names)


def class_(s: Lowering, node: Any) -> ir.Pattern:
    start = s.next()
    cls = EXPR[type(node.cls)](s, node.cls)
    s.token(1)
    patterns = []
    keywords = []
    for element in node.patterns:
        _past_commas(s)
        patterns.append(pattern(s, element.value))
    for element in node.kwds:
        _past_commas(s)
        keywords.append(identifier(element.key.value))
        s.token(len(element.key.value))
        s.token(1)
        patterns.append(pattern(s, element.pattern))
    _past_commas(s)
    s.token(1)
    return _made(s, start, "class", exprs=(cls,), patterns=tuple(patterns), keywords=tuple(keywords))


def as_(s: Lowering, node: Any) -> ir.Pattern:
    start = s.next()
    inner: tuple[ir.Pattern, ...] = ()
    if node.pattern is not None:
        inner = (pattern(s, node.pattern),)
        s.token(2)
    if node.name is None:
        s.token(1)
        return _made(s, start, "as" if inner else "wildcard", patterns=inner)
    s.token(len(node.name.value))
    return _made(s, start, "as", patterns=inner, names=(identifier(node.name.value),))


def or_(s: Lowering, node: Any) -> ir.Pattern:
    start = s.next()
    patterns = []
    for at, element in enumerate(node.patterns):
        if at:
            s.token(1)
        patterns.append(pattern(s, element.pattern))
    return _made(s, start, "or", patterns=tuple(patterns))


PATTERN: dict[type, PatternRule] = {
    cst.MatchTuple: sequence,
    cst.MatchList: sequence,
    cst.MatchMapping: mapping,
    cst.MatchClass: class_,
    cst.MatchAs: as_,
    cst.MatchOr: or_,
}
