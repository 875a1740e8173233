"""What a walk has measured so far: plain values, in seconds, filled in step by step.

Everything the verdict and the reports say is read from here, so that a walk that stopped early says what
it knows and nothing else.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

Message = dict[str, Any]
# Rounds of one call on a quiet machine differ by some percent; beside another job on the same cores they
# were seen to differ by 10 to 100 times, since threads of one operation wait for each other.
_UNSTEADY = 1.5


@dataclass(frozen=True, slots=True)
class Times:
    """A median, in seconds a call, and its spread: quartiles of the calls and of the rounds they came in."""

    median: float
    low: float
    high: float
    samples: int

    @staticmethod
    def of(found: Message | None) -> Times | None:
        """From a worker's summary; None where there is none."""
        if not found or not found.get("samples"):
            return None
        return Times(*(found[name] for name in ("median", "low", "high", "samples")))

    @property
    def spread(self) -> float:
        return self.high - self.low

    @property
    def steady(self) -> bool:
        """Whether rounds of the same call took the same time, within what a quiet machine shows."""
        return self.high <= _UNSTEADY * self.low


@dataclass(frozen=True, slots=True)
class Configuration:
    """One way of compiling, timed against eager in turn in the same process."""

    name: str  # "compiled", "backend aot_eager", "without `blocks.0`", ...
    code: str  # what to write to get it
    failed: str = ""
    eager: Times | None = None
    compiled: Times | None = None
    compile_seconds: float | None = None
    recompiled: int = 0
    relative_difference: float | None = None
    same: bool | None = None

    @property
    def gain(self) -> float | None:
        """Eager time over compiled time; above 1 is faster."""
        if self.eager is None or self.compiled is None or self.compiled.median <= 0:
            return None
        return self.eager.median / self.compiled.median

    @property
    def certain(self) -> bool:
        """Whether the two spreads do not touch."""
        if self.eager is None or self.compiled is None:
            return False
        return self.eager.low > self.compiled.high or self.compiled.low > self.eager.high


def configuration(name: str, code: str, found: Message) -> Configuration:
    """A configuration from a worker's ``time`` step."""
    difference = found.get("difference") or {}
    return Configuration(
        name=name,
        code=code,
        failed=str(found.get("failed", "")),
        eager=Times.of(found.get("eager")),
        compiled=Times.of(found.get("compiled")),
        compile_seconds=found.get("compile"),
        recompiled=int(found.get("recompiled", 0)),
        relative_difference=difference.get("relative"),
        same=difference.get("same"),
    )


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
