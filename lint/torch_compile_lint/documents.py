"""Notebooks and documents as Python text, and back.

A notebook becomes one text: its code cells in order, each behind a line that marks it, so that
names carry over from cell to cell as they do when it runs. A Markdown or reStructuredText file
becomes its Python blocks with everything else blanked out: every offset stays what it was.
``rewritten`` takes an edited text back into the file and touches nothing but what was edited.

Where a notebook's cell is no Python (``%magic``, ``!shell``, ``name?``, ``%%bash``) the line, or
the cell, is replaced by something that parses and does nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from torch_compile_lint.model import Finding, Hop
from torch_compile_lint.records import dataclass, replace

# json, ast and difflib are imported where they are needed: every run imports this module, and
# hardly any meets a document.

NOTEBOOK = ".ipynb"
MARKDOWN = (".md", ".markdown", ".qmd", ".mdx")
RST = (".rst",)
SUFFIXES = (NOTEBOOK, *MARKDOWN, *RST)
_MARK = "#%%tclint:cell:"
_MARKED = re.compile(rf"^{_MARK}(\d+)$", re.MULTILINE)


class DocumentError(Exception):
    """What makes a file no notebook, in one line; ``line`` from 1."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


def is_document(path: str) -> bool:
    """True for a file that holds Python among other things."""
    return path.endswith(SUFFIXES)


def python_text(path: str, text: str) -> str:
    """The Python in a document. Raises DocumentError."""
    if path.endswith(NOTEBOOK):
        return _notebook_text(text)
    return _blocks_text(text, path.endswith(RST))


def is_python_text(path: str, text: str) -> bool:
    """True for what ``python_text`` gave, perhaps edited; False for a document's own text."""
    if path.endswith(NOTEBOOK):
        return _MARKED.search(text) is not None and not text.lstrip().startswith("{")
    return _parses(text)


def rewritten(path: str, original: str, old: str, new: str) -> str:
    """The document after its Python, ``old``, became ``new``."""
    if path.endswith(NOTEBOOK):
        return _notebook_rewritten(original, old, new)
    pieces, at = [], 0
    for tag, a, b, c, d in _steps(old.split("\n"), new.split("\n")):
        if tag == "equal":
            continue
        # Lines of the text are lines of the document: whole lines are replaced.
        starts, news = _starts(old), _starts(new)
        pieces += [original[at : starts[a]], new[news[c] : news[d]]]
        at = starts[b]
    return "".join([*pieces, original[at:]])


def _steps(old: list[str], new: list[str]) -> list[tuple[str, int, int, int, int]]:
    from difflib import SequenceMatcher

    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(tag, a, b, c, d) for tag, a, b, c, d in steps]


def _starts(text: str) -> list[int]:
    """Where each line starts, and the end of the text."""
    starts, at = [0], text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return [*starts, len(text)]


# ---------------------------------------------------------------- places


class Cells:
    """Which cell a line of a notebook's text belongs to."""

    def __init__(self, text: str) -> None:
        self._first: list[int] = []  # lines of the marks
        self._number: list[int] = []
        for found in _MARKED.finditer(text):
            self._first.append(text.count("\n", 0, found.start()) + 1)
            self._number.append(int(found.group(1)))

    def place(self, line: int) -> tuple[int, int] | None:
        """(cell, line in it), both from 1; None where the text has no cells."""
        at = bisect_right(self._first, line) - 1
        if at < 0:
            return None
        return self._number[at], max(line - self._first[at], 1)

    def start(self, cell: int) -> int:
        """The line before a cell's first."""
        return self._first[self._number.index(cell)] if cell in self._number else 0


def relocated(findings: Iterable[Finding], cells_of: Callable[[str], Cells | None]) -> list[Finding]:
    """Findings with the lines of notebooks counted within their cells; the order stays."""
    return [_in_cell(f, cells_of) for f in findings]


