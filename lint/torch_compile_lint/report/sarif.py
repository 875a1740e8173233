"""The report as SARIF 2.1.0, for code scanning: GitHub, Azure DevOps, VS Code's viewer.

One run with every rule (its page as help), a result for each finding with its fingerprint, the path from
the compile root as a code flow, fixes as replacements, and comments that hide a finding as suppressions.
One line a result, so that the file can be read and compared without being twice as large.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch_compile_lint import __version__
from torch_compile_lint.model import Effect, Finding, Fix, Hop, Report, Severity
from torch_compile_lint.report import Style
from torch_compile_lint.report.paths import folder_uri, on_file, uri
from torch_compile_lint.report.steps import steps
from torch_compile_lint.source import LineIndex

if TYPE_CHECKING:
    from torch_compile_lint.registry import LoadedRule

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "tclint/v1"
_BASE = "%SRCROOT%"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_OWN_RULES = (
    ("TCD000", "syntax-error", "a file that does not parse", "error"),
    ("TCD001", "unused-ignore", "an ignore comment that hides nothing", "note"),
)
_PRECISION = {"proved": "very-high", "likely": "high", "possible": "medium"}
_dumps = partial(json.dumps, ensure_ascii=False, separators=(",", ":"))


def render(report: Report, style: Style) -> str:
    """One SARIF log, ending in a newline."""
    rules = list(_rules(style.plugins, report))
    at = {rule["id"]: number for number, rule in enumerate(rules)}
    root = style.cwd or os.getcwd()
    texts: dict[str, LineIndex] = {}

    def lines(path: str) -> LineIndex:
        if path not in texts:
            texts[path] = LineIndex(style.read(path))
        return texts[path]

    results = [_result(on_file(f), at[f.code], root, lines) for f in report.findings]
    head = {
        "tool": {
            "driver": {
                "name": "tclint",
                "fullName": "torch-compile-lint",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": rules,
            }
        },
        "invocations": [_invocation(report)],
        "originalUriBaseIds": {_BASE: {"uri": folder_uri(root)}},
        "columnKind": "unicodeCodePoints",
        "properties": {"targetTorch": report.target_torch, "roots": report.roots},
    }
    return (
        f'{{"$schema":{_dumps(SCHEMA)},"version":"2.1.0","runs":[\n'
        f'{_dumps(head)[:-1]},\n"results":[' + ",".join("\n" + _dumps(r) for r in results) + "\n]}]}\n"
    )


# ---------------------------------------------------------------- rules


def _rules(plugins: tuple[str, ...], report: Report) -> Iterator[dict[str, Any]]:
    from torch_compile_lint import registry

    seen = {f.code for f in report.findings}
    for code, name, text, level in _OWN_RULES:
        if code in seen:
            yield _descriptor(code, name, text, level, f"{text[0].upper()}{text[1:]}.", ["tclint"])
    known = set()
    for rule in registry.load(plugins, extend_select=("ALL",)):
        known.add(rule.meta.code)
        yield _rule(rule)
    for code in sorted(seen - known - {own[0] for own in _OWN_RULES}):
        name = next(f.name for f in report.findings if f.code == code)
        yield _descriptor(code, name, name, "warning", name, [])


def _rule(rule: LoadedRule) -> dict[str, Any]:
    from torch_compile_lint.model import SEVERITY_OF_EFFECT

    meta = rule.meta
    worst = min((c.effect for c in meta.claims), key=lambda effect: effect.rank, default=Effect.BREAK)
    try:
        page = (Path(meta.folder) / "rule.md").read_text(encoding="utf-8")
    except OSError:
        page = meta.summary
    level = _LEVELS[SEVERITY_OF_EFFECT[worst]]
    tags = list(dict.fromkeys(("torch.compile", meta.category, worst.value)))
    return _descriptor(meta.code, meta.name, meta.summary, level, page, tags)


def _descriptor(code: str, name: str, summary: str, level: str, page: str, tags: list[str]) -> dict[str, Any]:
    text = summary.replace("`", "'")
    text = text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
    return {
        "id": code,
        "name": "".join(part.capitalize() for part in name.split("-")),
        "shortDescription": {"text": text},
        "fullDescription": {"text": text},
        "help": {"text": f"{text} `tclint rule {code}` shows the whole page.", "markdown": page},
        "defaultConfiguration": {"level": level},
        "properties": {"tags": tags, "ruleName": name},
    }


# ---------------------------------------------------------------- results


def _result(finding: Finding, number: int, root: str, lines: Any) -> dict[str, Any]:
    place = _location(finding, root)
    told = finding.message if not finding.remedy else f"{finding.message}. Instead: {finding.remedy}"
    row: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": number,
        "level": _LEVELS[finding.severity],
        "message": {"text": told.rstrip(".") + "."},
        "locations": [place],
        "partialFingerprints": {FINGERPRINT: finding.fingerprint},
        "properties": {
            "confidence": finding.confidence.label,
            "precision": _PRECISION[finding.confidence.label],
            "effect": finding.effect.value,
            "gb": list(finding.gb),
            "why": list(finding.why),
        },
    }
    if finding.witness:
        row["codeFlows"] = [_flow(finding, place, root)]
    if finding.fix is not None:
        row["fixes"] = [_fix(finding.fix, root, lines)]
    if finding.suppressed:
        row["suppressions"] = [{"kind": "inSource"}]
    if finding.verdict is not None:
        row["properties"]["verdict"] = finding.verdict.outcome
    return row


def _location(finding: Finding, root: str) -> dict[str, Any]:
    region = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": finding.end_column,
    }
    place: dict[str, Any] = {"physicalLocation": {**_artifact(finding.path, root), "region": region}}
    if finding.function:
        place["logicalLocations"] = [{"fullyQualifiedName": finding.function, "kind": "function"}]
    return place


def _artifact(path: str, root: str) -> dict[str, Any]:
    name = uri(path, root)
    known = {"uri": name} if name.startswith("file:") else {"uri": name, "uriBaseId": _BASE}
    return {"artifactLocation": known}


def _flow(finding: Finding, place: dict[str, Any], root: str) -> dict[str, Any]:
    """From the compile root, call by call, to the finding."""
    rows = [
        {
            "location": {
                "physicalLocation": {**_artifact(hop.path, root), "region": _line_of(hop)},
                "message": {"text": told},
            },
            "nestingLevel": max(depth - 1, 0),
        }
        for depth, (hop, told) in enumerate(steps(finding))
    ]
    last = {**place, "message": {"text": finding.message}}
    rows.append({"location": last, "nestingLevel": max(len(rows) - 1, 0)})
    return {"threadFlows": [{"locations": rows}]}


def _line_of(hop: Hop) -> dict[str, int]:
    """A line of the file; lines of a notebook's cell are none."""
    return {"startLine": hop.line if hop.cell is None else 1}


def _fix(fix: Fix, root: str, lines: Any) -> dict[str, Any]:
    changes: dict[str, list[dict[str, Any]]] = {}
    for edit in fix.edits:
        line, column = lines(edit.path).position(edit.span.start)
        end_line, end_column = lines(edit.path).position(edit.span.end)
        region = {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
        row = {"deletedRegion": region, "insertedContent": {"text": edit.text}}
        changes.setdefault(edit.path, []).append(row)
    return {
        "description": {"text": f"{fix.title} ({fix.safety.value})"},
        "artifactChanges": [{**_artifact(p, root), "replacements": rows} for p, rows in changes.items()],
    }


def _invocation(report: Report) -> dict[str, Any]:
    row: dict[str, Any] = {"executionSuccessful": not report.errors}
    if report.errors:
        row["toolExecutionNotifications"] = [
            {"level": "error", "message": {"text": f"{e.path}: {e.message}" if e.path else e.message}}
            for e in report.errors
        ]
    return row
