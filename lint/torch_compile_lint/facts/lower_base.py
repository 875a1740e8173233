"""What the lowering pass carries along: the text, where it stands in it, and the open scopes.

Positions are not taken from libcst (its position provider costs more than the parse). The
pass visits a tree in source order and reads every gap between two tokens from the text
itself: blanks, comments, line continuations and the commas that separate list items are
stepped over with one regular expression, and the next token starts where it stops. That
follows libcst's own code generation token by token without touching its whitespace nodes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Any

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.lower_scope import Scope

BLANK = frozenset(" \n\t\r\f\\#\ufeff")

_GAP = r"[ \n\t\r\f\ufeff]+|\#[^\r\n]*|\\\r?\n|\\\r"
#: Steps over what may stand between two tokens.
skip = re.compile(f"(?:{_GAP})*").match
#: ... between two items of a list (also the trailing comma).
skip_comma = re.compile(f"(?:{_GAP}|,)*").match
#: ... between two statements.
skip_semicolon = re.compile(f"(?:{_GAP}|;)*").match
#: ... between two parameters: a lone slash or star and the stars before a name as well.
skip_parameter = re.compile(f"(?:{_GAP}|[,/*])*").match


class Lowering:
    """The state of one pass over one text; ``text`` ends in a sentinel that is no token."""

    __slots__ = ("ids", "names", "pos", "scope", "text", "units")

    def __init__(self, text: str, scope: Scope) -> None:
        self.text = text + "\n\0"
        self.pos = 0
        self.ids = 0
        self.scope = scope
        self.names: list[ir.Name] = scope.names
        #: Where units found on the way go (None: only one unit is wanted).
        self.units: dict[str, ir.FunctionFacts] | None = None

    def enter(self, scope: Scope) -> None:
        self.scope = scope
        self.names = scope.names

    def token(self, width: int) -> int:
        """Step to the next token and over it; where it starts."""
        pos = skip(self.text, self.pos).end()  # type: ignore[union-attr]
        self.pos = pos + width
        return pos

    def next(self) -> int:
        """Step to the next token; where it starts."""
        pos = self.pos
        if self.text[pos] in BLANK:
            self.pos = pos = skip(self.text, pos).end()  # type: ignore[union-attr]
        return pos


#: A libcst expression node to IR. A third argument of False says that its own parentheses are
#: already open; only ``parenthesised`` passes it.
ExprRule = Callable[..., ir.Expr]
EXPR: dict[type, ExprRule] = {}
StmtRule = Callable[[Lowering, Any], ir.Op]
STMT: dict[type, StmtRule] = {}


def identifier(written: str) -> str:
    """The name that an identifier stands for: Python reads compatibility characters as plain ones."""
    return written if written.isascii() else unicodedata.normalize("NFKC", written)


def parenthesised(s: Lowering, node: Any, rule: ExprRule, own: int = 0) -> ir.Expr:
    """Lower ``node`` between its parentheses; the innermost ``own`` of them belong to it."""
    count = len(node.lpar) - own
    for _ in range(count):
        s.token(1)
    expr = rule(s, node, False)
    for _ in range(count):
        s.token(1)
    return expr


def bind(scope: Scope, target: ir.Expr) -> None:
    """Note the names an assignment to ``target`` binds."""
    kind = type(target)
    if kind is ir.Name:
        scope.bound.add(target.name)  # type: ignore[attr-defined]
    elif kind is ir.Sequence:
        for item in target.items:  # type: ignore[attr-defined]
            bind(scope, item)
    elif kind is ir.Starred:
        bind(scope, target.value)  # type: ignore[attr-defined]
