"""Which statement a line of a file belongs to."""

from __future__ import annotations

import ast
from pathlib import Path


class Statements:
    """Maps lines to the first line of their innermost statement; a compound statement is its header.

    Two statements on one line count as one.
    """

    def __init__(self, source: str) -> None:
        self.lines = source.splitlines()
        self._first: dict[int, int] = {}
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                self._add(node)

    def first_line(self, line: int) -> int:
        return self._first.get(line, line)

    def text(self, line: int) -> str:
        return self.lines[line - 1].strip() if 0 < line <= len(self.lines) else ""

    def _add(self, node: ast.stmt | ast.ExceptHandler | ast.match_case) -> None:
        start: int = getattr(node, "lineno", 0) or node.pattern.lineno  # type: ignore[union-attr]
        body = getattr(node, "body", None)
        end = body[0].lineno - 1 if isinstance(body, list) and body else getattr(node, "end_lineno", start)
        for line in range(start, max(end or start, start) + 1):
            # ast.walk goes from the outside to the inside, so inner statements win
            self._first[line] = start


def read_statements(path: Path) -> Statements:
    return Statements(path.read_text(encoding="utf-8", errors="replace"))
