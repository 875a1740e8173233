"""The options of `tclint check`, and how they become a ``Request``."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any, NoReturn

from torch_compile_lint.config import ConfigError
from torch_compile_lint.front.terminal import COLOR_CHOICES
from torch_compile_lint.model import Request
from torch_compile_lint.report import FORMATS

STDIN = "<stdin>"
_EPILOG = """\
commands:
  tclint [check] PATH ...     find what torch.compile stumbles over (no code is run, torch is not needed)
  tclint verify PATH ...      really compile what was flagged, and say which findings are true
  tclint doctor PATH:NAME     the whole walk: does it compile, fall back, pay; if not, why, and what next
  tclint rule [CODE|NAME|GB]  the page of a rule or of a graph-break id, or the list of rules
  tclint config [PATH ...]    every option with its value, its default and where it was set
  tclint completion SHELL     a script that completes commands and options (bash, zsh, fish, tcsh)
  tclint lsp                  a language server for editors
  tclint dev ...              for contributors

exit status: 0 nothing to report, 1 findings, 2 the tool could not do its work
"""


class OneLineParser(argparse.ArgumentParser):
    """argparse, with errors of one line and nothing else."""

    def error(self, message: str) -> NoReturn:
        raise ConfigError(f"{message} (see `{self.prog} --help`)")


def check_parser() -> argparse.ArgumentParser:
    """The parser of `tclint check`."""
    parser = OneLineParser(
        prog="tclint",
        usage="tclint [check] [PATH ...] [options]",
        description="Find what torch.compile will stumble over, at the line, without running the code.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("paths", nargs="*", metavar="PATH", help="files and folders (default: .); `-` reads standard input")
    add("--version", "-V", action="store_true", help="print the version")
    group = parser.add_argument_group("what is reported")
    add = group.add_argument
    add("--select", action="append", metavar="CODES", help="only these codes (prefixes) or rule names")
    add("--ignore", action="append", metavar="CODES", help="all but these")
    add("--extend-select", action="append", metavar="CODES", help="these as well (rules in preview)")
    add("--min-confidence", metavar="LEVEL", help="proved, likely (default) or possible")
    add("--target-torch", metavar="X.Y", help="torch release to judge by (default: the installed one)")
    add("--roots", metavar="MODE", help="what counts as compiled: modules (default), marked, all")
    add("--baseline", metavar="FILE", help="report only what FILE does not list")
    add("--write-baseline", metavar="FILE", help="write the present findings to FILE")
    add("--diff-base", metavar="REV", help="only findings on lines changed since REV, or newly reached")
    group = parser.add_argument_group("which files")
    add = group.add_argument
    add("--exclude", action="append", metavar="PATTERN", help="leave these out (instead of the usual ones)")
    add("--extend-exclude", action="append", metavar="PATTERN", help="leave these out as well")
    add("--no-respect-gitignore", action="store_true", help="take what git ignores, too")
    add("--show-files", action="store_true", help="list the files that would be checked")
    group = parser.add_argument_group("how it is reported")
    add = group.add_argument
    add("--format", default="text", metavar="F", help=f"one of {', '.join(FORMATS)} (default: text)")
    add("--output", metavar="FILE", help="write the report to FILE")
    add("--statistics", action="store_true", help="count findings by rule")
    add("--exit-zero", action="store_true", help="exit with 0 although there are findings")
    add("--color", default="auto", metavar="WHEN", help="auto (default), always or never")
    add("--watch", action="store_true", help="check again whenever a file changes")
    group = parser.add_argument_group("fixes")
    add = group.add_argument
    add("--fix", action="store_true", help="apply safe fixes: eager results and side effects stay the same")
    add("--unsafe-fixes", action="store_true", help="also those that differ in a way their rule's page names")
    add("--diff", action="store_true", help="print what would be fixed as a unified diff; write nothing")
    add("--prove", action="store_true", help="compile before and after each fix; keep only what holds")
    add("--python", metavar="EXE", help="with --prove: the interpreter that has your torch and model")
    add("--inputs", metavar="FILE:FUNCTION", help="with --prove: what returns (module, args, kwargs)")
    add("--interactive", action="store_true", help="show each fix and ask: yes, no, all, quit")
    add("--plan", action="store_true", help="say what is left by cost, and what gives one graph")
    group = parser.add_argument_group("ignore comments")
    add = group.add_argument
    add("--add-noqa", action="store_true", help="add a `# noqa: CODE` comment to each line with a finding")
    add("--remove-unused-ignores", action="store_true", help="remove ignore comments that hide nothing")
    group = parser.add_argument_group("how it runs")
    add = group.add_argument
    add("--show-settings", action="store_true", help="list every option and where it was set")
    add("--config", metavar="FILE", help="read this pyproject.toml or tclint.toml")
    add("--isolated", action="store_true", help="read no configuration file")
    add("--stdin-filename", metavar="NAME", help="the name of what comes through standard input")
    add("--no-cache", action="store_true", help="neither read nor write the cache")
    add("-j", "--jobs", type=int, metavar="N", help="number of processes (default: one per core)")
    return parser


def validate(options: argparse.Namespace) -> None:
    """Refuse values and combinations that mean nothing, in one line."""
    if options.format not in FORMATS:
        raise ConfigError(f"--format must be one of {', '.join(FORMATS)}, not `{options.format}`")
    if options.color not in COLOR_CHOICES:
        raise ConfigError(f"--color must be auto, always or never, not `{options.color}`")
    if options.baseline and options.write_baseline:
        raise ConfigError("--baseline and --write-baseline exclude each other")
    if options.diff_base and options.write_baseline:
        raise ConfigError("--diff-base and --write-baseline exclude each other")
    _validate_fixes(options)


def fixing(options: argparse.Namespace) -> bool:
    """Whether anything about fixes was asked for."""
    return bool(options.fix or options.diff or options.interactive or options.plan or options.prove)


def _validate_fixes(options: argparse.Namespace) -> None:
    if options.unsafe_fixes and not fixing(options):
        raise ConfigError("--unsafe-fixes needs --fix, --diff or --interactive")
    if options.prove and not (options.fix or options.diff or options.interactive):
        raise ConfigError("--prove needs --fix or --diff")
    if options.prove and (options.interactive or "-" in options.paths):
        raise ConfigError("--prove runs by itself, over files: neither --interactive nor `-` go with it")
    for name in ("write_baseline", "add_noqa", "remove_unused_ignores", "watch"):
        if fixing(options) and getattr(options, name):
            raise ConfigError(f"--{name.replace('_', '-')} does not go with --fix")
    if options.interactive and "-" in options.paths:
        raise ConfigError("--interactive asks on standard input, so `-` cannot be read from it")


def overrides(options: argparse.Namespace) -> dict[str, Any]:
    """The configuration keys set on the command line."""
    values: dict[str, Any] = {}
    for key in ("select", "ignore", "extend_select"):
        given = getattr(options, key)
        if given is not None:
            values[key.replace("_", "-")] = given
    for key in ("min_confidence", "target_torch", "roots"):
        given = getattr(options, key)
        if given is not None:
            values[key.replace("_", "-")] = given
    for key in ("exclude", "extend_exclude"):
        given = getattr(options, key)
        if given is not None:
            values[key.replace("_", "-")] = [part for text in given for part in text.split(",") if part]
    if options.jobs is not None:
        values["jobs"] = options.jobs
    if options.no_cache:
        values["cache"] = False
    if options.no_respect_gitignore:
        values["respect-gitignore"] = False
    return values


def request(options: argparse.Namespace) -> Request:
    """The engine's request; reads standard input where a path is `-`."""
    paths = tuple(options.paths or (".",))
    overlays: dict[str, str] = {}
    if "-" in paths:
        name = options.stdin_filename or STDIN
        overlays[os.path.abspath(name)] = read_stdin()
        paths = tuple(name if p == "-" else p for p in paths)
    elif options.stdin_filename is not None:
        raise ConfigError("--stdin-filename needs `-` as the path")
    return Request(
        paths=paths,
        overlays=overlays,
        overrides=overrides(options),
        config_file=options.config,
        isolated=options.isolated,
    )


def read_stdin() -> str:
    """Standard input as source text; what cannot be decoded is kept for the one line about it."""
    from torch_compile_lint.source import decode

    data = sys.stdin.buffer.read()
    text, _, error = decode(data)
    if error is not None and not text:
        raise ConfigError(f"standard input: {error}")
    return text
