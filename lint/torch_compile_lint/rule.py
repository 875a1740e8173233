"""The whole API a rule imports.

A rule is a folder ``tcdNNN_name/`` with ``rule.toml`` (what), ``rule.md`` (why), optionally
``rule.py`` (how: ``RULE = Rule(on=(...), check=check)``) and ``cases/`` (proof). A rule that
is only "a call to X has effect Y since Z" has no ``rule.py``: its ``rule.toml`` lists
``[[calls]]`` rows and the engine's generic check serves it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from torch_compile_lint.facts import ir
from torch_compile_lint.model import Confidence, Edit, Effect, Fix, Safety, Span
from torch_compile_lint.program.compile_calls import CompileCall
from torch_compile_lint.program.environment import (
    ENVIRONMENT_COPIES,
    ENVIRONMENT_GETS,
    EnvironmentRead,
    environment_read,
    may_read_environment,
)
from torch_compile_lint.program.script import Compiled, Script
from torch_compile_lint.program.script_calls import compiled_calls, first_calls
from torch_compile_lint.program.script_settings import SettingChange, guarded, setting_changes
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
    is_annotated,
)
from torch_compile_lint.program.view import FunctionView
from torch_compile_lint.records import dataclass, field
from torch_compile_lint.torchdb.db import (
    LIBRARIES,
    LibraryBreak,
    library_break,
    missing_numpy,
    option_type,
    settings,
    skipped_by_dynamo,
)

__all__ = [
    "ENVIRONMENT_COPIES",
    "ENVIRONMENT_GETS",
    "LIBRARIES",
    "Api",
    "Array",
    "ClassRef",
    "CompileCall",
    "Compiled",
    "Confidence",
    "Container",
    "Edit",
    "Effect",
    "EnvironmentRead",
    "Fix",
    "Function",
    "FunctionView",
    "Hit",
    "Instance",
    "LibraryBreak",
    "NoneAtom",
    "Number",
    "Opaque",
    "Partial",
    "PyModule",
    "Rule",
    "Safety",
    "Script",
    "SettingChange",
    "Size",
    "Span",
    "Tensor",
    "Text",
    "Unknown",
    "Value",
    "compiled_calls",
    "elements",
    "environment_read",
    "first_calls",
    "guarded",
    "in_test",
    "ir",
    "is_annotated",
    "is_computed",
    "is_written",
    "library_break",
    "may_read_environment",
    "missing_numpy",
    "option_type",
    "setting_changes",
    "settings",
    "skipped_by_dynamo",
    "tensor_confidence",
    "truth_operands",
]


@dataclass(frozen=True, slots=True)
class Claim:
    """What one form of a hazard does in a range of torch releases.

    ``since``/``until`` are 'X.Y', both inclusive, until '' = still so. ``form`` is the message
    id it speaks of ('' = every form of the rule). ``effect`` is the effect in straight-line
    code; position (loop, try, with) can make a break a skip unless ``fixed`` is set.
    Under ``fullgraph=True`` a break or skip is an error, and other effects stay. ``fullgraph``
    says where that is not so: 'raises', or 'runs' (torch captures the value or size as an unknown
    number, and only code that must know it raises).
    ``traced_if`` names the setting of Dynamo with which it is no hazard (where that is a set of functions:
    with the called one in it), unless Python needs a number that ``capture_...`` makes a symbol.
    ``verified`` lists full releases on which a probe showed it.
    """

    since: str
    until: str
    effect: Effect
    form: str = ""
    gb: tuple[str, ...] = ()
    evidence: str = ""
    fixed: bool = False
    fullgraph: str = ""
    traced_if: str = ""
    verified: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CallRow:
    """One ``[[calls]]`` row: calling ``symbol`` (canonical name; trailing '.*' = any below)."""

    symbol: str
    form: str


@dataclass(frozen=True, slots=True)
class RuleMeta:
    """A parsed ``rule.toml``.

    ``takes_along``: what is done about a finding does away with those inside its span, too.
    ``fix_since``: the first release that has what the fix writes ('' = all have it).
    ``measured``: the releases its claims rest on, where they are not all that the project measures.
    """

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
    takes_along: bool = False
    fix_since: str = ""
    measured: tuple[str, ...] = ()


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

    Calls are many, so a rule about some says which: ``callees`` are canonical names
    ('builtins.range'), 'math.*' all below math, '*.requires_grad_' all that end so. ``where``
    looks at a node's form alone and says whether ``check`` could report it; a call that it
    admits is checked whatever its callees. Both only save time: what they keep out, ``check``
    must have nothing to say about in any context.

    Put ``ir.FunctionFacts`` in ``on`` to be called once per function (node = the facts), or
    ``CompileCall`` to be called for calls of torch.compile wherever they stand (view = None), or
    ``Script`` for every function and module body that has to do with the compiler (view = None).
    """

    on: tuple[type, ...]
    check: Callable[..., Iterator[Hit]]
    callees: Collection[str] | None = None
    where: Callable[[Any], bool] | None = None


