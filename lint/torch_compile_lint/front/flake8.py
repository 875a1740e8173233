"""The flake8 plugin: the same engine call, made once for all files, handed out file by file.

flake8 calls ``parse_options`` in the parent before its workers start; there the whole program
is checked and the workers inherit the findings. What flake8 does itself is left to it: `# noqa`,
`--select`, `--ignore`. Everything else comes from the same configuration as the command line.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from torch_compile_lint import __version__

if TYPE_CHECKING:
    from torch_compile_lint.model import Finding, Report

_STDIN = ("-", "stdin", "<stdin>")


class Checker:
    """One file, as flake8 sees it."""

    name = "torch-compile-lint"
    version = __version__
    _findings: dict[str, list[Finding]] | None = None  # by absolute path, for the whole run

    def __init__(self, tree: object, filename: str, lines: Sequence[str]) -> None:
        self._filename = filename
        self._lines = lines

    @classmethod
    def parse_options(cls, options: Any) -> None:
        """Check all files at once (flake8 gives none where it is only asked for its version)."""
        names = [n for n in getattr(options, "filenames", None) or () if n not in _STDIN]
        cls._findings = {}
        if names:
            # A name that is no file is flake8's to complain about.
            cls._findings = by_file(_check([n for n in names if os.path.exists(n)], {}))

    def run(self) -> Iterator[tuple[int, int, str, type]]:
        """(line, column from 0, text, type) of each finding."""
        full = os.path.abspath(self._filename)
        if self._findings is None or self._filename in _STDIN or not os.path.exists(full):
            text = "".join(self._lines)
            found = by_file(_check([self._filename], {full: text})).get(full, [])
        else:
            found = self._findings.get(full, [])
        for one in found:
            text = f"{one.code} [{one.confidence.label}] {one.message}"
            yield one.line, one.column - 1, text, type(self)


def by_file(report: Report) -> dict[str, list[Finding]]:
    """Findings by absolute path, without what our own comments hide and without TCD000.

    A file that does not parse is E999 in flake8, which never asks plugins about it.
    """
    table: dict[str, list[Finding]] = {}
    for one in report.findings:
        if not one.suppressed and one.code != "TCD000":
            table.setdefault(os.path.abspath(one.path), []).append(one)
    return table


def _check(paths: list[str], overlays: dict[str, str]) -> Report:
    from torch_compile_lint.config import ConfigError
    from torch_compile_lint.engine import Engine
    from torch_compile_lint.model import Report, Request, Stats

    if not paths:
        return Report((), (), Stats(), "", "")
    try:
        report = Engine().check(Request(paths=tuple(paths), overlays=overlays, noqa=False))
    except ConfigError as problem:
        sys.stderr.write(f"tclint: error: {problem}\n")
        raise SystemExit(2) from None
    for error in report.errors:
        sys.stderr.write(f"tclint: error: {error.path}: {error.message}\n")
    return report
