"""Time tclint beside the tools people already run, over the same files, in one go.

    python speed.py SOURCES/timm/models [--torchfix PYTHON] [--memory SOURCES/transformers] [--quick]

Everything is measured as a whole process, start included, except that parsers get a script that
reads every file. Ratios are printed beside seconds, since only ratios survive a change of machine.
Wall time is what people wait; where other programs share the machine, processor time (user and
system, workers included) is what can be trusted: half of it is the least that two workers need.
``--torchfix`` names the interpreter of an environment with torchfix, which pins an older libcst;
ruff and flake8 are taken from the interpreter that runs this script.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PARSE_ALL = """
import pathlib, sys
{setup}
for path in sorted(pathlib.Path(sys.argv[1]).rglob('*.py')):
    {parse}(path.read_text())
"""
# As after an installation, which leaves compiled modules behind: else each start would compile ours.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
TCLINT = [sys.executable, "-m", "torch_compile_lint"]


@dataclass(frozen=True)
class Timing:
    name: str
    seconds: float
    processor: float  # seconds of user and system time, children included


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sources", type=Path)
    parser.add_argument("--torchfix", help="python of an environment that has torchfix")
    parser.add_argument("--memory", type=Path, help="a large package: peak memory, and growth at four sizes")
    parser.add_argument("--runs", type=int, default=3, help="the fastest of this many (slow tools run once)")
    parser.add_argument("--quick", action="store_true", help="leave out flake8 and torchfix")
    parser.add_argument("--growth-only", action="store_true", help="measure nothing but --memory")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    lines = count_lines(options.sources)
    files = len(list(options.sources.rglob("*.py")))
    heading = setting()
    print(heading)
    print(f"{options.sources}: {files} files, {lines:,} lines; best of {options.runs}\n", flush=True)
    timings = [] if options.growth_only else others(options) + ours(options)
    if timings:
        print(table(timings))
    memory = []
    if options.memory:
        memory = growth(options.memory)
        print("\n" + growth_table(memory))
    if options.json:
        report = {
            "setting": heading,
            "sources": "/".join(options.sources.resolve().parts[-2:]),
            "files": files,
            "lines": lines,
            "timings": [vars(t) for t in timings],
            "package": options.memory.name if options.memory else "",
            "growth": memory,
        }
        options.json.parent.mkdir(exist_ok=True)
        options.json.write_text(json.dumps(report, indent=1) + "\n")


def setting() -> str:
    """When, on what, with which versions, and how busy the machine is with other things."""
    versions = []
    for name in ("libcst", "ruff", "flake8"):
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    today = datetime.date.today().isoformat()
    python = platform.python_version()
    return f"{today}, {cores} cores, load {load:.1f}; Python {python}, {', '.join(versions)}"


def others(options: argparse.Namespace) -> list[Timing]:
    folder = str(options.sources)
    python = sys.executable
    script = {
        "libcst.parse_module": PARSE_ALL.format(setup="import libcst", parse="libcst.parse_module"),
        "ast.parse": PARSE_ALL.format(setup="import ast", parse="ast.parse"),
    }
    timings = [
        measure("python -c pass", [python, "-c", "pass"], max(options.runs, 5)),
        *(measure(name, [python, "-c", text, folder], options.runs) for name, text in script.items()),
        measure("ruff --no-cache", [python, "-m", "ruff", "check", "--no-cache", "-q", folder], options.runs),
    ]
    if not options.quick:
        timings.append(measure("flake8 -j 2", [python, "-m", "flake8", "-j", "2", "--isolated", folder], 1))
        if options.torchfix:
            timings.append(
                measure("torchfix", [options.torchfix, "-m", "torchfix", "--select", "ALL", folder], 1)
            )
    return timings


def ours(options: argparse.Namespace) -> list[Timing]:
    """The cache lies in a copy of the sources, so that a run may change a file."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch, options.sources.name)
        shutil.copytree(options.sources, copy, ignore=shutil.ignore_patterns("__pycache__"))
        check = [*TCLINT, "check", copy.name, "--isolated", "--exit-zero", "--format", "concise", "-j", "2"]

        def fresh() -> None:
            for cache in list(Path(scratch).rglob(".torch_compile_lint_cache")):
                shutil.rmtree(cache)

        victim = max(copy.rglob("*.py"), key=lambda p: p.stat().st_size)
        text = victim.read_text()
        edits = iter(range(10**6))

        def edit_one_function() -> None:
            victim.write_text(insert_statement(text, next(edits)))

        plain = Path(scratch, "plain.py")
        plain.write_text(
            "import json\n\n\ndef read(path):\n    with open(path) as file:\n        return json.load(file)\n"
        )
        one = [*TCLINT, "check", plain.name, "--isolated", "--exit-zero", "--format", "concise"]
        runs = options.runs
        return [
            measure("tclint, cold", check, runs, before=fresh, cwd=scratch),
            measure("tclint, warm", check, runs, cwd=scratch),
            measure("tclint, one function changed", check, runs, before=edit_one_function, cwd=scratch),
            measure("tclint --version", [*TCLINT, "--version"], max(runs, 5), cwd=scratch),
            measure("tclint, one file without torch", one, max(runs, 5), cwd=scratch),
        ]


def insert_statement(text: str, number: int) -> str:
    """``text`` with one statement more at the start of the first forward method's body."""
    lines = text.splitlines(keepends=True)
    start = next(i for i, line in enumerate(lines) if line.lstrip().startswith("def forward("))
    header_end = next(i for i in range(start, len(lines)) if lines[i].rstrip().endswith(":"))
    indent = lines[start][: len(lines[start]) - len(lines[start].lstrip())] + "    "
    lines.insert(header_end + 1, f"{indent}changed_{number} = {number}\n")
    return "".join(lines)


