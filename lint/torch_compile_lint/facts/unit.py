"""The text of one unit to its facts: from Python's own tree where that will do, else from libcst's.

Python's parser takes a tenth of libcst's time. What it cannot parse (syntax newer than the
Python that runs the tool) and what ``ast`` does not place (see ``ast_base``) goes through
libcst. Both give the same facts, ids and spans included, which ``tests/test_unit.py`` holds
them to; so nothing that is computed from facts depends on which Python runs the tool.
"""

from __future__ import annotations

import ast
import unicodedata

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.ast_base import TreeLowering, Unsupported
from torch_compile_lint.facts.ast_stmt import function
from torch_compile_lint.facts.walk import freeze
from torch_compile_lint.syntax import parse_python


def unit_facts(text: str, kind: str, qualname: str, indent: int | str = 0) -> ir.FunctionFacts:
    """Facts of one unit; see ``lower.lower_unit``. Raises ``SyntaxProblem``."""
    if kind == "function":
        facts = from_ast(text, qualname, indent)
        if facts is not None:
            return facts
    from torch_compile_lint.facts.lower import lower_unit

    return lower_unit(text, kind, qualname, indent)


def from_ast(text: str, qualname: str, indent: int | str) -> ir.FunctionFacts | None:
    """Facts of a function from Python's tree; None where the other way has to be taken."""
    # Python normalizes names, and counts a form feed as a new line's start.
    if "\f" in text or not (text.isascii() or unicodedata.is_normalized("NFKC", text)):
        return None
    blanks = indent if isinstance(indent, str) else " " * indent
    tree = parse_python(f"if 1:\n{blanks}{text}" if blanks else text)
    if tree is None:
        return None
    body = tree.body
    if blanks:
        body = body[0].body if len(body) == 1 and isinstance(body[0], ast.If) else []
    if len(body) != 1 or not isinstance(body[0], ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    s = TreeLowering(text, 2 if blanks else 1, len(blanks))
    try:
        facts = function(s, body[0], qualname, None)
    except (Unsupported, RecursionError):
        return None
    freeze(facts)
    return facts
