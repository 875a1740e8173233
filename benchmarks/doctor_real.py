"""Does the doctor name the right reason on real models? Fifty of them, most with one reason planted.

Usage: python benchmarks/doctor_real.py [--python EXE] [--rows FILE] [--table]
EXE has torch, timm, torchvision and transformers. Thirty models of timm and torchvision and twenty of
transformers (a to m): of each five one is left as it is and the others get one planted reason each
(doctor_plants.py). A model that is left as it is gets timed by hand too, with torch.utils.benchmark in
three processes. Rows are appended to FILE as JSON lines as they come, and rows that it holds already are
not run again. `--table` prints the tables from FILE. Nothing else may run on the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from doctor import ROOT, doctor

_VISION = """
    timm:test_resnet timm:test_vit timm:test_vit2 timm:test_convnext timm:test_efficientnet
    timm:test_byobnet timm:resnet18 timm:vit_tiny_patch16_224 timm:test_maxvit timm:test_efficientnet_gn
    timm:test_convnext2 timm:test_mambaout timm:mobilenetv3_small_100 timm:test_vit3 timm:test_nfnet
    timm:test_vit_relpos timm:test_coatnet timm:deit_tiny_patch16_224 timm:resnet26
    timm:test_efficientnet_evos torchvision:resnet18 torchvision:squeezenet1_1 torchvision:mobilenet_v2
    torchvision:mnasnet0_5 torchvision:shufflenet_v2_x0_5 torchvision:alexnet
    torchvision:mobilenet_v3_small torchvision:resnet34 torchvision:vgg11 torchvision:regnet_y_400mf
"""
_LANGUAGE = """
    BertModel AlbertModel BartModel BlenderbotModel BloomModel CamembertModel CLIPTextModel
    ConvBertModel DebertaModel DistilBertModel ElectraModel ErnieModel FNetModel GemmaModel GPT2Model
    GPTNeoModel GPTNeoXModel LlamaModel MBartModel MistralModel
"""
PLANTS = {
    "loop": "breaks-in-hot-code",
    "counter": "recompiles",
    "tiny": "too-small",
    "disabled": "disabled-hot-function",
    "shape": "data-dependent-shape",
    "storm": "breaks-in-hot-code",
}
FASTER = "faster-with-breaks"
SKIP = "ablation,shapes,advice,backends,cache"

HAND = """
import json, sys
sys.path.insert(0, sys.argv[1])
import torch
from torch.utils import benchmark
from doctor_plants import build
model, args, kwargs = build(sys.argv[2])
compiled = torch.compile(model)
out = {}
with torch.no_grad():
    for label, fn in (("eager", model), ("compiled", compiled)):
        for _ in range(3):
            fn(*args, **kwargs)
        timer = benchmark.Timer("fn(*args, **kwargs)", globals=dict(fn=fn, args=args, kwargs=kwargs),
                                num_threads=torch.get_num_threads())
        found = timer.blocked_autorange(min_run_time=1.0)
        out[label] = [found.median, float(found._p25), float(found._p75)]
print(json.dumps(out))
"""


def rows() -> list[tuple[str, str]]:
    """Model and plant of each of the fifty runs: every fifth as it is (and every third of the small ones)."""
    models = [*_VISION.split(), *(f"transformers:{name}" for name in _LANGUAGE.split())]
    plants = list(PLANTS)
    found, turn = [], 0
    for number, model in enumerate(models):
        if number % 5 in (0, 2):
            found.append((model, ""))
        else:
            found.append((model, plants[turn % len(plants)]))
            turn += 1
    return found


def walk(model: str, plant: str, python: str, skip: str) -> tuple[dict[str, Any], float]:
    """The doctor's JSON on a model with a plant, and the wall time of the walk."""
    limits = ["--python", python, "--budget", "1800", "--timeout", "900", *(["--skip", skip] if skip else [])]
    if not plant:
        return doctor([model, "--tiny", *limits])
    with tempfile.TemporaryDirectory() as folder:
        here = str(ROOT / "benchmarks")
        source = f"import sys\nsys.path.insert(0, {here!r})\nfrom doctor_plants import planted\n\n\n"
        source += f"def inputs():\n    return planted({model!r}, {plant!r})\n"
        file = Path(folder) / "planted_model.py"
        file.write_text(source, encoding="utf-8")
        told, wall = doctor([f"{file}:inputs", "--inputs", f"{file}:inputs", *limits])
        if "failed" in told:
            told["failed"] = told["failed"].replace(f"{folder}{os.sep}", "")
        return told, wall


def run_one(model: str, plant: str, python: str, skip: str) -> dict[str, Any]:
    """One row."""
    told, wall = walk(model, plant, python, skip)
    row: dict[str, Any] = {"model": model, "plant": plant, "wall": round(wall, 1)}
    if "failed" in told:
        return {**row, "failed": told["failed"]}
    measured = told["measured"]
    main = measured.get("main") or {}
    row |= {
        "processes": len(main.get("runs", [])),
        "verdict": told["verdict"]["name"],
        "text": told["verdict"]["text"],
        "evidence": list(told["verdict"]["evidence"]),
        "remarks": [one["name"] for one in told.get("remarks", [])],
        "seconds": measured["seconds"],
        "reported": round(reported(measured), 1),
    }
    for name in ("eager", "compiled"):
        if main.get(name):
            row[name] = [main[name][key] for key in ("median", "low", "high")]
    if not plant:
        row["hand"] = by_hand(model, python)
    return row


