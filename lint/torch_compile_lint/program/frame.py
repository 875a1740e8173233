"""One activation of the analysis: a function evaluated in one context, or a sketch.

A *state* is a dict from reference keys ('x', 'self.a', "x[0]") to values; None is the state
of a place that cannot be reached.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from torch_compile_lint.facts import ir
from torch_compile_lint.program.lattice import join
from torch_compile_lint.program.tree import root_of
from torch_compile_lint.program.values import NEVER, Value

if TYPE_CHECKING:
    from torch_compile_lint.program.infer import Analyzer, Record

State = dict[str, Value]


class Frame:
    """What evaluation of one function needs besides the state."""

    __slots__ = (
        "analyzer",
        "breaks",
        "callees",
        "captured",
        "continues",
        "dotted",
        "facts",
        "lookup",
        "owner",
        "path",
        "record",
        "returns",
        "self_value",
        "table",
        "tries",
        "volatile",
        "yields",
    )

    def __init__(
        self,
        analyzer: Analyzer,
        path: str,
        facts: ir.FunctionFacts | None = None,
        record: Record | None = None,
        owner: str | None = None,
        self_value: Value | None = None,
        captured: State | None = None,
        lookup: Callable[[str], Value | None] | None = None,
    ) -> None:
        self.analyzer = analyzer
        self.path = path
        self.facts = facts
        self.record = record
        self.owner = owner  # symbol of the class whose body the function stands in
        self.self_value = self_value
        self.captured = captured or {}
        self.lookup = lookup  # names of a sketch's scope
        # Values by node id, None where never evaluated; no table at all for sketches.
        self.table: list[Value | None] | None = None if facts is None else [None] * facts.size
        self.callees: dict[int, tuple[str, ...]] = {}
        self.dotted: dict[str, set[str]] = {}  # name -> keys below it that were ever stored
        self.returns: Value = NEVER
        self.yields: Value = NEVER
        self.breaks: list[State | None] = []
        self.continues: list[State | None] = []
        self.tries: list[State | None] = []  # states in which an exception may be raised
        self.volatile: frozenset[str] = frozenset()  # names a nested function rebinds

    def store(self, state: State, key: str, value: Value) -> None:
        """Bind a reference key; what was known of keys below it is forgotten."""
        below = self.dotted.get(key)
        if below is not None:
            for other in below:
                state.pop(other, None)
        elif self.dotted:
            self.forget_below(state, key)
        state[key] = value
        self.note(key)

    def note(self, key: str) -> None:
        """Remember that a dotted key may stand in states."""
        root = root_of(key)
        if root != key:
            self.dotted.setdefault(root, set()).add(key)

    def forget_below(self, state: State, key: str) -> None:
        """Drop what is known of ``key.a`` and ``key[0]``."""
        for other in self.dotted.get(root_of(key), ()):
            if other != key and other.startswith(key) and other[len(key)] in ".[":
                state.pop(other, None)


def join_states(a: State | None, b: State | None) -> State | None:
    """The state at a merge. Dotted keys survive only where both sides know them."""
    if a is None:
        return b
    if b is None or a is b:
        return a
    out: State = {}
    for key, value in a.items():
        other = b.get(key)
        if other is None:
            if root_of(key) == key:
                out[key] = value
        elif other is value:
            out[key] = value
        else:
            out[key] = join(value, other)
    for key, value in b.items():
        if key not in a and root_of(key) == key:
            out[key] = value
    return out


def same_state(a: State, b: State) -> bool:
    """True when both know the same."""
    if len(a) != len(b):
        return False
    for key, value in a.items():
        other = b.get(key)
        if other is not value and other != value:
            return False
    return True
