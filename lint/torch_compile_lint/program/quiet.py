"""What quiet evaluation (module level, ``__init__``) found out, kept for the rest of the run.

Each quiet evaluation has a memo, a stack and a budget of its own, so that its outcome rests on
nothing that was analysed before. Most of them call the same few builders with the same
arguments, though. A record is kept here where evaluating it again could only give the same:
nothing in it was cut short (by the depth limit, a cycle, an open look-up) and the reasons of
its arguments are the same too, since results carry them. Whoever takes it over takes over what
it called, and is charged the statements all that took, as if it had been evaluated there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch_compile_lint.program.passthrough import returned_parameter
from torch_compile_lint.program.values import (
    Api,
    Atom,
    Container,
    Function,
    Instance,
    Partial,
    Value,
)

if TYPE_CHECKING:
    from torch_compile_lint.program.closures import Found
    from torch_compile_lint.program.infer import Analyzer, Record

MAX_QUIET_DEPTH = 8  # in __init__ and module-level code, where only kinds are wanted
MAX_QUIET_STATEMENTS = 1500  # for one attribute or global
SHOWN = 5  # reasons of one value that a finding can show
Deps = set[tuple[str, str, str]]


class QuietBudget(Exception):
    """An attribute's or global's value takes too much code to find: it stays unknown."""


class QuietRecords:
    """Records by their key, and the keys that cost more than a whole budget."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self.charged = 0  # statements of the records below the one being evaluated
        self.known: dict[Any, Record] = {}
        #: Keys that ran out of budget: statements spent before them, and what they looked up.
        self.hopeless: dict[Any, tuple[int, Deps]] = {}

    def take_over(self, key: Any) -> Record | None:
        """A record that another quiet evaluation made, charged as if it were made now."""
        analyzer = self._analyzer
        memo, stack = analyzer._quiet_memo, analyzer._stack
        if not memo and not stack:
            spent, deps = self.hopeless.get(full_key(key), (MAX_QUIET_STATEMENTS, None))
            if deps is not None and analyzer._statements >= spent:
                analyzer.deps |= deps
                raise QuietBudget
        taken = self._find(key, memo, MAX_QUIET_DEPTH - len(stack) - 1)
        if taken is None:
            return None
        for record in taken:
            memo[record.key] = record
            analyzer._statements += record.cost
            self.charged += record.cost
        if analyzer._statements > MAX_QUIET_STATEMENTS:
            analyzer.deps |= taken[0].deps
            raise QuietBudget
        return taken[0]

    def evaluate(self, record: Record, found: Found, values: list[Value], key: Any) -> None:
        """Evaluate, and keep the record for later where it depends on nothing but its key."""
        analyzer = self._analyzer
        memo, stack = analyzer._quiet_memo, analyzer._stack
        record.key = key
        cuts, before, outer = analyzer.cuts, analyzer._statements, self.charged
        alone = len(memo) == 1 and not stack
        if stack:
            stack[-1].used[record] = None
        passed = returned_parameter(record.facts)
        if passed is not None:
            record.result, record.height, record.whole = values[passed], 1, True
            return
        self.charged = 0
        try:
            analyzer._evaluate(record, found, values, key, memo)
        except QuietBudget:
            if alone and analyzer.cuts == cuts:
                self.hopeless[full_key(key)] = (before, set(record.deps))
            raise
        spent = analyzer._statements - before
        record.cost = spent - self.charged
        self.charged = outer + spent
        record.height = 1 + max([r.height for r in record.used], default=0)
        if analyzer.cuts == cuts and record.frame is None:
            record.whole = True
            self.known.setdefault(full_key(key), record)

    def _find(self, key: Any, memo: dict[Any, Record], room: int) -> list[Record] | None:
        """The record of ``key`` and those below it that ``memo`` lacks, where they can be taken over.

        ``room`` is how many calls deep one may still go.
        """
        record = self.known.get(full_key(key))
        if record is None or record.height >= room:
            return None
        taken: dict[Record, None] = {}
        waiting = [record]
        while waiting:
            one = waiting.pop()
            there = memo.get(one.key)
            if there is None:
                if one not in taken:
                    taken[one] = None
                    waiting.extend(one.used)
            elif there is not one:
                return None  # evaluated here under other circumstances
        return list(taken)

    def forget(self, touched: Any) -> None:
        """Drop what rests on anything whose look-ups ``touched`` says have changed."""
        self.known = {k: r for k, r in self.known.items() if not touched(r.deps)}
        self.hopeless = {k: h for k, h in self.hopeless.items() if not touched(h[1])}


def full_key(key: Any) -> Any:
    """A record's key with the reasons of its arguments, which equality of values leaves out."""
    reasons = [reason for value in key[3] for reason in _reasons(value)]
    return (key, tuple(reasons)) if reasons else key


def _reasons(value: Value) -> list[tuple[str, ...]]:
    found = [] if value.origin is None else [value.origin.chain(SHOWN)]
    for atom in value.atoms:
        for part in _parts(atom):
            if part is not None:
                below = _reasons(part)
                found.extend(below or [()])
    return found


def _parts(atom: Atom) -> tuple[Value | None, ...]:
    """The values an atom holds."""
    if type(atom) is Container:
        return (*(atom.items or ()), atom.element)
    if type(atom) is Instance:
        return (atom.items,)
    if type(atom) is Function or type(atom) is Api:
        return (atom.bound,)
    if type(atom) is Partial:
        return (atom.func, *atom.args, *[value for _, value in atom.keywords])
    return ()
