"""Contracts: how often each module breaks, written down, and compared later.

A contract is JSON: for each module its breaks, skips, graphs and recompiles, and the sites by GB id. A
module gets worse when one of the counts grows; lines may move, so sites are compared by id and count,
not by line.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import Any

from torch_compile_lint.config import ConfigError
from torch_compile_lint.verify import modules
from torch_compile_lint.verify.run import Verified

Row = dict[str, Any]
_COUNTS = ("errors", "skips", "breaks", "recompiles")
_NOUNS = {"errors": "error", "skips": "skipped frame", "breaks": "break", "recompiles": "recompilation"}


def write(path: str, outcome: Verified) -> None:
    """Record the present state."""
    content = {
        "tool": "torch-compile-lint",
        "contract": 1,
        "torch": outcome.torch,
        "modules": _modules(outcome),
    }
    try:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(content, file, indent=1, sort_keys=True)
            file.write("\n")
    except OSError as problem:
        raise ConfigError(f"--write-contract {path}: {problem.strerror}") from None


def compare(path: str, outcome: Verified) -> list[str]:
    """One line for each module that got worse or could no longer be run."""
    agreed = _read(path)
    now = _modules(outcome)
    lines: list[str] = []
    for name, old in sorted(agreed.items()):
        new = now.get(name)
        if new is None:
            lines.append(f"{name}: in the contract, but it could not be run")
            continue
        for count in _COUNTS:
            if new[count] > old.get(count, 0):
                lines.append(
                    f"{name}: {_counted(new[count], count)}, the contract allows {old.get(count, 0)}"
                    + _new_sites(old, new)
                )
    for name, new in sorted(now.items()):
        if name not in agreed:
            for count in _COUNTS:
                if new[count]:
                    lines.append(
                        f"{name}: {_counted(new[count], count)}, and the module is not in the contract"
                        + _new_sites({}, new)
                    )
    return lines


def _counted(number: int, count: str) -> str:
    return f"{number} {_NOUNS[count]}{'' if number == 1 else 's'}"


def _read(path: str) -> dict[str, Row]:
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        found = content["modules"]
    except OSError as problem:
        raise ConfigError(f"--contract {path}: {problem.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise ConfigError(f"--contract {path}: not a contract; write one with --write-contract") from None
    if not isinstance(found, dict):
        raise ConfigError(f"--contract {path}: not a contract; write one with --write-contract")
    return found


def _modules(outcome: Verified) -> dict[str, Row]:
    """By ``file:module``, paths relative to where the command runs so that a contract can be committed."""
    codes: dict[tuple[str, int], str] = {}
    for finding in outcome.report.findings:
        codes.setdefault((os.path.realpath(finding.path), finding.line), finding.code)
    found: dict[str, Row] = {}
    for row in modules.rows(outcome):
        if row["problem"]:
            continue
        key = f"{os.path.relpath(row['path'])}:{row['module']}"
        sites = [
            {
                **site,
                "path": os.path.relpath(site["path"]),
                "code": codes.get((os.path.realpath(site["path"]), site["line"]), ""),
            }
            for site in row["sites"]
        ]
        kept = {count: row[count] for count in (*_COUNTS, "graphs")}
        previous = found.get(key)
        if previous is None or _total(kept) > _total(previous):
            found[key] = {**kept, "sites": sites}
    return found


def _total(row: Row) -> int:
    return sum(int(row[count]) for count in _COUNTS)


def _new_sites(old: Row, new: Row) -> str:
    """The sites that the contract does not know: line, GB id, and the finding there."""
    known = Counter((s["path"], s["gb"], s["effect"]) for s in old.get("sites", ()))
    fresh = []
    for site in new["sites"]:
        key = (site["path"], site["gb"], site["effect"])
        if known[key] > 0:
            known[key] -= 1
        else:
            what = " ".join(part for part in (site["gb"], site["code"], site["text"]) if part)
            fresh.append(f"{site['path']}:{site['line']} {what}")
    return f": {'; '.join(fresh[:5])}" if fresh else ""
