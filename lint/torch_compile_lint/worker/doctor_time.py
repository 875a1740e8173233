"""Timing: eager and compiled in turn in one process, with torch's own benchmark timer.

Steady state only: what is timed has been called before, and the first calls are reported apart. The
spread beside a median holds the quartiles of all calls and the quartiles of the rounds' medians: calls in a
row are alike, and only rounds tell that the machine did something else for a while. Rounds that differ are
followed by more of them.
"""

from __future__ import annotations

import time
from typing import Any, Callable, Dict

from .doctor_call import CannotCopy, compiled_call, eager_call
from .target import Target

Call = Callable[[], Any]
Result = Dict[str, Any]
_ROUNDS = 4
_MOST_ROUNDS = 12
_ALIKE = 1.2  # highest over lowest median of rounds that need no further ones
_WARM_CALLS = 3


def timed(target: Target, message: dict[str, Any], emit: Any) -> Result:
    """First calls, steady state of eager and of one way of compiling, and how far their results differ."""
    config = message["config"]
    train = bool(message.get("train"))
    eager = eager_call(target, train)
    expected = eager()
    synchronize(message)
    started = time.perf_counter()
    try:
        compiled = compiled_call(target, config, train)
        got = compiled()
    except CannotCopy as error:
        return {"failed": "the module cannot be copied: %s" % error, "stage": "copy"}
    except Exception as error:
        from .loading import last_line

        return {"failed": last_line(error), "stage": "compile", "text": str(error)[:3000]}
    synchronize(message)
    first = time.perf_counter() - started
    emit({"partial": {"first": first}})
    if message.get("first_only"):
        again = min(_once(compiled, message) for _ in range(_WARM_CALLS))
        return {"first": first, "compile": max(0.0, first - again)}
    frames = frames_compiled()
    warm = [_once(compiled, message) for _ in range(_WARM_CALLS)]
    result: Result = {
        "first": first,
        "warm": warm,
        "compile": max(0.0, first - min(warm)),
        "frames": frames,
        "recompiled": frames_compiled() - frames,
        "difference": difference(expected, got),
    }
    emit({"partial": result})
    budget = float(message.get("time", 1.0))
    result.update(interleaved(eager, compiled, budget, message))
    return result


def interleaved(eager: Call, compiled: Call, budget: float, message: dict[str, Any]) -> Result:
    """Both, in turn, so that a machine that gets slower meanwhile is slower for both."""
    rounds: dict[str, list[Any]] = {"eager": [], "compiled": []}
    for number in range(_MOST_ROUNDS):
        if number >= _ROUNDS and all(alike([one.median for one in found]) for found in rounds.values()):
            break
        for name, call in (("eager", eager), ("compiled", compiled)):
            rounds[name].append(measure(call, budget / _ROUNDS / 2))
    return {name: summary(found) for name, found in rounds.items()}


def alike(medians: list[float]) -> bool:
    """Whether rounds took about the same time, one of four left out of account on either side."""
    ordered = sorted(medians)
    return _quantile(ordered, 0.75) <= _ALIKE * _quantile(ordered, 0.25)


def measure(call: Call, seconds: float) -> Any:
    """One block of torch.utils.benchmark: a Measurement. CUDA is synchronized by the timer."""
    import torch
    from torch.utils import benchmark

    timer = benchmark.Timer("call()", globals={"call": call}, num_threads=torch.get_num_threads())
    return timer.blocked_autorange(min_run_time=seconds)


def summary(found: list[Any]) -> Result:
    """Median, count and spread of the times of all blocks, in seconds."""
    blocks = [list(one.times) for one in found]
    times = sorted(t for block in blocks for t in block)
    medians = sorted(_quantile(sorted(block), 0.5) for block in blocks)
    return {
        "median": _quantile(times, 0.5),
        "low": min(_quantile(times, 0.25), _quantile(medians, 0.25)),
        "high": max(_quantile(times, 0.75), _quantile(medians, 0.75)),
        "samples": len(times),
    }


def _quantile(ordered: list[float], share: float) -> float:
    if not ordered:
        return 0.0
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def _once(call: Call, message: dict[str, Any]) -> float:
    started = time.perf_counter()
    call()
    synchronize(message)
    return time.perf_counter() - started


def synchronize(message: dict[str, Any]) -> None:
    """Wait for the GPU, where one is used."""
    if message.get("device", "cpu") != "cpu":
        import torch

        torch.cuda.synchronize()


def frames_compiled() -> int:
    """How many frames Dynamo has looked at so far: growth after the first call is recompilation."""
    from torch._dynamo.utils import counters

    return int(counters["frames"].get("total", 0))


def difference(expected: Any, got: Any) -> Result:
    """The largest difference between two results, absolute and relative to the largest value."""
    import torch
    from torch.utils import _pytree

    largest = relative = 0.0
    same = True
    left, right = (_pytree.tree_flatten(value)[0] for value in (expected, got))
    if len(left) != len(right):
        return {"same": False, "absolute": None, "relative": None}
    for one, other in zip(left, right):
        if not isinstance(one, torch.Tensor) or not isinstance(other, torch.Tensor):
            continue
        if one.shape != other.shape:
            return {"same": False, "absolute": None, "relative": None}
        if torch.equal(one, other):
            continue
        same = False
        if one.is_floating_point() and one.numel():
            gap = float((one.detach().double() - other.detach().double()).abs().max())
            scale = float(one.detach().double().abs().max()) or 1.0
            largest, relative = max(largest, gap), max(relative, gap / scale)
    return {"same": same, "absolute": largest, "relative": relative}
