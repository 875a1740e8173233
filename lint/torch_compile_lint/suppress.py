"""Apply ignore comments and per-file ignores to findings, and name the comments that did nothing.

In: findings, the suppressions each file's index holds, patterns from the configuration. Out:
the same findings with ``suppressed`` set, and one finding for each comment that names codes of
ours and matched none. Comments of other tools (``# noqa: E501``) are never called unused.
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from torch_compile_lint.facts.index_ir import Suppression
from torch_compile_lint.model import Confidence, Effect, Finding

PREFIX = "TCD"
UNUSED_NAME = "unused-ignore"
OURS = frozenset({"ignore", "file"})  # `# tclint: ignore[...]`, `# tclint: ignore-file[...]`
KINDS = OURS | {"noqa"}


def matches(code: str, name: str, wanted: Iterable[str]) -> bool:
    """True when one of ``wanted`` is the rule's name or a prefix of its code."""
    return any(w == name or code.startswith(w.upper()) for w in wanted if w)


def covers(suppression: Suppression, finding: Finding) -> bool:
    """True when the comment stands where the finding starts and names it (or names nothing)."""
    if suppression.kind != "file" and not suppression.line <= finding.line <= suppression.end_line:
        return False
    return not suppression.codes or matches(finding.code, finding.name, suppression.codes)


def apply(
    findings: Sequence[Finding],
    suppressions: Mapping[str, Sequence[Suppression]],
    kinds: frozenset[str] = KINDS,
) -> tuple[list[Finding], list[tuple[str, Suppression]]]:
    """Findings with ``suppressed`` set, and the (path, comment) pairs that matched nothing."""
    used: set[int] = set()
    result: list[Finding] = []
    for finding in findings:
        hidden = False
        for one in suppressions.get(finding.path, ()):
            if one.kind in kinds and covers(one, finding):
                used.add(id(one))
                hidden = True
        result.append(replace(finding, suppressed=True) if hidden else finding)
    unused = [
        (path, one)
        for path, group in suppressions.items()
        for one in group
        if one.kind in kinds and id(one) not in used and _is_ours(one)
    ]
    return result, unused


def _is_ours(suppression: Suppression) -> bool:
    if suppression.kind != "noqa":
        return True
    return any(code.startswith(PREFIX) for code in suppression.codes)


def unused_finding(path: str, one: Suppression, line: int, column: int, end_column: int) -> Finding:
    """How an ignore comment without effect is reported."""
    if one.kind == "noqa":
        names = [c for c in one.codes if c.startswith(PREFIX)]
        what = f"`noqa: {', '.join(names)}`"
    else:
        what = f"`tclint: {'ignore-file' if one.kind == 'file' else 'ignore'}"
        what += f"[{', '.join(one.codes)}]`" if one.codes else "`"
    return Finding(
        code="TCD001",
        name=UNUSED_NAME,
        path=path,
        line=line,
        column=column,
        end_line=line,
        end_column=end_column,
        message=f"{what} hides nothing here: remove the comment",
        effect=Effect.MISUSE,
        confidence=Confidence.PROVED,
    )


def ignored_in_file(path: str, root: str, patterns: Sequence[tuple[str, tuple[str, ...]]]) -> tuple[str, ...]:
    """Codes that ``per-file-ignores`` switches off for one file."""
    if not patterns:
        return ()
    full = os.path.abspath(path)
    below = os.path.relpath(full, root).replace(os.sep, "/")
    codes: list[str] = []
    for pattern, listed in patterns:
        negated = pattern.startswith("!")
        glob = pattern.lstrip("!").rstrip("/")
        if _matches(below, glob) != negated:
            codes.extend(listed)
    return tuple(codes)


def _matches(path: str, glob: str) -> bool:
    if fnmatch.fnmatch(path, glob) or fnmatch.fnmatch(path, glob + "/*"):
        return True
    if "/" not in glob:
        return any(fnmatch.fnmatch(part, glob) for part in path.split("/"))
    # "**/" also stands for no folder at all, as in gitignore.
    return glob.startswith("**/") and _matches(path, glob[3:])
