"""Times of one call and how far they spread: among the rounds of a process, and among processes.

The same model takes other times in another process (where its weights come to lie in memory, what the
machine does meanwhile), and rounds in one process do not show that. What was timed in several processes
therefore gets a spread that says where one more process would fall.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Any

from torch_compile_lint.records import dataclass

# Rounds of one call on a quiet machine differ by some percent; beside another job on the same cores they
# were seen to differ by 10 to 100 times, since threads of one operation wait for each other.
_UNSTEADY = 1.5
# Student's t, two-sided 80 %, by degrees of freedom (any table of the distribution).
_T80 = (3.078, 1.886, 1.638, 1.533, 1.476, 1.440, 1.415, 1.397, 1.383)


@dataclass(frozen=True, slots=True)
class Times:
    """A median, in seconds a call, and its spread: quartiles of the calls and of the rounds they came in."""

    median: float
    low: float
    high: float
    samples: int

    @staticmethod
    def of(found: dict[str, Any] | None) -> Times | None:
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
class Run:
    """Eager and compiled timed in turn in one process."""

    eager: Times
    compiled: Times
    compile_seconds: float | None = None

    @property
    def direction(self) -> int:
        """1 where compiled is faster beyond the spread of the rounds, -1 where slower, else 0."""
        if self.eager.low > self.compiled.high:
            return 1
        return -1 if self.compiled.low > self.eager.high else 0


def among_processes(found: Sequence[Times]) -> Times:
    """Times of several processes as one: the median of their medians, and where one more process would fall.

    The spread is the 80 % prediction interval of a normal distribution of the medians' logarithms (a time
    has a factor, not a sum, of noise), at least as wide as the spread inside the process in the middle.
    """
    if len(found) == 1:
        return found[0]
    logs = [math.log(one.median) for one in found]
    middle = statistics.median(logs)
    degrees = min(len(found) - 1, len(_T80))
    half = _T80[degrees - 1] * statistics.stdev(logs) * math.sqrt(1 + 1 / len(found))
    nearest = min(found, key=lambda one: abs(math.log(one.median) - middle))
    return Times(
        math.exp(middle),
        min(math.exp(middle - half), nearest.low),
        max(math.exp(middle + half), nearest.high),
        sum(one.samples for one in found),
    )
