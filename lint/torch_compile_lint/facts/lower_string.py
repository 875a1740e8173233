"""String literals, f-strings, t-strings and their concatenation."""

from __future__ import annotations

import re
from typing import Any

import libcst as cst

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.lower_base import EXPR, Lowering, parenthesised
from torch_compile_lint.facts.lower_literal import string, unescape

# libcst 1.8 and later; with an older one no tree holds these.
TEMPLATE: type | None = getattr(cst, "TemplatedString", None)
TEXTS: frozenset[type | None] = frozenset(
    (cst.FormattedStringText, getattr(cst, "TemplatedStringText", None)),
)
COMMENT = re.compile(r"\#[^\r\n]*")


def simple_string(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    if outer and node.lpar:
        return parenthesised(s, node, simple_string)
    token: str = node.value
    start = s.token(len(token))
    i = s.ids
    s.ids = i + 1
    return ir.Const(i, start, s.pos, string(token))


def formatted_string(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    if outer and node.lpar:
        return parenthesised(s, node, formatted_string)
    start = s.token(len(node.start))
    parts = string_parts(s, node.parts, "r" in node.start.lower())
    s.pos += len(node.end)
    i = s.ids
    s.ids = i + 1
    return ir.FormattedString(i, start, s.pos, parts, type(node) is TEMPLATE)


def string_parts(s: Lowering, nodes: Any, raw: bool) -> tuple[ir.Expr, ...]:
    """The text and interpolations of an f-string or of a format spec, from the place we stand."""
    parts: list[ir.Expr] = []
    for node in nodes:
        start = s.pos
        if type(node) in TEXTS:
            token: str = node.value
            s.pos = start + len(token)
            i = s.ids
            s.ids = i + 1
            value = unescape(token.replace("{{", "{").replace("}}", "}"), raw)
            parts.append(ir.Const(i, start, s.pos, value))
            continue
        s.pos = start + 1
        begin = s.pos
        expr = EXPR[type(node.expression)](s, node.expression)
        conversion: str | None = node.conversion
        if node.equal is not None:
            done = s.pos
            s.token(1)
            s.next()
            # `{x = }` also shows its own source text, as Python does (without comments).
            shown = s.text[begin:done] + COMMENT.sub("", s.text[done : s.pos])
            i = s.ids
            s.ids = i + 1
            parts.append(ir.Const(i, begin, s.pos, shown))
            if conversion is None and node.format_spec is None:
                conversion = "r"
        s.next()
        if node.conversion is not None:
            s.token(1)
            s.token(len(node.conversion))
        spec: ir.Expr | None = None
        if node.format_spec is not None:
            s.token(1)
            here = s.pos
            inner = string_parts(s, node.format_spec, raw)
            i = s.ids
            s.ids = i + 1
            spec = ir.FormattedString(i, here, s.pos, inner, False)
            s.pos += 1
        else:
            s.token(1)
        i = s.ids
        s.ids = i + 1
        parts.append(ir.Interpolation(i, start, s.pos, expr, conversion, spec))
    return tuple(parts)


def concatenated_string(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    """Adjacent literals: one ``Const`` if all are plain, else one ``FormattedString``."""
    if outer and node.lpar:
        return parenthesised(s, node, concatenated_string)
    pieces: list[Any] = []
    rest = node
    while type(rest) is cst.ConcatenatedString:
        pieces.append(rest.left)
        rest = rest.right
    pieces.append(rest)
    start = s.next()
    first_id = s.ids
    lowered = [EXPR[type(piece)](s, piece) for piece in pieces]
    values = [piece.value for piece in lowered if type(piece) is ir.Const]
    if len(values) == len(lowered):
        s.ids = first_id + 1
        if type(values[0]) is bytes:
            joined: object = b"".join(v for v in values if isinstance(v, bytes))
        else:
            joined = "".join(v for v in values if isinstance(v, str))
        return ir.Const(first_id, start, s.pos, joined)
    parts: list[ir.Expr] = []
    template = False
    for piece in lowered:
        if type(piece) is ir.FormattedString:
            parts.extend(piece.parts)
            template = template or piece.template
        else:
            parts.append(piece)
    i = s.ids
    s.ids = i + 1
    return ir.FormattedString(i, start, s.pos, tuple(parts), template)


EXPR[cst.SimpleString] = simple_string
EXPR[cst.FormattedString] = formatted_string
EXPR[cst.ConcatenatedString] = concatenated_string
if TEMPLATE is not None:
    EXPR[TEMPLATE] = formatted_string
