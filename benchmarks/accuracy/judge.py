"""A sample of findings, each judged by compiling: ``judged/*.json``.

    python judge.py sample timm torchvision --sources SITE_PACKAGES --size 60 --seed 2 --out judged/a.json
    TRUTH/bin/python judge.py run judged/a.json        # with torch: runs the cases, records verdicts
    python judge.py table judged/a.json

``sample`` draws evenly over the codes, with a fixed seed, and keeps what is already judged. Every entry
gets its verdict by compiling: either some model in ``observed/`` broke at the statement ("observed"),
or its ``case``, a few lines that call the library's code, is run under the recorder and Dynamo breaks
(or compiles again) at that statement ("compiled"). Where the statement needs a setting that a few lines
cannot make, or stands behind one that breaks before, the case repeats the statement itself ("repeated").
A case that does not break there is a false finding.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
_CASE = "<case>"
_KEPT = ("code", "path", "line", "column", "message", "effect", "confidence", "function")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    draw = commands.add_parser("sample")
    draw.add_argument("library", nargs="+")
    draw.add_argument("--sources", type=Path, required=True)
    draw.add_argument("--size", type=int, default=60)
    draw.add_argument("--seed", type=int, default=2)
    draw.add_argument("--out", type=Path, required=True)
    draw.add_argument("--target", default="2.14")
    draw.add_argument("--reports", type=Path, help="a folder with LIBRARY.json, instead of running tclint")
    draw.add_argument("--min-confidence", default="likely")
    draw.add_argument("--jobs", default="2")
    run = commands.add_parser("run")
    run.add_argument("judged", type=Path)
    run.add_argument("--all", action="store_true", help="also those that have a verdict")
    show = commands.add_parser("table")
    show.add_argument("judged", type=Path, nargs="+")
    options = parser.parse_args()
    if options.command == "sample":
        write_sample(options)
    elif options.command == "run":
        judge_file(options.judged, options.all)
    else:
        for path in options.judged:
            print(table(json.loads(path.read_text())))


# ---------------------------------------------------------------- sampling


def write_sample(options: argparse.Namespace) -> None:
    from score import run_tclint

    findings: list[dict[str, Any]] = []
    for library in options.library:
        if options.reports:
            text = (options.reports / f"{library}.json").read_text()
            found = json.loads(text)["findings"]
        else:
            found = run_tclint(options.sources, library, options.target, options)
        findings += [f for f in found if not f["suppressed"]]
    picked = sample(findings, options.size, options.seed)
    old = json.loads(options.out.read_text())["findings"] if options.out.exists() else []
    judged = {key(entry): entry for entry in old}
    entries = []
    for finding in picked:
        entry = {name: finding[name] for name in _KEPT}
        known = judged.get(key(entry), {})
        entries.append(
            {**entry, **{k: v for k, v in known.items() if k in ("verdict", "how", "case", "repeats")}}
        )
    report = {
        "libraries": options.library,
        "of": len(findings),
        "seed": options.seed,
        "target": options.target,
        "findings": entries,
    }
    save(options.out, report)
    print(f"{len(entries)} of {len(findings)} findings in {options.out}")


def sample(findings: list[dict[str, Any]], size: int, seed: int) -> list[dict[str, Any]]:
    """One finding of each code in turn, each code's in an order that the seed decides."""
    queues: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for finding in sorted(findings, key=lambda f: (f["path"], f["line"], f["column"], f["code"])):
        queues[finding["code"]].append(finding)
    chance = random.Random(seed)
    for code in sorted(queues):
        chance.shuffle(queues[code])
    picked: list[dict[str, Any]] = []
    while len(picked) < size and any(queues.values()):
        for code in sorted(queues):
            if queues[code] and len(picked) < size:
                picked.append(queues[code].pop())
    return sorted(picked, key=lambda f: (f["code"], f["path"], f["line"], f["column"]))


def key(entry: dict[str, Any]) -> tuple[Any, ...]:
    return (entry["code"], entry["path"], entry["line"], entry["column"])


