"""The text report of a verification: every finding with its verdict, what was missed, and the modules'
table.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from torch_compile_lint.model import Finding, Report
from torch_compile_lint.records import dataclass
from torch_compile_lint.report.paint import Paint
from torch_compile_lint.source import LineIndex

_COLORS = {"confirmed": "red", "refuted": "green", "not-reached": "yellow", "could-not-run": "dim"}
_LABEL = 14


@dataclass(frozen=True, slots=True)
class Facts:
    """What was used, and the rows of the modules' table."""

    torch: str
    device: str
    table: Sequence[dict[str, Any]] = ()


def render(report: Report, facts: Facts, read: Callable[[str], str], width: int, color: bool) -> str:
    """All of it, ending in the line that counts."""
    paint = Paint(color)
    out: list[str] = []
    texts: dict[str, LineIndex] = {}
    for finding in report.findings:
        out += _finding(finding, _line(finding.path, finding.line, texts, read), paint, width)
    if report.missed:
        out.append(paint("missed: what torch.compile stumbled over and no rule foresaw", "cyan", "bold"))
        for row in report.missed:
            text = _line(row["path"], row["line"], texts, read)
            gb = f" {row['gb']}" if row["gb"] else ""
            out.append(
                paint("missed".ljust(_LABEL), "cyan") + f"{row['path']}:{row['line']}: {row['effect']}{gb}"
            )
            out += _indented(text, paint, width) + _wrapped(row["detail"], width)
        out.append("")
    out += _table(facts.table, paint, width)
    out.append(_summary(report, facts, paint))
    return "\n".join(out) + "\n"


def _finding(finding: Finding, text: str, paint: Paint, width: int) -> list[str]:
    verdict = finding.verdict
    outcome = verdict.outcome if verdict else "could-not-run"
    head = paint(outcome.ljust(_LABEL), _COLORS.get(outcome, "dim"), "bold")
    place = f"{finding.path}:{finding.line}:{finding.column}: {finding.code} {finding.message}"
    out = [head + place, *_indented(text, paint, width)]
    if verdict is not None:
        parts = [p for p in (verdict.effect, verdict.gb) if p]
        told = f"{' '.join(parts)}: {verdict.detail}" if parts else verdict.detail
        if verdict.evidence and outcome in ("confirmed", "refuted"):
            told += f" (evidence: {verdict.evidence})"
        out += _wrapped(told, width)
    return [*out, ""]


def _indented(text: str, paint: Paint, width: int) -> list[str]:
    return (
        [" " * _LABEL + paint("│ ", "dim") + text.strip()[: max(20, width - _LABEL - 2)]]
        if text.strip()
        else []
    )


def _wrapped(text: str, width: int) -> list[str]:
    room = max(24, width - _LABEL)
    lines = textwrap.wrap(" ".join(text.split()), room, break_long_words=False, break_on_hyphens=False)
    return [" " * _LABEL + line for line in lines]


def _line(path: str, line: int, texts: dict[str, LineIndex], read: Callable[[str], str]) -> str:
    if path not in texts:
        texts[path] = LineIndex(read(path))
    return texts[path].text(line) if 0 < line <= texts[path].count else ""


def _table(rows: Sequence[dict[str, Any]], paint: Paint, width: int) -> list[str]:
    """Module, graphs, breaks, skips, recompiles; or why it could not run."""
    if not rows:
        return []
    wide = min(max(len(str(row["module"])) for row in rows), 40)
    out = [paint(f"{'module'.ljust(wide)}  graphs breaks skips recompiles  inputs", "dim")]
    for row in rows:
        name = str(row["module"])[:wide].ljust(wide)
        if row["problem"]:
            out.append(f"{name}  {paint(str(row['problem'])[: max(20, width - wide - 2)], 'dim')}")
            continue
        counts = f"{row['graphs']:>6} {row['breaks']:>6} {row['skips']:>5} {row['recompiles']:>10}"
        out.append(f"{name}  {counts}  {row['evidence']}"[: max(width, 60)])
    return [*out, ""]


def _summary(report: Report, facts: Facts, paint: Paint) -> str:
    counts = Counter(f.verdict.outcome if f.verdict else "could-not-run" for f in report.findings)
    order = ("confirmed", "refuted", "not-reached", "could-not-run")
    parts = [f"{counts[name]} {name}" for name in order if counts[name]]
    if report.missed:
        parts.append(f"{len(report.missed)} missed")
    found = "1 finding" if len(report.findings) == 1 else f"{len(report.findings)} findings"
    told = ", ".join(parts) if parts else "nothing to verify"
    return paint(found, "bold") + f": {told}; torch {facts.torch or '?'}, {facts.device}."
