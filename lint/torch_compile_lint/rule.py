"""The whole API a rule imports.

A rule is a folder ``tcdNNN_name/`` with ``rule.toml`` (what), ``rule.md`` (why), optionally
``rule.py`` (how: ``RULE = Rule(on=(...), check=check)``) and ``cases/`` (proof). A rule that
is only "a call to X has effect Y since Z" has no ``rule.py``: its ``rule.toml`` lists
``[[calls]]`` rows and the engine's generic check serves it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from torch_compile_lint.facts import ir
from torch_compile_lint.model import Confidence, Edit, Effect, Fix, Safety, Span
from torch_compile_lint.program.values import (
    Api,
    Array,
    ClassRef,
    Container,
    Function,
    Instance,
    NoneAtom,
    Number,
    Opaque,
    Partial,
    PyModule,
    Size,
    Tensor,
    Text,
    Unknown,
    Value,
)
from torch_compile_lint.program.view import FunctionView

__all__ = [
    "Api",
    "Array",
    "ClassRef",
    "Confidence",
    "Container",
    "Edit",
    "Effect",
    "Fix",
    "Function",
    "FunctionView",
    "Hit",
    "Instance",
    "NoneAtom",
    "Number",
    "Opaque",
    "Partial",
    "PyModule",
    "Rule",
    "Safety",
    "Size",
    "Span",
    "Tensor",
    "Text",
    "Unknown",
    "Value",
    "ir",
]


@dataclass(frozen=True, slots=True)
class Claim:
    """What one form of a hazard does in a range of torch releases.

    ``since``/``until`` are 'X.Y', both inclusive, until '' = still so. ``form`` is the message
    id it speaks of ('' = every form of the rule). ``effect`` is the effect in straight-line
    code; position (loop, try, with) can make a break a skip unless ``fixed`` is set.
    ``verified`` lists full releases on which a probe showed it.
    """

    since: str
    until: str
    effect: Effect
    form: str = ""
    gb: tuple[str, ...] = ()
    evidence: str = ""
    fixed: bool = False
    verified: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CallRow:
    """One ``[[calls]]`` row: calling ``symbol`` (canonical name; trailing '.*' = any below)."""

    symbol: str
    form: str


@dataclass(frozen=True, slots=True)
class RuleMeta:
    """A parsed ``rule.toml``."""

    code: str
    name: str
    summary: str
    category: str  # graph-break, wrong, recompile, misuse, preview (off by default)
    fix: str  # none, safe, unsafe, display
    messages: Mapping[str, str]  # form -> template with {slots}; one line
    remedies: Mapping[str, str]  # form -> what to do instead, one line ('' key = default)
    claims: tuple[Claim, ...]
    calls: tuple[CallRow, ...] = ()
    aliases: tuple[str, ...] = ()
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """What a rule returns. The engine adds code, effect, severity, witness and fingerprint.

    ``node`` is what is underlined; ``form`` picks message and claims; ``subject`` is the
    expression whose origin explains the finding (its value's confidence caps the finding's).
    """

    node: ir.Node
    form: str
    slots: Mapping[str, str] = field(default_factory=dict)
    subject: ir.Expr | None = None
    confidence: Confidence = Confidence.PROVED
    fix: Fix | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """``check`` is a pure function of one node and the view; ``on`` are the node types it wants.

    Put ``ir.FunctionFacts`` in ``on`` to be called once per function (node = the facts).
    """

    on: tuple[type, ...]
    check: Callable[..., Iterator[Hit]]
