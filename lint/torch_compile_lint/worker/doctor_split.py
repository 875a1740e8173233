"""Where the time of a compiled call goes: inside graphs, or outside them (guards, Python, eager pieces).

The backend is wrapped so that every launch of a graph is counted and timed.
"""

from __future__ import annotations

import time
from typing import Any, Dict

from .doctor_call import CannotCopy, compiled_call, eager_call
from .doctor_time import frames_compiled, synchronize
from .loading import last_line
from .target import Target

Result = Dict[str, Any]
_CALLS = 7


class Clock:
    """Launches and seconds of each graph of the current call."""

    def __init__(self) -> None:
        self.launches = 0
        self.inside = 0.0
        self.graphs: list[dict[str, Any]] = []

    def begin(self) -> None:
        self.launches, self.inside = 0, 0.0
        for graph in self.graphs:
            graph["launches"], graph["seconds"] = 0, 0.0


def timing_backend(clock: Clock, name: str, device: str) -> Any:
    """A backend that compiles with ``name`` and reports each launch to ``clock``."""
    from torch._dynamo.backends.registry import lookup_backend

    inner_backend = lookup_backend(name)

    def backend(module: Any, inputs: Any, **options: Any) -> Any:
        inner = inner_backend(module, inputs, **options)
        operations = sum(
            1 for n in module.graph.nodes if n.op in ("call_function", "call_method", "call_module")
        )
        entry: dict[str, Any] = {
            "number": len(clock.graphs),
            "operations": operations,
            "launches": 0,
            "seconds": 0.0,
        }
        entry["place"] = _place(module)
        clock.graphs.append(entry)

        def run(*args: Any) -> Any:
            started = time.perf_counter()
            found = inner(*args)
            synchronize({"device": device})
            spent = time.perf_counter() - started
            clock.launches += 1
            clock.inside += spent
            entry["launches"] += 1
            entry["seconds"] += spent
            return found

        return run

    return backend


def _place(module: Any) -> str:
    """The last user line of the graph's first operation, as ``file:line``."""
    for node in module.graph.nodes:
        trace = node.meta.get("stack_trace") if hasattr(node, "meta") else None
        if trace:
            lines = [line.strip() for line in trace.splitlines() if line.strip().startswith("File ")]
            if lines:
                parts = lines[-1].split('"')
                number = lines[-1].split("line ")[-1].split(",")[0]
                return "%s:%s" % (parts[1], number)
    return ""


def split(target: Target, message: dict[str, Any], emit: Any) -> Result:
    """Seconds inside and outside graphs of one steady call, launches, and the same call in eager."""
    clock = Clock()
    device = message.get("device", "cpu")
    name = message["config"].get("backend", "inductor")
    train = bool(message.get("train"))
    eager = eager_call(target, train)
    watch = GuardWatch()
    watch.install()
    try:
        compiled = compiled_call(target, message["config"], train, timing_backend(clock, name, device))
        for _ in range(3):
            compiled()
    except CannotCopy as error:
        return {"failed": "the module cannot be copied: %s" % error}
    except Exception as error:
        return {"failed": last_line(error)}
    frames = frames_compiled()
    rows = []
    for _ in range(_CALLS):
        clock.begin()
        started = time.perf_counter()
        compiled()
        synchronize({"device": device})
        total = time.perf_counter() - started
        graphs = [dict(graph) for graph in clock.graphs if graph["launches"]]
        started = time.perf_counter()
        eager()
        synchronize({"device": device})
        alone = time.perf_counter() - started
        row: dict[str, Any] = {
            "total": total,
            "inside": clock.inside,
            "launches": clock.launches,
            "graphs": graphs,
        }
        rows.append(dict(row, eager=alone))
    rows.sort(key=lambda row: row["total"])
    middle = rows[len(rows) // 2]
    found = dict(middle, compiled_graphs=len(clock.graphs), guards=watch.seconds())
    return dict(found, recompiled=frames_compiled() - frames)


class GuardWatch:
    """Collects how long the guards of each compiled frame take to check, as Dynamo itself measures it.

    ``torch._dynamo.guards.profile_guard_manager`` returns microseconds for one check (torch 2.5 and newer).
    """

    def __init__(self) -> None:
        self.found: list[float] = []
        self.known = False

    def install(self) -> None:
        """Wrap the measurement for good in this process."""
        import torch._dynamo.guards as guards

        original = getattr(guards, "profile_guard_manager", None)
        if original is None:
            return
        self.known = True

        def profile(*args: Any, **kwargs: Any) -> Any:
            latency = original(*args, **kwargs)
            if isinstance(latency, (int, float)):
                self.found.append(latency / 1e6)
            return latency

        guards.profile_guard_manager = profile

    def seconds(self) -> Any:
        """The sum over all frames; None where this release does not measure it."""
        return sum(self.found) if self.known else None
