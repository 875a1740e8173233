"""What a walk has measured so far: plain values, in seconds, filled in step by step.

Everything the verdict and the reports say is read from here, so that a walk that stopped early says what
it knows and nothing else.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from torch_compile_lint.doctor.times import Run, Times, among_processes
from torch_compile_lint.records import dataclass, field

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Configuration:
    """One way of compiling, timed against eager in turn in the same process; in one process or in several."""

    name: str  # "compiled", "backend aot_eager", "without `blocks.0`", ...
    code: str  # what to write to get it
    failed: str = ""
    eager: Times | None = None
    compiled: Times | None = None
    compile_seconds: float | None = None
    recompiled: int = 0
    relative_difference: float | None = None
    same: bool | None = None
    runs: tuple[Run, ...] = ()  # one for each process

    @property
    def gain(self) -> float | None:
        """Eager time over compiled time; above 1 is faster. Of several processes, the ratio in the middle:

        the two are timed in turn in each, so that what one process suffers divides out.
        """
        if len(self.runs) > 1 and all(run.compiled.median > 0 for run in self.runs):
            return statistics.median(run.eager.median / run.compiled.median for run in self.runs)
        if self.eager is None or self.compiled is None or self.compiled.median <= 0:
            return None
        return self.eager.median / self.compiled.median

    @property
    def certain(self) -> bool:
        """Whether most processes show eager and compiled apart, and none the other way round than those.

        Not every process: where another job disturbed the rounds of one, it shows nothing, and the others
        still tell what is true.
        """
        directions = [run.direction for run in self.runs]
        towards = sum(directions)  # a process that shows the other way takes one away
        return 2 * abs(towards) > len(directions) and len(set(directions) - {0}) == 1

    def unsteady(self, name: str) -> Times | None:
        """The times of a process whose rounds of the same call differ too much; name is eager or compiled.

        None unless that is so in more than half of the processes: else the others tell what is true.
        """
        found: list[Times] = [getattr(run, name) for run in self.runs]
        bad = [times for times in found if not times.steady]
        return bad[0] if 2 * len(bad) > len(found) else None


def configuration(name: str, code: str, found: Message, others: Sequence[Message] = ()) -> Configuration:
    """A configuration from a worker's ``time`` step, and from the same step in other processes."""
    difference = found.get("difference") or {}
    runs = tuple(run for one in (found, *others) if (run := _run(one)) is not None)
    return Configuration(
        name=name,
        code=code,
        failed=str(found.get("failed", "")),
        eager=among_processes([run.eager for run in runs]) if runs else None,
        compiled=among_processes([run.compiled for run in runs]) if runs else None,
        compile_seconds=found.get("compile"),
        recompiled=int(found.get("recompiled", 0)),
        relative_difference=difference.get("relative"),
        same=difference.get("same"),
        runs=runs,
    )


def _run(found: Message) -> Run | None:
    eager, compiled = Times.of(found.get("eager")), Times.of(found.get("compiled"))
    if eager is None or compiled is None:
        return None
    return Run(eager, compiled, found.get("compile"))


@dataclass(slots=True)
class Measured:
    """The whole walk. Steps that were not done stay None or empty; ``skipped`` says why."""

    target: str
    prepared: Message = field(default_factory=dict)
    hello: Message = field(default_factory=dict)
    device: str = "cpu"
    train: bool = False
    observed: Message | None = None  # breaks, skips, graphs of equal calls
    profile: Message | None = None  # eager time by submodule
    shapes: dict[str, Message] = field(default_factory=dict)  # setting -> recompiles
    main: Configuration | None = None
    others: list[Configuration] = field(default_factory=list)
    ablations: list[Configuration] = field(default_factory=list)
    split: Message | None = None  # inside and outside graphs
    warm_cache_seconds: float | None = None
    minimised: Message | None = None
    advice: list[Message] = field(default_factory=list)
    prices: list[Message] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)  # step -> wall time it took

    def events(self, *kinds: str) -> list[Message]:
        """What Dynamo did, of these kinds."""
        found = (self.observed or {}).get("events", [])
        return [event for event in found if event["kind"] in kinds]

    def plain(self) -> Message:
        """As plain data, for JSON."""
        return asdict(self)
