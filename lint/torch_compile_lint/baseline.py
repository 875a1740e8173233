"""A file of known findings, so that a project can start clean and report only what is new.

A finding is known by its fingerprint, which rests on its code, file, function and source text
but not on its line number. Where the file of an entry is gone (renamed, moved), a finding of the
same code, function and message in another file stands in its place. Paths in the file are
relative to the file itself, so it does not matter from where tclint is run.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from typing import Any

from torch_compile_lint.config import ConfigError
from torch_compile_lint.model import Finding, Report
from torch_compile_lint.records import replace

VERSION = 1


def write(path: str, report: Report) -> int:
    """Keep the present findings; returns how many."""
    shown = [f for f in report.findings if not f.suppressed]
    folder = os.path.dirname(os.path.abspath(path))
    rows = [
        {"fingerprint": f.fingerprint, "code": f.code, "path": _below(f.path, folder), "moved": anywhere(f)}
        for f in shown
    ]
    rows.sort(key=lambda row: (row["path"], row["code"], row["fingerprint"]))
    data = {"tool": "torch-compile-lint", "baseline": VERSION, "findings": rows}
    try:
        with open(path, "w", encoding="utf-8") as stream:
            json.dump(data, stream, indent=1)
            stream.write("\n")
    except OSError as problem:
        raise ConfigError(f"--write-baseline {path}: {problem.strerror}") from None
    return len(rows)


def apply(path: str, report: Report) -> Report:
    """The report without the findings that ``path`` lists (each entry hides one finding)."""
    rows = _read(path)
    known = Counter(fingerprint for fingerprint, _, _ in rows)
    new = []
    for finding in report.findings:
        if finding.suppressed or known[finding.fingerprint] <= 0:
            new.append(finding)
        else:
            known[finding.fingerprint] -= 1
    folder = os.path.dirname(os.path.abspath(path))
    # What is left over of files that are gone may be found again where they went.
    gone: Counter[str] = Counter()
    exists: dict[str, bool] = {}
    for fingerprint, moved, file in rows:
        if known[fingerprint] > 0 and moved and file:
            if file not in exists:
                exists[file] = os.path.exists(os.path.join(folder, file))
            if not exists[file]:
                known[fingerprint] -= 1
                gone[moved] += 1
    if not gone:
        return replace(report, findings=tuple(new))
    kept = []
    for finding in new:
        if not finding.suppressed and gone[anywhere(finding)] > 0:
            gone[anywhere(finding)] -= 1
            continue
        kept.append(finding)
    return replace(report, findings=tuple(kept))


def anywhere(finding: Finding) -> str:
    """What a finding is known by whatever file it stands in."""
    text = "\0".join((finding.code, finding.function, finding.message))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _read(path: str) -> list[tuple[str, str, str]]:
    """(fingerprint, what it is known by anywhere, file) of each entry."""
    try:
        with open(path, encoding="utf-8") as stream:
            data: Any = json.load(stream)
        if data["baseline"] != VERSION:
            raise ConfigError(f"--baseline {path}: written by another version; write it anew")
        rows = data["findings"]
        return [(str(r["fingerprint"]), str(r.get("moved", "")), str(r.get("path", ""))) for r in rows]
    except OSError as problem:
        raise ConfigError(f"--baseline {path}: {problem.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ConfigError(f"--baseline {path}: not a file that --write-baseline wrote") from None


def _below(path: str, folder: str) -> str:
    try:
        shown = os.path.relpath(os.path.abspath(path), folder)
    except ValueError:  # another drive
        shown = path
    return shown.replace(os.sep, "/")
