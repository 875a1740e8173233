"""Verification of a report: plan, run the probes, judge, and hand back the report with its verdicts.

Results are cached by what they rest on: the root's file, the files on the way to the findings, the
steps, the worker's code, torch, device and backend.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from torch_compile_lint.cache import Cache
from torch_compile_lint.model import Finding, Report, RunError
from torch_compile_lint.records import dataclass, field, replace
from torch_compile_lint.verify import judge as judging
from torch_compile_lint.verify.generated import Generated
from torch_compile_lint.verify.plan import Planned, Target, plan
from torch_compile_lint.verify.statements import Statements, statements
from torch_compile_lint.verify.workers import Batch, LocalWorkers, OnResult, Options
from torch_compile_lint.worker import protocol

Message = dict[str, Any]


class Executor(Protocol):
    """Where probes run: here (``LocalWorkers``) or on a cluster."""

    def run(self, batches: Sequence[Batch], on_result: OnResult) -> None: ...


@dataclass(frozen=True, slots=True)
class Probed:
    """What one probe showed, for the per-module table and for contracts."""

    path: str
    title: str
    result: Message


@dataclass(slots=True)
class Verified:
    """The report with verdicts, and the probes behind them."""

    report: Report
    probes: list[Probed] = field(default_factory=list)
    torch: str = ""
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """Where things are: how to read a file, which files are the user's, where to keep results."""

    read: Callable[[str], str]
    project: tuple[str, ...]  # absolute files and folders
    cwd: str
    cache_folder: str | None = None

    def absolute(self, path: str) -> str:
        return os.path.realpath(os.path.join(self.cwd, path))


Progress = Callable[[str, int, int], None]


def verify(
    report: Report,
    targets: Sequence[Target],
    options: Options,
    scope: Scope,
    inputs: str = "",
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Verified:
    """Verdicts for every finding of ``report``. WorkerProblem where no worker can be had."""
    texts: dict[str, str] = {}

    def read(path: str) -> str:
        if path not in texts:
            texts[path] = scope.read(path)
        return texts[path]

    findings = [f for f in report.findings if f.code != "TCD000"]
    named = frozenset(scope.absolute(target.path) for target in targets if target.name)
    generated = Generated(read, scope.absolute)
    moved = generated.stand_ins(findings, named)
    outside = [f.path for f, own in zip(moved, findings, strict=True) if f is not own]
    watched = (*scope.project, *sorted({path for path in outside if not _inside(path, scope.project)}))
    planned = plan(moved, targets, read, scope.absolute, watched, options, inputs)
    torch = installed_torch(options.python)
    workers = executor or LocalWorkers(options)
    cache = Cache(scope.cache_folder, _salt(torch, options))
    found: dict[tuple[int, int], Message] = {}
    done = Verified(report, torch=torch)
    try:
        _run(planned, workers, cache, read, found, progress)
    except KeyboardInterrupt:
        done.interrupted = True
    finally:
        cache.close()
    if isinstance(workers, LocalWorkers) and workers.facts.torch:
        done.torch = workers.facts.torch
    for (batch, probe), result in sorted(found.items()):
        message = planned.batches[batch].probes[probe]
        done.probes.append(Probed(planned.batches[batch].setup["file"], str(message["title"]), result))
    runs_as = generated.stand_ins(report.findings, named)
    done = _judged(done, planned, found, scope, read, options, runs_as)
    done.report = replace(done.report, findings=planned.chosen.kept(done.report.findings))
    return done


def installed_torch(python: str) -> str:
    """Version of torch in that interpreter, from its metadata; '' if there is none or it does not answer."""
    code = "import importlib.metadata as m; print(m.version('torch'))"
    try:
        run = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return run.stdout.strip().split("+")[0]


def _run(
    planned: Planned,
    workers: Executor,
    cache: Cache,
    read: Callable[[str], str],
    found: dict[tuple[int, int], Message],
    progress: Progress | None,
) -> None:
    total = sum(len(batch.probes) for batch in planned.batches)
    waiting: list[tuple[int, Batch]] = []
    keys: dict[int, bytes] = {}
    for number, batch in enumerate(planned.batches):
        keys[number] = cache.key("verify", *_rests_on(batch, read))
        stored = _still_true(cache.get("verify", keys[number]), read)
        if stored is None:
            waiting.append((number, batch))
        for probe, result in enumerate(stored or ()):
            found[number, probe] = result
    if not waiting:
        return

    def on_result(index: int, probe: int, result: Message) -> None:
        number, batch = waiting[index]
        found[number, probe] = result
        if progress is not None:
            progress(str(batch.probes[probe]["title"]), len(found), total)
        results = [found.get((number, p)) for p in range(len(batch.probes))]
        known = [item for item in results if item is not None]
        if len(known) == len(results) and all(_lasting(item) for item in known):
            cache.put("verify", {keys[number]: _kept(known, read)})

    if progress is not None:
        progress(str(waiting[0][1].probes[0]["title"]), len(found), total)
    workers.run([batch for _, batch in waiting], on_result)


def _kept(results: Sequence[Message], read: Callable[[str], str]) -> bytes:
    """What is stored for a batch: its results, and the digests of all the user's files that were loaded."""
    files = sorted({path for result in results for path in result.get("loaded", ())})
    plain = [{key: value for key, value in result.items() if key != "loaded"} for result in results]
    digests = {path: _digest(read(path)) for path in files if os.path.isfile(path)}
    return json.dumps({"files": digests, "results": plain}).encode()


def _still_true(stored: bytes | None, read: Callable[[str], str]) -> list[Message] | None:
    """The results, unless a file that was loaded for them is gone or has changed since."""
    if stored is None:
        return None
    content = json.loads(stored)
    for path, digest in content["files"].items():
        if not os.path.isfile(path) or _digest(read(path)) != digest:
            return None
    results: list[Message] = content["results"]
    return results


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _lasting(result: Message) -> bool:
    """Whether a result may be kept: what hung on the moment (time, memory, a lost worker, a file that could
    not be imported and whose reasons nobody recorded) is tried again.
    """
    return result["outcome"] == protocol.RAN or result["reason"] in (
        "inputs",
        "no CUDA",
        "none",
        "exit",
    )


def _rests_on(batch: Batch, read: Callable[[str], str]) -> list[str]:
    files = {batch.setup["file"]} | {path for probe in batch.probes for path, _ in probe["wanted"]}
    parts = [f"{path}\t{_digest(read(path))}" for path in sorted(files)]
    setup = {key: value for key, value in batch.setup.items() if key not in ("memory",)}
    return [*parts, json.dumps([setup, batch.probes], sort_keys=True, default=str)]


def _salt(torch: str, options: Options) -> str:
    digest = hashlib.sha256()
    for path in sorted((Path(__file__).resolve().parent.parent / "worker").glob("*.py")):
        digest.update(path.read_bytes())
    for part in (torch, options.python, options.device, options.backend):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:24]