def save(path: Path, report: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    head = {k: v for k, v in report.items() if k != "findings"}
    rows = ",\n".join("  " + json.dumps(entry, sort_keys=True) for entry in report["findings"])
    path.write_text(json.dumps(head, sort_keys=True)[:-1] + ', "findings": [\n' + rows + "\n]}\n")


# ---------------------------------------------------------------- judging


def judge_file(path: Path, again: bool) -> None:
    """Run what has a case or was observed; entries with neither stay without a verdict."""
    report = json.loads(path.read_text())
    observed = observed_places()
    recorder = None
    for entry in report["findings"]:
        if "verdict" in entry and not again:
            continue
        place = (entry["path"], entry["line"])
        if "case" in entry:
            if recorder is None:
                from recorder import Recorder

                recorder = Recorder()
            entry["verdict"], entry["how"] = run_case(entry, recorder)
        elif place in observed and entry["effect"] in ("break", "skip", "error"):
            entry["verdict"], entry["how"] = True, f"observed: {observed[place]}"
        else:
            continue
        print(entry["code"], f"{entry['path']}:{entry['line']}", entry["verdict"], entry["how"], flush=True)
        save(path, report)


def observed_places() -> dict[tuple[str, int], str]:
    places: dict[tuple[str, int], str] = {}
    for path in sorted((HERE / "observed").glob("*.json")):
        for found in json.loads(path.read_text())["breaks"]:
            if found["site"]:
                places.setdefault((found["site"][0], found["site"][1]), found["models"][0])
    return places


def run_case(entry: dict[str, Any], recorder: Any) -> tuple[bool, str]:
    """Execute the case with ``compiled`` at hand; did Dynamo stumble at the finding's line?"""
    import torch

    torch._dynamo.reset()
    torch.manual_seed(0)
    recorder.take()
    recorder.start("case")
    error = ""
    names: dict[str, Any] = {"torch": torch, "compiled": lambda f: torch.compile(f, backend="eager")}
    try:
        source = "\n".join(entry["case"]) if isinstance(entry["case"], list) else entry["case"]
        exec(compile(source, _CASE, "exec"), names)
    except Exception as raised:
        recorder.note_error(raised)
        error = f"; {type(raised).__name__}: {str(raised)[:80]}"
    taken = recorder.take()
    repeated = entry.get("repeats")  # the number of the case's line that is the statement
    place = (_CASE, repeated) if repeated else (entry["path"], entry["line"])
    how = "repeated" if repeated else "compiled"
    if entry["effect"] == "wrong":  # the case compares results and says so
        return bool(
            names.get("wrong")
        ), f"{how}: {'a stale' if names.get('wrong') else 'the right'} result{error}"
    if entry["effect"] == "recompile":
        count = sum(r["count"] for r in taken["recompiles"])
        return count > 0, f"{how}: {count} recompilation{'s' if count != 1 else ''}{error}"
    for found in taken["breaks"]:
        if place in innermost(found["stack"], place[0].partition("/")[0]):
            return True, f"{how}: {found['effect']} {' '.join(found['gb'])}".strip()
    return False, f"{how}: no break there{error}"


def innermost(stack: list[list[Any]], library: str) -> list[tuple[str, int]]:
    """The two innermost frames of a break that are the library's own (or the case's)."""
    own = [(frame[0], frame[1]) for frame in stack if frame[0].partition("/")[0] == library]
    return own[-2:]


# ---------------------------------------------------------------- showing


def table(report: dict[str, Any]) -> str:
    entries = report["findings"]
    judged = [e for e in entries if "verdict" in e]
    true = sum(1 for e in judged if e["verdict"])
    libraries = ", ".join(report["libraries"])
    rows = [
        f"{len(entries)} of {report['of']} findings on {libraries} (seed {report['seed']}); "
        f"{len(judged)} judged, {true} true.",
        "",
        "| code | place | verdict | how |",
        "|---|---|---|---|",
    ]
    for e in entries:
        verdict = {True: "true", False: "**false**", None: "?"}[e.get("verdict")]
        rows.append(f"| {e['code']} | {e['path']}:{e['line']} | {verdict} | {e.get('how', '')} |")
    return "\n".join(rows)


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    main()
