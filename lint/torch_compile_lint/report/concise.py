"""The concise report: one line for each finding, as compilers and editors expect."""

from __future__ import annotations

from torch_compile_lint.documents import place_text
from torch_compile_lint.model import Finding, Report
from torch_compile_lint.report import Style


def render(report: Report, style: Style) -> str:
    """``path:line:col: CODE [confidence] message`` for each finding that is not suppressed."""
    return "".join(headline(f) + "\n" for f in report.findings if not f.suppressed)


def headline(finding: Finding) -> str:
    """The first line of a finding, the same in every readable format."""
    place = f"{finding.path}:{place_text(finding)}"
    return f"{place}: {finding.code} [{finding.confidence.label}] {finding.message}"
