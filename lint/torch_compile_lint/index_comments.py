"""Ignore comments: `# noqa`, `# noqa: TCD101`, `# tclint: ignore[TCD101] reason`.

A comment covers the logical line it stands on (all lines of a bracketed or continued
statement, and of its strings), as in flake8. `# tclint: ignore[...]` alone on a line covers
the next logical line; `# tclint: ignore-file[...]` the whole file. `# type: ignore` and other
tools' codes are not looked at: which code a comment names is judged by ``suppress``.
"""

from __future__ import annotations

import re

from torch_compile_lint.facts.index_ir import Suppression
from torch_compile_lint.source import LineIndex

_ANY = re.compile(r"#\s*(?:noqa|tclint\s*:)", re.IGNORECASE)
_NOQA = re.compile(
    r"#\s*noqa(?![\w-])(?P<colon>\s*:\s*(?P<codes>[A-Za-z]+[0-9]+(?:[\s,]+[A-Za-z]+[0-9]+\b)*))?",
    re.IGNORECASE,
)
_OURS = re.compile(r"#\s*tclint\s*:\s*(?P<kind>ignore-file|ignore)\b\s*(?:\[(?P<codes>[^\]]*)\])?")

# Strings and comments have to be told apart, and brackets counted; nothing else matters.
_TOKENS = re.compile(
    r"'''(?:[^\\]|\\.)*?(?:'''|\Z)"
    r'|"""(?:[^\\]|\\.)*?(?:"""|\Z)'
    r"|'(?:[^\\'\r\n]|\\(?:\r\n|.))*'?"
    r'|"(?:[^\\"\r\n]|\\(?:\r\n|.))*"?'
    r"|#[^\r\n]*"
    r"|[(\[{]|[)\]}]"
    r"|\\(?:\r\n|\r|\n)"
    r"|\r\n|\r|\n",
    re.DOTALL,
)


def find_suppressions(text: str, lines: LineIndex) -> tuple[Suppression, ...]:
    """The ignore comments of a file, in order."""
    if _ANY.search(text) is None:
        return ()
    found: list[Suppression] = []
    pending: list[Suppression] = []  # of the logical line being read
    ahead: list[Suppression] = []  # alone on their line: for the logical line that comes next
    depth = 0
    first = 1  # first physical line of the logical line
    code_from = 0  # offset behind the last line end: what lies between is code or space
    has_code = False
    for token in _TOKENS.finditer(text):
        piece = token.group()
        head = piece[0]
        start = token.start()
        if not has_code and text[code_from:start].strip():
            has_code = True
        code_from = token.end()
        if head == "#":
            one = _parse(piece, start, lines)
            if one is None:
                continue
            found.append(one)
            if one.kind == "file":
                continue
            if one.kind == "ignore" and not has_code and depth == 0:
                ahead.append(one)
            else:
                pending.append(one)
        elif head in "\r\n":
            if depth:
                continue
            last = lines.line(start)
            for one in pending:
                one.line, one.end_line = first, last
            pending.clear()
            if has_code:
                for one in ahead:
                    one.end_line = last
                ahead.clear()
            first, has_code = last + 1, False
        else:
            if head in "([{":
                depth += 1
            elif head in ")]}":
                depth = max(depth - 1, 0)
            has_code = True
    last = lines.count
    for one in pending:
        one.line, one.end_line = first, last
    if has_code:
        for one in ahead:
            one.end_line = last
    return tuple(found)


def _parse(comment: str, start: int, lines: LineIndex) -> Suppression | None:
    line = lines.line(start)
    ours = _OURS.search(comment)
    if ours is not None:
        listed = ours.group("codes")
        codes = tuple(c for c in re.split(r"[\s,]+", listed or "") if c)
        kind = "file" if ours.group("kind") == "ignore-file" else "ignore"
        return Suppression(line, line, codes, kind, start + ours.start(), start + len(comment))
    noqa = _NOQA.search(comment)
    if noqa is not None:
        codes = tuple(c.upper() for c in re.split(r"[\s,]+", noqa.group("codes") or "") if c)
        return Suppression(line, line, codes, "noqa", start + noqa.start(), start + noqa.end())
    return None