def _judged(
    done: Verified,
    planned: Planned,
    found: dict[tuple[int, int], Message],
    scope: Scope,
    read: Callable[[str], str],
    options: Options,
    runs_as: Sequence[Finding],
) -> Verified:
    """``runs_as``: the findings where they were probed, in the order of the report's."""
    observations = observe(planned, found, done.torch, options.device)
    known: dict[str, Statements] = {}

    def parsed(path: str) -> Statements:
        if path not in known:
            known[path] = statements(read(path))
        return known[path]

    findings = done.report.findings
    watched = _watched(observations, scope.project)
    judged = judging.judge(runs_as, observations, scope.absolute, parsed, watched)
    verdicts = [
        verdict if place is own else replace(verdict, detail=_at(verdict.detail, place))
        for verdict, place, own in zip(judged.verdicts, runs_as, findings, strict=True)
    ]
    missed = [{**row, "path": _shown(row["path"], scope.cwd)} for row in judged.missed]
    with_verdicts = tuple(replace(f, verdict=v) for f, v in zip(findings, verdicts, strict=True))
    errors = done.report.errors
    if done.interrupted:
        left = sum(len(batch.probes) for batch in planned.batches) - len(found)
        errors = (*errors, RunError("", f"interrupted: {left} probes were not run"))
    done.report = replace(done.report, findings=with_verdicts, missed=tuple(missed), errors=errors)
    return done


def _watched(observations: judging.Observations, project: Sequence[str]) -> frozenset[str]:
    paths = {event["path"] for seen in observations.seen for event in seen.events}
    paths |= {row[0] for seen in observations.seen for event in seen.events for row in event["stack"]}
    paths |= {path for seen in observations.seen for path in seen.traced}
    return frozenset(path for path in paths if _inside(path, project))


def _inside(path: str, places: Sequence[str]) -> bool:
    return any(path == place or path.startswith(place + os.sep) for place in places)


def _at(detail: str, place: Finding) -> str:
    """What was seen, and where in the generated file."""
    return f"{detail} (run as {os.path.basename(place.path)}:{place.line})"


def observe(
    planned: Planned, found: dict[tuple[int, int], Message], torch: str, device: str
) -> judging.Observations:
    """Results as the judge wants them."""
    seen: list[judging.Seen] = []
    failed: list[judging.Failed] = []
    for number, batch in enumerate(planned.batches):
        for index, probe in enumerate(batch.probes):
            result = found.get((number, index))
            title = str(probe["title"])
            wanted = planned.wanted[number][index]
            if result is None:
                failed.append(judging.Failed(title, "not run: interrupted", wanted))
                continue
            for variant in result["variants"]:
                seen.append(_seen(title, variant))
            if result["outcome"] == protocol.COULD_NOT_RUN:
                failed.append(judging.Failed(title, reason(title, result), wanted))
    # What a strong kind of step could not do matters less than what the last one says.
    failed.sort(key=lambda item: item.title.endswith(".py"))
    return judging.Observations(tuple(seen), tuple(failed), torch, device)


def _seen(title: str, variant: Message) -> judging.Seen:
    name = str(variant.get("name") or "")
    return judging.Seen(
        title=name or title,
        evidence=variant["evidence"],
        events=tuple(variant["events"]),
        traced={path: frozenset(lines) for path, lines in variant["lines"].items()},
        ran={path: frozenset(lines) for path, lines in variant["ran"].items()},
        differences=tuple(variant["differences"]),
        changed=frozenset(variant.get("changed", ())),
        isolated="yes" if variant["evidence"] == protocol.ISOLATED else "",
    )


def reason(title: str, result: Message) -> str:
    """One line that says why a probe told nothing."""
    kinds = {
        "import": "the file could not be imported",
        "inputs": "no inputs were found",
        "none": "no inputs were found",
        "time-out": "took too long",
        "memory": "used too much memory",
        "crash": "crashed",
        "exit": "ended its own process",
        "output": "flooded its output",
        "processes": "started too many processes",
        "no CUDA": "no CUDA",
    }
    what = kinds.get(result["reason"], result["reason"])
    stage = (
        f" while {result['stage']}"
        if result["stage"] not in ("", "import", "device", result["reason"])
        else ""
    )
    error = f": {result['error']}" if result["error"] else ""
    return f"{title}: {what}{stage}{error}" if title else f"{what}{stage}{error}"


def _shown(path: str, cwd: str) -> str:
    inside = os.path.relpath(path, cwd) if path else path
    return path if inside.startswith("..") else inside
