"""The flake8 plugin: the same engine call, made once for all files, handed out file by file.

flake8 calls ``parse_options`` in the parent before its workers start; there the whole program
is checked and the workers inherit the findings (where workers are spawned and not forked, they
find the report in the cache). What flake8 does itself is left to it: `# noqa`, `--select`,
`--ignore`. Everything else comes from the same configuration as the command line, over which
the `--tclint-...` options win, given to flake8 or written in its configuration file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from torch_compile_lint import __version__
from torch_compile_lint.front import quick

if TYPE_CHECKING:
    from torch_compile_lint.model import Finding, Report, Request

# (option, what it takes, what it says); each is a key of the configuration, or named in `_SWITCHES`.
_VALUES = (
    ("target-torch", "X.Y", "torch release to judge by (default: the installed one)"),
    ("min-confidence", "LEVEL", "proved, likely (default) or possible"),
    ("roots", "MODE", "what counts as compiled: modules (default), marked, all"),
    ("extend-select", "CODES", "report these as well (rules in preview)"),
    ("python", "EXE", "the interpreter that has the project's packages"),
    ("cache-dir", "DIR", "where the cache lies"),
    ("config", "FILE", "read this pyproject.toml or tclint.toml"),
)
_SWITCHES = (
    ("isolated", "read no configuration file of tclint"),
    ("no-cache", "neither read nor write the cache"),
)
_LISTS = ("extend-select",)
_FILES = ("python", "cache-dir", "config")


class Checker:
    """One file, as flake8 sees it."""

    name = "torch-compile-lint"
    version = __version__
    _findings: dict[str, list[Finding]] | None = None  # by absolute path, for the whole run
    _options: Any = None
    _typed: str | None = None  # the name that what comes through standard input goes by

    def __init__(self, tree: object, filename: str, lines: Sequence[str]) -> None:
        self._filename = filename
        self._lines = lines

    @classmethod
    def add_options(cls, manager: Any) -> None:
        """Register the options, for the command line and for setup.cfg, tox.ini and .flake8."""
        for name, metavar, text in _VALUES:
            manager.add_option(
                f"--tclint-{name}",
                metavar=metavar,
                help=text,
                parse_from_config=True,
                comma_separated_list=name in _LISTS,
                normalize_paths=name in _FILES,
            )
        for name, text in _SWITCHES:
            manager.add_option(f"--tclint-{name}", action="store_true", help=text, parse_from_config=True)

    @classmethod
    def parse_options(cls, options: Any) -> None:
        """Check all files at once; what comes through standard input waits until it is read."""
        cls._options = options
        cls._typed = None
        cls._findings = {}
        if getattr(options, "bug_report", False):
            return
        names = list(getattr(options, "filenames", None) or ["."])
        if "-" in names:
            cls._typed = getattr(options, "stdin_display_name", "stdin")
            names = [n for n in names if n != "-"]
        # A name that is no file is flake8's to complain about.
        names = [n for n in names if os.path.exists(n)]
        # That a file parses is flake8's to find out.
        if names and not quick.nothing_in([os.path.abspath(n) for n in names]):
            cls._findings = by_file(_check(names, {}, options))

    def run(self) -> Iterator[tuple[int, int, str, type]]:
        """(line, column from 0, text, type) of each finding."""
        full = os.path.abspath(self._filename)
        if self._filename == self._typed or self._findings is None:
            text = "".join(self._lines)
            found = by_file(_check([self._filename], {full: text}, self._options)).get(full, [])
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


def _check(paths: list[str], overlays: dict[str, str], options: Any) -> Report:
    from torch_compile_lint.config import ConfigError
    from torch_compile_lint.engine import Engine

    try:
        report = Engine().check(_request(paths, overlays, options))
    except ConfigError as problem:
        sys.stderr.write(f"tclint: error: {problem}\n")
        raise SystemExit(2) from None
    for error in report.errors:
        sys.stderr.write(f"tclint: error: {error.path}: {error.message}\n")
    return report


def _request(paths: list[str], overlays: dict[str, str], options: Any) -> Request:
    from torch_compile_lint import config
    from torch_compile_lint.model import Request

    overrides: dict[str, Any] = {}
    for key, _, _ in _VALUES:
        value = getattr(options, f"tclint_{key.replace('-', '_')}", None)
        if value and key != "config":
            overrides[key] = value
    config.read_table(overrides, "flake8's --tclint- options")  # a mistake is said to be theirs
    if getattr(options, "tclint_no_cache", False):
        overrides["cache"] = False
    jobs = getattr(options, "jobs", None)
    if jobs is not None and not jobs.is_auto:
        overrides["jobs"] = max(jobs.n_jobs, 1)
    return Request(
        paths=tuple(paths),
        overlays=overlays,
        overrides=overrides,
        config_file=getattr(options, "tclint_config", None),
        isolated=bool(getattr(options, "tclint_isolated", False)),
        noqa=False,
    )
