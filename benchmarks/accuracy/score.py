"""Compare what tclint reports with what Dynamo did: recall and precision by library and by rule.

Recall: of the statements at which a break was observed, in the library's own files, those that
have a finding. Precision: of the findings whose expression was executed under tracing, those at a
statement where tracing broke. Findings that tracing never reached are counted but not judged, and
neither are recompilations, for which one or two calls prove nothing.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from statements import Statements, read_statements

JUDGED_EFFECTS = ("break", "skip", "error")
# Consequences of many recompilations, reported at whatever line happens to be traced then.
_NOT_THE_LINES_FAULT = re.compile(r"recompile_limit|RecompileLimit|cache_size|FailOnRecompile", re.IGNORECASE)
# A frame that is compiled on its own because its caller, where it stands inline, was given up: its first
# frame is a comprehension with a half-used iterator, or __init__ with a module that is not one yet.
_LEFT_ALONE = {"GB9493": re.compile(r" <\w+>$"), "GB0119": re.compile(r" __init__$")}


@dataclass
class Score:
    """``found``/``missed`` are observed sites; ``true``/``false``/``unjudged`` are findings."""

    found: list[dict[str, Any]] = field(default_factory=list)
    missed: list[dict[str, Any]] = field(default_factory=list)
    true: list[dict[str, Any]] = field(default_factory=list)
    false: list[dict[str, Any]] = field(default_factory=list)
    unjudged: list[dict[str, Any]] = field(default_factory=list)
    models: int = 0  # that ran
    lines: int = 0  # traced
    group: str = "known"

    @property
    def recall(self) -> float | None:
        return ratio(len(self.found), len(self.missed))

    @property
    def precision(self) -> float | None:
        return ratio(len(self.true), len(self.false))


def ratio(good: int, bad: int) -> float | None:
    return good / (good + bad) if good + bad else None


def score_all(paths: list[Path], options: argparse.Namespace) -> dict[str, Score]:
    """One score for each library of each file; ``options``: sources, reports, min_confidence, jobs."""
    scores: dict[str, Score] = {}
    for path in paths:
        observed = json.loads(path.read_text())
        group = "unseen" if path.stem.startswith("unseen") else "known"
        for library in sorted({p.split("/")[0] for p in observed["traced"]}):
            if options.reports:
                text = (options.reports / f"{library}.json").read_text()
                findings = json.loads(text)["findings"]
            else:
                findings = run_tclint(options.sources, library, observed["torch"], options)
            scores[library] = compare(of_library(observed, library), findings, options.sources)
            scores[library].group = group
    return scores


def of_library(observed: dict[str, Any], library: str) -> dict[str, Any]:
    """What was observed in the files of one package."""
    return {
        "breaks": [b for b in observed["breaks"] if b["site"] and b["site"][0].split("/")[0] == library],
        "models": {
            n: m
            for n, m in observed["models"].items()
            if m["home"].split("/")[0].removesuffix(".py") == library
        },
        **{
            key: {p: v for p, v in observed.get(key, {}).items() if p.split("/")[0] == library}
            for key in ("traced", "partial")
        },
    }


def run_tclint(sources: Path, library: str, torch: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    target = ".".join(torch.split("+")[0].split(".")[:2])
    command = [sys.executable, "-m", "torch_compile_lint", "check", library, "--format", "json", "--isolated"]
    command += ["--exit-zero", "--target-torch", target, "--min-confidence", options.min_confidence]
    command += ["-j", options.jobs]
    run = subprocess.run(command, cwd=sources, capture_output=True, text=True)
    if not run.stdout.startswith("{"):
        sys.exit(f"tclint failed on {library}: {run.stderr.strip()[-500:]}")
    found: list[dict[str, Any]] = json.loads(run.stdout)["findings"]
    return found


def compare(observed: dict[str, Any], findings: list[dict[str, Any]], sources: Path) -> Score:
    files = _Files(sources)
    ran = sum(1 for model in observed["models"].values() if "error" not in model)
    lines = sum(len(expand(text)) for text in observed["traced"].values())
    score = Score(models=ran, lines=lines)
    sites = observed_sites(observed, files)
    on_the_way = {place for found in observed["breaks"] for place in _stack_places(found, files)}
    reported: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    for finding in findings:
        if finding["effect"] in JUDGED_EFFECTS and not finding.get("suppressed"):
            path = _relative(finding["path"], sources)
            reported[path, files.first_line(path, finding["line"])].append({**finding, "path": path})

    for (path, line), found in sorted(sites.items()):
        entry = {
            "path": path,
            "line": line,
            "code": files.text(path, line),
            "gb": sorted({g for b in found for g in b["gb"]}),
            "effect": min((b["effect"] for b in found), key=("error", "skip", "break").index),
            "reason": found[0]["reason"][:160],
            "models": found[0]["models"][:2],
            "rules": sorted({f["code"] for f in reported.get((path, line), ())}),
        }
        (score.found if entry["rules"] else score.missed).append(entry)

    tracing = Tracing(observed)
    for (path, line), group in sorted(reported.items()):
        for finding in group:
            entry = {k: finding[k] for k in ("code", "path", "line", "message", "confidence", "effect")}
            entry["text"] = files.text(path, finding["line"])
            if (path, line) in on_the_way:
                score.true.append(entry)
            elif tracing.executed(path, finding):
                score.false.append(entry)
            else:
                score.unjudged.append(entry)
    return score


def observed_sites(observed: dict[str, Any], files: _Files) -> dict[tuple[str, int], list[dict[str, Any]]]:
    """Breaks by the statement of the innermost frame that is the library's own."""
    sites: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    for found in observed["breaks"]:
        if not found["site"] or _NOT_THE_LINES_FAULT.search(found["kind"] + found["reason"]):
            continue
        if is_consequence(found):
            continue
        path, line = found["site"][:2]
        sites[path, files.first_line(path, line)].append(found)
    return sites


