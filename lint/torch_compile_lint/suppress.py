"""Apply ignore comments and per-file ignores to findings, and name the comments that did nothing.

In: findings, the suppressions each file's index holds, patterns from the configuration. Out:
the same findings with ``suppressed`` set, and one finding, with the edit that removes it, for
each comment of which a code of ours matched nothing. Comments and codes of other tools
(``# noqa: E501``) are never called unused.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterable, Mapping, Sequence

from torch_compile_lint.facts.index_ir import Suppression
from torch_compile_lint.model import Confidence, Edit, Effect, Finding, Fix, Safety, Span
from torch_compile_lint.records import dataclass, replace
from torch_compile_lint.source import LineIndex

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


@dataclass(frozen=True, slots=True)
class Unused:
    """A comment of which ``codes`` matched nothing; all of a comment that names none: ()."""

    path: str
    comment: Suppression
    codes: tuple[str, ...]


def apply(
    findings: Sequence[Finding],
    suppressions: Mapping[str, Sequence[Suppression]],
    kinds: frozenset[str] = KINDS,
) -> tuple[list[Finding], list[Unused]]:
    """Findings with ``suppressed`` set, and what of the comments matched nothing."""
    used: dict[int, set[str]] = {}
    result: list[Finding] = []
    for finding in findings:
        hidden = False
        for one in suppressions.get(finding.path, ()):
            if one.kind in kinds and covers(one, finding):
                named = {code for code in one.codes if matches(finding.code, finding.name, (code,))}
                used.setdefault(id(one), set()).update(named)
                hidden = True
        result.append(replace(finding, suppressed=True) if hidden else finding)
    unused = []
    for path, group in suppressions.items():
        for one in group:
            if one.kind not in kinds:
                continue
            ours = tuple(c for c in one.codes if one.kind != "noqa" or c.startswith(PREFIX))
            left = tuple(c for c in ours if c not in used.get(id(one), ()))
            bare = not one.codes and one.kind != "noqa" and id(one) not in used
            if left or bare:
                unused.append(Unused(path, one, left))
    return result, unused


def unused_finding(unused: Unused, text: str, lines: LineIndex, file: str) -> Finding:
    """How an ignore comment without effect is reported; ``file`` is the path that edits name."""
    one = unused.comment
    line, column = lines.position(one.start)
    kind = {"noqa": "noqa", "file": "tclint: ignore-file", "ignore": "tclint: ignore"}[one.kind]
    named = ", ".join(unused.codes)
    if one.kind == "noqa":
        what = f"`noqa: {named}`"
    else:
        what = f"`{kind}[{named}]`" if named else f"`{kind}`"
    whole = set(unused.codes) == set(one.codes)
    title = "remove the comment" if whole else f"remove {named} from the comment"
    return Finding(
        code="TCD001",
        name=UNUSED_NAME,
        path=unused.path,
        line=line,
        column=column,
        end_line=line,
        end_column=column + one.end - one.start,
        message=f"{what} hides nothing here: {title}",
        effect=Effect.MISUSE,
        confidence=Confidence.PROVED,
        fix=Fix(title, Safety.SAFE, (removal(unused, text, file),)),
    )


def removal(unused: Unused, text: str, file: str) -> Edit:
    """The edit that takes the unused codes out of a comment, or the comment out of its line."""
    one = unused.comment
    left = [c for c in one.codes if c not in unused.codes]
    written = text[one.start : one.end]
    if left:
        found = re.search(r"\[[^\]]*\]" if one.kind != "noqa" else r":.*", written, re.DOTALL)
        assert found is not None, "a comment with codes has a list of them"
        codes = ", ".join(left)
        new = f"[{codes}]" if one.kind != "noqa" else f": {codes}"
        return Edit(file, Span(one.start + found.start(), one.start + found.end()), new)
    line = text.rfind("\n", 0, one.start) + 1
    stop = min(
        (at for at in (text.find("\n", one.end), text.find("\r", one.end)) if at >= 0), default=len(text)
    )
    rest = text[one.end : stop]
    if rest.strip() and not rest.lstrip().startswith("#"):
        # Words that followed the codes stay a comment.
        return Edit(file, Span(one.start, one.end + len(rest) - len(rest.lstrip())), "# ")
    if rest.strip():
        return Edit(file, Span(one.start, one.end + len(rest) - len(rest.lstrip())), "")
    before = text[line : one.start]
    if before.strip():
        return Edit(file, Span(line + len(before.rstrip()), stop), "")
    end = stop + (2 if text[stop : stop + 2] == "\r\n" else 1)
    return Edit(file, Span(line, min(end, len(text))), "")


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
