"""Source text of nodes and statements, as a fix may reuse it.

Spans leave out redundant parentheses and trailing comments, so text taken from one place needs
care in another: ``operand`` puts brackets where precedence or a line break asks for them, and
``Lines`` knows whether a statement owns its lines, what its indentation is and which comments
would be lost with it.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable

from torch_compile_lint.facts import ir
from torch_compile_lint.model import Edit, Span
from torch_compile_lint.program.tree import children
from torch_compile_lint.program.view import FunctionView
from torch_compile_lint.records import dataclass
from torch_compile_lint.source import newline_of

_CLOSED = (ir.Const, ir.Name, ir.Attribute, ir.Subscript, ir.Call, ir.FormattedString, ir.Dict)


def source(node: ir.Node, view: FunctionView) -> str:
    """The exact text of a node."""
    return "" if view.source is None else view.source[node.start : node.end]


def replace(node: ir.Node, text: str) -> Edit:
    """The edit that puts ``text`` in the place of a node; the engine fills in the path."""
    return Edit("", Span(node.start, node.end), text)


def argument(node: ir.Expr, view: FunctionView) -> str:
    """Text of an expression as one argument of a call."""
    text = source(node, view)
    bare = isinstance(node, ir.Starred | ir.Yield | ir.Walrus) or (
        isinstance(node, ir.Comprehension) and node.kind == "generator" and not text.startswith("(")
    )
    return f"({text})" if bare else text


def operand(node: ir.Expr, view: FunctionView) -> str:
    """Text of an expression where an attribute, a call or an operator follows or precedes."""
    text = source(node, view)
    closed = isinstance(node, _CLOSED) or (isinstance(node, ir.Sequence) and text[:1] in "([{")
    number = isinstance(node, ir.Const) and not isinstance(node.value, str)
    joined = isinstance(node, ir.Const) and isinstance(node.value, str) and _juxtaposed(text)
    if closed and not number and not joined and ("\n" not in text or isinstance(node, ir.Call)):
        return text
    return f"({text})"


def _juxtaposed(text: str) -> bool:
    return "\n" in text or bool(re.search(r"""["']\s+[rbuf]*["']""", text, re.I))


def renamed(node: ir.Node, names: dict[str, str], view: FunctionView) -> str:
    """Text of a node with some local names replaced by others."""
    spots = sorted(
        (found.start, found.end, names[found.name])
        for found in below(node)
        if isinstance(found, ir.Name) and found.name in names
    )
    out, at = [], node.start
    text = view.source or ""
    for start, end, name in spots:
        out += [text[at:start], name]
        at = end
    return "".join([*out, text[at : node.end]])


def below(node: ir.Node) -> Iterable[ir.Node]:
    """The node and everything in it, nested functions excepted."""
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(children(top))


@dataclass(frozen=True, slots=True)
class Lines:
    """The whole lines of one statement: offsets, indentation, line end, comments inside."""

    start: int  # of its first line
    end: int  # behind its last line, line end included
    indent: str
    newline: str
    closed: bool  # its last line has a line end of its own (a unit's last line has none)
    comments: tuple[str, ...]

    def replaced(self, rows: Iterable[str]) -> Edit:
        """The edit that puts ``rows`` in their place, below the comments that stood in them."""
        text = "".join(
            row + self.newline for row in (*(self.indent + comment for comment in self.comments), *rows)
        )
        if not self.closed:
            text = text.removesuffix(self.newline)
        return Edit("", Span(self.start, self.end), text)


def lines_of(first: ir.Op, view: FunctionView, last: ir.Op | None = None) -> Lines | None:
    """The lines of a statement, or of a run of them; None where they share a line with others."""
    text = view.source or ""
    end = (last or first).end
    start = max(text.rfind("\n", 0, first.start), text.rfind("\r", 0, first.start)) + 1
    indent = text[start : first.start]
    if indent.strip(" \t") or start == 0:
        return None
    stop = re.compile(r"\r\n|\r|\n").search(text, end)
    stop_at, newline = (stop.end(), stop.group()) if stop else (len(text), newline_of(text))
    rest = text[end : stop.start() if stop else len(text)].strip()
    if rest and not rest.startswith("#"):
        return None
    if text[first.start : end].rstrip().endswith("\\") or _continued(text, start):
        return None
    comments = comments_in(text[start:stop_at])
    return None if comments is None else Lines(start, stop_at, indent, newline, stop is not None, comments)


def _continued(text: str, start: int) -> bool:
    """Whether the line before ends in a backslash."""
    return text[:start].rstrip("\r\n").endswith("\\")


def comments_in(text: str) -> tuple[str, ...] | None:
    """The comments of a piece of indented code; None where it cannot be told."""
    if "#" not in text:
        return ()
    out: list[str] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO("if 1:\n" + text).readline):
            if token.type == tokenize.COMMENT:
                out.append(token.string)
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return None
    return tuple(out)


def holds_comment(node: ir.Node, view: FunctionView) -> bool:
    """Whether a comment stands inside an expression (or something that looks like one)."""
    return "#" in source(node, view)


def fresh(wanted: str, view: FunctionView) -> str:
    """A local name that the function does not use: ``wanted``, or with a number behind it."""
    used = {node.name for node in view.nodes(ir.Name)} | set(view.facts.locals) | set(view.facts.free)
    text = view.source or ""
    number, name = 1, wanted
    while name in used or re.search(rf"\b{name}\b", text):
        number += 1
        name = f"{wanted}_{number}"
    return name


def shadowed(name: str, view: FunctionView) -> bool:
    """Whether a module-level name cannot be reached from this function."""
    return name in view.facts.locals or name in view.facts.free
