"""`--diff-base REV`: what a change brings: findings on lines it touched, or in code it newly reaches.

Lines come from `git diff` against the commit where REV and HEAD parted, uncommitted and untracked files
included. A finding on any other line is new only if the program of that commit did not have it: the engine
is asked once more, with the old texts over the changed files, so that what did not change comes from the
cache. A file that was renamed is compared with what it was.
"""

from __future__ import annotations

import difflib
import os
import re
import subprocess
from collections import Counter

from torch_compile_lint.baseline import anywhere
from torch_compile_lint.config import ConfigError
from torch_compile_lint.documents import SUFFIXES
from torch_compile_lint.model import Finding, Report, Request
from torch_compile_lint.records import dataclass, field, replace
from torch_compile_lint.source import LineIndex, decode

_HUNK = re.compile(rb"@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")
_DIFF = ["--no-color", "--no-ext-diff", "--find-renames", "--diff-filter=ACDMRT"]
_PYTHON = ["--", "*.py", *(f"*{suffix}" for suffix in SUFFIXES)]


@dataclass(slots=True)
class Change:
    """Files by absolute path: their changed lines, where renamed ones came from, and the old texts."""

    lines: dict[str, set[int] | None] = field(default_factory=dict)  # None: every line
    came_from: dict[str, str] = field(default_factory=dict)
    before: dict[str, str] = field(default_factory=dict)  # the text at the base; '' where there was none
    gone: list[str] = field(default_factory=list)


def only_new(report: Report, request: Request, revision: str) -> Report:
    """The report without what was there at the base and stands on lines that did not change."""
    folder = os.path.abspath(request.cwd or os.getcwd())
    change = changed_since(folder, revision)
    for path, text in request.overlays.items():
        _typed(change, os.path.abspath(path), text, folder, revision)
    touched = {id(f) for f in report.findings if _on_changed_line(f, change)}
    rest = [f for f in report.findings if id(f) not in touched and not f.suppressed]
    known = _at_base(request, change) if rest else Counter()
    kept = []
    for finding in report.findings:
        if finding.suppressed or id(finding) in touched:
            kept.append(finding)
            continue
        path = os.path.abspath(finding.path)
        key = change.came_from.get(path, path), anywhere(finding)
        if known[key] > 0:
            known[key] -= 1
        else:
            kept.append(finding)
    return replace(report, findings=tuple(kept))


def _on_changed_line(finding: Finding, change: Change) -> bool:
    path = os.path.abspath(finding.path)
    if path not in change.lines:
        return False
    lines = change.lines[path]
    if finding.cell is not None:  # lines of the file are not its cells': the program at the base decides
        return lines is None
    return lines is None or not lines.isdisjoint(range(finding.line, finding.end_line + 1))


def _at_base(request: Request, change: Change) -> Counter[tuple[str, str]]:
    """How often each finding stood where, before the change."""
    from torch_compile_lint.engine import Engine

    older = replace(
        request,
        paths=(*request.paths, *change.gone),
        overlays={**{os.path.abspath(p): t for p, t in request.overlays.items()}, **change.before},
    )
    found = Engine().check(older)
    return Counter((os.path.abspath(f.path), anywhere(f)) for f in found.findings if not f.suppressed)


def _typed(change: Change, path: str, text: str, folder: str, revision: str) -> None:
    """What comes through standard input is compared with the base itself, not with the file on disk."""
    if path not in change.before:
        change.before[path] = _text_at(_base(folder, revision), path, folder)
    old = change.before[path]
    matcher = difflib.SequenceMatcher(None, _lines(old), _lines(text), autojunk=False)
    changed: set[int] = set()
    for kind, _, _, start, end in matcher.get_opcodes():
        if kind != "equal":
            changed.update(range(start + 1, end + 1))
    change.lines[path] = changed


def _lines(text: str) -> list[str]:
    index = LineIndex(text)
    return [index.text(n) for n in range(1, index.count + 1)]


# ---------------------------------------------------------------- git


def changed_since(folder: str, revision: str) -> Change:
    """What differs between the base and the files on disk, for the repository around ``folder``."""
    top = _git(folder, "rev-parse", "--show-toplevel").decode(errors="surrogateescape").rstrip("\n")
    base = _base(folder, revision)
    change = Change()
    names = _names(_git(top, "diff", "--name-status", "-z", *_DIFF, base, *_PYTHON))
    hunks = _sections(_git(top, "diff", "--unified=0", *_DIFF, base, *_PYTHON))
    if len(hunks) != len(names):
        raise ConfigError(f"--diff-base {revision}: git's list of files and its diff do not agree")
    for (status, old, new), lines in zip(names, hunks, strict=True):
        here, there = os.path.join(top, new), os.path.join(top, old)
        if status == "D":
            change.gone.append(there)
        else:
            change.lines[here] = None if status == "A" else lines
        if status == "R":
            change.came_from[here] = there
            change.gone.append(there)
        if status in "ARC":
            change.before[here] = ""
        if status not in "AC":
            change.before[there] = _decoded(_git(top, "show", f"{base}:{old}"))
    listed = _git(top, "ls-files", "-z", "--others", "--exclude-standard", *_PYTHON)
    for raw in filter(None, listed.split(b"\0")):
        path = os.path.join(top, os.fsdecode(raw))
        change.lines[path], change.before[path] = None, ""
    return change


def _base(folder: str, revision: str) -> str:
    """The commit where ``revision`` and HEAD parted; ``revision`` itself where they share no history."""
    commit = _git(
        folder,
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        f"{revision}^{{commit}}",
        failed=f"--diff-base {revision}: git knows no such revision (a shallow clone? fetch it first)",
    )
    found = commit.decode().strip()
    parted = _git(folder, "merge-base", found, "HEAD", missing=True).decode().strip()
    return parted or found


def _git(folder: str, *arguments: str, failed: str = "", missing: bool = False) -> bytes:
    """What git prints; '' where it fails and that is expected (``missing``)."""
    command = ["git", "-C", folder, "-c", "core.quotePath=false", *arguments]
    try:
        run = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    except OSError:
        raise ConfigError("--diff-base needs git, which cannot be run here") from None
    if run.returncode == 0 or missing:
        return run.stdout if run.returncode == 0 else b""
    said = run.stderr.decode(errors="replace").strip().splitlines()
    raise ConfigError(failed or f"--diff-base: {said[0] if said else 'git failed'}")


def _names(data: bytes) -> list[tuple[str, str, str]]:
    """(status, old name, new name) of each file."""
    fields = iter([os.fsdecode(part) for part in data.split(b"\0")])
    out = []
    for status in fields:
        if status:
            old = next(fields)
            out.append((status[0], old, next(fields) if status[0] in "RC" else old))
    return out


def _sections(data: bytes) -> list[set[int]]:
    """The changed lines of each file of a diff without context, in its order.

    Lines of the files themselves start with a sign, so headers cannot be mistaken.
    """
    out: list[set[int]] = []
    for line in data.split(b"\n"):
        if line.startswith(b"diff --git "):
            out.append(set())
        elif line.startswith(b"@@ "):
            found = _HUNK.match(line)
            if found is not None:
                start, count = int(found.group(1)), int(found.group(2) or 1)
                out[-1].update(range(start, start + count))
    return out


def _text_at(base: str, path: str, folder: str) -> str:
    name = os.path.basename(path)
    return _decoded(_git(os.path.dirname(path) or folder, "show", f"{base}:./{name}", missing=True))


def _decoded(data: bytes) -> str:
    return decode(data)[0]
