"""What the pass over Python's own trees carries along: the text, ids, and the open scopes.

``ast`` says where nodes start and end; what it does not say (where a comprehension's clause
starts, how many redundant parentheses surround an argument) is read from the text between
two nodes that it does place. Forms for which that is not plain raise ``Unsupported``: their
unit is lowered from libcst's tree instead, which gives the same facts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.lower_base import skip
from torch_compile_lint.facts.lower_scope import Scope

_COMMENT = re.compile(r"\#[^\r\n]*")
_LINES = re.compile(r"\r\n|\r|\n")

# mypy: disable-error-code="union-attr"
# (the skip expression matches the empty text, so it always matches)


class Unsupported(Exception):
    """A form that is left to the other lowering."""


class TreeLowering:
    """The state of one pass over one unit's tree."""

    __slots__ = ("ids", "names", "scope", "starts", "text", "wide")

    def __init__(self, text: str, first_line: int, first_column: int) -> None:
        """The unit's text starts in the tree's line ``first_line`` at column ``first_column``."""
        self.text = text
        self.ids = 0
        self.scope = Scope("module", "", None)
        self.names: list[ir.Name] = self.scope.names
        # The offset of each line's column 0, by the tree's line number.
        self.starts = [0] * first_line
        self.starts.append(-first_column)
        self.starts.extend([m.end() for m in _LINES.finditer(text)])
        # Columns are counted in bytes: lines with other characters than ASCII, as bytes.
        self.wide: dict[int, bytes] = {}
        if not text.isascii():
            for number, line in enumerate(_LINES.split(text), first_line):
                if not line.isascii():
                    blanks = " " * first_column if number == first_line else ""
                    self.wide[number] = (blanks + line).encode("utf-8", "surrogatepass")

    def enter(self, scope: Scope) -> None:
        self.scope = scope
        self.names = scope.names

    def new_id(self) -> int:
        i = self.ids
        self.ids = i + 1
        return i

    def offset(self, line: int, column: int) -> int:
        if self.wide and line in self.wide:
            column = len(self.wide[line][:column].decode("utf-8", "surrogatepass"))
        return self.starts[line] + column

    def start(self, node: Any) -> int:
        if self.wide:
            return self.offset(node.lineno, node.col_offset)
        at: int = self.starts[node.lineno] + node.col_offset
        return at

    def end(self, node: Any) -> int:
        if self.wide:
            return self.offset(node.end_lineno, node.end_col_offset)
        at: int = self.starts[node.end_lineno] + node.end_col_offset
        return at

    # ------------------------------------------------------------ between two nodes

    def opened(self, start: int, end: int) -> int:
        """How many parentheses open between two tokens."""
        gap = self.text[start:end]
        if "(" not in gap:
            return 0
        return _COMMENT.sub("", gap).count("(")

    def closed(self, at: int, count: int) -> int:
        """Where ``count`` closing parentheses behind ``at`` end."""
        text = self.text
        for _ in range(count):
            at = skip(text, at).end()
            if text[at : at + 1] != ")":
                raise Unsupported
            at += 1
        return at


R = TypeVar("R")


class Rules(dict[type, Callable[[TreeLowering, Any], R]]):
    """What to do with each class of nodes; the rare ones have no rule."""

    def __missing__(self, kind: type) -> Callable[[TreeLowering, Any], R]:
        raise Unsupported
