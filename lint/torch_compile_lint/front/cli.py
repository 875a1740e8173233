"""The command line: argv -> Request -> engine -> report on standard output -> exit status.

Each command is a function that imports what it needs, so that one command never pays for
another. Errors are one line on standard error; a traceback is a bug.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from torch_compile_lint.front.terminal import terminal_width, use_color

if TYPE_CHECKING:
    import argparse

    from torch_compile_lint.model import Report, Request

__all__ = ["run", "terminal_width", "use_color"]

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
    except OSError as problem:
        if problem.errno != errno.ENOSPC:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left unwritten is lost
        return fail(f"cannot write the report: {problem.strerror}")
    except KeyboardInterrupt:
        return interrupted()


def interrupted() -> int:
    """Ctrl-C ends everything at once; children are gone by then."""
    sys.stderr.write("tclint: interrupted\n")
    return INTERRUPTED


def fail(message: str) -> int:
    """Say in one line why nothing could be done."""
    sys.stderr.write(f"tclint: error: {' '.join(message.splitlines())}\n")
    return FAILED


def check(arguments: list[str]) -> int:
    """`tclint [check] PATH ...`."""
    from torch_compile_lint.front import options as opts

    options = opts.check_parser().parse_args(arguments)
    if options.version:
        from torch_compile_lint import __version__

        put(f"tclint {__version__} (torch-compile-lint)\n")
        return CLEAN
    opts.validate(options)
    if options.show_settings:
        from torch_compile_lint.front.config_pages import settings_text

        put(settings_text(options))
        return CLEAN
    if options.show_files:
        return show_files(options)
    if options.watch:
        from torch_compile_lint.front import watch

        return watch.run(options)
    return checked(options)


def checked(options: argparse.Namespace) -> int:
    """One check with all it was asked for; the result is the exit status."""
    from torch_compile_lint.front import options as opts

    request = opts.request(options)
    if opts.fixing(options):
        from torch_compile_lint.front import fix_cli

        return fix_cli.run(options, request)
    report = engine_report(request)
    if options.write_baseline:
        from torch_compile_lint import baseline

        count = baseline.write(options.write_baseline, report)
        return done(report, f"wrote {count} findings to {options.write_baseline}")
    report = narrowed(report, request, options)
    if options.add_noqa:
        from torch_compile_lint.front.add_noqa import add_noqa

        return done(report, f"added {add_noqa(report)} noqa comments")
    if options.remove_unused_ignores:
        from torch_compile_lint.front.remove_ignores import remove_unused

        return done(report, remove_unused(report))
    write(rendered(report, options, request.overlays), options.output)
    say_errors(report)
    if report.errors:
        return FAILED
    found = any(not f.suppressed for f in report.findings)
    return FOUND if found and not options.exit_zero else CLEAN


def engine_report(request: Request) -> Report:
    """What the engine says, with a progress bar where a person is waiting."""
    from torch_compile_lint.engine import Engine
    from torch_compile_lint.front.progress import for_terminal

    progress = for_terminal()
    try:
        return Engine().check(request, progress)
    finally:
        if progress is not None:
            progress.clear()


def narrowed(report: Report, request: Request, options: argparse.Namespace) -> Report:
    """The report without what `--baseline` lists and what `--diff-base` had already."""
    if options.baseline:
        from torch_compile_lint import baseline

        report = baseline.apply(options.baseline, report)
    if options.diff_base is not None:
        from torch_compile_lint.front import diff_base

        report = diff_base.only_new(report, request, options.diff_base)
    return report


def done(report: Report, message: str) -> int:
    """Say what was written instead of a report."""
    sys.stderr.write(f"tclint: {message}\n")
    say_errors(report)
    return FAILED if report.errors else CLEAN


def show_files(options: argparse.Namespace) -> int:
    """`--show-files`: what would be checked, one a line."""
    from torch_compile_lint import config, discovery
    from torch_compile_lint.front import options as opts

    paths = options.paths or ["."]
    settings = config.load(paths, None, opts.overrides(options), options.config, options.isolated)
    patterns, gitignore = settings.patterns(), settings.respect_gitignore
    found = discovery.discover(paths, patterns, gitignore, settings.extend_include)
    put("".join(f"{name}\n" for name in found.files))
    for error in found.errors:
        sys.stderr.write(f"tclint: error: {error.path}: {error.message}\n")
    return FAILED if found.errors else CLEAN


def say_errors(report: Report) -> None:
    """One line each, on standard error."""
    for error in report.errors:
        place = f"{error.path}: " if error.path else ""
        sys.stderr.write(f"tclint: error: {place}{' '.join(error.message.splitlines())}\n")


def rendered(report: Report, options: argparse.Namespace, overlays: dict[str, str]) -> str:
    """The report in the format that was asked for, as the place it goes to can show it."""
    from torch_compile_lint import config
    from torch_compile_lint.front import terminal
    from torch_compile_lint.report import LISTS_RULES, Style, render

    stream = sys.stdout
    here = options.output is None
    links = here and options.format == "text" and terminal.use_links(stream)
    plugins: tuple[str, ...] = config.DEFAULT_PLUGINS
    if links or options.format in LISTS_RULES:
        settings = config.load(options.paths or (".",), None, {}, options.config, options.isolated)
        plugins = settings.plugins
    style = Style(
        read=reader(overlays),
        width=terminal.terminal_width(stream) if here and stream.isatty() else 100,
        color=here and terminal.use_color(stream, options.color),
        links=links,
        statistics=options.statistics,
        plugins=plugins,
    )
    return render(report, options.format, style)


def write(text: str, output: str | None) -> None:
    """To the file that was asked for, else to standard output."""
    from torch_compile_lint.config import ConfigError

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


def show_config(arguments: list[str]) -> int:
    """`tclint config [PATH ...]`."""
    from torch_compile_lint.front import config_pages

    return config_pages.run(arguments)


def completion(arguments: list[str]) -> int:
    """`tclint completion SHELL`."""
    from torch_compile_lint.front import completion as scripts

    return scripts.run(arguments)


def rule(arguments: list[str]) -> int:
    """`tclint rule [CODE|NAME|GBnnnn]`."""
    from torch_compile_lint.front import rule_pages

    return rule_pages.run(arguments)


def verify(arguments: list[str]) -> int:
    """`tclint verify PATH[:NAME] ...`."""
    from torch_compile_lint.front import verify_cli

    return verify_cli.run(arguments)


def lsp(arguments: list[str]) -> int:
    """`tclint lsp`."""
    from torch_compile_lint.front import lsp as server

    return server.run(arguments)


def doctor(arguments: list[str]) -> int:
    """`tclint doctor TARGET`."""
    from torch_compile_lint.front import doctor_cli

    return doctor_cli.run(arguments)


def dev(arguments: list[str]) -> int:
    """`tclint dev ...`."""
    from torch_compile_lint import dev as contributors

    return int(contributors.main(arguments))


COMMANDS = {
    "check": check,
    "verify": verify,
    "doctor": doctor,
    "rule": rule,
    "config": show_config,
    "completion": completion,
    "lsp": lsp,
    "dev": dev,
}
