"""Graph breaks of whole models before and after `tclint --fix --unsafe-fixes --prove`.

    python benchmarks/fixes.py --python EXE --packages DIR [ROW ...] [--output FILE]

EXE has torch; DIR holds the transformers package (`pip install --target DIR transformers==4.52.4`).
The package is copied once; each row's model file is fixed and proved in the copy with the row's own
inputs, and the breaks of one call are counted in both trees. Rows that FILE holds are not measured again:
`python benchmarks/fixes.py --output benchmarks/fixes/rows.jsonl` prints the README's table. GraphMend's
figures for the same rows (arXiv 2509.16248, artifact RESULTS.md: small configurations, fp32, CPU) stand
beside ours.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
# The artifact's counts for the rows of these families, before and after.
GRAPHMEND = {
    "T5": (3, 0),
    "Whisper": (3, 0),
    "BART": (3, 0),
    "Marian": (3, 0),
    "BioGPT": (2, 0),
    "Pegasus": (2, 0),
    "Blenderbot": (3, 0),
    "LayoutLMv3": (2, 0),
    "Grounding-DINO": (16, 7),
    "Longformer": (5, 3),
    "CLAP": (2, 2),
}


def measure(python: str, packages: Path, rows: list[str]) -> dict[str, dict[str, Any]]:
    """What ``measure.py`` says of each row with ``packages`` first on the path."""
    done = subprocess.run(
        [python, str(HERE / "fixes" / "measure.py"), *rows],
        env={**os.environ, "PYTHONPATH": str(packages)},
        capture_output=True,
        text=True,
        check=False,
    )
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {one["row"]: one for one in found}


def fix(python: str, work: Path, file: str, row: str) -> list[str]:
    """Fix and prove one model file in the copy; what tclint said of each fix."""
    name = "inputs_" + row.replace("-", "_")
    command = [
        *(sys.executable, "-m", "torch_compile_lint", "--fix", "--unsafe-fixes", "--prove", "--isolated"),
        *("-j1", "--python", python, "--inputs", f"{HERE / 'fixes' / 'rows.py'}:{name}", "--exit-zero"),
        *("--format", "concise", *(str(work / "transformers" / one) for one in file.split())),
    ]
    path = os.pathsep.join([str(ROOT / "lint"), str(ROOT / "rules"), str(work)])
    done = subprocess.run(
        command, cwd=work, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    return [line for line in done.stderr.splitlines() if line.startswith("tclint:")]


def table(results: list[dict[str, Any]]) -> str:
    """The rows as Markdown, with the sum of those that could be measured."""
    lines = [
        "| model | breaks | after tclint | outputs equal | GraphMend's artifact |",
        "|---|---|---|---|---|",
    ]
    before = after = theirs_before = theirs_after = 0
    for one in results:
        theirs = GRAPHMEND[one["row"]]
        if "error" in one:
            lines.append(f"| {one['row']} | {one['error']} | | | {theirs[0]} → {theirs[1]} |")
            continue
        old, new = one["before"], one["after"]
        before, after = before + old, after + new
        theirs_before, theirs_after = theirs_before + theirs[0], theirs_after + theirs[1]
        equal = "yes" if one["equal"] else "no"
        lines.append(f"| {one['row']} | {old} | {new} | {equal} | {theirs[0]} → {theirs[1]} |")
    if before:
        share, their_share = 1 - after / before, 1 - theirs_after / theirs_before
        lines.append(
            f"| **all** | {before} | {after} ({share:.0%} removed) | "
            f"| {theirs_before} → {theirs_after} ({their_share:.0%}) |"
        )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("rows", nargs="*", default=list(GRAPHMEND))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--packages", type=Path, help="not needed where --output holds every row")
    parser.add_argument("--work", type=Path, help="use, and leave, the copy here")
    parser.add_argument(
        "--output",
        type=Path,
        help="one JSON line a row is appended here; a row that is in it is not measured again",
    )
    options = parser.parse_args()
    sys.path.insert(0, str(HERE / "fixes"))
    files = _files()
    results = []
    recorded = _recorded(options.output)
    if set(options.rows) <= set(recorded):
        print(table([recorded[row] for row in options.rows]))
        return 0
    if options.packages is None:
        parser.error("--packages: the folder that holds transformers")
    work = options.work or Path(tempfile.mkdtemp(prefix="tclint-fixes-"))
    if not (work / "transformers").is_dir():
        left_out = shutil.ignore_patterns("__pycache__")
        shutil.copytree(options.packages, work, dirs_exist_ok=True, ignore=left_out)
    for row in options.rows:
        if row in recorded:
            results.append(recorded[row])
            continue
        started = time.time()
        old = measure(options.python, options.packages, [row]).get(row, {"error": "no answer"})
        one: dict[str, Any] = {"row": row, "error": old.get("error")}
        if not one["error"]:
            one["said"] = fix(options.python, work, files[row], row)
            new = measure(options.python, work, [row]).get(row, {"error": "no answer"})
            one["error"] = new.get("error")
        if not one["error"]:
            del one["error"]
            one["before"], one["after"] = old["eval"]["breaks"], new["eval"]["breaks"]
            one["train"] = [old["train"]["breaks"], new["train"]["breaks"]]
            one["left"] = new["eval"]["sites"]
            one["equal"] = all(old["outputs_" + m] == new["outputs_" + m] for m in ("eval", "train"))
            one |= {"torch": old["torch"], "transformers": old["transformers"]}
        one["seconds"] = round(time.time() - started)
        results.append(one)
        print(json.dumps(one), file=sys.stderr, flush=True)
        if options.output:
            with options.output.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(one) + "\n")
    print(table(results))
    return 0


def _recorded(output: Path | None) -> dict[str, dict[str, Any]]:
    """The rows that an earlier run measured: a run that was ended goes on where it was."""
    if output is None or not output.exists():
        return {}
    rows = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    return {one["row"]: one for one in rows if "error" not in one}


def _files() -> dict[str, str]:
    """The model file of each row, read without importing torch."""
    import ast

    tree = ast.parse((HERE / "fixes" / "rows.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "FILES":
            found: dict[str, str] = ast.literal_eval(node.value)
            return found
    raise SystemExit("rows.py lists no FILES")


if __name__ == "__main__":
    sys.exit(main())
