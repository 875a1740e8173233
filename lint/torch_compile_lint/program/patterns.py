"""``match``: what each pattern binds and narrows."""

from __future__ import annotations

from collections.abc import Callable

from torch_compile_lint.facts import ir
from torch_compile_lint.model import Confidence
from torch_compile_lint.program import transfer
from torch_compile_lint.program.evaluate import evaluate, get_iterated
from torch_compile_lint.program.frame import Frame, State, join_states
from torch_compile_lint.program.lattice import container, element_of, join_all
from torch_compile_lint.program.narrow import atom_is_instance, class_symbols, narrow, value_of_class
from torch_compile_lint.program.tree import key_of
from torch_compile_lint.program.values import (
    NONE,
    UNKNOWN,
    Container,
    Unknown,
    Value,
    constant,
)

Runner = Callable[[Frame, "State | None", ir.Block], "State | None"]


def match_statement(frame: Frame, state: State, op: ir.Match, run: Runner) -> State | None:
    """All cases in order; one that certainly matches ends the search."""
    subject = evaluate(frame, state, op.subject)
    key = key_of(op.subject)
    out: State | None = None
    here: State | None = state
    for case in op.cases:
        if here is None:
            break
        inside = dict(here)
        verdict = matches(frame, inside, case.pattern, subject)
        if verdict is False:
            continue
        if frame.table is not None:
            frame.table[case.id] = NONE
        if key is not None and case.pattern.kind in ("class", "value", "singleton"):
            inside[key] = narrowed(frame, case.pattern, subject)
        taken: State | None = inside
        certain = verdict is True
        if case.guard is not None:
            evaluate(frame, inside, case.guard)
            taken = narrow(frame, inside, case.guard, True)
            certain = False
        out = join_states(out, run(frame, taken, case.body))
        if certain:
            here = None
    return join_states(out, here)


def narrowed(frame: Frame, pattern: ir.Pattern, subject: Value) -> Value:
    """The subject inside a case."""
    if pattern.kind != "class" or frame.table is None:
        return subject
    named = frame.table[pattern.exprs[0].id]
    symbols = None if named is None else class_symbols(named)
    if symbols is None:
        return subject
    parts: list[Value] = []
    for atom in subject.atoms:
        if type(atom) is Unknown:
            parts.extend(value_of_class(frame, s) for s in symbols)
        elif atom_is_instance(frame, atom, symbols) is not False:
            parts.append(Value((atom,), subject.confidence, subject.origin))
    out = join_all(parts)
    return out if out.atoms else subject


def matches(frame: Frame, state: State, pattern: ir.Pattern, value: Value) -> bool | None:
    """Bind what the pattern captures; whether it matches, None when that is open."""
    if frame.table is not None:
        frame.table[pattern.id] = value
    if not value.atoms:
        value = UNKNOWN
    verdict = _matches(frame, state, pattern, value)
    if verdict is not None and value.confidence is not Confidence.PROVED and pattern.kind != "wildcard":
        return None if verdict is False or pattern.kind != "as" else verdict
    return verdict


def _matches(frame: Frame, state: State, pattern: ir.Pattern, value: Value) -> bool | None:
    kind = pattern.kind
    if kind == "wildcard":
        return True
    if kind in ("value", "singleton"):
        other = [evaluate(frame, state, e) for e in pattern.exprs]
        if not other:
            return None
        return transfer.truth(transfer.compare("is" if kind == "singleton" else "==", value, other[0]))
    if kind == "as":
        verdict: bool | None = True
        for inner in pattern.patterns:
            verdict = matches(frame, state, inner, value)
        for name in pattern.names:
            frame.store(state, name, value)
        return verdict
    if kind == "or":
        verdicts = [matches(frame, state, inner, value) for inner in pattern.patterns]
        if any(v is True for v in verdicts):
            return True
        return False if all(v is False for v in verdicts) else None
    if kind == "star":
        for name in pattern.names:
            frame.store(state, name, container("list", None, value))
        return True
    if kind == "sequence":
        return _sequence(frame, state, pattern, value)
    if kind == "mapping":
        for expr in pattern.exprs:
            evaluate(frame, state, expr)
        held = [element_of(a) for a in value.atoms if type(a) is Container and a.kind == "dict"]
        inside = join_all(held) if held and join_all(held).atoms else UNKNOWN
        for inner in pattern.patterns:
            matches(frame, state, inner, inside)
        for name in pattern.names:
            frame.store(state, name, container("dict", None, inside))
        return None
    return _class(frame, state, pattern, value)


def _sequence(frame: Frame, state: State, pattern: ir.Pattern, value: Value) -> bool | None:
    starred = any(p.kind == "star" for p in pattern.patterns)
    atom = value.atoms[0] if len(value.atoms) == 1 else None
    if type(atom) is Container and atom.items is not None and not starred:
        if len(atom.items) != len(pattern.patterns):
            return False
        verdicts = [matches(frame, state, p, v) for p, v in zip(pattern.patterns, atom.items, strict=True)]
        return True if all(v is True for v in verdicts) else None
    element = get_iterated(frame, value)
    for inner in pattern.patterns:
        matches(frame, state, inner, element if element.atoms else UNKNOWN)
    return None


def _class(frame: Frame, state: State, pattern: ir.Pattern, value: Value) -> bool | None:
    named = evaluate(frame, state, pattern.exprs[0]) if pattern.exprs else constant(None)
    for inner in pattern.patterns:
        matches(frame, state, inner, UNKNOWN)
    symbols = class_symbols(named)
    if symbols is None:
        return None
    answers = [atom_is_instance(frame, atom, symbols) for atom in value.atoms]
    if all(a is False for a in answers):
        return False
    return True if not pattern.patterns and all(a is True for a in answers) else None
