"""The report as a GitLab code quality artifact (the part of the Code Climate format GitLab reads).

Format: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format. Paths are relative to
the repository, so they are made relative to CI_PROJECT_DIR where that is set. Fingerprints have to differ
within a report; ours do, and stay the same where only lines moved.
"""

from __future__ import annotations

import json
import os
from typing import Any

from torch_compile_lint.model import Effect, Finding, Report
from torch_compile_lint.report import Style
from torch_compile_lint.report.paths import below, on_file

# GitLab: info, minor, major, critical, blocker.
_SEVERITIES = {
    Effect.ERROR: "critical",
    Effect.WRONG: "critical",
    Effect.SKIP: "major",
    Effect.BREAK: "major",
    Effect.RECOMPILE: "major",
    Effect.MISUSE: "minor",
    Effect.SLOW: "minor",
}


def render(report: Report, style: Style) -> str:
    """One JSON list."""
    root = os.environ.get("CI_PROJECT_DIR") or style.cwd or os.getcwd()
    rows = [_row(on_file(f), root) for f in report.findings if not f.suppressed]
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


def _row(finding: Finding, root: str) -> dict[str, Any]:
    return {
        "description": f"{finding.code}: {finding.message}",
        "check_name": finding.name,
        "fingerprint": finding.fingerprint,
        "severity": _SEVERITIES[finding.effect],
        "categories": ["Performance" if finding.effect not in (Effect.ERROR, Effect.WRONG) else "Bug Risk"],
        "location": {
            "path": below(finding.path, root),
            "positions": {
                "begin": {"line": finding.line, "column": finding.column},
                "end": {"line": finding.end_line, "column": finding.end_column},
            },
            "lines": {"begin": finding.line, "end": finding.end_line},
        },
        **({"content": {"body": finding.remedy}} if finding.remedy else {}),
    }
