"""Findings as LSP diagnostics, in the editor's own units."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from lsprotocol import types

from torch_compile_lint.documents import Cells, relocated
from torch_compile_lint.front.lsp.documents import Document, shift, uri_of
from torch_compile_lint.model import Confidence, Finding, Severity, Verdict
from torch_compile_lint.records import dataclass, replace
from torch_compile_lint.session import Answer
from torch_compile_lint.source import LineIndex

SOURCE = "tclint"
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}
PageOf = Callable[[str], "str | None"]  # code -> URI of the rule's page
Locate = Callable[[str, int], types.Location]  # path and line of a witness -> where the editor has them


@dataclass(frozen=True, slots=True)
class Shown:
    """One finding as it stands in a document."""

    finding: Finding
    start: int  # offsets into the document's text
    end: int
    kind: str = "finding"  # or unused, syntax

    def touches(self, start: int, end: int) -> bool:
        """True where the spans overlap or meet."""
        return self.start <= end and start <= self.end


def place(document: Document, answer: Answer) -> list[Shown]:
    """What an answer says, put where it stands in the document's present text.

    While the text does not parse, findings keep their place before and behind the edit; what
    the edit touched is left out.
    """
    lines = document.lines if answer.text == document.text else LineIndex(answer.text)
    out: list[Shown] = []
    groups = [("finding", f) for f in answer.findings if not f.suppressed and f.code != "TCD000"]
    groups += [("unused", f) for f in answer.unused]
    for kind, finding in groups:
        start = lines.offset(finding.line, finding.column)
        end = lines.offset(finding.end_line, finding.end_column)
        moved = shift(answer.text, document.text, start, end)
        if moved is not None:
            out.append(Shown(finding, *moved, kind))
    errors = [f for f in answer.findings if f.code == "TCD000"]
    if answer.syntax_error is not None:
        errors.append(answer.syntax_error)
    for finding in errors:
        start = document.lines.offset(finding.line, finding.column)
        out.append(Shown(finding, start, max(start, document.lines.offset(finding.line, 1 << 20)), "syntax"))
    return out


def with_verdict(shown: Shown, verdict: Verdict | None) -> Shown:
    """The same with what verification observed."""
    if verdict is None:
        return shown
    return replace(shown, finding=replace(shown.finding, verdict=verdict))


def range_of(document: Document, start: int, end: int, encoding: str) -> types.Range:
    """An LSP range of two offsets; of a notebook, in the cell they are in."""
    document, start, end = document.spot(start, end)
    first, last = document.lines.position(start, encoding), document.lines.position(end, encoding)
    return types.Range(types.Position(first[0] - 1, first[1] - 1), types.Position(last[0] - 1, last[1] - 1))


def diagnostic(
    document: Document, shown: Shown, encoding: str, locate: Locate, page_of: PageOf
) -> types.Diagnostic:
    """One diagnostic."""
    finding = shown.finding
    tags = [types.DiagnosticTag.Unnecessary] if shown.kind == "unused" or _refuted(finding) else None
    page = page_of(finding.code)
    return types.Diagnostic(
        range=range_of(document, shown.start, shown.end, encoding),
        message=message(shown),
        severity=severity(shown),
        code=finding.code,
        code_description=None if page is None else types.CodeDescription(page),
        source=SOURCE,
        tags=tags,
        related_information=related(finding, locate) or None,
        data={"fingerprint": finding.fingerprint},
    )


def severity(shown: Shown) -> types.DiagnosticSeverity:
    """How loud: what torch confirmed is an error, what it refuted is a hint."""
    if shown.kind == "unused" or _refuted(shown.finding):
        return types.DiagnosticSeverity.Hint
    verdict = shown.finding.verdict
    if verdict is not None and verdict.outcome == "confirmed":
        return types.DiagnosticSeverity.Error
    return _SEVERITIES[shown.finding.severity]


def message(shown: Shown) -> str:
    """What the squiggle says: the finding, how sure we are or what torch said, what to do instead."""
    finding = shown.finding
    if shown.kind != "finding":
        return finding.message
    verdict = finding.verdict
    text = finding.message
    if verdict is None:
        if finding.confidence is not Confidence.PROVED:
            text += f" [{finding.confidence.label}]"
    else:
        text += f"\n{verdict_text(verdict)}"
    if finding.remedy and not _refuted(finding):
        text += f"\nInstead: {finding.remedy}"
    return text


def verdict_text(verdict: Verdict) -> str:
    """'Confirmed by torch 2.14.1: ...'."""
    word = verdict.outcome.replace("-", " ").capitalize()
    by = f" by torch {verdict.torch}" if verdict.torch and verdict.outcome in ("confirmed", "refuted") else ""
    return f"{word}{by}" + (f": {verdict.detail}" if verdict.detail else "")


def _refuted(finding: Finding) -> bool:
    return finding.verdict is not None and finding.verdict.outcome == "refuted"


def related(finding: Finding, locate: Locate) -> list[types.DiagnosticRelatedInformation]:
    """The calls from the compile root to the finding, each at its line."""
    return [
        types.DiagnosticRelatedInformation(locate(hop.path, hop.line), text)
        for hop, text in zip(finding.witness, hop_texts(finding), strict=True)
    ]


def hop_texts(finding: Finding) -> list[str]:
    """What each step of the path is, in words."""
    hops = finding.witness
    texts = []
    for number, hop in enumerate(hops):
        if number == 0:
            texts.append(f"`{hop.function}` is compiled")
        else:
            callee = hops[number + 1].function if number + 1 < len(hops) else finding.function
            texts.append(f"`{hop.function}` calls `{callee}`")
    return texts


def location(path: str, line: int, folder: str, notebooks: Mapping[str, Document]) -> types.Location:
    """The start of a line of a file, or of the cell of an open notebook (by path)."""
    full = os.path.abspath(os.path.join(folder, path))
    notebook = notebooks.get(full)
    cell = None if notebook is None else notebook.cell_of(line)
    uri = uri_of(full) if cell is None else cell.document.uri
    at = types.Position(max(line - 1 - (0 if cell is None else cell.first), 0), 0)
    return types.Location(uri, types.Range(at, at))


def in_cells(shown: Shown, folder: str, notebooks: Mapping[str, Document]) -> Shown:
    """The same, for people to read: lines in open notebooks counted within their cells."""

    def cells_of(path: str) -> Cells | None:
        notebook = notebooks.get(os.path.abspath(os.path.join(folder, path)))
        return None if notebook is None else Cells(notebook.text)

    return replace(shown, finding=relocated([shown.finding], cells_of)[0])
