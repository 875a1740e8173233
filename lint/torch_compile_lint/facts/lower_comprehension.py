"""Comprehensions and generator expressions.

They run as part of the function around them, so their targets are renamed: see ``lower_scope``.
"""

from __future__ import annotations

from typing import Any

import libcst as cst

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.lower_base import EXPR, Lowering, bind, parenthesised, skip_comma
from torch_compile_lint.facts.lower_scope import Scope, close_prefixed

# mypy: disable-error-code="union-attr"
# (the skip expressions match the empty text, so they always match)


def list_comp(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    if outer and node.lpar:
        return parenthesised(s, node, list_comp)
    start = s.token(1)
    return comprehension(s, "list", node.elt, None, node.for_in, start, "]")


def set_comp(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    if outer and node.lpar:
        return parenthesised(s, node, set_comp)
    start = s.token(1)
    return comprehension(s, "set", node.elt, None, node.for_in, start, "}")


def generator(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    if len(node.lpar) > 1 and outer:
        return parenthesised(s, node, generator, own=1)
    start = s.token(1)
    return comprehension(s, "generator", node.elt, None, node.for_in, start, ")")


def dict_comp(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    if outer and node.lpar:
        return parenthesised(s, node, dict_comp)
    start = s.token(1)
    return comprehension(s, "dict", node.key, node.value, node.for_in, start, "}")


def starred_dict_comp(s: Lowering, node: Any, outer: bool = True) -> ir.Expr:
    """``{**m for m in ms}`` (newer than 3.14): the element is a ``Starred``, there is no value."""
    if outer and node.lpar:
        return parenthesised(s, node, starred_dict_comp)
    start = s.token(1)
    return comprehension(s, "dict", node.value, None, node.for_in, start, "}")


def comprehension(
    s: Lowering, kind: str, element: Any, value: Any, for_in: Any, start: int, closing: str
) -> ir.Expr:
    """A comprehension whose opening bracket at ``start`` is behind us."""
    outside = s.scope
    scope = Scope("comprehension", "", outside)
    s.enter(scope)
    lowered_value: ir.Expr | None = None
    if kind == "dict" and value is None:
        here = s.token(2)
        inner = EXPR[type(element)](s, element)
        i = s.ids
        s.ids = i + 1
        lowered: ir.Expr = ir.Starred(i, here, s.pos, inner)
    else:
        lowered = EXPR[type(element)](s, element)
    if value is not None:
        s.token(1)
        lowered_value = EXPR[type(value)](s, value)
    clauses = []
    first = True
    part = for_in
    while part is not None:
        here = s.next()
        is_async = part.asynchronous is not None
        if is_async:
            s.token(5)
        s.token(3)
        target = EXPR[type(part.target)](s, part.target)
        bind(scope, target)
        s.token(2)
        if first:
            # The first iterable is evaluated outside, before the comprehension starts.
            s.enter(outside)
            iterable = EXPR[type(part.iter)](s, part.iter)
            s.enter(scope)
            first = False
        else:
            iterable = EXPR[type(part.iter)](s, part.iter)
        conditions = []
        for condition in part.ifs:
            s.token(2)
            conditions.append(EXPR[type(condition.test)](s, condition.test))
        i = s.ids
        s.ids = i + 1
        clauses.append(ir.Clause(i, here, s.pos, target, iterable, tuple(conditions), is_async))
        part = part.inner_for_in
    # A lone generator argument may be followed by a trailing comma within the call.
    s.pos = end = skip_comma(s.text, s.pos).end() + 1 if closing == ")" else s.token(1) + 1
    i = s.ids
    s.ids = i + 1
    s.enter(outside)
    close_prefixed(scope, f"<comp {i}>.")
    return ir.Comprehension(i, start, end, kind, lowered, lowered_value, tuple(clauses))


EXPR[cst.ListComp] = list_comp
EXPR[cst.SetComp] = set_comp
EXPR[cst.DictComp] = dict_comp
EXPR[cst.GeneratorExp] = generator
if hasattr(cst, "StarredDictComp"):  # libcst 1.9
    EXPR[cst.StarredDictComp] = starred_dict_comp
