"""Text edits against one baseline: which of them fit together, and the text they make.

In: findings with fixes and the texts they speak of. Out: new texts and what was applied. Edits
that overlap wait for another round. A file that would no longer parse keeps its text, less the
fixes that broke it, which are refused with a reason.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterable, Sequence

from torch_compile_lint.model import Edit, Finding, Safety
from torch_compile_lint.records import dataclass, field
from torch_compile_lint.syntax import SyntaxProblem, parse_file

_ORDER = (Safety.SAFE, Safety.UNSAFE, Safety.DISPLAY)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A fix that was not applied although it was wanted, and why."""

    finding: Finding
    reason: str


@dataclass(slots=True)
class Applied:
    """One round: the new texts by path, the findings whose fixes are in them, the refused ones."""

    texts: dict[str, str] = field(default_factory=dict)
    fixed: list[Finding] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)


def wanted(findings: Iterable[Finding], unsafe: bool) -> list[Finding]:
    """The findings whose fix may be applied, surest first, then in the order of the text."""
    allowed = (Safety.SAFE, Safety.UNSAFE) if unsafe else (Safety.SAFE,)
    held = [f for f in findings if f.fix is not None and f.fix.safety in allowed and not f.suppressed]
    return sorted(held, key=_preference)


def _preference(finding: Finding) -> tuple[int, str, int, int]:
    assert finding.fix is not None
    spans = [(edit.path, *edit.span) for edit in finding.fix.edits] or [("", 0, 0)]
    return (_ORDER.index(finding.fix.safety), *min(spans))


def compatible(findings: Sequence[Finding]) -> list[Finding]:
    """As many of them, first come first served, as do not overlap."""
    taken: dict[str, list[Edit]] = {}
    out = []
    for finding in findings:
        assert finding.fix is not None
        edits = finding.fix.edits
        if not edits or any(_clashes(e, taken.get(e.path, ())) for e in edits):
            continue
        for edit in edits:
            held = taken.setdefault(edit.path, [])
            if edit not in held:
                held.append(edit)
        out.append(finding)
    return out


def _clashes(edit: Edit, others: Iterable[Edit]) -> bool:
    start, end = edit.span
    for other in others:
        if other == edit and start == end:
            continue  # the same insertion (an import): once is enough for both
        low, high = other.span
        if start < high and low < end:
            return True
        if start == end == low == high or (start == end and low < start < high):
            return True
        if low == high and start < low < end:
            return True
    return False


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits; they must not overlap."""
    for edit in sorted(set(edits), key=lambda e: e.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def apply(
    findings: Sequence[Finding],
    read: Callable[[str], str],
    check: Callable[[str, str], str] | None = None,
) -> Applied:
    """Apply what fits together of ``findings`` to the texts that ``read`` gives by path.

    ``check`` says why a text is refused ('' = it is fine); by default it must parse.
    """
    check = check or broken
    done = Applied()
    chosen = compatible(findings)
    texts = texts_after(chosen, read)
    if all(not check(path, text) for path, text in texts.items()):
        done.texts, done.fixed = texts, chosen
        return done
    # One of them broke a file: find it by applying one after the other.
    kept: list[Finding] = []
    for finding in chosen:
        trial = texts_after([*kept, finding], read)
        reasons = [reason for path, text in trial.items() if (reason := check(path, text))]
        if reasons:
            done.refused.append(Refusal(finding, reasons[0]))
        else:
            kept.append(finding)
            done.texts = trial
    done.fixed = kept
    return done


def texts_after(findings: Sequence[Finding], read: Callable[[str], str]) -> dict[str, str]:
    """The new texts of all files that the fixes of ``findings`` touch."""
    by_path: dict[str, list[Edit]] = {}
    for finding in findings:
        for edit in finding.fix.edits if finding.fix is not None else ():
            by_path.setdefault(edit.path, []).append(edit)
    return {path: edited(read(path), edits) for path, edits in by_path.items()}


def broken(path: str, text: str) -> str:
    """Why a text is no Python file; '' where both parsers take it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, path, "exec", flags=ast.PyCF_ONLY_AST, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError) as problem:
            return f"the file would not parse any more: {problem}"
    try:
        parse_file(text)
    except SyntaxProblem as problem:
        return f"the file would not parse any more: {problem}"
    return ""
