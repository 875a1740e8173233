"""Check, fix, check again, until nothing more can be fixed: what `--fix` and the tests run.

In: a request and how far to go. Out: the new texts (nothing is written here), what was fixed,
what was refused, and the report on the fixed texts. Every round is one ``Engine.check`` over the
edited texts as overlays, so a fix always meets the findings of the text it changes, and what a
fix claims is checked by the very rule that offered it.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from torch_compile_lint.engine import Engine
from torch_compile_lint.fix import edits
from torch_compile_lint.fix.edits import Refusal
from torch_compile_lint.model import Finding, Report, Request
from torch_compile_lint.records import dataclass, field, replace
from torch_compile_lint.source import read_source, source_from_text
from torch_compile_lint.workspace import Progress

#: A fix can uncover another one; chains longer than this have not been seen.
ROUNDS = 12

Accept = Callable[[Finding, Callable[[str], str]], bool]


@dataclass(slots=True)
class Repaired:
    """The outcome. ``texts`` are the changed files by absolute path, ``report`` speaks of them."""

    report: Report
    first: Report  # on the texts as they were given
    texts: dict[str, str] = field(default_factory=dict)
    before: dict[str, str] = field(default_factory=dict)
    fixed: list[Finding] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)

    def left(self, unsafe: bool) -> int:
        """How many findings have a fix that was not applied: the unsafe ones, or none."""
        return 0 if unsafe else len(edits.wanted(self.report.findings, True))


def repair(
    request: Request,
    unsafe: bool = False,
    accept: Accept | None = None,
    progress: Progress | None = None,
    view: Callable[[Report], Report] | None = None,
) -> Repaired:
    """Fix what may be fixed. ``accept`` may decline single fixes; ``view`` filters each report."""
    # Of a notebook that came through standard input, the Python: that is what edits speak of.
    given = {os.path.abspath(path): text for path, text in request.overlays.items()}
    overlays = {path: source_from_text(path, text, "").text for path, text in given.items()}
    engine = Engine()

    def check() -> Report:
        report = engine.check(replace(request, overlays=overlays), progress)
        return view(report) if view is not None else report

    def read(path: str) -> str:
        if path not in overlays:
            overlays[path] = before[path] = read_source(path, "").text
        return overlays[path]

    before = dict(overlays)
    first = check()
    done = Repaired(first, first)
    declined: set[str] = set()
    for _ in range(ROUNDS):
        candidates = [
            f
            for f in edits.wanted(done.report.findings, unsafe)
            if _identity(f) not in declined and _editable(f)
        ]
        if accept is not None:
            asked, candidates = candidates, []
            for finding in edits.compatible(asked):
                if accept(finding, read):
                    candidates.append(finding)
                else:
                    declined.add(_identity(finding))
        outcome = edits.apply(candidates, read)
        done.refused += outcome.refused
        declined.update(_identity(r.finding) for r in outcome.refused)
        if not outcome.fixed:
            if accept is not None and candidates:
                continue
            break
        undo = {path: overlays[path] for path in outcome.texts}
        overlays.update(outcome.texts)
        newer = check()
        unresolved = _unresolved(outcome.fixed, done.report, newer)
        if unresolved:
            # The rule still speaks of what its own fix wrote: take the whole round back without it.
            overlays.update(undo)
            done.refused += [Refusal(f, "the finding would still be there") for f in unresolved]
            declined.update(_identity(f) for f in unresolved)
            continue
        done.fixed += outcome.fixed
        done.report = newer
    done.texts = {path: text for path, text in overlays.items() if before[path] != text}
    done.before = {path: before[path] for path in done.texts}
    return done


def _editable(finding: Finding) -> bool:
    return finding.fix is not None and bool(finding.fix.edits)


def _identity(finding: Finding) -> str:
    return f"{finding.path}\0{finding.fingerprint}"


def _unresolved(fixed: list[Finding], older: Report, newer: Report) -> list[Finding]:
    """The fixed findings whose file and function have as many findings of the code as before."""

    def count(report: Report, one: Finding) -> int:
        return sum(
            f.code == one.code and f.path == one.path and f.function == one.function for f in report.findings
        )

    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for one in fixed:
        groups.setdefault((one.code, one.path, one.function), []).append(one)
    return [
        one
        for group in groups.values()
        if count(newer, group[0]) > count(older, group[0]) - len(group)
        for one in group
    ]