def by_hand(model: str, python: str, processes: int = 3) -> dict[str, list[float]] | None:
    """Median and quartiles of eager and compiled, by torch.utils.benchmark in processes of their own.

    Of several processes the median of the medians, and the outermost quartiles: one process alone is as far
    from the next by hand as it is for the doctor.
    """
    found = []
    for _ in range(processes):
        command = [python, "-c", HAND, str(ROOT / "benchmarks"), model]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return None
        found.append(json.loads(done.stdout.splitlines()[-1]))
    return {
        name: [
            statistics.median(one[name][0] for one in found),
            min(one[name][1] for one in found),
            max(one[name][2] for one in found),
        ]
        for name in ("eager", "compiled")
    }


def reported(measured: dict[str, Any]) -> float:
    """Seconds of compiling and timing that a walk reports."""
    configurations = [measured.get("main"), *measured.get("others", []), *measured.get("ablations", [])]
    total = sum((one or {}).get("compile_seconds") or 0.0 for one in configurations)
    runs = [run for one in configurations if one for run in one.get("runs", [])]
    total += len(runs)  # a second of timing each
    total += sum(run["compile_seconds"] or 0.0 for run in (measured.get("main") or {}).get("runs", [])[1:])
    total += measured.get("warm_cache_seconds") or 0.0
    for step in (measured.get("observed"), measured.get("split"), *measured.get("shapes", {}).values()):
        total += float((step or {}).get("took", 0.0))
    return total + sum(float(one.get("took", 0.0)) for one in measured.get("advice", []))


def named(row: dict[str, Any]) -> bool:
    """Whether the doctor says what was planted; a model left as it is must be judged as by hand.

    A plant can have another consequence that weighs more (a function that is called with many shapes meets
    the recompile limit, a model can be faster all the same): then the line that was planted must be named.
    """
    verdict = row.get("verdict", "")
    if row["plant"]:
        evidence = " ".join(row.get("evidence", []))
        place = "disable()`d function" if row["plant"] == "disabled" else "doctor_plants.py:"
        return verdict == PLANTS[row["plant"]] or place in evidence
    hand = row.get("hand")
    if not hand:
        return False
    (eager, low, _), (compiled, _, high) = hand["eager"], hand["compiled"]
    if verdict in ("healthy", FASTER):
        return bool(eager > compiled)
    return bool(low <= high or eager / compiled < 1.1)


def agrees(row: dict[str, Any], name: str) -> bool:
    """Whether the median by hand lies within the doctor's spread."""
    (_, low, high), (median, _, _) = row[name], row["hand"][name]
    return bool(low <= median <= high)


def tables(found: list[dict[str, Any]]) -> str:
    """Both tables, in Markdown."""
    lines = ["| model | planted | verdict | right | walk, s |", "|---|---|---|---|--:|"]
    for row in found:
        told = row.get("verdict") or row.get("failed", "")
        right = "yes" if named(row) else "**no**"
        lines.append(f"| {row['model']} | {row['plant'] or '-'} | {told} | {right} | {row['wall']:.0f} |")
    judged = [row for row in found if not row["plant"] and row.get("hand") and "compiled" in row]
    within = sum(agrees(row, name) for row in judged for name in ("eager", "compiled"))
    rightly = sum(named(row) for row in found)
    medians = f"{within} of {2 * len(judged)} medians within the spread"
    if judged:
        medians += (
            f"; a walk at most {max(r['wall'] / r['reported'] for r in judged):.2f} times what it reports"
        )
    lines.insert(0, f"{rightly} of {len(found)} verdicts right; {medians}.\n")
    lines += [
        "",
        "| model | verdict | eager: median, spread / by hand (ms) | compiled (ms) | within spread"
        " | walk over reported, s |",
        "|---|---|--:|--:|---|--:|",
    ]
    for row in judged:
        pairs = []
        for name in ("eager", "compiled"):
            median, low, high = (f"{1e3 * seconds:.3g}" for seconds in row[name])
            pairs.append(f"{median}, {low} to {high} / {1e3 * row['hand'][name][0]:.3g}")
        both = ", ".join("yes" if agrees(row, name) else "no" for name in ("eager", "compiled"))
        cells = [row["model"], row["verdict"], *pairs, both, f"{row['wall']:.0f} / {row['reported']:.0f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rows", type=Path, default=Path("doctor-rows.jsonl"))
    parser.add_argument("--table", action="store_true", help="print the tables from the rows, run nothing")
    parser.add_argument("--full", nargs="*", metavar="MODEL", help="whole walks of these models instead")
    options = parser.parse_args()
    text = options.rows.read_text("utf-8") if options.rows.exists() else ""
    found = [json.loads(line) for line in text.splitlines()]
    if options.table:
        print(tables(found))
        return
    done = {(row["model"], row["plant"]) for row in found}
    wanted = [(model, "") for model in options.full] if options.full else rows()
    for number, (model, plant) in enumerate(wanted):
        if (model, plant) in done and not options.full:
            continue
        row = run_one(model, plant, options.python, "" if options.full else SKIP)
        with options.rows.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(row) + "\n")
        told = row.get("verdict") or row.get("failed")
        seconds = f"{row['wall']:.0f} s, {row.get('reported', 0):.0f} reported"
        print(f"{number + 1}/{len(wanted)} {model} {plant or '-'}: {told} ({seconds})", flush=True)


if __name__ == "__main__":
    main()
