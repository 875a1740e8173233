"""The doctor on programs with one planted reason each, fixtures/doctor/planted.py: is it named?

Usage: python benchmarks/doctor.py [--python EXE] [--backend B]
Prints a line for each program: what is planted, what the doctor says, and the walk's wall time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PLANTED = {
    "HotLoop": "breaks-in-hot-code",
    "Counter": "recompiles",
    "Tiny": "too-small",
    "Disabled": "disabled-hot-function",
    "DataShape": "data-dependent-shape",
    "Nothing": "falls-back",
    "Healthy": "healthy",
    "Broken": "does-not-compile",
}


def doctor(arguments: list[str]) -> tuple[dict[str, Any], float]:
    """The doctor's JSON, or ``{"failed": why}``, and its wall time in seconds."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in ("lint", "rules"))}
    command = [sys.executable, "-m", "torch_compile_lint", "doctor", *arguments, "--format", "json"]
    started = time.monotonic()
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=env, check=False)
    wall = time.monotonic() - started
    if not run.stdout:
        return {"failed": (run.stderr.strip().splitlines() or ["no output"])[-1]}, wall
    return json.loads(run.stdout), wall


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--backend", default="inductor")
    options = parser.parse_args()
    for name, wanted in PLANTED.items():
        path = f"fixtures/doctor/planted.py:{name}"
        factory = "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")
        inputs = ["--inputs", f"fixtures/doctor/planted.py:{factory}"]
        told, wall = doctor([path, *inputs, "--python", options.python, "--backend", options.backend])
        found = told["failed"] if "failed" in told else told["verdict"]["name"]
        right = "yes" if found == wanted else "NO"
        print(f"{name:12} {wanted:24} {found:24} {right}  {wall:.0f} s", flush=True)


if __name__ == "__main__":
    main()
