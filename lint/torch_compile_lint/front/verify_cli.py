"""`tclint verify PATH[:NAME] ...`: check, really compile what was flagged, and report each finding's
verdict.

Exit status: 1 when a finding is confirmed or something was missed, 0 when not, 2 when nothing could be
done.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable

from torch_compile_lint.config import ConfigError
from torch_compile_lint.front.options import OneLineParser
from torch_compile_lint.model import Report, Request
from torch_compile_lint.verify.plan import Target

FORMATS = ("text", "concise", "json", "html")
VERDICTS = (
    "Verdicts: confirmed (torch did it at that statement), refuted (traced, and it did not), not-reached "
    "(never traced), could-not-run; missed is what no rule foresaw. A file may say how it is called in a "
    "function tclint_inputs() that returns (module, args, kwargs). Status: 1 if anything is confirmed or "
    "missed, 0 if not, 2 if nothing could be done, 130 if interrupted."
)
BACKENDS = ("eager", "aot_eager", "inductor")


def parser() -> argparse.ArgumentParser:
    """The options of `tclint verify`."""
    made = OneLineParser(
        prog="tclint verify",
        usage="tclint verify PATH[:NAME] ... [options]",
        description="Really compile what was flagged, and say which findings are true. Runs your code.",
        epilog=VERDICTS,
        allow_abbrev=False,
    )
    add = made.add_argument
    add(
        "paths",
        nargs="*",
        metavar="PATH[:NAME]",
        help="files and folders, or one class or function of a file",
    )
    group = made.add_argument_group("how it is run")
    add = group.add_argument
    add("--python", metavar="EXE", help="the interpreter that has your torch and model (default: this one)")
    add("--device", default="cpu", metavar="D", help="cpu (default), cuda or auto")
    add("--backend", default="eager", metavar="B", help="eager (default: Dynamo only), aot_eager or inductor")
    add("--inputs", metavar="FILE:FUNCTION", help="a function that returns (module, args, kwargs)")
    add("--timeout", type=float, default=60.0, metavar="S", help="seconds for one probe (default: 60)")
    add("--memory-limit", type=float, default=8.0, metavar="GB", help="memory for one probe (default: 8)")
    add("-j", "--jobs", type=int, metavar="N", help="number of workers (default: one for two cores)")
    add("--executor", metavar="URL", help="dask://HOST:PORT: run the probes on a dask.distributed cluster")
    add("--no-cache", action="store_true", help="neither read nor write the cache")
    group = made.add_argument_group("what is reported")
    add = group.add_argument
    add("--format", default="text", metavar="F", help=f"one of {', '.join(FORMATS)}")
    add("--output", metavar="FILE", help="write the report to FILE")
    add("--write-contract", metavar="FILE", help="record how often each module breaks")
    add("--contract", metavar="FILE", help="fail where a module breaks more often than FILE allows")
    add(
        "--compare-torch",
        nargs=2,
        metavar="EXE",
        help="run under two interpreters, list breaks that appear and vanish",
    )
    add("--exit-zero", action="store_true", help="exit with 0 also where something is confirmed or missed")
    add("--select", action="append", metavar="CODES", help="only these codes (prefixes) or rule names")
    add("--ignore", action="append", metavar="CODES", help="all but these")
    add("--min-confidence", metavar="LEVEL", help="proved, likely (default) or possible")
    add("--roots", metavar="MODE", help="what counts as compiled: modules (default), marked, all")
    add("--target-torch", metavar="X.Y", help="release whose rules apply (default: the interpreter's torch)")
    add("--config", metavar="FILE", help="read this pyproject.toml or tclint.toml")
    add("--isolated", action="store_true", help="read no configuration file")
    return made


def run(arguments: list[str]) -> int:
    """The whole command; the result is the exit status."""
    options = parser().parse_args(arguments)
    _validate(options)
    end_like_interruption()
    if options.compare_torch:
        from torch_compile_lint.front import verify_compare

        return verify_compare.run(options)
    outcome = verified(options, interpreter(options.python or sys.executable))
    return finish(outcome, options)


def end_like_interruption() -> None:
    """A request to end is like Ctrl-C: workers are ended, and what is known so far is printed."""
    import signal
    import threading

    def end(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, end)


def _validate(options: argparse.Namespace) -> None:
    if options.format not in FORMATS:
        raise ConfigError(f"--format must be one of {', '.join(FORMATS)}, not `{options.format}`")
    if options.backend not in BACKENDS:
        raise ConfigError(f"--backend must be one of {', '.join(BACKENDS)}, not `{options.backend}`")
    if options.device not in ("cpu", "cuda", "auto"):
        raise ConfigError(f"--device must be cpu, cuda or auto, not `{options.device}`")
    if options.timeout <= 0 or options.memory_limit <= 0:
        raise ConfigError("--timeout and --memory-limit must be positive")
    if options.jobs is not None and options.jobs < 1:
        raise ConfigError("--jobs must be at least 1")
    if options.inputs:
        file, colon, name = options.inputs.rpartition(":")
        if not colon or not name.isidentifier():
            raise ConfigError(f"--inputs must be FILE:FUNCTION, not `{options.inputs}`")
        if not os.path.isfile(file):
            raise ConfigError(f"--inputs: no such file: {file}")


def interpreter(name: str) -> str:
    """The executable as a full path (links kept: a virtual environment's python is one)."""
    found = shutil.which(name)
    if found is None:
        raise ConfigError(f"--python: no such interpreter: {name}")
    return os.path.abspath(found)


def split_target(text: str) -> Target:
    """``PATH:NAME``, where the part after the colon is a name and the part before exists."""
    path, colon, name = text.rpartition(":")
    if colon and name.replace(".", "").isidentifier() and os.path.exists(path):
        return Target(path, name)
    if not os.path.exists(text):
        raise ConfigError(f"no such file or folder: {text}")
    return Target(text)


def verified(options: argparse.Namespace, python: str):  # type: ignore[no-untyped-def]
    """Check, then verify; the result is a ``Verified``."""
    from torch_compile_lint import pool
    from torch_compile_lint.cache import FOLDER
    from torch_compile_lint.engine import Engine
    from torch_compile_lint.front import cli
    from torch_compile_lint.front.progress import for_terminal
    from torch_compile_lint.verify import run as verification
    from torch_compile_lint.verify.workers import Options, WorkerProblem

    targets = [split_target(item) for item in options.paths or ["."]]
    torch = verification.installed_torch(python)
    progress = for_terminal()
    request = _request(options, targets, torch)
    try:
        report = Engine().check(request, progress)
    finally:
        if progress is not None:
            progress.clear()
    device = options.device
    if device == "auto":
        device = "cuda" if has_cuda(python) else "cpu"
    settings = Options(
        python=python,
        jobs=options.jobs or max(1, pool.cores() // 2),
        backend=options.backend,
        device=device,
        timeout=options.timeout,
        memory_gb=options.memory_limit,
        search=(os.getcwd(),),
    )
    scope = verification.Scope(
        read=cli.reader({}),
        project=tuple(os.path.realpath(t.path) for t in targets),
        cwd=os.path.realpath(os.getcwd()),
        cache_folder=None if options.no_cache else os.path.join(os.getcwd(), FOLDER),
    )
    executor = None
    if options.executor:
        from torch_compile_lint.verify import cluster

        executor = cluster.connect(options.executor, settings)
    progress = for_terminal()
    try:
        return verification.verify(report, targets, settings, scope, options.inputs or "", executor, progress)
    except WorkerProblem as problem:
        raise ConfigError(str(problem)) from None
    finally:
        if progress is not None:
            progress.clear()


def _request(options: argparse.Namespace, targets: list[Target], torch: str) -> Request:
    values: dict[str, object] = {}
    for key in ("select", "ignore"):
        if getattr(options, key) is not None:
            values[key] = getattr(options, key)
    for key in ("min_confidence", "target_torch", "roots"):
        if getattr(options, key) is not None:
            values[key.replace("_", "-")] = getattr(options, key)
    if "target-torch" not in values and torch:
        values["target-torch"] = ".".join(torch.split(".")[:2])
    if options.jobs is not None:
        values["jobs"] = options.jobs
    if options.no_cache:
        values["cache"] = False
    return Request(
        paths=tuple(t.path for t in targets),
        overrides=values,
        config_file=options.config,
        isolated=options.isolated,
    )


def has_cuda(python: str) -> bool:
    """Whether that interpreter's torch sees a CUDA device; torch is imported there, not here."""
    import subprocess

    code = "import torch,sys; sys.exit(0 if torch.cuda.is_available() else 1)"
    try:
        return (
            subprocess.run([python, "-c", code], capture_output=True, timeout=120, check=False).returncode
            == 0
        )
    except (OSError, subprocess.TimeoutExpired):
        return False


def finish(outcome, options: argparse.Namespace) -> int:  # type: ignore[no-untyped-def]
    """Write the report and the contract; the exit status."""
    from torch_compile_lint.front import cli
    from torch_compile_lint.verify import contract

    report: Report = outcome.report
    _write(outcome, options)
    cli.say_errors(report)
    worse = 0
    if options.write_contract:
        contract.write(options.write_contract, outcome)
        sys.stderr.write(f"tclint: wrote the contract {options.write_contract}\n")
    if options.contract:
        lines = contract.compare(options.contract, outcome)
        worse = len(lines)
        sys.stderr.write("".join(f"tclint: contract: {line}\n" for line in lines))
    if outcome.interrupted:
        return cli.INTERRUPTED
    if report.errors:
        return cli.FAILED
    if options.contract:
        return cli.FOUND if worse else cli.CLEAN
    if options.write_contract or options.exit_zero:
        return cli.CLEAN
    confirmed = any(
        f.verdict and f.verdict.outcome == "confirmed" and not f.suppressed for f in report.findings
    )
    return cli.FOUND if confirmed or report.missed else cli.CLEAN


def _write(outcome, options: argparse.Namespace) -> None:  # type: ignore[no-untyped-def]
    from torch_compile_lint.front import cli, terminal
    from torch_compile_lint.report import Style, render

    read: Callable[[str], str] = cli.reader({})
    here = options.output is None
    width = terminal.terminal_width(sys.stdout) if here and sys.stdout.isatty() else 100
    if options.format in ("json", "concise"):
        text = render(outcome.report, options.format, Style(read=read, width=width))
    elif options.format == "html":
        from torch_compile_lint.report import html

        facts = html.Facts(outcome.torch, options.device, options.backend, table(outcome))
        text = html.render(outcome.report, facts, read)
    else:
        from torch_compile_lint.report import verdicts

        color = here and terminal.use_color(sys.stdout)
        told = verdicts.Facts(outcome.torch, options.device, table(outcome))
        text = verdicts.render(outcome.report, told, read, width, color)
    cli.write(text, options.output)


def table(outcome) -> tuple[dict[str, object], ...]:  # type: ignore[no-untyped-def]
    """One row for each probe that ran or could not: what it was, its graphs and breaks, or why not."""
    from torch_compile_lint.verify import modules

    return tuple(modules.rows(outcome))
