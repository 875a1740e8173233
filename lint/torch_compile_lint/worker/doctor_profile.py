"""Where eager time goes: seconds of every submodule in one call, by hooks, medians over several calls."""

from __future__ import annotations

import time
from typing import Any

from .doctor_call import eager_call
from .doctor_time import measure, summary, synchronize
from .target import Target

_CALLS = 7


def profile(target: Target, message: dict[str, Any], emit: Any) -> dict[str, Any]:
    """The median of one eager call, and for each submodule its class, calls and seconds a call.

    ``seconds`` includes the submodules below, ``own`` does not. Hooks cost time of their own: the shares
    are what to read, and the total is measured without them.
    """
    import torch

    train = bool(message.get("train"))
    call = eager_call(target, train)
    for _ in range(2):
        call()
    whole = summary([measure(call, float(message.get("time", 1.0)) / 2)])
    result: dict[str, Any] = {"eager": whole, "modules": []}
    emit({"partial": result})
    if not isinstance(target.fn, torch.nn.Module):
        return result
    timers = _Timers(message)
    handles = timers.attach(target.fn)
    rows: dict[str, list[Any]] = {}
    for _ in range(_CALLS):
        timers.begin()
        call()
        for name, entry in timers.spent.items():
            rows.setdefault(name, []).append(tuple(entry))
    for handle in handles:
        handle.remove()
    modules = dict(target.fn.named_modules())
    for name, found in rows.items():
        found.sort()
        calls, seconds, own = found[len(found) // 2]
        module = modules[name]
        result["modules"].append(
            {
                "name": name,
                "class": type(module).__name__,
                "path": _file(type(module)),
                "calls": calls,
                "seconds": seconds,
                "own": own,
                "parameters": sum(p.numel() for p in module.parameters(recurse=False)),
            }
        )
    result["modules"].sort(key=lambda row: -row["seconds"])
    return result


def _file(cls: Any) -> str:
    import sys

    module = sys.modules.get(cls.__module__)
    return str(getattr(module, "__file__", "") or "")


class _Timers:
    """Forward hooks that note when each submodule begins and ends."""

    def __init__(self, message: dict[str, Any]) -> None:
        self.message = message
        self.spent: dict[str, list[Any]] = {}
        self._open: list[list[Any]] = []

    def begin(self) -> None:
        self.spent = {}
        self._open = []

    def attach(self, root: Any) -> list[Any]:
        handles = []
        for name, module in root.named_modules():
            handles.append(module.register_forward_pre_hook(self._enter(name)))
            handles.append(module.register_forward_hook(self._leave(name)))
        return handles

    def _enter(self, name: str) -> Any:
        def enter(*_: Any) -> None:
            synchronize(self.message)
            self._open.append([name, time.perf_counter(), 0.0])

        return enter

    def _leave(self, name: str) -> Any:
        def leave(*_: Any) -> None:
            synchronize(self.message)
            while self._open:
                opened, started, below = self._open.pop()
                spent = time.perf_counter() - started
                if self._open:
                    self._open[-1][2] += spent
                entry = self.spent.setdefault(opened, [0, 0.0, 0.0])
                entry[0] += 1
                entry[1] += spent
                entry[2] += max(0.0, spent - below)
                if opened == name:
                    return

        return leave
