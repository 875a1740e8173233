"""What tclint costs in the places people run it: inside flake8, as a pre-commit hook, as a SARIF upload.

    python places.py [MODEL.py ...] [--package SOURCES/transformers] [--files SOURCES/timm] [--runs N]

Every ratio compares two commands run alternately on the same machine over the same files, by the least
processor time (user and system, children included) of ``--runs`` runs, which other load disturbs least.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from speed import ENVIRONMENT, insert_statement

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            x = x + 1
        return x
"""
# flake8 with or without this plugin in one environment: the first argument says which.
FLAKE8 = """
import sys
from flake8.plugins import finder
wanted = sys.argv.pop(1) == 'with'
found = finder._find_importlib_plugins
def plugins():
    for plugin in found():
        if plugin.entry_point.name != 'TCD':
            yield plugin
    if wanted:
        from importlib.metadata import EntryPoint
        entry = EntryPoint('TCD', 'torch_compile_lint.front.flake8:Checker', 'flake8.extension')
        yield finder.Plugin('torch-compile-lint', '0', entry)
finder._find_importlib_plugins = plugins
from flake8.main.cli import main
sys.exit(main())
"""
CHECK = [sys.executable, "-m", "torch_compile_lint", "check", "--format", "concise"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("models", type=Path, nargs="*", help="model files to run one at a time")
    parser.add_argument("--package", type=Path, help="a large package: how long its SARIF takes to write")
    parser.add_argument("--files", type=Path, help="a folder: 1, 30 and 500 files of it as a pre-commit run")
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    rows = [("what", "tclint", "flake8", "ratio")]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for path in plain_files():
            rows.append(overhead(path, folder, options.runs))
        (folder / "net.py").write_text(NET)
        for path in [folder / "net.py", *options.models]:
            rows += one_file(path.resolve(), options.runs)
    print(table(rows))
    if options.files:
        print("\n" + table([("files", "cold", "warm"), *batches(options.files)]))
    if options.package:
        print(f"\nSARIF of {options.package.name}: {sarif(options.package)}")


def plain_files() -> list[Path]:
    """Files of the standard library that have nothing to do with torch."""
    folder = Path(os.__file__).parent
    return [folder / name for name in ("textwrap.py", "shutil.py", "argparse.py")]


def overhead(path: Path, folder: Path, runs: int) -> tuple[str, ...]:
    """flake8 with the plugin against flake8 without it."""
    copy = folder / f"plain_{path.name}"
    shutil.copy(path, copy)
    command = [sys.executable, "-c", FLAKE8]
    tail = ["--isolated", "-j", "1", "--exit-zero", "-q", str(copy)]
    without, with_it = alternately([[*command, "without", *tail], [*command, "with", *tail]], folder, runs)
    lines = path.read_bytes().count(b"\n")
    share = (with_it - without) / without * 100
    return (
        f"flake8 plugin, {path.name} ({lines} lines)",
        f"{with_it:.3f} s",
        f"{without:.3f} s",
        f"+{share:.1f} %",
    )


def one_file(path: Path, runs: int) -> list[tuple[str, ...]]:
    """One file of a project as a hook gets it: never seen before, as last time, one function changed."""
    top = path.parent
    while (top / "__init__.py").exists():
        top = top.parent
    with tempfile.TemporaryDirectory() as scratch:
        package = path.relative_to(top).parts[0]
        if top == path.parent:
            shutil.copy(path, scratch)
        else:
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(top / package, Path(scratch, package), ignore=ignored)
        copy = Path(scratch, path.relative_to(top))
        text = copy.read_text()
        cache = Path(scratch, "cache")
        Path(scratch, "tclint.toml").write_text(f"cache-dir = {json.dumps(str(cache))}\n")
        ours = [*CHECK, "--exit-zero", str(copy)]
        flake8 = [sys.executable, "-c", FLAKE8, "without", "--isolated", "-j", "1", "--exit-zero", str(copy)]
        count = iter(range(10**6))

        def forget() -> None:
            shutil.rmtree(cache, ignore_errors=True)

        def edit() -> None:
            copy.write_text(insert_statement(text, next(count)))

        lines = text.count("\n")
        rows = []
        for name, before in (("cold", forget), ("one function changed", edit), ("unchanged", None)):
            mine, theirs = alternately([ours, flake8], Path(scratch), runs, before)
            what = f"{path.name} ({lines} lines), {name}"
            rows.append((what, f"{mine:.3f} s", f"{theirs:.3f} s", f"{mine / theirs:.2f}"))
        return rows


def alternately(
    commands: list[list[str]], folder: Path, runs: int, before: Callable[[], None] | None = None
) -> list[float]:
    """The least processor seconds of each command, run in turn."""
    best = [float("inf")] * len(commands)
    for _ in range(runs):
        for number, command in enumerate(commands):
            if before is not None and number == 0:
                before()
            used = processor_seconds()
            done = subprocess.run(
                command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False
            )
            spent = processor_seconds() - used
            if done.returncode != 0:
                sys.exit(f"{command} failed: {done.stderr.strip()[-400:]}")
            best[number] = min(best[number], spent)
    return best


def processor_seconds() -> float:
    """Of all children so far; finer than the ticks of ``os.times``."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def batches(folder: Path) -> list[tuple[str, ...]]:
    """Processor seconds of one hook run over so many changed files, in a copy of the sources."""
    rows = []
    for count in (1, 30, 500):
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch, folder.name)
            shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("__pycache__"))
            chosen = [str(p) for p in sorted(copy.rglob("*.py"))][:count]
            cold, warm = (timed([*CHECK, "--exit-zero", *chosen], scratch) for _ in range(2))
            rows.append((str(len(chosen)), f"{cold:.1f} s", f"{warm:.2f} s"))
    return rows


def timed(command: list[str], folder: str) -> float:
    before = processor_seconds()
    subprocess.run(command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL, check=True)
    return processor_seconds() - before


def sarif(package: Path) -> str:
    """Seconds to write the report once the analysis is done."""
    from torch_compile_lint.engine import Engine
    from torch_compile_lint.front.cli import reader
    from torch_compile_lint.model import Request
    from torch_compile_lint.report import Style, render

    report = Engine().check(Request((str(package),), isolated=True))
    started = time.perf_counter()
    text = render(report, "sarif", Style(reader({})))
    seconds = time.perf_counter() - started
    return f"{len(report.findings)} findings, {len(text) / 1e6:.1f} MB in {seconds:.2f} s"


def table(rows: list[tuple[str, ...]]) -> str:
    head, *body = rows
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in body)])


if __name__ == "__main__":
    main()
