"""`tclint --fix`, `--diff`, `--interactive`, `--plan`: what is written, what is shown, what is left.

The report on standard output speaks of the fixed files. With `-` the fixed text goes to standard
output and the report to standard error. Nothing is written where something could not be read.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from torch_compile_lint.documents import place_text
from torch_compile_lint.front import cli

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from torch_compile_lint.model import Finding, Report, Request
    from torch_compile_lint.repair import Accept, Repaired


class Quit(Exception):
    """The person has seen enough; nothing is written."""


def run(options: argparse.Namespace, request: Request) -> int:
    """Fix what was asked for; the result is the exit status."""
    from torch_compile_lint.repair import repair

    if options.plan and not (options.fix or options.diff or options.interactive):
        return _only_plan(options, request)
    walk = Walk(request) if options.interactive else None
    accept: Accept | None = walk.accept if walk is not None else None

    def view(report: Report) -> Report:
        return cli.narrowed(report, request, options)

    try:
        if options.prove:
            from torch_compile_lint.front import prove_cli

            done = prove_cli.proved(options, request, view)
        else:
            done = repair(request, options.unsafe_fixes, accept, view=view)
    except Quit:
        sys.stderr.write("tclint: quit: nothing was changed\n")
        return cli.INTERRUPTED
    names = {os.path.abspath(path): path for path in _shown(done)}
    if options.diff:
        return _show_diff(done, names, options)
    failed = False
    if "-" in options.paths:
        ((path, text),) = request.overlays.items()
        cli.put(_whole(path, text, done.texts.get(path)))
        sys.stderr.write(cli.rendered(done.report, options, {**request.overlays, **done.texts}))
    else:
        failed = _write(done, names)
        if options.plan:
            from torch_compile_lint.front import fix_plan

            cli.put(fix_plan.text(done.report))
        else:
            cli.write(cli.rendered(done.report, options, request.overlays), options.output)
    _summary(done, options.unsafe_fixes, "fixed", names)
    cli.say_errors(done.report)
    if failed or done.report.errors:
        return cli.FAILED
    found = any(not f.suppressed for f in done.report.findings)
    return cli.FOUND if found and not options.exit_zero else cli.CLEAN


def _whole(path: str, text: str, fixed: str | None) -> str:
    """What came through standard input, fixed; a document with its prose."""
    from torch_compile_lint.documents import is_document, python_text, rewritten

    if fixed is None or not is_document(path):
        return text if fixed is None else fixed
    return rewritten(path, text, python_text(path, text), fixed)


def _only_plan(options: argparse.Namespace, request: Request) -> int:
    from torch_compile_lint.front import fix_plan

    report = cli.narrowed(cli.engine_report(request), request, options)
    cli.write(fix_plan.text(report), options.output)
    cli.say_errors(report)
    return cli.FAILED if report.errors else cli.CLEAN


def _shown(done: Repaired) -> list[str]:
    return [*(f.path for f in done.fixed), *(f.path for f in done.report.findings)]


def _show_diff(done: Repaired, names: dict[str, str], options: argparse.Namespace) -> int:
    """The changes as a unified diff; 1 if there are any."""
    from torch_compile_lint.fix.diff import unified

    parts = [
        unified(_name(path, names), done.before[path], text) for path, text in sorted(done.texts.items())
    ]
    cli.write("".join(parts), options.output)
    _summary(done, options.unsafe_fixes, "would fix", names)
    cli.say_errors(done.report)
    if done.report.errors:
        return cli.FAILED
    return cli.FOUND if done.texts and not options.exit_zero else cli.CLEAN


def _name(path: str, names: dict[str, str]) -> str:
    shown = names.get(path, path)
    below = os.path.relpath(shown)
    return (shown if below.startswith("..") else below).replace(os.sep, "/")


def _write(done: Repaired, names: dict[str, str]) -> bool:
    """Replace the files; True if one could not be."""
    from torch_compile_lint.fix.files import WriteProblem, replace_file
    from torch_compile_lint.source import read_source

    failed = False
    for path, text in sorted(done.texts.items()):
        try:
            source = read_source(path, "")
            if source.text != done.before[path]:
                raise WriteProblem("it changed while it was being fixed")
            replace_file(source, text)
        except (OSError, WriteProblem) as problem:
            failed = True
            sys.stderr.write(f"tclint: error: {_name(path, names)}: not fixed: {problem}\n")
    return failed


def _summary(done: Repaired, unsafe: bool, verb: str, names: dict[str, str]) -> None:
    """`fixed 3, 2 more with --unsafe-fixes`; and each refusal with its reason."""
    for refusal in done.refused:
        one = refusal.finding
        place = f"{one.path}:{one.line}:{one.column}"
        sys.stderr.write(f"tclint: {place}: {one.code} not fixed: {refusal.reason}\n")
    more = done.left(unsafe)
    tail = f", {more} more with --unsafe-fixes" if more else ""
    sys.stderr.write(f"tclint: {verb} {len(done.fixed)}{tail}\n")


class Walk:
    """`--interactive`: each fix with its diff, y/n/all/quit; what is not answered is quit."""

    def __init__(self, request: Request, ask: Callable[[], str] | None = None) -> None:
        self._ask = ask or sys.stdin.readline
        self._all = False
        self._texts = {os.path.abspath(p): t for p, t in request.overlays.items()}

    def accept(self, finding: Finding, read: Callable[[str], str]) -> bool:
        """Show one fix and ask."""
        if self._all:
            return True
        from torch_compile_lint.fix.diff import unified
        from torch_compile_lint.fix.edits import texts_after

        assert finding.fix is not None
        place = f"{finding.path}:{place_text(finding)}"
        sys.stdout.write(f"{place}: {finding.code} {finding.message}\n")
        sys.stdout.write(f"{finding.fix.title} ({finding.fix.safety.value})\n")
        for path, text in texts_after([finding], read).items():
            cli.put(unified(_name(path, {}), read(path), text))
        while True:
            sys.stdout.write("apply? [y]es, [n]o, [a]ll, [q]uit: ")
            sys.stdout.flush()
            answer = self._ask()
            word = answer.strip().lower()
            if word in ("y", "yes", "n", "no"):
                return word[0] == "y"
            if word in ("a", "all"):
                self._all = True
                return True
            if not answer or word in ("q", "quit"):
                raise Quit
