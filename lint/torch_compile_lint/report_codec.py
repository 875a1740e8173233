"""A whole ``Report`` <-> JSON bytes, for the cache; anything unexpected is a miss."""

from __future__ import annotations

import json
from typing import Any

from torch_compile_lint.model import (
    Confidence,
    Edit,
    Effect,
    Finding,
    Fix,
    Hop,
    Report,
    RunError,
    Safety,
    Span,
    Stats,
)


def encode(report: Report, also: dict[str, str], folders: dict[str, str], around: str = "") -> bytes:
    """``also``, ``folders``, ``around``: further files and listings the report rests on, as digests."""
    stats = report.stats
    data = {
        "also": also,
        "folders": folders,
        "around": around,
        "findings": [_row(f) for f in report.findings],
        "unused": [_row(f) for f in report.unused_suppressions],
        "errors": [[e.path, e.message] for e in report.errors],
        "stats": [stats.files, stats.functions, stats.reachable],
        "target": report.target_torch,
        "roots": report.roots,
    }
    return json.dumps(data, separators=(",", ":")).encode("utf-8", "surrogatepass")


def decode(data: bytes) -> tuple[Report, dict[str, str], dict[str, str], str] | None:
    """The report and what it rests on."""
    try:
        rows: dict[str, Any] = json.loads(data)
        files, functions, reachable = rows["stats"]
        report = Report(
            findings=tuple([_finding(r) for r in rows["findings"]]),
            errors=tuple([RunError(p, m) for p, m in rows["errors"]]),
            stats=Stats(files=files, cached=files, functions=functions, reachable=reachable),
            target_torch=rows["target"],
            roots=rows["roots"],
            unused_suppressions=tuple([_finding(r) for r in rows["unused"]]),
        )
        return report, dict(rows["also"]), dict(rows["folders"]), str(rows["around"])
    except (ValueError, KeyError, TypeError, IndexError):
        return None


def _row(f: Finding) -> list[Any]:
    fix = f.fix
    return [
        f.code,
        f.name,
        f.path,
        f.line,
        f.column,
        f.end_line,
        f.end_column,
        f.message,
        f.effect.value,
        int(f.confidence),
        f.function,
        f.gb,
        f.position,
        f.why,
        [[h.path, h.line, h.function, h.cell] for h in f.witness],
        None
        if fix is None
        else [fix.title, fix.safety.value, [[e.path, *e.span, e.text] for e in fix.edits]],
        f.remedy,
        f.fingerprint,
        f.suppressed,
        f.cell,
        f.kinds,
    ]


def _finding(row: list[Any]) -> Finding:
    fix = row[15]
    if fix is not None:
        title, safety, edits = fix
        fix = Fix(title, Safety(safety), tuple([Edit(p, Span(s, e), t) for p, s, e, t in edits]))
    code, name, path, line, column, end_line, end_column, message = row[:8]
    return Finding(
        code,
        name,
        path,
        line,
        column,
        end_line,
        end_column,
        message,
        Effect(row[8]),
        Confidence(row[9]),
        row[10],
        tuple(row[11]),
        tuple(row[12]),
        tuple(row[13]),
        tuple([Hop(*h) for h in row[14]]),
        fix,
        row[16],
        row[17],
        row[18],
        cell=row[19],
        kinds=tuple(row[20]),
    )
