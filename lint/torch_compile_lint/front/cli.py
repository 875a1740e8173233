"""The command line: argv -> Request -> engine -> report on standard output -> exit status.

Each command is a function that imports what it needs, so that one command never pays for
another. Errors are one line on standard error; a traceback is a bug.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    import argparse

    from torch_compile_lint.model import Report

CLEAN, FOUND, FAILED, INTERRUPTED = 0, 1, 2, 130


def run(arguments: list[str]) -> int:
    """One command line; the result is the exit status."""
    from torch_compile_lint.config import ConfigError

    command = check
    rest = arguments
    if arguments and arguments[0] in COMMANDS:
        command, rest = COMMANDS[arguments[0]], arguments[1:]
    try:
        return command(rest)
    except ConfigError as problem:
        return fail(str(problem))
    except BrokenPipeError:
        # The reader (`head`, a pager) has seen enough; nothing is left to flush into.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        return INTERRUPTED


def fail(message: str) -> int:
    """Say in one line why nothing could be done."""
    sys.stderr.write(f"tclint: error: {' '.join(message.splitlines())}\n")
    return FAILED


def check(arguments: list[str]) -> int:
    """`tclint [check] PATH ...`."""
    from torch_compile_lint.config import ConfigError
    from torch_compile_lint.engine import Engine
    from torch_compile_lint.front import options as opts
    from torch_compile_lint.front.progress import for_terminal
    from torch_compile_lint.report import FORMATS

    options = opts.check_parser().parse_args(arguments)
    if options.version:
        from torch_compile_lint import __version__

        put(f"tclint {__version__} (torch-compile-lint)\n")
        return CLEAN
    if options.format not in FORMATS:
        raise ConfigError(f"--format must be one of {', '.join(FORMATS)}, not `{options.format}`")
    if options.baseline and options.write_baseline:
        raise ConfigError("--baseline and --write-baseline exclude each other")
    request = opts.request(options)
    progress = for_terminal()
    try:
        report = Engine().check(request, progress)
    finally:
        if progress is not None:
            progress.clear()
    return _finish(report, options, request.overlays)


def _finish(report: Report, options: argparse.Namespace, overlays: dict[str, str]) -> int:
    """Baseline, comments, output, exit status."""
    if options.write_baseline:
        from torch_compile_lint import baseline

        count = baseline.write(options.write_baseline, report)
        sys.stderr.write(f"tclint: wrote {count} findings to {options.write_baseline}\n")
        say_errors(report)
        return FAILED if report.errors else CLEAN
    if options.baseline:
        from torch_compile_lint import baseline

        report = baseline.apply(options.baseline, report)
    if options.add_noqa:
        from torch_compile_lint.front.add_noqa import add_noqa

        count = add_noqa(report)
        sys.stderr.write(f"tclint: added {count} noqa comments\n")
        say_errors(report)
        return FAILED if report.errors else CLEAN
    write(report, options.format, options.output, options.statistics, overlays)
    say_errors(report)
    if report.errors:
        return FAILED
    found = any(not f.suppressed for f in report.findings)
    return FOUND if found and not options.exit_zero else CLEAN


def say_errors(report: Report) -> None:
    """One line each, on standard error."""
    for error in report.errors:
        place = f"{error.path}: " if error.path else ""
        sys.stderr.write(f"tclint: error: {place}{' '.join(error.message.splitlines())}\n")


def write(report: Report, name: str, output: str | None, statistics: bool, overlays: dict[str, str]) -> None:
    """Render the report to a file or to standard output."""
    from torch_compile_lint.config import ConfigError
    from torch_compile_lint.report import Style, render

    stream = sys.stdout
    on_terminal = output is None and stream.isatty()
    style = Style(
        read=reader(overlays),
        width=terminal_width(stream) if on_terminal else 100,
        color=use_color(stream) if output is None else False,
        statistics=statistics,
    )
    text = render(report, name, style)
    if output is None:
        put(text)
        return
    try:
        with open(output, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as problem:
        raise ConfigError(f"--output {output}: {problem.strerror}") from None


def put(text: str) -> None:
    """Write to standard output whatever its encoding can hold."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(text)
    except UnicodeEncodeError:
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()


def reader(overlays: dict[str, str]) -> Callable[[str], str]:
    """Text of a file by the path a finding carries; unsaved text wins over the disk."""

    def read(path: str) -> str:
        from torch_compile_lint.source import read_source

        full = os.path.abspath(path)
        if full in overlays:
            return overlays[full]
        try:
            return read_source(path, "").text
        except OSError:
            return ""

    return read


def use_color(stream: TextIO) -> bool:
    """Colour on a terminal that wants it (https://no-color.org, FORCE_COLOR)."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def terminal_width(stream: TextIO) -> int:
    """Columns to use: the terminal's, within what reads well."""
    try:
        columns = int(os.environ.get("COLUMNS", "0")) or os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        columns = 100
    return min(max(columns, 60), 120)


def rule(arguments: list[str]) -> int:
    """`tclint rule [CODE|NAME|GBnnnn]`."""
    from torch_compile_lint.front import rule_pages

    return rule_pages.run(arguments)


def verify(arguments: list[str]) -> int:
    """`tclint verify PATH[:NAME] ...`."""
    from torch_compile_lint.front import verify_cli

    return verify_cli.run(arguments)


def dev(arguments: list[str]) -> int:
    """`tclint dev ...`."""
    from torch_compile_lint import dev as contributors

    return int(contributors.main(arguments))


COMMANDS = {"check": check, "rule": rule, "verify": verify, "dev": dev}
