"""Where statements begin and end, so that a line Dynamo names is matched to the statement it belongs to.

A compound statement counts up to its header only: the body of an ``if`` is not the ``if``.
"""

from __future__ import annotations

import ast

from torch_compile_lint.records import dataclass, field


@dataclass(slots=True)
class Statements:
    """Line ranges of the statements of one file, innermost first."""

    ranges: list[tuple[int, int]] = field(default_factory=list)
    functions: list[tuple[int, int, str]] = field(
        default_factory=list
    )  # first line, last line, qualified name
    classes: list[tuple[int, int, str]] = field(default_factory=list)
    branches: list[tuple[int, int, int]] = field(
        default_factory=list
    )  # line of the if, first and last line of an arm
    words: dict[int, set[str]] = field(default_factory=dict)  # names and attributes that stand on a line

    def around(self, line: int, end_line: int | None = None) -> tuple[int, int]:
        """Lines of the smallest statement (or header) that holds ``line``; the lines given if none does."""
        best = (line, max(line, end_line or line))
        size = None
        for begin, end in self.ranges:
            if begin <= line <= end and (size is None or end - begin < size):
                best, size = (begin, end), end - begin
        return best

    def names(self, first: int, last: int) -> frozenset[str]:
        """Names and attributes on these lines."""
        return frozenset(word for line in range(first, last + 1) for word in self.words.get(line, ()))

    def function_at(self, line: int) -> str:
        """Qualified name of the innermost function that holds ``line``, or ''."""
        holding = [item for item in self.functions if item[0] <= line <= item[1]]
        return min(holding, key=lambda item: item[1] - item[0])[2] if holding else ""

    def arm_at(self, line: int) -> int | None:
        """Line of the innermost ``if`` (or handler) whose arm holds ``line``."""
        holding = [item for item in self.branches if item[1] <= line <= item[2]]
        return min(holding, key=lambda item: item[2] - item[1])[0] if holding else None


def statements(text: str) -> Statements:
    """The statements of a file; empty for one that does not parse."""
    found = Statements()
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return found
    stack: list[tuple[ast.AST, str]] = [(tree, "")]
    while stack:
        node, prefix = stack.pop()
        inner = prefix
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{prefix}{node.name}"
            kind = found.classes if isinstance(node, ast.ClassDef) else found.functions
            first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
            kind.append((first, node.end_lineno or node.lineno, inner))
            inner += "." if isinstance(node, ast.ClassDef) else ".<locals>."
        if isinstance(node, ast.Name):
            found.words.setdefault(node.lineno, set()).add(node.id)
        elif isinstance(node, ast.Attribute):
            found.words.setdefault(node.end_lineno or node.lineno, set()).add(node.attr)
        if isinstance(node, ast.stmt):
            found.ranges.append((node.lineno, _header_end(node)))
        _arms(node, found)
        stack.extend((child, inner) for child in ast.iter_child_nodes(node))
    return found


def _header_end(node: ast.stmt) -> int:
    body = getattr(node, "body", None)
    if not isinstance(body, list) or not body:
        return node.end_lineno or node.lineno
    first = min(item.lineno for item in body if hasattr(item, "lineno"))
    return max(node.lineno, first - 1) if first > node.lineno else node.lineno


def _arms(node: ast.AST, found: Statements) -> None:
    for name in ("body", "orelse", "handlers", "finalbody"):
        arm = getattr(node, name, None)
        if (
            isinstance(node, ast.If | ast.Try | ast.For | ast.While | ast.ExceptHandler)
            and isinstance(arm, list)
            and arm
        ):
            found.branches.append((node.lineno, arm[0].lineno, arm[-1].end_lineno or arm[-1].lineno))
