"""Findings with and without the screen between functions and rules, over whole libraries.

    python screen.py FOLDER... [--target-torch RELEASE]

Prints one row per folder: findings of every confidence, whether they are equal to the last
letter, and the processor seconds of both runs. Exits with 1 where they differ.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

SWITCH = "TCLINT_NO_SCREEN"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--target-torch")
    options = parser.parse_args()
    print("| folder | findings | equal | with, CPU s | without, CPU s |\n|---|---:|---|---:|---:|")
    different = 0
    for folder in options.folders:
        screened, seconds = report(folder, options.target_torch, off=False)
        whole, slower = report(folder, options.target_torch, off=True)
        different += screened != whole
        count = len(screened.splitlines())
        equal = "yes" if screened == whole else "NO"
        print(f"| {folder.name} | {count} | {equal} | {seconds:.0f} | {slower:.0f} |", flush=True)
    return 1 if different else 0


def report(folder: Path, target: str | None, off: bool) -> tuple[str, float]:
    """The concise report of a folder, and the processor time it took."""
    environment = {key: value for key, value in os.environ.items() if key != SWITCH}
    if off:
        environment[SWITCH] = "1"
    command = [sys.executable, "-m", "torch_compile_lint", "check", folder.name, "--isolated", "--exit-zero"]
    command += ["--no-cache", "--format", "concise", "--min-confidence", "possible"]
    if target:
        command += ["--target-torch", target]
    used = os.times()
    run = subprocess.run(command, cwd=folder.parent, env=environment, capture_output=True, text=True)
    now = os.times()
    if run.returncode not in (0, 2):
        sys.exit(f"{folder}: status {run.returncode}: {run.stderr.strip()[-300:]}")
    seconds = now.children_user + now.children_system - used.children_user - used.children_system
    return run.stdout + run.stderr, seconds


if __name__ == "__main__":
    sys.exit(main())
