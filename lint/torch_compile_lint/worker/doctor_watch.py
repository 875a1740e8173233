"""What Dynamo does with the target: breaks, skips and recompiles by line, under changing switches and shapes.

Backend eager: only Dynamo works, so that a look costs a fraction of a compilation.
"""

from __future__ import annotations

from typing import Any, Dict

from . import hooks
from .doctor_call import call_of
from .loading import last_line
from .record import Recorder, load_registry
from .target import Target, resolve_call

Result = Dict[str, Any]
_CALLS = 4


def observe(target: Target, message: dict[str, Any], emit: Any) -> Result:
    """Breaks, skips, recompiles and graphs of a few equal calls, with the switches the message names."""
    import torch

    recorder = Recorder(load_registry())
    missing = hooks.install(recorder)
    _switch(message.get("switches", {}))
    options: dict[str, Any] = {"backend": "eager"}
    if message.get("dynamic") is not None:
        options["dynamic"] = message["dynamic"]
    if message.get("fullgraph"):
        options["fullgraph"] = True
    fn = target.fn if target.raw else torch.compile(target.fn, **options)
    result: Result = {"missing_hooks": missing, "failed": "", "calls": 0}
    call = call_of(target, fn, bool(message.get("train")))
    try:
        for number in range(int(message.get("calls", _CALLS))):
            recorder.call = number
            call()
            result["calls"] += 1
    except Exception as error:
        result["failed"] = last_line(error)
        result["text"] = str(error)[:3000]
    result.update(told(recorder))
    if message.get("explain"):
        result["explain"] = _explain(target)
    return result


def told(recorder: Recorder) -> Result:
    """What a recorder heard, as plain data."""
    graphs: list[dict[str, Any]] = recorder.graphs
    return {
        "events": [dict(event, detail=event["detail"][:600]) for event in recorder.events],
        "graphs": len(graphs),
        "operations": sum(graph["operations"] for graph in graphs),
        "frames": len(recorder.frames),
    }


def _switch(switches: dict[str, Any]) -> None:
    """Set names of torch._dynamo.config; a name this release lacks raises AttributeError with the name."""
    import torch._dynamo

    for name, value in switches.items():
        if not hasattr(torch._dynamo.config, name):
            raise AttributeError("this torch has no torch._dynamo.config.%s" % name)
        if value == "print":
            value = {print}
        setattr(torch._dynamo.config, name, value)


def _explain(target: Target) -> Result:
    """What torch._dynamo.explain says of one call, for a word on why it differs from ours."""
    import torch
    import torch._dynamo

    torch._dynamo.reset()
    args, kwargs = resolve_call(target.calls[0])
    try:
        with torch.no_grad():
            found = torch._dynamo.explain(target.fn)(*args, **kwargs)
        return {"graphs": int(found.graph_count), "breaks": int(found.graph_break_count)}
    except Exception as error:
        return {"failed": last_line(error)}


# ---------------------------------------------------------------- shapes that change


def shapes(target: Target, message: dict[str, Any], emit: Any) -> Result:
    """Recompiles and their guards over calls whose first dimension grows, for one setting of ``dynamic``.

    Settings: ``default``, ``static`` (dynamic=False), ``dynamic`` (dynamic=True), ``marked``
    (mark_dynamic on the first dimension).
    """
    import torch

    setting = message["setting"]
    sizes = _sizes(target)
    if sizes is None:
        return {"failed": "no tensor has a first dimension that could change", "setting": setting}
    batches = [_resized(target, sizes, sizes + step) for step in range(5)]
    problem = _fails_eagerly(target, batches[1])
    if problem:
        return {"failed": "eager cannot take another first dimension: " + problem, "setting": setting}
    recorder = Recorder(load_registry())
    hooks.install(recorder)
    options: dict[str, Any] = {"backend": "eager"}
    if setting in ("static", "dynamic"):
        options["dynamic"] = setting == "dynamic"
    fn = torch.compile(target.fn, **options)
    failed = ""
    for number, (args, kwargs) in enumerate(batches):
        recorder.call = number
        if setting == "marked":
            _mark(args, kwargs, sizes + number)
        try:
            with torch.no_grad():
                fn(*args, **kwargs)
        except Exception as error:
            failed = last_line(error)
            break
    found = told(recorder)
    recompiles = [event for event in found["events"] if event["kind"] == "recompile"]
    compiled_in = sorted({frame["call"] for frame in recorder.frames})
    return {
        "setting": setting,
        "failed": failed,
        "recompiles": recompiles,
        "calls_that_compiled": compiled_in,
        "calls": len(batches),
        "size": sizes,
    }


def _sizes(target: Target) -> int | None:
    """The first dimension most tensors share."""
    import torch
    from torch.utils import _pytree

    args, kwargs = resolve_call(target.calls[0])
    counts: dict[int, int] = {}
    for value in _pytree.tree_flatten((list(args), dict(kwargs)))[0]:
        if isinstance(value, torch.Tensor) and value.dim() > 0 and value.shape[0] > 0:
            counts[int(value.shape[0])] = counts.get(int(value.shape[0]), 0) + 1
    return max(counts, key=lambda size: (counts[size], size)) if counts else None


def _resized(target: Target, size: int, wanted: int) -> Any:
    import torch
    from torch.utils import _pytree

    def change(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or value.dim() == 0 or int(value.shape[0]) != size:
            return value
        rows = [value] + [value[:1]] * (wanted - size)
        return torch.cat(rows, 0)

    args, kwargs = resolve_call(target.calls[0])
    return tuple(_pytree.tree_map(change, list(args))), _pytree.tree_map(change, dict(kwargs))


def _mark(args: Any, kwargs: Any, size: int) -> None:
    import torch
    from torch.utils import _pytree

    for value in _pytree.tree_flatten((list(args), dict(kwargs)))[0]:
        if isinstance(value, torch.Tensor) and value.dim() and int(value.shape[0]) == size:
            torch._dynamo.mark_dynamic(value, 0)


def _fails_eagerly(target: Target, batch: Any) -> str:
    import torch

    try:
        with torch.no_grad():
            target.fn(*batch[0], **batch[1])
    except Exception as error:
        return last_line(error)
    return ""