# ---------------------------------------------------------------- questions rules ask


def tensor_confidence(value: Value) -> Confidence | None:
    """How surely a value is a tensor; None where it is not known to be one.

    Only a tensor: as sure as the value. A tensor or None: likely, since None is the case the
    author has handled, and so are a bool tensor or a bool (``flag and mask.all()``, a default of
    False). A tensor or anything else: possible. A numpy array is a tensor here,
    because to Dynamo it is one, also when it was made from constants (measured).
    """
    others = [atom for atom in value.atoms if not isinstance(atom, Tensor | Array)]
    if len(others) == len(value.atoms):
        return None
    if not others:
        return value.confidence
    truths = any(isinstance(atom, Tensor) and atom.dtype == "bool" for atom in value.atoms)
    if all(
        isinstance(atom, NoneAtom) or (truths and isinstance(atom, Number) and atom.type == "bool")
        for atom in others
    ):
        return min(value.confidence, Confidence.LIKELY)
    return Confidence.POSSIBLE


def elements(value: Value) -> Iterator[Value]:
    """What iterating a list, tuple, set, iterator or tensor gives, as far as it is known."""
    for atom in value.atoms:
        if isinstance(atom, Container) and atom.kind != "dict":
            if atom.items is not None:
                yield from atom.items
            elif atom.element is not None:
                yield atom.element
        elif isinstance(atom, Tensor) and atom.rank != 0:
            yield Value((Tensor(atom.dtype),), value.confidence, value.origin)


def truth_operands(test: ir.Expr) -> Iterator[ir.Expr]:
    """The expressions whose truth decides ``test``: `not`, `and` and `or` are jumps, not values."""
    if isinstance(test, ir.Unary) and test.op == "not":
        yield from truth_operands(test.operand)
    elif isinstance(test, ir.BoolOp):
        for operand in test.values:
            yield from truth_operands(operand)
    elif isinstance(test, ir.Walrus):
        yield from truth_operands(test.value)
    else:
        yield test


def in_test(node: ir.Expr, view: FunctionView) -> bool:
    """Whether ``node`` only steers a jump: the test of if, while, assert, a ternary, a condition."""
    child: ir.Node = node
    parent = view.parent(child)
    while isinstance(parent, ir.BoolOp) or (isinstance(parent, ir.Unary) and parent.op == "not"):
        child, parent = parent, view.parent(parent)
    if isinstance(parent, ir.Branch | ir.While | ir.Assert | ir.IfExp):
        return parent.test is child
    if isinstance(parent, ir.Clause):
        return any(condition is child for condition in parent.conditions)
    return isinstance(parent, ir.Case) and parent.guard is child


def is_written(node: ir.Subscript, view: FunctionView) -> bool:
    """Whether ``node`` is only stored to or deleted; an augmented assignment reads first (measured)."""
    parent = view.parent(node)
    return isinstance(parent, ir.Assign | ir.Delete) and any(target is node for target in parent.targets)


def is_computed(expr: ir.Expr, view: FunctionView) -> bool:
    """Whether a tensor is made in this function: neither an argument of a root nor an attribute.

    Measured: a 0-d tensor that enters the graph from outside may be used as an index or a size
    on 2.6 and later, one that the graph computes may not.
    """
    if isinstance(expr, ir.Name):
        if view.is_root and any(param.name == expr.name for param in view.facts.params):
            return any(
                isinstance(target, ir.Name) and target.name == expr.name
                for assign in view.nodes(ir.Assign)
                for target in assign.targets
            )
        return expr.scope == "local"
    if isinstance(expr, ir.Attribute):
        return is_computed(expr.base, view) if expr.attr in ("data", "T") else False
    return not isinstance(expr, ir.Subscript) or is_computed(expr.base, view)
