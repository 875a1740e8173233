"""The order of the walk: what to measure next, given what is known and the time that is left.

Each step writes into a ``Measured``; a step that fails or does not fit the budget is noted and the walk
goes on. The walk stops early when a step explains the result by itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from torch_compile_lint.doctor import ablation, advice, reasons
from torch_compile_lint.doctor.measured import Measured, Message, configuration
from torch_compile_lint.doctor.session import Session
from torch_compile_lint.records import dataclass, field

STEPS = ("observe", "profile", "time", "cache", "split", "backends", "shapes", "ablation", "advice")
ENOUGH = ("does-not-compile", "falls-back", "recompiles")  # verdicts that need no timing
_SETTINGS = ("default", "static", "dynamic", "marked")
Progress = Callable[[str, int, int], None]


@dataclass(slots=True)
class Plan:
    """What the user asked for."""

    backend: str = "inductor"
    mode: str = ""
    train: bool = False
    device: str = "cpu"
    budget: float = 600.0  # seconds for the whole walk
    step_limit: float = 240.0  # seconds for one step
    time: float = 1.0  # seconds of timing for one configuration, eager and compiled together
    processes: int = 3  # the compiled model is timed in
    skip: frozenset[str] = frozenset()
    thorough: bool = False  # go on where a step has explained the result


@dataclass(slots=True)
class Walk:
    """One walk; ``found`` is complete as far as it went, at every moment."""

    session: Session
    plan: Plan
    found: Measured
    progress: Progress | None = None
    _began: float = field(default_factory=time.monotonic)

    def run(self) -> None:
        """Every step that is wanted and fits."""
        for number, name in enumerate(STEPS):
            if self.progress is not None:
                self.progress(name, number, len(STEPS))
            if name in self.plan.skip:
                self.found.skipped.append(f"{name}: not wanted")
                continue
            why = self._explained(name)
            if why:
                self.found.skipped.append(f"{name}: {why}")
                continue
            if self.left() < 2:
                self.found.skipped.append(f"{name}: the budget of {self.plan.budget:g} s is used up")
                continue
            started = time.monotonic()
            getattr(self, f"_{name}")()
            self.found.seconds[name] = round(time.monotonic() - started, 2)

    def left(self) -> float:
        """Seconds of the budget that are left."""
        return self.plan.budget - (time.monotonic() - self._began)

    def step(self, kind: str, **more: object) -> Message:
        """One measurement, within what is left of the budget."""
        seconds = max(1.0, min(self.plan.step_limit, self.left()))
        return self.session.step(kind, seconds, train=self.plan.train, time=self.plan.time, **more)

    def _explained(self, name: str) -> str:
        """Why a step is not needed; empty where it is."""
        if self.plan.thorough or name in ("observe", "profile", "advice"):
            return ""
        verdict = reasons.verdict(self.found)
        if verdict.name in ENOUGH and not (name == "shapes" and verdict.name == "recompiles"):
            return f"not needed, {verdict.text}"
        if name in ("cache", "split", "backends", "ablation") and self.found.main is None:
            return "nothing was timed"
        return ""

    # ------------------------------------------------------------ the steps, in their order

    def _observe(self) -> None:
        self.found.observed = self.step("observe", explain=True, calls=5)
        if self.found.observed.get("failed") and "graphs" in self.found.observed:
            self.found.minimised = self.step("minimise", config={"backend": "eager"})

    def _profile(self) -> None:
        self.found.profile = self.step("profile")

    def _time(self) -> None:
        config = {"backend": self.plan.backend, **({"mode": self.plan.mode} if self.plan.mode else {})}
        result = self.step("time", config=config, cache="main")
        others = [] if "failed" in result else self._again(config, float(result["took"]))
        self.found.main = configuration("compiled", code_of(self.plan), result, others)
        if self.found.main.failed and result.get("stage") == "compile":
            self.found.minimised = self.step("minimise", config=config)

    def _again(self, config: Message, took: float) -> list[Message]:
        """The same timing in further processes, as far as the budget leaves most of it to other steps."""
        found = []
        for number in range(1, self.plan.processes):
            if self.left() < 4 * took:
                self.found.skipped.append(
                    f"process {number + 1} of {self.plan.processes}: the budget is short"
                )
                break
            self.session.stop()
            result = self.step("time", config=config, cache="main")
            if "failed" not in result:
                found.append(result)
        return found

    def _cache(self) -> None:
        config = {"backend": self.plan.backend}
        result = self.step("time", config=config, cache="main", first_only=True)
        self.found.warm_cache_seconds = result.get("compile")

    def _split(self) -> None:
        self.found.split = self.step("split", config={"backend": self.plan.backend}, cache="main")

    def _backends(self) -> None:
        for backend in ("eager", "aot_eager"):
            if backend == self.plan.backend or self.left() < 5:
                continue
            result = self.step("time", config={"backend": backend})
            code = f'torch.compile(model, backend="{backend}")'
            self.found.others.append(configuration(f"backend {backend}", code, result))
        modes = ["reduce-overhead", "max-autotune"] if self.plan.device != "cpu" else []
        for mode in modes:
            if self.plan.backend == "inductor" and self.left() > 10:
                result = self.step("time", config={"backend": "inductor", "mode": mode}, cache=mode)
                code = f'torch.compile(model, mode="{mode}")'
                self.found.others.append(configuration(f"mode {mode}", code, result))

    def _shapes(self) -> None:
        for setting in _SETTINGS:
            if self.left() < 3:
                break
            self.found.shapes[setting] = self.step("shapes", setting=setting)
            if self.found.shapes[setting].get("failed") and setting == "default":
                break

    def _ablation(self) -> None:
        for one in ablation.candidates(self.found):
            if self.left() < 10:
                self.found.skipped.append(f"ablation of {one.name}: the budget is used up")
                continue
            config = {"backend": self.plan.backend, **one.config}
            result = self.step("time", config=config, cache="main")
            self.found.ablations.append(configuration(one.name, one.code, result))
        self.found.prices = ablation.prices(self.found)

    def _advice(self) -> None:
        self.found.advice = advice.tried(self.found, self.step, self.left)


def code_of(plan: Plan) -> str:
    """What to write to get the plain compiled model."""
    options = [f'backend="{plan.backend}"'] if plan.backend != "inductor" else []
    options += [f'mode="{plan.mode}"'] if plan.mode else []
    return f"torch.compile({', '.join(['model', *options])})"