def is_consequence(found: dict[str, Any]) -> bool:
    """Whether the cause is observed elsewhere (a frame left alone), or is the program's own error.

    The latter is raised while a finished graph runs: Dynamo traced all of it.
    """
    if found["effect"] == "error" and not found["gb"]:
        return "<eval_with_key>" in found["stack"][-1]
    alone = len(found["stack"]) == 1 and [p for gb, p in _LEFT_ALONE.items() if gb in found["gb"]]
    return bool(alone) and all(pattern.search(found["stack"][0]) for pattern in alone)


def _stack_places(found: dict[str, Any], files: _Files) -> set[tuple[str, int]]:
    """Statements of the innermost two library frames: a rule may speak at the call of a helper."""
    own = found["site"][0].split("/")[0] if found["site"] else ""
    places = []
    for frame in reversed(found["stack"]):
        path, line = frame.split(" ")[0].rsplit(":", 1)
        if own and path.startswith(own + "/"):
            places.append((path, files.first_line(path, int(line))))
    return set(places[:2])


class Tracing:
    """What was executed under tracing, to the column where a line was executed in part."""

    def __init__(self, observed: dict[str, Any]) -> None:
        self._lines = {path: set(expand(text)) for path, text in observed["traced"].items()}
        self._partial = observed.get("partial", {})

    def executed(self, path: str, finding: dict[str, Any]) -> bool:
        lines = self._lines.get(path, set())
        partial = self._partial.get(path, {})
        first, last = finding["line"], finding["end_line"]
        for line in range(first, last + 1):
            if line not in lines:
                continue
            columns = partial.get(str(line))
            if columns is None:
                return True
            low = finding["column"] - 1 if line == first else 0
            high = finding["end_column"] - 1 if line == last else 10**6
            if any(low <= column < high for column in columns):
                return True
        return False


def expand(text: str) -> list[int]:
    """ "12-14,20" -> [12, 13, 14, 20]."""
    lines: list[int] = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        lines.extend(range(int(first), int(last or first) + 1))
    return lines


class _Files:
    def __init__(self, sources: Path) -> None:
        self._sources = sources
        self._load = lru_cache(maxsize=None)(self._read)

    def first_line(self, path: str, line: int) -> int:
        return self._load(path).first_line(line)

    def text(self, path: str, line: int) -> str:
        return self._load(path).text(line)

    def _read(self, path: str) -> Statements:
        full = self._sources / path
        return read_statements(full) if full.exists() else Statements("")


def _relative(path: str, sources: Path) -> str:
    full = Path(path)
    return str(full.relative_to(sources)) if full.is_absolute() else path.removeprefix("./")


def by_rule(scores: dict[str, Score]) -> dict[str, dict[str, int]]:
    rules: dict[str, dict[str, int]] = defaultdict(lambda: {"true": 0, "false": 0, "unjudged": 0})
    for score in scores.values():
        for kind in ("true", "false", "unjudged"):
            for finding in getattr(score, kind):
                rules[finding["code"]][kind] += 1
    return rules


def by_graph_break(scores: dict[str, Score]) -> dict[str, tuple[int, int]]:
    counts: dict[str, tuple[int, int]] = {}
    for score in scores.values():
        for sites, found in ((score.found, 1), (score.missed, 0)):
            for site in sites:
                gb = site["gb"][0] if site["gb"] else "(no id)"
                total, hit = counts.get(gb, (0, 0))
                counts[gb] = (total + 1, hit + found)
    return counts


def write_json(scores: dict[str, Score], path: Path) -> None:
    path.write_text(json.dumps(as_json(scores), indent=1, sort_keys=True) + "\n")


def as_json(scores: dict[str, Score]) -> dict[str, Any]:
    return {
        "libraries": {
            name: {
                "recall": score.recall,
                "precision": score.precision,
                "counts": {
                    k: len(getattr(score, k)) for k in ("found", "missed", "true", "false", "unjudged")
                },
                "missed": score.missed,
                "false": score.false,
            }
            for name, score in scores.items()
        },
        "rules": by_rule(scores),
        "graph_breaks": {gb: list(pair) for gb, pair in by_graph_break(scores).items()},
    }
