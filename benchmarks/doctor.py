"""The doctor against a hand-written torch.utils.benchmark of the same models, and its own wall time.

Usage: python benchmarks/doctor.py [--python EXE] [--backend B] [--full] [MODEL ...]
A model is what `tclint doctor` takes (timm:resnet18, torchvision:..., transformers:...). Prints a table:
medians of both, whether each lies within the other's spread, and the walk's wall time over the sum of
what it reports as compile and timing time. `--planted` runs fixtures/doctor instead and prints whether
each planted reason is named.
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
MODELS = ("timm:resnet18", "timm:vit_tiny_patch16_224", "torchvision:mobilenet_v2", "transformers:BertModel")

HAND = """
import json, sys
import torch
from torch.utils import benchmark
sys.path.insert(0, sys.argv[1])
import importlib.util
spec = importlib.util.spec_from_file_location(
    "tclint_worker", sys.argv[1] + "/__init__.py", submodule_search_locations=[sys.argv[1]])
package = importlib.util.module_from_spec(spec); sys.modules["tclint_worker"] = package
spec.loader.exec_module(package)
from tclint_worker import doctor_offers
library, name = sys.argv[2].split(":")
target = doctor_offers.build(library, name, True)
args, kwargs = target.calls[0]
model = target.fn.eval()
compiled = torch.compile(model, backend=sys.argv[3])
out = {}
with torch.no_grad():
    for label, fn in (("eager", model), ("compiled", compiled)):
        for _ in range(3):
            fn(*args, **kwargs)
        timer = benchmark.Timer("fn(*args, **kwargs)", globals=dict(fn=fn, args=args, kwargs=kwargs),
                                num_threads=torch.get_num_threads())
        found = timer.blocked_autorange(min_run_time=1.0)
        out[label] = [found.median, *[float(q) for q in (found._p25, found._p75)]]
print(json.dumps(out))
"""


def doctor(arguments: list[str]) -> tuple[dict[str, Any], float]:
    """The doctor's JSON and its wall time."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in ("lint", "rules"))}
    command = [sys.executable, "-m", "torch_compile_lint", "doctor", *arguments, "--format", "json"]
    started = time.monotonic()
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=env, check=False)
    if not run.stdout:
        raise SystemExit(run.stderr.strip())
    return json.loads(run.stdout), time.monotonic() - started


def compare(model: str, python: str, backend: str, full: bool) -> dict[str, Any]:
    """One row of the table."""
    skip = [] if full else ["--skip", "ablation,shapes,advice,backends,cache"]
    told, wall = doctor([model, "--python", python, "--tiny", "--backend", backend, *skip])
    main = told["measured"]["main"]
    worker = ROOT / "lint" / "torch_compile_lint" / "worker"
    hand = subprocess.run(
        [python, "-c", HAND, str(worker), model, backend], capture_output=True, text=True, check=False
    )
    if hand.returncode:
        raise SystemExit(hand.stderr.strip().splitlines()[-1])
    other = json.loads(hand.stdout)
    row: dict[str, Any] = {"model": model, "verdict": told["verdict"]["name"], "wall": wall}
    for name in ("eager", "compiled"):
        ours, (median, low, high) = main[name], other[name]
        row[name] = (ours["median"], median)
        row[name + " agrees"] = low <= ours["high"] and ours["low"] <= high
    row["reported"] = sum(told["measured"]["seconds"].values())
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("models", nargs="*")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--backend", default="inductor")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--planted", action="store_true")
    options = parser.parse_args()
    if options.planted:
        for name, wanted in PLANTED.items():
            path = f"fixtures/doctor/planted.py:{name}"
            factory = "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")
            inputs = ["--inputs", f"fixtures/doctor/planted.py:{factory}"]
            told, wall = doctor([path, *inputs, "--python", options.python, "--backend", options.backend])
            found = told["verdict"]["name"]
            print(
                f"{name:12} {wanted:24} {found:24} {'yes' if found == wanted else 'NO'}  {wall:.0f} s",
                flush=True,
            )
        return
    print("| model | verdict | eager, doctor / by hand (ms) | compiled (ms) | within spread | walk (s) |")
    print("|---|---|---|---|---|---|")
    for model in options.models or MODELS:
        row = compare(model, options.python, options.backend, options.full)
        pairs = [" / ".join(f"{1e3 * value:.3g}" for value in row[name]) for name in ("eager", "compiled")]
        agrees = ", ".join("yes" if row[f"{name} agrees"] else "no" for name in ("eager", "compiled"))
        print(
            f"| {model} | {row['verdict']} | {pairs[0]} | {pairs[1]} | {agrees} | {row['wall']:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
