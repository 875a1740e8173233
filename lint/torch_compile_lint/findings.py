"""Raw findings -> findings: lines and columns, fingerprints, order.

Only files that were asked for get findings. A fingerprint rests on the code, the file, the
function and the guilty text, so that it survives lines that move; equal ones in one function
are numbered.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from torch_compile_lint.model import Confidence, Edit, Effect, Finding, Fix, Hop, Span
from torch_compile_lint.place_imports import missing_imports
from torch_compile_lint.place_outside import placed
from torch_compile_lint.raw import Place, Raw, merge
from torch_compile_lint.records import replace
from torch_compile_lint.source import LineIndex

if TYPE_CHECKING:
    from torch_compile_lint.workspace import Workspace

SYNTAX_CODE, SYNTAX_NAME = "TCD000", "syntax-error"


class Placer:
    """Offsets of units -> lines and columns of files, reading each file once."""

    def __init__(self, space: Workspace, root: str, cwd: str) -> None:
        self._space = space
        self._root = root
        self._cwd = cwd
        self._texts: dict[str, tuple[str, LineIndex] | None] = {}

    def text(self, path: str) -> tuple[str, LineIndex] | None:
        """Text and lines of a file; None where it is gone."""
        if path not in self._texts:
            try:
                source = self._space.source(path)
                self._texts[path] = (source.text, source.lines)
            except OSError:
                self._texts[path] = None
        return self._texts[path]

    def base(self, path: str, unit: str | None) -> int:
        """Where a unit starts in its file."""
        index = self._space.indexes.get(path)
        if not unit or index is None:
            return 0
        one = index.functions.get(unit) or index.classes.get(unit)
        return 0 if one is None else one.start

    def hop(self, place: Place) -> Hop | None:
        """A step of a witness, with its line."""
        held = self.text(place.path)
        if held is None:
            return None
        line = held[1].line(self.base(place.path, place.unit) + place.offset)
        return Hop(self._space.shown(place.path, self._cwd), line, place.function)

    def below_root(self, path: str) -> str:
        """The path as fingerprints know it: the same in every checkout."""
        return os.path.relpath(path, self._root).replace(os.sep, "/")


def make(raws: Iterable[Raw], space: Workspace, root: str, cwd: str) -> list[Finding]:
    """Sorted findings of the files asked for, syntax errors among them."""
    placer = Placer(space, root, cwd)
    asked = space.inputs.shown
    wanted = [r for r in merge(raws) if r.path in asked]
    wanted.sort(key=lambda r: (r.path, placer.base(r.path, r.unit) + r.start, r.code, r.form))
    seen: dict[str, int] = {}
    out: list[Finding] = []
    for raw in wanted:
        finding = _finding(raw, placer, space, seen)
        if finding is not None:
            out.append(finding)
    out.extend(syntax_errors(space, placer))
    out.sort(key=order)
    return out


def order(finding: Finding) -> tuple[str, int, int, str, int, int, str]:
    """How findings are sorted in every report."""
    f = finding
    return (f.path, f.line, f.column, f.code, f.end_line, f.end_column, f.message)


def _finding(raw: Raw, placer: Placer, space: Workspace, seen: dict[str, int]) -> Finding | None:
    held = placer.text(raw.path)
    if held is None:
        return None
    text, lines = held
    base = placer.base(raw.path, raw.unit)
    start, end = base + raw.start, base + raw.end
    line, column = lines.position(start)
    end_line, end_column = lines.position(end)
    hops = tuple(h for h in map(placer.hop, raw.steps) if h is not None)
    identity = (
        raw.code,
        raw.form,
        placer.below_root(raw.path),
        raw.function,
        " ".join(text[start:end].split()),
    )
    position = (*raw.position, "helper") if len(hops) > 1 else raw.position
    fix = raw.fix
    if fix is not None:
        # Rules write edits relative to their function, in its own file.
        edits = tuple(Edit(raw.path, Span(base + e.span.start, base + e.span.end), e.text) for e in fix.edits)
        index = space.indexes[raw.path]
        needed = missing_imports(fix.imports, index, text, raw.path)
        beyond = placed(fix, raw.function, base, index, text) if fix.outside else ()
        fix = (
            None
            if needed is None or beyond is None
            else Fix(fix.title, fix.safety, edits + needed + tuple(replace(e, path=raw.path) for e in beyond))
        )
    return Finding(
        code=raw.code,
        name=raw.name,
        path=space.inputs.shown[raw.path],
        line=line,
        column=column,
        end_line=end_line,
        end_column=end_column,
        message=raw.message,
        effect=Effect(raw.effect),
        confidence=Confidence(raw.confidence),
        function=raw.function,
        gb=raw.gb,
        position=position,
        why=raw.why,
        witness=hops,
        fix=fix,
        remedy=raw.remedy,
        kinds=raw.kinds,
        fingerprint=fingerprint(identity, seen),
    )


def fingerprint(identity: tuple[str, ...], seen: dict[str, int]) -> str:
    """16 hex digits; the same identity again in one run gets another."""
    text = "\0".join(identity)
    count = seen[text] = seen.get(text, 0) + 1
    if count > 1:
        text += f"\0{count}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def syntax_errors(space: Workspace, placer: Placer) -> list[Finding]:
    """One finding for each file asked for that does not parse."""
    out = []
    for path, shown in space.inputs.shown.items():
        index = space.indexes.get(path)
        if index is None or index.error is None:
            continue
        line, column, message = split_error(index.error)
        held = placer.text(path)
        if held is not None and held[0]:  # no text: it could not be decoded
            line = min(line, held[1].count)
            column = min(column, len(held[1].text(line)) + 1)
        out.append(
            Finding(
                code=SYNTAX_CODE,
                name=SYNTAX_NAME,
                path=shown,
                line=line,
                column=column,
                end_line=line,
                end_column=column + 1,
                message=message,
                effect=Effect.ERROR,
                confidence=Confidence.PROVED,
                fingerprint=fingerprint((SYNTAX_CODE, placer.below_root(path), message), {}),
            )
        )
    return out


def split_error(error: str) -> tuple[int, int, str]:
    """'line:column: text' of an index as its parts."""
    line, column, text = error.split(":", 2)
    return int(line), int(column), " ".join(text.split())
