"""The JSON report: the shape ``docs/INTERFACE.md`` promises, one key after another."""

from __future__ import annotations

import json
from typing import Any

from torch_compile_lint import __version__
from torch_compile_lint.documents import NOTEBOOK, Cells
from torch_compile_lint.model import Finding, Fix, Hop, Report
from torch_compile_lint.report import Style
from torch_compile_lint.source import LineIndex


def _hop(hop: Hop) -> dict[str, Any]:
    cell = {} if hop.cell is None else {"cell": hop.cell}
    return {"path": hop.path, **cell, "line": hop.line, "function": hop.function}


def render(report: Report, style: Style) -> str:
    """One JSON object."""
    return json.dumps(as_object(report, style), ensure_ascii=False, indent=1) + "\n"


def as_object(report: Report, style: Style) -> dict[str, Any]:
    """The report as plain lists and dicts."""
    indexes: dict[str, LineIndex] = {}

    def lines(path: str) -> LineIndex:
        if path not in indexes:
            indexes[path] = LineIndex(style.read(path))
        return indexes[path]

    def edits(fix: Fix) -> list[dict[str, Any]]:
        rows = []
        for edit in fix.edits:
            line, column = lines(edit.path).position(edit.span.start)
            end_line, end_column = lines(edit.path).position(edit.span.end)
            row: dict[str, Any] = {"line": line, "column": column}
            if edit.path.endswith(NOTEBOOK):
                cells = Cells(style.read(edit.path))
                row["cell"], row["line"] = cells.place(line) or (1, line)
                end_line += row["line"] - line
            rows.append({**row, "end_line": end_line, "end_column": end_column, "text": edit.text})
        return rows

    def one(finding: Finding) -> dict[str, Any]:
        fix = finding.fix
        verdict = finding.verdict
        return {
            "code": finding.code,
            "name": finding.name,
            "path": finding.path,
            **({} if finding.cell is None else {"cell": finding.cell}),
            "line": finding.line,
            "column": finding.column,
            "end_line": finding.end_line,
            "end_column": finding.end_column,
            "message": finding.message,
            "effect": finding.effect.value,
            "severity": finding.severity.value,
            "confidence": finding.confidence.label,
            "function": finding.function,
            "gb": list(finding.gb),
            "in": list(finding.position),
            "why": list(finding.why),
            "witness": [_hop(h) for h in finding.witness],
            "fix": None
            if fix is None
            else {"title": fix.title, "safety": fix.safety.value, "edits": edits(fix)},
            "fingerprint": finding.fingerprint,
            "suppressed": finding.suppressed,
            "verdict": None
            if verdict is None
            else {
                "outcome": verdict.outcome,
                "gb": verdict.gb,
                "effect": verdict.effect,
                "evidence": verdict.evidence,
                "device": verdict.device,
                "torch": verdict.torch,
                "detail": verdict.detail,
            },
        }

    stats = report.stats
    return {
        "tool": "torch-compile-lint",
        "version": __version__,
        "target_torch": report.target_torch,
        "roots": report.roots,
        "findings": [one(f) for f in report.findings],
        "missed": list(report.missed),
        "errors": [{"path": e.path, "message": e.message} for e in report.errors],
        "stats": {
            "files": stats.files,
            "lowered": stats.lowered,
            "cached": stats.cached,
            "functions": stats.functions,
            "reachable": stats.reachable,
            "seconds": stats.seconds,
        },
    }
