"""The report as GitHub Actions workflow commands, which become annotations on the pull request.

Format: https://docs.github.com/actions/reference/workflow-commands-for-github-actions. GitHub matches paths
against the repository, so they are made relative to GITHUB_WORKSPACE where that is set.
"""

from __future__ import annotations

import os

from torch_compile_lint.model import Finding, Report, Severity
from torch_compile_lint.report import Style
from torch_compile_lint.report.paths import below, on_file

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(report: Report, style: Style) -> str:
    """One command a line: the findings that are not suppressed, then what could not be done."""
    root = os.environ.get("GITHUB_WORKSPACE") or style.cwd or os.getcwd()
    rows = [_row(on_file(f), root) for f in report.findings if not f.suppressed]
    for error in report.errors:
        file = f"file={_property(below(error.path, root))}," if error.path else ""
        rows.append(f"::error {file}title=tclint::{_data(error.message)}")
    return "".join(row + "\n" for row in rows)


def _row(finding: Finding, root: str) -> str:
    place = {"file": below(finding.path, root), "line": str(finding.line)}
    if finding.end_line == finding.line:  # columns mean something only within one line
        place |= {"col": str(finding.column), "endColumn": str(finding.end_column)}
    else:
        place["endLine"] = str(finding.end_line)
    place["title"] = f"{finding.code} {finding.name} [{finding.confidence.label}]"
    parts = [finding.message]
    if len(finding.witness) > 1:
        parts.append("reached: " + " → ".join(f"{h.path}:{h.line}" for h in finding.witness[1:]))
    if finding.remedy:
        parts.append(f"instead: {finding.remedy}")
    properties = ",".join(f"{key}={_property(value)}" for key, value in place.items())
    return f"::{_COMMANDS[finding.severity]} {properties}::{_data(chr(10).join(parts))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
