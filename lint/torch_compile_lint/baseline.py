"""A file of known findings, so that a project can start clean and report only what is new.

A finding is known by its fingerprint, which rests on its code, file, function and source text
but not on its line number.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace
from typing import Any

from torch_compile_lint.config import ConfigError
from torch_compile_lint.model import Report

VERSION = 1


def write(path: str, report: Report) -> int:
    """Keep the present findings; returns how many."""
    shown = [f for f in report.findings if not f.suppressed]
    rows = [{"fingerprint": f.fingerprint, "code": f.code, "path": _posix(f.path)} for f in shown]
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
    known = _read(path)
    kept = []
    for finding in report.findings:
        if not finding.suppressed and known[finding.fingerprint] > 0:
            known[finding.fingerprint] -= 1
            continue
        kept.append(finding)
    return replace(report, findings=tuple(kept))


def _read(path: str) -> Counter[str]:
    try:
        with open(path, encoding="utf-8") as stream:
            data: Any = json.load(stream)
        if data["baseline"] != VERSION:
            raise ConfigError(f"--baseline {path}: written by another version; write it anew")
        return Counter(row["fingerprint"] for row in data["findings"])
    except OSError as problem:
        raise ConfigError(f"--baseline {path}: {problem.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise ConfigError(f"--baseline {path}: not a file that --write-baseline wrote") from None


def _posix(path: str) -> str:
    return path.replace(os.sep, "/")