def measure(
    name: str,
    command: list[str],
    runs: int,
    before: Callable[[], None] | None = None,
    cwd: str | None = None,
) -> Timing:
    """The fastest of ``runs`` by wall time; ``before`` is not part of it."""
    best: Timing | None = None
    for _ in range(runs):
        if before is not None:
            before()
        used, started = os.times(), time.perf_counter()
        run = subprocess.run(
            command, cwd=cwd, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        seconds, now = time.perf_counter() - started, os.times()
        if run.returncode not in (0, 1) or "No module named" in run.stderr:
            sys.exit(f"{name} failed with status {run.returncode}: {run.stderr.strip()[-300:]}")
        processor = now.children_user + now.children_system - used.children_user - used.children_system
        if best is None or seconds < best.seconds:
            best = Timing(name, seconds, processor)
    assert best is not None
    print(f"  {best.name}: {best.seconds:.2f} s", file=sys.stderr, flush=True)
    return best


def table(timings: list[Timing]) -> str:
    by_name = {t.name: t for t in timings}
    bases = [n for n in ("libcst.parse_module", "ruff --no-cache", "python -c pass") if n in by_name]
    heads = [head for base in bases for head in (f"x {base}", "in CPU")]
    rows = ["| | seconds | CPU s | " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) + 2)]
    for timing in timings:
        ratios = []
        for base in bases:
            ratios.append(f"{timing.seconds / by_name[base].seconds:.2f}")
            ratios.append(f"{timing.processor / max(by_name[base].processor, 0.001):.2f}")
        rows.append(
            f"| {timing.name} | {timing.seconds:.2f} | {timing.processor:.2f} | {' | '.join(ratios)} |"
        )
    cold = by_name["tclint, cold"]
    faster = [
        f"{n} takes {by_name[n].seconds / cold.seconds:.0f} times as long"
        f" ({by_name[n].processor / cold.processor:.0f} in CPU)"
        for n in ("flake8 -j 2", "torchfix")
        if n in by_name
    ]
    return "\n".join([*rows, *(["", "Against a cold run: " + "; ".join(faster) + "."] if faster else [])])


def growth(package: Path) -> list[dict[str, float]]:
    """Cold runs over an eighth, a quarter, a half and all of the package.

    A share is every eighth (fourth, second) of the folders in its largest folder (transformers'
    ``models``) and everything beside them: leaving out files that all others import would leave
    out what there is to follow, too.
    """
    files = sorted(package.rglob("*.py"))
    folders = [package, *(p for p in package.rglob("*") if p.is_dir() and p.name != "__pycache__")]
    largest = max(folders, key=lambda p: sum(q.is_dir() for q in p.iterdir()))
    shelves = {name: number for number, name in enumerate(sorted(p.name for p in largest.iterdir()))}
    found = []
    for share in (8, 4, 2, 1):

        def taken(path: Path, share: int = share) -> bool:
            inner = largest in path.parents and path.parent != largest
            return not inner or shelves[path.relative_to(largest).parts[0]] % share == 0

        with tempfile.TemporaryDirectory() as scratch:
            chosen = [path for path in files if taken(path)]
            for path in chosen:
                target = Path(scratch, package.name, path.relative_to(package))
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
            lines = count_lines(Path(scratch))
            command = [*TCLINT, "check", package.name, "--isolated", "--exit-zero", "--format", "concise"]
            used = os.times()
            seconds, peak = watched([*command, "-j", "2", "--no-cache"], scratch)
            now = os.times()
            processor = now.children_user + now.children_system - used.children_user - used.children_system
            row = {"files": len(chosen), "lines": lines, "seconds": seconds, "cpu": processor}
            found.append({**row, "megabytes": peak})
            text = f"  {package.name} 1/{share}: {seconds:.1f} s, {processor:.1f} s of CPU, {peak:.0f} MB"
            print(text, file=sys.stderr, flush=True)
    return found


def watched(command: list[str], cwd: str) -> tuple[float, float]:
    """Wall seconds, and the peak of the memory of the process and its workers together (shared pages
    counted once, which needs Linux)."""
    started = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, env=ENVIRONMENT, stdout=subprocess.DEVNULL)
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, sum(_proportional_megabytes(pid) for pid in _family(process.pid)))
        time.sleep(0.1)
    if process.returncode != 0:
        print(f"  status {process.returncode}: {' '.join(command)}", file=sys.stderr, flush=True)
    return time.perf_counter() - started, peak


def _family(pid: int) -> list[int]:
    found, pending = [], [pid]
    while pending:
        current = pending.pop()
        found.append(current)
        try:
            children = Path(f"/proc/{current}/task/{current}/children").read_text().split()
        except OSError:
            continue
        pending.extend(map(int, children))
    return found


def _proportional_megabytes(pid: int) -> float:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) / 1024


def growth_table(rows: list[dict[str, float]]) -> str:
    out = [
        "| files | lines | seconds | CPU s | CPU s per 100,000 lines | peak memory, MB |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        rate = row["cpu"] / row["lines"] * 1e5
        counts = f"{row['files']:.0f} | {row['lines']:,.0f} | {row['seconds']:.0f} | {row['cpu']:.0f}"
        out.append(f"| {counts} | {rate:.1f} | {row['megabytes']:.0f} |")
    return "\n".join(out)


def count_lines(folder: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in folder.rglob("*.py"))


if __name__ == "__main__":
    main()
