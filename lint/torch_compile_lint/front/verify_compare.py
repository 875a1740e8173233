"""`tclint verify --compare-torch PYTHON_A PYTHON_B`: breaks that appear and vanish between releases."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any

from torch_compile_lint.config import ConfigError
from torch_compile_lint.front import cli, verify_cli
from torch_compile_lint.verify import modules
from torch_compile_lint.verify.run import Verified

Site = tuple[str, int, str, str]  # module, line, effect, path


def run(options: argparse.Namespace) -> int:
    """Both runs, then the differences. Status 1 when something appears under the second."""
    if options.format not in ("text", "json"):
        raise ConfigError(f"--compare-torch writes text or json, not {options.format}")
    first, second = (verify_cli.verified(options, verify_cli.interpreter(e)) for e in options.compare_torch)
    text, worse = render(first, second, options.format)
    cli.write(text, options.output)
    if first.interrupted or second.interrupted:
        return cli.INTERRUPTED
    for outcome in (first, second):
        if not outcome.probes and outcome.report.findings:
            sys.stderr.write(f"tclint: error: nothing could be run under torch {outcome.torch or '?'}\n")
            return cli.FAILED
    return cli.FOUND if worse else cli.CLEAN


def render(first: Verified, second: Verified, form: str = "text") -> tuple[str, int]:
    """The differences as text or JSON, and how many places are worse under the second."""
    before, after = _sites(first), _sites(second)
    both = _modules(first) & _modules(second)
    appeared = [after[key] for key in sorted(after) if key not in before and key[0] in both]
    vanished = [before[key] for key in sorted(before) if key not in after and key[0] in both]
    one_side = sorted(_modules(first) ^ _modules(second))
    if form == "json":
        content = {
            "torch": [first.torch, second.torch],
            "appeared": appeared,
            "vanished": vanished,
            "compared": sorted(both),
            "not_compared": one_side,
        }
        return json.dumps(content, indent=1) + "\n", len(appeared)
    count = "1 module" if len(both) == 1 else f"{len(both)} modules"
    lines = [f"torch {first.torch or '?'} -> {second.torch or '?'}: {count} compared"]
    lines += [_line("appears", row) for row in appeared]
    lines += [_line("vanishes", row) for row in vanished]
    lines += [f"not compared: {name} could be run under one of them only" for name in one_side]
    if not appeared and not vanished:
        lines.append("no break appears, none vanishes")
    return "\n".join(lines) + "\n", len(appeared)


def _line(word: str, row: dict[str, Any]) -> str:
    gb = f" {row['gb']}" if row["gb"] else ""
    return (
        f"{word.ljust(9)} {row['path']}:{row['line']}: {row['effect']}{gb} {row['text']} in {row['module']}"
    )


def _modules(outcome: Verified) -> set[str]:
    return {_name(row) for row in modules.rows(outcome) if not row["problem"]}


def _name(row: dict[str, Any]) -> str:
    return f"{row['file']}:{row['module']}"


def _sites(outcome: Verified) -> dict[Site, dict[str, Any]]:
    """Places by module, line and effect. Ids and texts differ between releases for the same fault."""
    found: dict[Site, dict[str, Any]] = {}
    for row in modules.rows(outcome):
        for site in row.get("sites", ()):
            path = os.path.relpath(site["path"])
            shown = {**site, "path": path, "module": row["module"]}
            found[_name(row), site["line"], site["effect"], path] = shown
    return found