def _in_cell(finding: Finding, cells_of: Callable[[str], Cells | None]) -> Finding:
    hops = tuple([_hop_in_cell(hop, cells_of) for hop in finding.witness])
    if hops != finding.witness:
        finding = replace(finding, witness=hops)
    cells = cells_of(finding.path)
    place = cells.place(finding.line) if cells is not None else None
    if cells is None or place is None:
        return finding
    end = finding.end_line - finding.line + place[1]
    return replace(finding, cell=place[0], line=place[1], end_line=end)


def _hop_in_cell(hop: Hop, cells_of: Callable[[str], Cells | None]) -> Hop:
    cells = cells_of(hop.path)
    place = cells.place(hop.line) if cells is not None else None
    return hop if place is None else replace(hop, cell=place[0], line=place[1])


def in_text(finding: Finding, text: str) -> Finding:
    """A finding of a notebook with the lines of the text of all its cells."""
    if finding.cell is None:
        return finding
    start = Cells(text).start(finding.cell)
    return replace(finding, cell=None, line=finding.line + start, end_line=finding.end_line + start)


def place_text(finding: Finding) -> str:
    """'line:column', with the cell before it where there is one."""
    cell = f"cell {finding.cell}:" if finding.cell is not None else ""
    return f"{cell}{finding.line}:{finding.column}"


# ---------------------------------------------------------------- notebooks


@dataclass(frozen=True, slots=True)
class _Cell:
    number: int  # among all cells, from 1
    source: str
    span: tuple[int, int]  # of the JSON value of ``source`` in the file


def _notebook_text(text: str) -> str:
    return joined((cell.number, tolerated(cell.source)) for cell in _code_cells(text))


def joined(cells: Iterable[tuple[int, str]]) -> str:
    """The text of a notebook: (number among all cells, Python) of its code cells."""
    return "".join([f"{_MARK}{number}\n{source}\n" for number, source in cells])


