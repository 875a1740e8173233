"""`--watch`: check, print in place, wait for a change, and again, until Ctrl-C.

Needs the package watchfiles (the extra ``watch``). A mistake in the configuration is shown like a report:
the next save may be the one that repairs it.
"""

from __future__ import annotations

import argparse
import os
import sys

from torch_compile_lint.config import ConfigError
from torch_compile_lint.documents import SUFFIXES

_CLEAR = "\x1b[H\x1b[2J\x1b[3J"  # home, the screen, what was scrolled away
_NAMES = ("pyproject.toml", "tclint.toml", ".gitignore")
_QUIET = 100  # milliseconds without a further change before the check starts
_LOOK = 200  # milliseconds between two looks at whether there was one


def run(options: argparse.Namespace) -> int:
    """Never ends but by Ctrl-C."""
    from torch_compile_lint.front import cli

    try:
        import watchfiles
    except ImportError:
        raise ConfigError(
            "--watch needs the package watchfiles: pip install 'torch-compile-lint[watch]'"
        ) from None
    paths = options.paths or ["."]
    for path in paths:
        if path == "-":
            raise ConfigError("--watch cannot watch standard input")
        if not os.path.exists(path):
            raise ConfigError(f"{path}: no such file or folder")
    named = {os.path.abspath(p) for p in paths if not os.path.isdir(p)}
    folders = sorted({p if os.path.isdir(p) else os.path.dirname(p) or "." for p in paths})

    def wanted(_: object, path: str) -> bool:
        return path in named or path.endswith((".py", *SUFFIXES)) or os.path.basename(path) in _NAMES

    # The first answer comes when the watch is up, changed or not: nothing saved during a check is missed.
    changed = watchfiles.watch(
        *folders,
        watch_filter=wanted,
        step=_QUIET,
        rust_timeout=_LOOK,
        yield_on_timeout=True,
    )
    fresh = True
    try:
        for changes in changed:
            if changes or fresh:
                fresh = False
                print_once(options, folders)
    except KeyboardInterrupt:
        cli.put("\n")
    return cli.CLEAN


def print_once(options: argparse.Namespace, folders: list[str]) -> None:
    """One check, shown in the place of the one before."""
    from torch_compile_lint import source
    from torch_compile_lint.front import cli
    from torch_compile_lint.front import options as opts

    source.forget_folders()
    try:
        request = opts.request(options)
        report = cli.narrowed(cli.engine_report(request), request, options)
        text = cli.rendered(report, options, request.overlays)
        text += "".join(f"tclint: error: {e.path}: {e.message}\n" for e in report.errors)
    except ConfigError as problem:
        text = f"tclint: error: {problem}\n"
    clear = _CLEAR if sys.stdout.isatty() else ""
    cli.put(f"{clear}{text}\nWatching {', '.join(folders)}; Ctrl-C ends.\n")
