"""One string expression inside a unit whose tree is Python's own: parsed and lowered by libcst."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from torch_compile_lint.facts import (
    ir,
    lower_function,  # noqa: F401  (registers the rules for lambdas)
    lower_string,  # noqa: F401  (registers the rules for strings)
)
from torch_compile_lint.facts.ast_base import Unsupported
from torch_compile_lint.facts.lower_base import EXPR, Lowering

if TYPE_CHECKING:
    from torch_compile_lint.facts.ast_base import TreeLowering


def lower_fragment(outer: TreeLowering, start: int, end: int) -> ir.Expr:
    """The expression at ``start`` to ``end``, with the ids and scopes of the pass around it."""
    try:
        # Adjacent literals on lines of their own need the parentheses.
        tree = cst.parse_expression(f"({outer.text[start:end]})")
    except Exception:  # libcst's native parser has raised others than its own on odd text
        raise Unsupported from None
    s = Lowering(outer.text, outer.scope)
    s.ids, s.pos = outer.ids, start
    expr = EXPR[type(tree)](s, tree, False)  # those parentheses are not in the text
    if s.pos != end:
        raise Unsupported
    outer.ids = s.ids
    return expr
