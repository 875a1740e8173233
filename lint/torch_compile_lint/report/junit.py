"""The report as JUnit XML: one suite a file, one failed test a finding.

For test dashboards (Jenkins, GitLab, Azure DevOps). A run without findings is one passed test, since most
readers take an empty report for a run that never happened. Errors of the run are errors of a suite
``tclint``.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from torch_compile_lint.documents import place_text
from torch_compile_lint.model import Finding, Report, RunError
from torch_compile_lint.report import Style
from torch_compile_lint.report.text import effect_text, path_text

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML 1.0


def render(report: Report, style: Style) -> str:
    """One XML document."""
    shown = [f for f in report.findings if not f.suppressed]
    suites = [_suite(path, list(group)) for path, group in itertools.groupby(shown, lambda f: f.path)]
    if report.errors:
        suites.append(_errors(report.errors))
    if not suites:
        suites.append(
            ' <testsuite name="tclint" tests="1" failures="0" errors="0">\n'
            f'  <testcase classname="tclint" name="{report.stats.files} files"/>\n </testsuite>\n'
        )
    tests = len(shown) + len(report.errors) or 1
    head = f'tests="{tests}" failures="{len(shown)}" errors="{len(report.errors)}"'
    body = "".join(suites)
    return f'<?xml version="1.0" encoding="utf-8"?>\n<testsuites name="tclint" {head}>\n{body}</testsuites>\n'


def _suite(path: str, findings: Sequence[Finding]) -> str:
    head = f'name={_attribute(path)} tests="{len(findings)}" failures="{len(findings)}" errors="0"'
    return f" <testsuite {head}>\n{''.join(map(_case, findings))} </testsuite>\n"


def _case(finding: Finding) -> str:
    stem = re.sub(r"\.py$", "", finding.path).replace("\\", "/").strip("./").replace("/", ".")
    name = f"{finding.code} {finding.name} ({place_text(finding)})"
    rows = [f"{finding.path}:{place_text(finding)}", effect_text(finding)]
    rows += [f"why: {reason}" for reason in finding.why]
    if len(finding.witness) > 1:
        rows.append(f"reached: {path_text(finding)}")
    if finding.remedy:
        rows.append(f"instead: {finding.remedy}")
    kind = f"{finding.severity.value} {finding.confidence.label}"
    return (
        f"  <testcase classname={_attribute(stem)} name={_attribute(name)}>\n"
        f"   <failure type={_attribute(kind)} message={_attribute(finding.message)}>"
        f"{_text(chr(10).join(rows))}</failure>\n  </testcase>\n"
    )


def _errors(errors: Sequence[RunError]) -> str:
    cases = "".join(
        f'  <testcase classname="tclint" name={_attribute(e.path or "tclint")}>\n'
        f'   <error type="error" message={_attribute(e.message)}/>\n  </testcase>\n'
        for e in errors
    )
    count = len(errors)
    head = f'name="tclint" tests="{count}" failures="0" errors="{count}"'
    return f" <testsuite {head}>\n{cases} </testsuite>\n"


def _legal(text: str) -> str:
    return _ILLEGAL.sub("\ufffd", text)


def _attribute(text: str) -> str:
    return quoteattr(_legal(text))


def _text(text: str) -> str:
    return escape(_legal(text))