def _code_cells(text: str) -> list[_Cell]:
    import json

    try:
        notebook = json.loads(text)
    except ValueError as problem:
        line = getattr(problem, "lineno", 1)
        raise DocumentError(
            f"not a notebook: not valid JSON: {getattr(problem, 'msg', problem)}", line
        ) from None
    except RecursionError:
        raise DocumentError("not a notebook: nested too deeply") from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        if isinstance(notebook, dict) and "worksheets" in notebook:
            raise DocumentError("a notebook of format 3: convert it first (jupyter nbconvert --to notebook)")
        raise DocumentError("not a notebook: it has no list of cells")
    if _language(notebook) not in ("", "python", "ipython"):
        return []
    spans = _source_spans(text)
    cells = []
    for number, (cell, span) in enumerate(zip(notebook["cells"], spans, strict=True), 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code" or span is None:
            continue
        source = cell.get("source")
        if isinstance(source, list) and all(isinstance(line, str) for line in source):
            source = "".join(source)
        if not isinstance(source, str):
            raise DocumentError(f"not a notebook: the source of cell {number} is no text")
        cells.append(_Cell(number, source, span))
    return cells


def _language(notebook: dict[str, object]) -> str:
    metadata = notebook.get("metadata")
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        held = metadata.get(key) if isinstance(metadata, dict) else None
        if isinstance(held, dict) and isinstance(held.get(name), str):
            return str(held[name]).lower()
    return ""


def _source_spans(text: str) -> list[tuple[int, int] | None]:
    """Where the value of ``source`` stands, for each cell. The text is valid JSON."""
    spans: list[tuple[int, int] | None] = []
    for key, start, _ in _members(text, _blank(text, 0)):
        if key != "cells":
            continue
        spans.clear()  # of two keys the last one counts
        for item, _ in _items(text, start):
            found = None
            if text[item] == "{":
                found = next(((s, e) for k, s, e in _members(text, item) if k == "source"), None)
            spans.append(found)
    return spans


_BLANKS = re.compile(r"[ \t\r\n]*")


def _blank(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return at if found is None else found.end()


def _value(text: str, at: int) -> tuple[Any, int]:
    """A JSON value and where it ends."""
    import json

    return json.JSONDecoder().raw_decode(text, at)


def _members(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """(key, start, end of its value) of the object that starts at ``at``."""
    at = _blank(text, at + 1)
    while text[at] != "}":
        key, at = _value(text, at)
        start = _blank(text, _blank(text, at) + 1)
        _, end = _value(text, start)
        yield key, start, end
        at = _blank(text, end)
        if text[at] == ",":
            at = _blank(text, at + 1)


def _items(text: str, at: int) -> Iterator[tuple[int, int]]:
    """(start, end) of the items of the array that starts at ``at``."""
    at = _blank(text, at + 1)
    while text[at] != "]":
        _, end = _value(text, at)
        yield at, end
        at = _blank(text, end)
        if text[at] == ",":
            at = _blank(text, at + 1)


def _notebook_rewritten(original: str, old: str, new: str) -> str:
    cells = _code_cells(original)
    changed = changed_cells({cell.number: cell.source for cell in cells}, old, new)
    pieces, at = [], 0
    for cell in cells:
        if cell.number in changed:
            start, end = cell.span
            source = _encoded(changed[cell.number], original[start:end], original, start)
            pieces += [original[at:start], source]
            at = end
    return "".join([*pieces, original[at:]])


def changed_cells(sources: dict[int, str], old: str, new: str) -> dict[int, str]:
    """What the cells become whose Python in ``old`` differs in ``new``; magics stay."""
    before, after = _by_cell(old), _by_cell(new)
    out = {}
    for number, source in sources.items():
        was, becomes = before.get(number), after.get(number)
        if was != becomes and was is not None and becomes is not None:
            out[number] = _with_edits(source, was, becomes)
    return out


def _by_cell(text: str) -> dict[int, str]:
    """The text of each cell, as ``_notebook_text`` wrote it; what comes first joins the first cell."""
    head, *parts = _MARKED.split(text)
    cells = {
        int(n): body.removeprefix("\n").removesuffix("\n")
        for n, body in zip(parts[::2], parts[1::2], strict=True)
    }
    if head and cells:
        first = min(cells)
        cells[first] = head + cells[first]
    return cells


def _with_edits(source: str, was: str, becomes: str) -> str:
    """A cell's own lines with the edits made to the lines that stood for them."""
    own, old, new = source.split("\n"), was.split("\n"), becomes.split("\n")
    out: list[str] = []
    for tag, a, b, c, d in _steps(old, new):
        out += own[a:b] if tag == "equal" else new[c:d]
    return "\n".join(out)


def _encoded(source: str, held: str, original: str, start: int) -> str:
    """A source as JSON, written as the one it replaces was: as a text or as lines, with its indents."""
    import json

    plain = "\\u" in held and held.isascii()
    if not held.startswith("["):
        return json.dumps(source, ensure_ascii=plain)
    lines = [json.dumps(line, ensure_ascii=plain) for line in source.splitlines(keepends=True)]
    found = re.match(r"\[(\s*)", held)
    gap = found.group(1) if found else ""
    close = re.search(r"(\s*)\]$", held)
    if not gap and "," in held:
        gap_between = re.search(r'",(\s*)"', held)
        return "[" + ("," + (gap_between.group(1) if gap_between else "")).join(lines) + "]"
    if not lines:
        return "[]"
    return f"[{gap}{f',{gap}'.join(lines)}{close.group(1) if close else ''}]"


# ---------------------------------------------------------------- magics

_PYTHON_CELLS = ("time", "timeit", "capture", "prun", "python", "python3", "pypy", "debug")
_TIMED = re.compile(r"%(time|timeit)(?=[ \t]+[^ \t-])")
_ASSIGNED = re.compile(r"^(\s*[\w.,\[\]\s]+?=\s*)[!%]")
_HELP = re.compile(r"^\s*\??\??[\w.]+\?{1,2}\s*$|^\s*\?{1,2}[\w.*]+\s*$")


def tolerated(source: str) -> str:
    """A cell as Python: itself where it parses, else with its magics replaced, line by line."""
    if _parses(source):
        return source
    lines = source.split("\n")
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        name = re.match(r"%%\s*(\w*)", lines[first])
        if name is None or name.group(1) not in _PYTHON_CELLS:
            return "\n".join([""] * len(lines))
        lines[first] = ""
    out: list[str] = []
    shell = False  # a shell command that goes on on the next line
    for line in lines:
        replaced = _line(line) if not shell else ""
        shell = (shell or replaced != line) and line.endswith("\\")
        out.append(replaced)
    return "\n".join(out)


def _line(line: str) -> str:
    """One line without its magic; columns of what is left stay where they are."""
    bare = line.lstrip()
    indent = line[: len(line) - len(bare)]
    timed = _TIMED.match(bare)
    if timed is not None:  # `%time y = f(x)` runs `y = f(x)`
        words = "if 1:" if timed.group(1) == "time" else "if (1):"
        return indent + words + bare[timed.end() :]
    if bare.startswith(("%", "!")):
        return f"{indent}pass"
    if _HELP.match(line):
        return f"{indent}pass"
    assigned = _ASSIGNED.match(line)
    if assigned is not None:
        return f"{assigned.group(1)}None"
    return line


def _parses(text: str) -> bool:
    import ast
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


# ---------------------------------------------------------------- blocks of Markdown and reStructuredText

_FENCE = re.compile(r"^([ \t]*(?:>[ \t]?)*)(`{3,}|~{3,})[ \t]*(.*)$")
_LANGUAGE = re.compile(r"^\{?\s*\.?(?:code-block\}\s*|code\}\s*)?(python3?|py|py3)\b", re.IGNORECASE)
_DIRECTIVE = re.compile(r"^([ \t]*)\.\.[ \t]+(?:code-block|code|sourcecode)::[ \t]*(?:python3?|py)[ \t]*$")


def _blocks_text(text: str, rst: bool) -> str:
    lines = text.split("\n")
    out = [" " * len(line.rstrip("\r")) + line[len(line.rstrip("\r")) :] for line in lines]
    find = _rst_blocks if rst else _markdown_blocks
    for opener, first, last in find(lines):
        block = lines[first:last]
        indent = min((len(b) - len(b.lstrip()) for b in block if b.strip()), default=0)
        head = "if 1:" if indent else ""
        if not _parses("\n".join([head, *block])):
            continue  # an excerpt, a session with prompts: no program
        if indent and len(lines[opener].rstrip("\r")) < len(head):
            continue
        if indent:
            out[opener] = head + out[opener][len(head) :]
        out[first:last] = block
    return "\n".join(out)


def _markdown_blocks(lines: list[str]) -> Iterator[tuple[int, int, int]]:
    """(line of the fence, first line, line behind the last) of each Python block."""
    at = 0
    while at < len(lines):
        opened = _FENCE.match(lines[at].rstrip("\r"))
        if opened is None or ">" in opened.group(1):
            at += 1
            continue
        fence = opened.group(2)
        close = re.compile(rf"^[ \t]*{re.escape(fence[0])}{{{len(fence)},}}[ \t]*\r?$")
        end = next((i for i in range(at + 1, len(lines)) if close.match(lines[i])), len(lines))
        if _LANGUAGE.match(opened.group(3)):
            yield at, at + 1, end
        at = end + 1


def _rst_blocks(lines: list[str]) -> Iterator[tuple[int, int, int]]:
    at = 0
    while at < len(lines):
        opened = _DIRECTIVE.match(lines[at].rstrip("\r"))
        at += 1
        if opened is None:
            continue
        opener, outer = at - 1, len(opened.group(1).expandtabs())
        while at < len(lines) and lines[at].strip().startswith(":"):
            at += 1  # options
        first = at
        while at < len(lines) and (
            not lines[at].strip()
            or len(lines[at].expandtabs()) - len(lines[at].expandtabs().lstrip()) > outer
        ):
            at += 1
        yield opener, first, at
