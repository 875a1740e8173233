"""How often verification can tell: verdicts of all findings in installed model libraries.

    python benchmarks/verdicts.py --python EXE [--every N] [--folder DIR] [--reasons] NAME ...

NAME is a library, or a part of one: ``torchvision``, ``timm``, ``transformers:a-m`` (families by first
letter). EXE is an interpreter that has them and torch. Each library is checked as a whole and its findings
verified with no input given by hand; ``--every N`` takes every N-th family or file, counted from the first.
Results are kept in DIR, so a run that was stopped goes on where it was. Prints the table of the README.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
ORDER = ("confirmed", "refuted", "not-reached", "could-not-run")


def main() -> int:
    options = _options()
    rows = []
    for name in options.names:
        report, seconds = _verify(name, options)
        rows.append(_row(name, report, seconds, options.every))
        if options.reasons:
            _reasons(report)
    print("| library | files | findings | " + " | ".join(ORDER) + " | missed | told | minutes |")
    print("|---|" + "--:|" * 9)
    for row in rows:
        print("| " + " | ".join(row) + " |")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="+")
    parser.add_argument("--python", required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first family or file")
    parser.add_argument("--folder", type=Path, default=Path("verdicts"))
    parser.add_argument("--jobs", default="1")
    parser.add_argument("--timeout", default="60")
    parser.add_argument("--reasons", action="store_true", help="also why the others could not be run")
    return parser.parse_args()


def _paths(name: str, options: argparse.Namespace) -> list[str]:
    """The files and folders that stand for ``name``, in the interpreter's own copy of the library."""
    library, _, letters = name.partition(":")
    code = f"import importlib.util; print(importlib.util.find_spec({library!r}).origin)"
    found = subprocess.run([options.python, "-c", code], capture_output=True, text=True, check=True)
    home = Path(found.stdout.strip()).parent
    if not letters:
        paths = [home]
    else:
        pattern = re.compile(f"[{letters}]")
        paths = sorted(p for p in (home / "models").iterdir() if p.is_dir() and pattern.match(p.name))
    if options.every > 1 and len(paths) == 1:
        paths = sorted(p for p in home.rglob("*.py"))
    return [str(path) for path in paths[options.first :: options.every]]


def _verify(name: str, options: argparse.Namespace) -> tuple[dict[str, Any], float]:
    folder = options.folder / f"{name.replace(':', '-')}-{options.first}-{options.every}"
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "torch_compile_lint", "verify", *_paths(name, options)]
    command += ["--python", options.python, "--format", "json", "--output", "report.json", "--isolated"]
    command += ["-j", options.jobs, "--timeout", options.timeout]
    started = time.monotonic()
    done = subprocess.run(command, cwd=folder, check=False)
    if done.returncode not in (0, 1, 130):
        raise SystemExit(f"{name}: tclint ended with status {done.returncode}")
    try:
        report: dict[str, Any] = json.loads((folder / "report.json").read_text("utf-8"))
    except OSError:
        raise SystemExit(f"{name}: stopped before tclint wrote a report; run it again to go on") from None
    return report, time.monotonic() - started


def _row(name: str, report: dict[str, Any], seconds: float, every: int) -> list[str]:
    tried = [f for f in report["findings"] if "not run: interrupted" not in f["verdict"]["detail"]]
    counts = Counter(finding["verdict"]["outcome"] for finding in tried)
    total = sum(counts.values())
    told = f"{100 * (total - counts['could-not-run']) / total:.0f} %" if total else "-"
    shown = name if every == 1 else f"{name}, 1 in {every}"
    if len(tried) < len(report["findings"]):
        shown += f", stopped before {len(report['findings']) - len(tried)} findings"
    numbers = [str(report["stats"]["files"]), str(total), *(str(counts[word]) for word in ORDER)]
    return [shown, *numbers, str(len(report["missed"])), told, f"{seconds / 60:.0f}"]


def _reasons(report: dict[str, Any]) -> None:
    rows: Counter[tuple[str, str]] = Counter()
    for finding in report["findings"]:
        if finding["verdict"]["outcome"] == "could-not-run":
            rows[Path(finding["path"]).name, finding["verdict"]["detail"]] += 1
    for (file, reason), number in sorted(rows.items()):
        print(f"{number:4} {file}: {reason}")


if __name__ == "__main__":
    sys.exit(main())
