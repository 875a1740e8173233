"""Value types shared by every layer: spans, findings, fixes, requests and reports.

Nothing here knows about syntax trees, torch, files on disk or terminals. All types are
frozen; a layer to the right of another (see ``lint/ARCHITECTURE.md``) hands these over and
never reaches back.
"""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

from torch_compile_lint.records import dataclass, field


class Span(NamedTuple):
    """A half-open range of code-point offsets into one text."""

    start: int
    end: int


class Effect(str, enum.Enum):
    """What torch.compile does at a hazard, from worst to mildest (the order is the severity)."""

    ERROR = "error"  # raises where eager does not
    WRONG = "wrong"  # result or side effect differs from eager, silently
    SKIP = "skip"  # the whole frame runs eagerly, no graph
    BREAK = "break"  # graph break at this statement
    RECOMPILE = "recompile"  # the frame is compiled again when a value changes
    SLOW = "slow"
    MISUSE = "misuse"  # of torch.compile itself

    @property
    def rank(self) -> int:
        """0 for the worst effect."""
        return _EFFECT_ORDER.index(self)


_EFFECT_ORDER = list(Effect)


class Confidence(enum.IntEnum):
    """How sure the weakest fact behind a finding is."""

    POSSIBLE = 0
    LIKELY = 1
    PROVED = 2

    @property
    def label(self) -> str:
        return self.name.lower()


class Severity(str, enum.Enum):
    """How loudly a finding is shown; derived from its effect."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


SEVERITY_OF_EFFECT = {
    Effect.ERROR: Severity.ERROR,
    Effect.WRONG: Severity.ERROR,
    Effect.SKIP: Severity.WARNING,
    Effect.BREAK: Severity.WARNING,
    Effect.RECOMPILE: Severity.WARNING,
    Effect.SLOW: Severity.INFO,
    Effect.MISUSE: Severity.WARNING,
}


class Safety(str, enum.Enum):
    """Whether a fix may be applied without being asked."""

    SAFE = "safe"  # same results and side effects in eager, always
    UNSAFE = "unsafe"  # differs in a way the rule's page names
    DISPLAY = "display"  # shown, never applied


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace ``span`` of the file at ``path`` by ``text``."""

    path: str
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Outside:
    """What a fix changes outside its function, in the same file, before the place is known.

    ``place`` is 'module' (``text`` goes to module level, above the function or its class), 'behind'
    (right below the function), 'setting' (above the first definition of the file), 'calls' (``names``
    are a function and its parameter: every call gives the list that the tensor is made of),
    'init' (``text`` becomes a statement at the end of the class's ``__init__``) or 'buffer' (the
    number that ``__init__`` stores as ``name`` becomes a buffer). ``names`` are those it binds:
    global ones, or attributes.
    """

    place: str
    names: tuple[str, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Fix:
    """A titled set of non-overlapping edits against one baseline.

    ``imports`` are the modules the new text needs at module level under their own names,
    ``outside`` what else has to change beyond the function; on a ``Finding`` both have become
    edits, and the tuples are empty.
    """

    title: str
    safety: Safety
    edits: tuple[Edit, ...]
    imports: tuple[str, ...] = ()
    outside: tuple[Outside, ...] = ()


@dataclass(frozen=True, slots=True)
class Hop:
    """One step of the path from a compile root to a finding (line from 1, in its cell if it has one)."""

    path: str
    line: int
    function: str
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What verification observed for a finding (see INTERFACE, Verdicts)."""

    outcome: str  # confirmed, refuted, not-reached, could-not-run
    gb: str | None = None
    effect: str | None = None
    evidence: str | None = None  # call, example, synthesized, isolated
    device: str = "cpu"
    torch: str | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One reported hazard. Lines and columns count from 1, columns in code points, end exclusive.

    In a notebook lines count within ``cell`` (from 1, all cells counted); the edits of a fix speak
    of the text of all code cells, as ``source`` gives it.
    """

    code: str
    name: str
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    message: str
    effect: Effect
    confidence: Confidence
    function: str = ""
    gb: tuple[str, ...] = ()
    position: tuple[str, ...] = ()  # loop, try, with, helper: what raises its cost
    why: tuple[str, ...] = ()
    witness: tuple[Hop, ...] = ()
    fix: Fix | None = None
    remedy: str = ""  # one line: what to do instead
    fingerprint: str = ""
    suppressed: bool = False
    verdict: Verdict | None = None
    cell: int | None = None
    kinds: tuple[str, ...] = field(
        default=(), compare=False
    )  # of the function's parameters: `x=tensor[float,2]`

    @property
    def severity(self) -> Severity:
        return SEVERITY_OF_EFFECT[self.effect]


@dataclass(frozen=True, slots=True)
class RunError:
    """Something the tool could not do for one file or one rule; never stops the others."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of one run; ``seconds`` maps stage name to wall seconds."""

    files: int = 0
    lowered: int = 0
    cached: int = 0
    functions: int = 0
    reachable: int = 0
    seconds: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Report:
    """Everything one run has to say. Findings are sorted by path, line, column, code."""

    findings: tuple[Finding, ...]
    errors: tuple[RunError, ...]
    stats: Stats
    target_torch: str
    roots: str
    unused_suppressions: tuple[Finding, ...] = ()
    missed: tuple[dict[str, Any], ...] = ()  # verify only


@dataclass(frozen=True, slots=True)
class Request:
    """What a front asks of the engine. ``overlays`` are unsaved texts by absolute path."""

    paths: tuple[str, ...]
    overlays: dict[str, str] = field(default_factory=dict)
    overrides: dict[str, Any] = field(default_factory=dict)  # config keys set on the command line
    config_file: str | None = None
    isolated: bool = False
    cwd: str | None = None
    noqa: bool = True  # False: leave `# noqa` to the caller (flake8 has its own)
