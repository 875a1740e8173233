"""The screen between a function and the rules: which rules can have something to say where.

A rule says in its ``Rule`` what can make it fire: node types, and for calls the names of what
is called (``callees``) or the form of the node (``where``). Forms are looked at once per
function, names once per distinct callee, so that in each context of a function only the rules
run that may find something. With ``enabled`` False every rule sees every node of its types:
findings must be the same, which tests and ``benchmarks/screen.py`` check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from torch_compile_lint.check_calls import MODULE, rule_for
from torch_compile_lint.facts import ir
from torch_compile_lint.rule import CallRow, Claim, Hit, Rule, RuleMeta

if TYPE_CHECKING:
    from torch_compile_lint.program.function_view import AnalyzedFunction

Check = Callable[..., Iterator[Hit]]
Entry = tuple[RuleMeta, dict[str, Claim], Check]


class Plan:
    """The nodes of one function that some rule may report, whatever their values."""

    __slots__ = ("by_call", "calls", "nodes", "owner", "whole")

    def __init__(self, owner: Screen) -> None:
        self.owner = owner
        self.whole: list[Entry] = []  # rules about the function itself
        self.nodes: list[tuple[ir.Node, list[Entry]]] = []
        self.calls: list[ir.Call] = []
        self.by_call: dict[int, list[Entry]] = {}  # by the call's id: rules its form is enough for


class Screen:
    """All rules about functions, by what they want."""

    def __init__(self, enabled: bool = True) -> None:
        self._enabled = enabled
        self._whole: list[Entry] = []
        self._by_type: dict[type, list[tuple[Entry, Callable[[Any], bool] | None]]] = {}
        self._exact: dict[str, list[Entry]] = {}  # by a callee's whole name
        self._below: dict[str, list[Entry]] = {}  # by what its name stands below
        self._last: dict[str, list[Entry]] = {}  # by the last part of its name
        self._known: dict[str, tuple[Entry, ...]] = {}  # answers, by symbol

    def add_rule(self, meta: RuleMeta, claims: dict[str, Claim], rule: Rule) -> None:
        """Serve a rule's ``check``."""
        entry = (meta, claims, rule.check)
        for kind in rule.on:
            if kind is ir.FunctionFacts:
                self._whole.append(entry)
                continue
            where = rule.where if self._enabled else None
            if kind is ir.Call and rule.callees is not None and self._enabled:
                for symbol in rule.callees:
                    self._add(symbol, entry)
                if where is None:
                    continue
            self._by_type.setdefault(kind, []).append((entry, where))

    def add_rows(self, meta: RuleMeta, claims: dict[str, Claim], rows: tuple[CallRow, ...]) -> None:
        """Serve a rule's ``[[calls]]`` rows."""
        entry = (meta, claims, rule_for(rows).check)
        if not self._enabled:
            self._by_type.setdefault(ir.Call, []).append((entry, None))
            return
        for row in rows:
            self._add(row.symbol, entry)

    def _add(self, symbol: str, entry: Entry) -> None:
        if symbol.endswith(".*"):
            table, key = self._below, symbol[:-2]
        elif symbol.startswith("*."):
            table, key = self._last, symbol[2:]
        else:
            table, key = self._exact, symbol
        rules = table.setdefault(key, [])
        if all(entry[2] is not other[2] for other in rules):
            rules.append(entry)

    def work(self, view: AnalyzedFunction) -> Iterator[tuple[Any, list[Entry]]]:
        """The nodes that are reached in this context, each with the rules to ask about it."""
        outline = view.outline
        plan = outline.plan
        if type(plan) is not Plan or plan.owner is not self:
            plan = outline.plan = self._plan(outline.by_kind)
        if plan.whole:
            yield view.facts, plan.whole
        for node, entries in plan.nodes:
            if view.reached(node):
                yield node, entries
        known = self._known
        for call in plan.calls:
            found: list[Entry] = list(plan.by_call.get(call.id, ()))
            for symbol in view.callees(call):
                more = known.get(symbol)
                if more is None:
                    more = known[symbol] = self._for_symbol(symbol)
                found.extend(more)
            if found and view.reached(call):
                yield call, found if len(found) == 1 else _distinct(found)

    def _plan(self, by_kind: dict[type, list[ir.Node]]) -> Plan:
        plan = Plan(self)
        plan.whole = self._whole
        for kind, rules in self._by_type.items():
            if kind is ir.Call:
                continue
            for node in by_kind.get(kind, ()):
                entries = [entry for entry, where in rules if where is None or where(node)]
                if entries:
                    plan.nodes.append((node, entries))
        plan.calls = by_kind.get(ir.Call, [])  # type: ignore[assignment]
        rules = self._by_type.get(ir.Call, [])
        for call in plan.calls:
            entries = [entry for entry, where in rules if where is None or where(call)]
            if entries:
                plan.by_call[call.id] = entries
        return plan

    def _for_symbol(self, symbol: str) -> tuple[Entry, ...]:
        found = list(self._exact.get(symbol, ()))
        owner, _, last = symbol.rpartition(".")
        found.extend(self._last.get(last, ()))
        if symbol.startswith("torch.nn."):  # a layer's method may be one of torch.nn.Module
            found.extend(self._exact.get(MODULE + last, ()))
        while owner:
            found.extend(self._below.get(owner, ()))
            owner = owner.rpartition(".")[0]
        return tuple(_distinct(found))


def _distinct(entries: list[Entry]) -> list[Entry]:
    return list({id(entry[2]): entry for entry in entries}.values())
