"""One variant of one probe: eager and compiled, each in a child forked from the very same state, compared.

In: a Target that is already built. Out: a plain dict: events, lines traced, graphs per call, differences.
A crash, exit, hang or flood in the compiled phase that eager does not show is reported as such.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import tempfile
import time
from typing import Any, Dict

from . import compare, hooks, marks, observe, protocol, sandbox
from .record import Recorder, load_registry
from .target import Target

Variant = Dict[str, Any]


# What a user could notice of a call, by the names that ``observe`` gives it.
PARTS = ("exceptions", "results", "gradients", "inputs", "state", "logged", "warned", "printed")


class Setting:
    """How to compile, and what to keep: ``watch`` are the files whose traced lines are reported."""

    def __init__(self, backend: str, device: str, watch: list[str], limits: sandbox.Limits) -> None:
        self.backend = backend
        self.device = device
        self.watch = Watch(watch)
        self.limits = limits
        self.prove = False  # for `--prove`: gradients too, and what eager gave is reported


class Watch:
    """The files whose lines are reported, by path or by folder."""

    def __init__(self, places: list[str]) -> None:
        self.places = tuple(places)
        self._known: dict[str, bool] = {}

    def __contains__(self, path: str) -> bool:
        known = self._known.get(path)
        if known is None:
            known = any(path == place or path.startswith(place + os.sep) for place in self.places)
            self._known[path] = known
        return known

    def __bool__(self) -> bool:
        return bool(self.places)


class PhaseFailed(Exception):
    """A phase told nothing: its ``stage``, the reason in a word, and the detail."""

    def __init__(self, stage: str, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.stage = stage
        self.reason = reason
        self.detail = detail


def run_variant(target: Target, setting: Setting) -> Variant:
    """Eager, then compiled; eager once more only where they differ, to see whether it agrees with itself."""
    if target.fake:
        return _run_fake(target, setting)
    started = time.time()
    eager = _phase("eager call", target, setting, compiled=False)
    eager_seconds = time.time() - started
    started = time.time()
    seen = _phase("compiled call", target, setting, compiled=True)
    variant = _variant(target, seen, eager_seconds, time.time() - started)
    variant["ran"] = eager["lines"]
    variant["eager_error"] = next((text for text in eager["observed"]["_errors"] if text), "")
    variant["eager_exceptions"] = eager["observed"]["exceptions"]
    if setting.prove:
        variant["observed"] = {name: eager["observed"][name] for name in PARTS if name in eager["observed"]}
    again = functools.partial(_phase, "eager call", target, setting, False)
    _compare(variant, eager["observed"], seen["observed"], again, setting.watch)
    return variant


def _variant(target: Target, seen: dict[str, Any], eager: float, compiled: float) -> Variant:
    """What the compiled phase showed; the eager one and the comparison are added by the caller."""
    return {
        "name": target.name,
        "evidence": target.evidence,
        "source": target.source,
        "events": seen["events"],
        "lines": seen["lines"],
        "frames": seen["frames"],
        "ran": {},
        "graphs": seen["graphs"],
        "graphs_after_call": seen["graphs_after_call"],
        "operations": seen["operations"],
        "missing_hooks": seen["missing_hooks"],
        "last": seen["last"],
        "eager_error": "",
        "eager_exceptions": [],
        "exceptions": seen["observed"]["exceptions"],
        "changed": seen["observed"]["_changed"],
        "seconds": {"eager": round(eager, 3), "compiled": round(compiled, 3)},
    }


def _run_fake(target: Target, setting: Setting) -> Variant:
    """The compiled call alone, on tensors without values: what it raises for want of a value says nothing."""
    started = time.time()
    seen = _phase("compiled call on fake tensors", target, setting, compiled=True)
    variant = _variant(target, seen, 0.0, time.time() - started)
    variant["source"] += ", on fake tensors (it did not fit into memory)"
    variant["events"] = [event for event in seen["events"] if event["kind"] != protocol.ERROR]
    variant.update(deterministic=True, differences=[], differing=[])
    return variant


def _compare(
    variant: Variant, eager: dict[str, Any], compiled: dict[str, Any], again: Any, watch: Watch
) -> None:
    parts = tuple(name for name in PARTS if name in eager and name in compiled)
    left = {name: eager[name] for name in parts}
    right = {name: compiled[name] for name in parts}
    differing = compare.differing(left, right)
    variant["deterministic"] = True
    if differing:
        second = again()["observed"]
        unsteady = compare.differing(left, {name: second[name] for name in parts})
        variant["deterministic"] = not unsteady
        differing = [name for name in differing if name not in unsteady]
    raised = (
        _first_new_exception(eager, compiled, watch, variant["last"]) if "exceptions" in differing else None
    )
    if raised is not None:
        _refusals(variant["events"], compiled["exceptions"])
        known = [e for e in variant["events"] if e["kind"] == protocol.ERROR and e["call"] == raised["call"]]
        if raised["kind"] != protocol.ERROR or not known:
            variant["events"].append(raised)
        if raised["kind"] == protocol.ERROR:
            differing = []  # what an aborted call leaves behind differs anyway
    variant["differences"] = [
        compare.describe(name, left[name], right[name]) for name in differing if name != "exceptions"
    ]
    variant["differing"] = [name for name in differing if name != "exceptions"]


def _refusals(events: list[dict[str, Any]], raised: list[Any]) -> None:
    """Under ``fullgraph=True`` what would skip the frame raises instead: that event is the error."""
    for event in events:
        if event["kind"] == protocol.SKIP and raised[event["call"]] in ("Unsupported", "UserError"):
            event["kind"] = protocol.ERROR


def _first_new_exception(
    eager: dict[str, Any], compiled: dict[str, Any], watch: Watch, last: list[Any]
) -> dict[str, Any] | None:
    """The first call that raises what eager does not; ``last``: where tracing was, for want of more."""
    for number, (before, after) in enumerate(zip(eager["exceptions"], compiled["exceptions"])):
        if before == after:
            continue
        kind = protocol.ERROR if after is not None and before is None else protocol.WRONG
        text = (
            "raised {}: {}".format(after, compiled["_errors"][number])
            if before is None
            else "raises {} where eager raises {}".format(after or "nothing", before)
        )
        frames = [
            frame for frame in compiled["_tracebacks"][number] if os.sep + "torch" + os.sep not in frame[0]
        ]
        frames = [frame for frame in frames if os.path.basename(os.path.dirname(frame[0])) != "worker"]
        own = [frame for frame in frames if frame[0] in watch]
        frames = own or frames or [last]
        place = frames[-1]
        return {
            "kind": kind,
            "path": place[0],
            "line": place[1],
            "function": place[2],
            "gb": None,
            "text": text,
            "detail": text,
            "frame": {"path": place[0], "line": 0, "function": place[2]},
            "stack": frames,
            "columns": None,
            "call": number,
            "raised": after,
        }
    return None


def _phase(stage: str, target: Target, setting: Setting, compiled: bool) -> dict[str, Any]:
    """Run the calls in a forked child, or here where nothing can be forked."""
    if not sandbox.can_fork():
        return _work(target, setting, compiled, None)
    home = tempfile.mkdtemp(prefix="phase-", dir=os.getcwd())
    outcome = sandbox.run(
        lambda emit: emit({"phase": _work(target, setting, compiled, os.path.join(home, sandbox.OUTPUT))}),
        setting.limits,
        folder=home,
        own_session=False,
    )
    flooded = _flooded(home)
    shutil.rmtree(home, ignore_errors=True)
    for message in outcome.messages:
        if "phase" in message:
            result: dict[str, Any] = message["phase"]
            if flooded:
                raise PhaseFailed(stage, "output", "wrote more than %d MB" % (sandbox.MAX_FILE_BYTES >> 20))
            return result
    if flooded:
        raise PhaseFailed(stage, "output", "wrote more than %d MB" % (sandbox.MAX_FILE_BYTES >> 20))
    raised = next((str(message["raised"]) for message in outcome.messages if "raised" in message), "")
    raise PhaseFailed(stage, outcome.reason or "crash", raised or outcome.detail)


def _flooded(home: str) -> bool:
    for name in (sandbox.OUTPUT, sandbox.ERRORS):
        with contextlib.suppress(OSError):
            if os.path.getsize(os.path.join(home, name)) >= sandbox.MAX_FILE_BYTES:
                return True
    return False


def _work(target: Target, setting: Setting, compiled: bool, output: str | None) -> dict[str, Any]:
    prepare(target, setting.device)
    if target.mode:
        target.fn.train(target.mode == "train")
    if not compiled:
        ran: dict[str, set] = {}  # type: ignore[type-arg]
        with _following(setting.watch, ran):
            observed = observe.make_calls(
                target, target.fn, output=output, device=setting.device, gradients=setting.prove
            )
        return {"observed": observed, "lines": {path: sorted(lines) for path, lines in ran.items()}}
    import torch

    recorder = Recorder(load_registry())
    missing = hooks.install(recorder)
    after: list[int] = []

    def on_call(number: int) -> None:
        if number:
            after.append(len(recorder.graphs))
        recorder.call = number

    fn = target.fn
    if not target.raw:
        fn = torch.compile(fn, backend=setting.backend, **marks.options_of(fn))
    observed = observe.make_calls(target, fn, on_call, output, setting.device, setting.prove)
    after.append(len(recorder.graphs))
    traced = {path: sorted(lines) for path, lines in recorder.lines.items() if path in setting.watch}
    return {
        "observed": observed,
        "events": recorder.events,
        "frames": [frame for frame in recorder.frames if frame["frame"]["path"] in setting.watch],
        "lines": traced,
        "graphs": _graphs_by_frame(recorder.graphs),
        "graphs_after_call": after,
        "operations": sum(graph["operations"] for graph in recorder.graphs),
        "missing_hooks": missing,
        "last": recorder.last,
    }


def _graphs_by_frame(graphs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    counts: dict[Any, dict[str, Any]] = {}
    for graph in graphs:
        frame = graph["frame"]
        key = (frame["path"], frame["function"])
        entry = counts.setdefault(key, {"path": key[0], "function": key[1], "graphs": 0, "operations": 0})
        entry["graphs"] += 1
        entry["operations"] += graph["operations"]
    return list(counts.values())


@contextlib.contextmanager
def _following(watch: Any, ran: dict[str, Any]) -> Any:
    """Note the lines of watched files that run eagerly: a line never reached is told from one skipped."""
    import sys

    def local(frame: Any, event: str, arg: Any) -> Any:
        if event == "line":
            ran[frame.f_code.co_filename].add(frame.f_lineno)
        return local

    def begin(frame: Any, event: str, arg: Any) -> Any:
        path = frame.f_code.co_filename
        if path not in watch:
            return None
        ran.setdefault(path, set()).add(frame.f_lineno)
        return local

    if not watch:
        yield
        return
    before = sys.gettrace()
    sys.settrace(begin)
    try:
        yield
    finally:
        sys.settrace(before)


def prepare(target: Target, device: str) -> None:
    """Move the module and its tensors to the device, and to the precision that the variant asks for."""
    import torch
    from torch.utils import _pytree

    dtype = getattr(torch, target.dtype) if target.dtype else None
    elsewhere = device != "cpu" and not target.fake
    if not elsewhere and dtype is None:
        return

    def move(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        value = value.to(device) if elsewhere else value
        return value.to(dtype) if dtype is not None and value.is_floating_point() else value

    if isinstance(target.fn, torch.nn.Module):
        target.fn.to(device) if elsewhere else None
        target.fn.to(dtype) if dtype is not None else None
    target.calls = [
        call if callable(call) else tuple(_pytree.tree_map(move, part) for part in call)
        for call in target.calls
    ]
