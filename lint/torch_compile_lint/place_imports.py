"""Where a missing ``import`` goes: once, after the docstring, ``__future__`` and the imports there are.

In: the modules a fix needs under their own names, the index and the text of its file. Out: the
insertions, none where the module is bound already; None where its name is taken by something
else, so that the fix cannot be offered.
"""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING

from torch_compile_lint.model import Edit, Span
from torch_compile_lint.source import LineIndex, newline_of

if TYPE_CHECKING:
    from torch_compile_lint.facts.index_ir import FileIndex


def missing_imports(
    modules: tuple[str, ...], index: FileIndex, text: str, path: str
) -> tuple[Edit, ...] | None:
    """The insertions that bind ``modules``; None where one of the names means something else."""
    out = []
    for module in modules:
        bound = _bound(module, index)
        if bound is None:
            return None
        if not bound:
            place = import_place(text)
            if place is None:
                return None
            offset, before, after = place
            out.append(Edit(path, Span(offset, offset), f"{before}import {module}{after}"))
    return tuple(out)


def _bound(module: str, index: FileIndex) -> bool | None:
    """True: the name is that module. False: it is free. None: it is, or may be, something else."""
    name = module.partition(".")[0]
    found = False
    for binding in index.imports:
        if binding.local != name:
            continue
        if binding.module != name or binding.attr is not None or binding.typing_only:
            return None
        found = found or not binding.conditional
        if "." in module and binding.also != module and name != "torch":
            return None
    if name in index.globals or name in index.functions or name in index.classes:
        return None
    if index.star_imports and not found:
        return None  # the name may come from there
    return found


@functools.lru_cache(maxsize=8)
def import_place(text: str) -> tuple[int, str, str] | None:
    """(offset, text before, text after) for an import of one module; None where nothing is plain."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return None
    end = newline_of(text)
    lines = LineIndex(text)
    head: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, ast.Import | ast.ImportFrom) or (not head and _is_docstring(statement)):
            head.append(statement)
        else:
            break
    plain = [s for s in head if isinstance(s, ast.Import)]
    if plain:  # beside the other plain imports
        return behind(plain[-1], text, lines, end)
    for statement in head:
        if isinstance(statement, ast.ImportFrom) and statement.module != "__future__":
            start = lines.starts[statement.lineno - 1]
            alone = not text[start : lines.from_utf8(statement.lineno, statement.col_offset)].strip()
            return (start, "", end) if alone else None
    if head:
        place = behind(head[-1], text, lines, end)
        return None if place is None else (place[0], place[1] + end, place[2])
    if not body:
        return len(text), "" if not text or text.endswith(("\n", "\r")) else end, end
    top = min([body[0].lineno, *(d.lineno for d in getattr(body[0], "decorator_list", ()))])
    return lines.starts[top - 1], "", end * 2


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def behind(statement: ast.stmt, text: str, lines: LineIndex, end: str) -> tuple[int, str, str] | None:
    """Behind the last line of a statement that ends its line."""
    last = statement.end_lineno or statement.lineno
    offset = lines.from_utf8(last, statement.end_col_offset or 0)
    rest = text[offset : lines.starts[last - 1] + len(lines.text(last))].strip()
    if rest and not rest.startswith("#"):
        return None
    if last < lines.count:
        return lines.starts[last], "", end
    return len(text), end, ""
