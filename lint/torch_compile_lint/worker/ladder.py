"""One probe on its way up the ladder of inputs: try each step until one runs, then its variants until
every wanted line was traced.

Where a module does not fit into memory the probe is tried once more with ``request["fake"]``: parameters
and inputs are made on torch's meta device, which has shapes and no values, and only the compiled call is
made. It is observed up to the first operation that needs a value.
"""

from __future__ import annotations

import contextlib
import copy
import time
from typing import Any, Callable, Dict, Iterator, Set, Tuple

from . import build, loading, probe, protocol, sandbox
from .observe import seed_everything
from .target import Target

Emit = Callable[[Dict[str, Any]], None]
Wanted = Set[Tuple[str, int]]
IDLE = 6  # variants in a row that reached nothing new, after which a subject has shown what it can


def climb(
    module: Any,
    setup: dict[str, Any],
    request: dict[str, Any],
    wanted: Wanted,
    limits: sandbox.Limits,
    emit: Emit,
) -> dict[str, Any]:
    """The result of one probe."""
    return _Climb(module, setup, request, wanted, limits, emit).run()


class _Climb:
    def __init__(
        self,
        module: Any,
        setup: dict[str, Any],
        request: dict[str, Any],
        wanted: Wanted,
        limits: sandbox.Limits,
        emit: Emit,
    ) -> None:
        self.module = module
        self.wanted = wanted
        self.rest = set(wanted)
        self.request = dict(request, rest=self.rest)  # what is still unreached: who makes targets may ask
        self.limits = limits
        self.emit = emit
        self.device = str(setup.get("device", "cpu"))
        self.fake = bool(request.get("fake"))
        self.deadline = time.time() + request["timeout"] * 0.9
        self.setting = probe.Setting(
            setup.get("backend", "eager"), self.device, setup.get("watch", []), limits
        )
        self.setting.prove = bool(setup.get("prove"))
        self.variants: list[dict[str, Any]] = []
        self.failures: list[dict[str, Any]] = []
        self.idle: dict[str, int] = {}  # by subject: variants in a row that reached nothing new

    def run(self) -> dict[str, Any]:
        for step in self.request["steps"]:
            self._step(step)
            if self.variants and (not self.rest or not self.request.get("exhaust")):
                break
            if time.time() > self.deadline:
                break
        if self.variants:
            done = {"outcome": protocol.RAN, "stage": "", "reason": "", "error": ""}
            return dict(done, variants=self.variants, failures=self.failures)
        if not self.failures:
            nothing = "no way to make inputs was found"
            self.failures.append(protocol.could_not_run("building inputs", "inputs", nothing))
        return dict(_most_telling(self.failures), failures=self.failures)

    def _step(self, step: dict[str, Any]) -> None:
        stage = "building inputs"
        self.idle = {}
        self.emit({"now": stage})
        try:
            seed_everything()
            with _no_memory() if self.fake else contextlib.nullcontext():
                first: Any = None
                for target in modes(build.targets(self.module, step, self.request), self.setting.prove):
                    if target.group and self._given_up(target.group):
                        continue
                    ran = self._call(target, step)
                    first = first or (target if ran else None)
                    if self._enough():
                        break
                for target in precisions(first, self.device) if first is not None else ():
                    wanted = target.always or (self.rest and self.request.get("precisions"))
                    if wanted and time.time() < self.deadline:
                        self._call(target, dict(step, how="precision"))
        except probe.PhaseFailed as error:
            self._failed(error.stage, error.reason, error.detail)
        except build.NoInputs as error:
            self._failed(error.stage, "inputs", str(error))
        except Exception as error:
            self._failed(stage, "memory" if _is_memory(error) else step["how"], loading.last_line(error))

    def _enough(self) -> bool:
        reached = bool(self.wanted) and not self.rest and bool(self.variants)
        return (reached and not self.request.get("all_variants")) or time.time() > self.deadline

    def _given_up(self, group: str) -> bool:
        return self.idle.get(group, 0) >= IDLE and not self.request.get("all_variants")

    def _call(self, target: Target, step: dict[str, Any]) -> bool:
        """One variant; whether it ran. What raises in every eager call is no input but a failure."""
        target.fake = self.fake
        self.emit({"now": "calling %s" % (target.name or self.request.get("title", ""))})
        self.limits.seconds = max(1.0, self.deadline - time.time())
        variant = probe.run_variant(target, self.setting)
        if variant["eager_exceptions"] and all(variant["eager_exceptions"]):
            if "memory" in variant["eager_error"].lower():
                self._failed("eager call", "memory", variant["eager_error"])
                return False
            if step["how"] != "factory":
                self._failed("eager call", "inputs", str(variant["eager_exceptions"][0]))
                return False
        self.variants.append(variant)
        self.emit({"variant": variant})
        left = self.rest - {(path, line) for path, lines in variant["lines"].items() for line in lines}
        self.idle[target.group] = self.idle.get(target.group, 0) + 1 if len(left) == len(self.rest) else 0
        self.rest = self.request["rest"] = left
        return True

    def _failed(self, stage: str, reason: str, error: str) -> None:
        self.failures.append(protocol.could_not_run(stage, reason, error))


def modes(targets: Iterator[Target], both: bool) -> Iterator[Target]:
    """The targets; with ``both``, modules that are to be called as they are in training and evaluation."""
    import torch

    for target in targets:
        if not both or target.mode or target.raw or not isinstance(target.fn, torch.nn.Module):
            yield target
            continue
        for mode in ("train", "eval"):
            changed = copy.copy(target)
            changed.mode = mode
            changed.name = "%s, %s" % (target.name, mode) if target.name else mode
            yield changed


def precisions(target: Target, device: str) -> Iterator[Target]:
    """The same call in lower precision, and under autocast. On a GPU they always count: that is how
    models run there; on a CPU they are tried while lines are still unreached.
    """
    import torch

    if target.raw or not isinstance(target.fn, torch.nn.Module):
        return
    on_gpu = device.startswith("cuda")
    for label, dtype, autocast in (
        ("autocast", "", "float16" if on_gpu else "bfloat16"),
        ("float16", "float16", ""),
        ("bfloat16", "bfloat16", ""),
    ):
        changed = copy.copy(target)
        changed.name = "%s, %s" % (target.name, label) if target.name else label
        changed.dtype = dtype
        changed.autocast = autocast
        changed.always = on_gpu
        yield changed


@contextlib.contextmanager
def _no_memory() -> Iterator[None]:
    """Whatever is made here has shapes and no values."""
    import torch

    with torch.device("meta"):
        yield


def _is_memory(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or "can't allocate memory" in str(error)


def ran_out_of_memory(result: dict[str, Any]) -> bool:
    """Whether the module did not fit when it was built; what eats memory when called is told as it is."""
    if result["outcome"] == protocol.RAN:
        return False
    tries = (result, *result.get("failures", ()))
    return any(item["reason"] == "memory" and item["stage"] == "building inputs" for item in tries)


def _most_telling(failures: list[dict[str, Any]]) -> dict[str, Any]:
    """The failure to show: a crash or time-out before "no inputs", the strongest step before weaker ones."""
    for failure in failures:
        if failure["reason"] not in ("inputs", "none"):
            return failure
    return failures[0]
