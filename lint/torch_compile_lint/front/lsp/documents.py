"""Open documents: their texts, and positions in the units the editor counts in.

pygls keeps documents as well, but cuts lines where ``str.splitlines`` does (at form feeds, say),
which is not where LSP and Python cut them; an edit behind such a line would land in the wrong
place. Here ``LineIndex`` decides, as everywhere else in tclint.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from lsprotocol import types

from torch_compile_lint.records import dataclass, field
from torch_compile_lint.source import LineIndex


@dataclass(frozen=True, slots=True)
class Document:
    """One version of one open text. ``path`` is where it is, or would be, on disk.

    Of a notebook, ``text`` is the program its ``cells`` make, and offsets are offsets into that:
    ``spot`` says where the editor has them.
    """

    uri: str
    path: str
    version: int
    text: str
    cells: tuple[Cell, ...] | None = None
    _lines: list[LineIndex] = field(default_factory=list, compare=False, repr=False)

    @property
    def lines(self) -> LineIndex:
        """Line starts, built on first use."""
        if not self._lines:
            self._lines.append(LineIndex(self.text))
        return self._lines[0]

    def cell_of(self, line: int) -> Cell | None:
        """The cell that a line of the text belongs to."""
        if not self.cells:
            return None
        return self.cells[max(bisect_right(self.cells, line, key=lambda cell: cell.first) - 1, 0)]

    def offset(self, uri: str, position: types.Position, encoding: str) -> int:
        """The offset of a place that the editor names, in this document or in its cell ``uri``."""
        line, column = position.line + 1, position.character + 1
        cell = next((c for c in self.cells or () if c.document.uri == uri), None)
        if cell is None:
            return self.lines.offset(line, column, encoding)
        own = cell.document.lines
        line, column = own.position(own.offset(line, column, encoding))
        return self.lines.offset(cell.first + line, column)

    def spot(self, start: int, end: int) -> tuple[Document, int, int]:
        """Where the editor has a span: the document, or the cell, and the span in it."""
        first = self.lines.position(start)
        cell = self.cell_of(first[0])
        if cell is None:
            return self, start, end
        last = self.lines.position(end)
        own = cell.document.lines
        return cell.document, cell.offset(own, *first), cell.offset(own, *last)


@dataclass(frozen=True, slots=True)
class Cell:
    """A code cell of a notebook. ``number`` is among all cells, ``first`` the line of its mark."""

    number: int
    first: int
    document: Document

    def offset(self, own: LineIndex, line: int, column: int) -> int:
        """The offset in the cell of a place in the notebook's text."""
        return own.offset(line - self.first, column)


def path_of(uri: str, folder: str) -> str:
    """The absolute path of a document; of one that was never saved, a place in ``folder``."""
    parts = urlsplit(uri)
    if parts.scheme == "file":
        path = url2pathname(unquote(parts.path) if os.name == "nt" else parts.path)
        return os.path.normpath(path)
    name = re.sub(r"\W+", "_", unquote(parts.path or uri)).strip("_") or "untitled"
    return os.path.join(folder, name.removesuffix("_py") + ".py")


def uri_of(path: str) -> str:
    """The file URI of an absolute path."""
    from pathlib import Path

    return Path(path).as_uri()


def edited(text: str, changes: Sequence[Any], encoding: str) -> str:
    """The text after the content changes of one didChange notification, in their order."""
    for change in changes:
        span = getattr(change, "range", None)
        if span is None:
            text = change.text
            continue
        lines = LineIndex(text)
        start = lines.offset(span.start.line + 1, span.start.character + 1, encoding)
        end = lines.offset(span.end.line + 1, span.end.character + 1, encoding)
        text = text[:start] + change.text + text[max(start, end) :]
    return text


def shift(old: str, new: str, start: int, end: int) -> tuple[int, int] | None:
    """Where a span of ``old`` stands in ``new``; None where the edit between them touched it."""
    if old is new or old == new:
        return start, end
    head = _common(old, new)
    if end <= head:
        return start, end
    tail = _common_tail(old, new, head)
    if start >= len(old) - tail:
        moved = len(new) - len(old)
        return start + moved, end + moved
    return None


def _common(a: str, b: str) -> int:
    """Length of the common start. Equal starts are nested: bisection finds the longest."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[:middle] == b[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_tail(a: str, b: str, head: int) -> int:
    """Length of the common end, outside the common start."""
    low, high = 0, min(len(a), len(b)) - head
    while low < high:
        middle = (low + high + 1) // 2
        if a[len(a) - middle :] == b[len(b) - middle :]:
            low = middle
        else:
            high = middle - 1
    return low
