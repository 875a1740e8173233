"""Expressions: (frame, state, expression) -> Value, in the order Python evaluates them.

Every evaluated node's value is put into the frame's table; a node without an entry was never
reached. Sketches (expressions of an index) are evaluated by the same functions, in frames
that have no table and look names up instead of holding a full state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch_compile_lint.facts import ir
from torch_compile_lint.model import Confidence
from torch_compile_lint.program import calls, transfer
from torch_compile_lint.program.access import get_attribute, get_item, super_attribute
from torch_compile_lint.program.arguments import Arguments
from torch_compile_lint.program.frame import Frame, State
from torch_compile_lint.program.growth import MUTATORS, grown_by
from torch_compile_lint.program.lattice import container, element_of, join, join_all
from torch_compile_lint.program.narrow import narrow
from torch_compile_lint.program.tree import key_of
from torch_compile_lint.program.values import (
    NEVER,
    TEXT,
    UNKNOWN,
    Container,
    NoneAtom,
    Number,
    Tensor,
    Value,
    at_most,
    constant,
    constant_of,
    known_items,
    opaque,
    without,
)


def evaluate(frame: Frame, state: State, expr: ir.Expr) -> Value:
    """The value of an expression; NEVER only while a recursive call has no result yet."""
    value = _HANDLERS[type(expr)](frame, state, expr)
    table = frame.table
    if table is not None:
        table[expr.id] = value
    return value


def truth_of(value: Value) -> bool | None:
    """The outcome of a test where it is certain: a guess never makes code dead."""
    if not value.atoms or value.confidence is not Confidence.PROVED:
        return None
    return transfer.truth(value)


def _const(frame: Frame, state: State, expr: ir.Const) -> Value:
    return constant(expr.value)


def _name(frame: Frame, state: State, expr: ir.Name) -> Value:
    name = expr.name
    value = state.get(name)
    if value is not None and expr.scope != "global":
        if name in frame.volatile:
            return join(value, UNKNOWN)
        return value
    if frame.lookup is not None:
        value = frame.lookup(name)
        if value is not None:
            return value
    if expr.scope == "global":
        return frame.analyzer.global_value(frame.path, name)
    value = frame.captured.get(name)
    if value is not None:
        return value
    if expr.scope == "free":
        return UNKNOWN
    # A local that no path bound yet: on that path Python raises, so nothing is lost.
    return UNKNOWN


def _attribute(frame: Frame, state: State, expr: ir.Attribute) -> Value:
    base = expr.base
    if type(base) is ir.Call and type(base.func) is ir.Name and base.func.name == "super":
        return _super(frame, state, base, expr.attr)
    value = evaluate(frame, state, base)
    if frame.dotted:
        key = key_of(expr)
        if key is not None:
            known = state.get(key)
            if known is not None:
                return known
    if not value.atoms:
        return NEVER
    return get_attribute(frame, value, expr.attr)


def _super(frame: Frame, state: State, call: ir.Call, name: str) -> Value:
    evaluate(frame, state, call.func)
    start: Value | None = None
    for i, argument in enumerate(call.args):
        given = evaluate(frame, state, argument.value)
        if i == 0:
            start = given
    if frame.table is not None:
        frame.table[call.id] = opaque("super")
    return super_attribute(frame, start, name)


def _subscript(frame: Frame, state: State, expr: ir.Subscript) -> Value:
    value = evaluate(frame, state, expr.base)
    index = evaluate(frame, state, expr.index)
    if frame.dotted:
        key = key_of(expr)
        if key is not None:
            known = state.get(key)
            if known is not None:
                return known
    if not value.atoms or not index.atoms:
        return NEVER
    return get_item(frame, value, index)


def _slice(frame: Frame, state: State, expr: ir.Slice) -> Value:
    parts = [
        constant(None) if part is None else evaluate(frame, state, part)
        for part in (expr.lower, expr.upper, expr.step)
    ]
    return Value((Container("slice", tuple(parts)),))


def arguments(frame: Frame, state: State, call: ir.Call) -> Arguments:
    """Evaluate a call's arguments left to right."""
    out = Arguments()
    for argument in call.args:
        value = evaluate(frame, state, argument.value)
        if argument.star == "*":
            out.add_star(value)
        elif argument.star == "**":
            out.add_mapping(value)
        elif argument.keyword is not None:
            out.keywords[argument.keyword] = value
        else:
            out.add(value)
    return out


def _call(frame: Frame, state: State, expr: ir.Call) -> Value:
    func = evaluate(frame, state, expr.func)
    given = arguments(frame, state, expr)
    if not func.atoms or given.has_never():
        return NEVER
    value = calls.call(frame, func, given, expr)
    if type(expr.func) is ir.Attribute:
        _after_method(frame, state, expr.func, given)
    return value


def _after_method(frame: Frame, state: State, func: ir.Attribute, given: Arguments) -> None:
    """What a method call changes: a list grows, a module's narrowed attributes are open again."""
    if type(func.base) is ir.Name and func.base.name in frame.dotted:
        method = None if frame.table is None else frame.table[func.id]
        if method is not None and any(type(a).__name__ == "Function" for a in method.atoms):
            frame.forget_below(state, func.base.name)
    if func.attr not in MUTATORS:
        return
    key = key_of(func.base)
    if key is None:
        return
    value = state.get(key)
    if value is None:
        value = evaluate(frame, state, func.base)
    grown = [grown_by(a, func.attr, given) if type(a) is Container else None for a in value.atoms]
    if any(g is not None for g in grown):
        rest = tuple(a for a, g in zip(value.atoms, grown, strict=True) if g is None)
        parts = [g for g in grown if g is not None]
        if rest:
            parts.append(Value(rest, value.confidence, value.origin))
        frame.store(state, key, join_all(parts))


def _unary(frame: Frame, state: State, expr: ir.Unary) -> Value:
    value = evaluate(frame, state, expr.operand)
    return transfer.unary(expr.op, value) if value.atoms else NEVER


def _binary(frame: Frame, state: State, expr: ir.Binary) -> Value:
    left = evaluate(frame, state, expr.left)
    right = evaluate(frame, state, expr.right)
    if not left.atoms or not right.atoms:
        return NEVER
    return transfer.binary(expr.op, left, right)


def _boolop(frame: Frame, state: State, expr: ir.BoolOp) -> Value:
    conjunction = expr.op == "and"
    here = state
    out = NEVER
    last = len(expr.values) - 1
    for i, operand in enumerate(expr.values):
        value = evaluate(frame, here, operand)
        if i == last:
            out = join(out, value)
            break
        truth = truth_of(value)
        if truth is (not conjunction):
            # Short circuit: what follows is never evaluated.
            out = join(out, value)
            break
        if truth is None:
            out = join(out, value if conjunction else _truthy(value))
        narrowed = narrow(frame, dict(here), operand, conjunction)
        if narrowed is None:
            break
        here = narrowed
    if here is not state:
        for key, value in here.items():
            if key not in state and "." not in key and "[" not in key:
                state[key] = value  # bound by a walrus
    return out


def _truthy(value: Value) -> Value:
    """``value`` without what is certainly false: the left operand of ``or`` where it is the result."""
    left = without(value, NoneAtom)
    kept = tuple(a for a in left.atoms if not (type(a) is Number and a.const is not None and not a.const))
    return Value(kept, value.confidence, value.origin)


def _compare(frame: Frame, state: State, expr: ir.Compare) -> Value:
    left = evaluate(frame, state, expr.left)
    out = NEVER
    for op, operand in zip(expr.ops, expr.rights, strict=True):
        right = evaluate(frame, state, operand)
        if left.atoms and right.atoms:
            # As sure as the operands: only what is proved may make code dead.
            weakest = min(left.confidence, right.confidence)
            out = join(out, at_most(transfer.compare(op, left, right), weakest))
        left = right
    return out


def _ifexp(frame: Frame, state: State, expr: ir.IfExp) -> Value:
    test = evaluate(frame, state, expr.test)
    truth = truth_of(test)
    out = NEVER
    for branch, taken in ((expr.body, True), (expr.orelse, False)):
        if truth is not None and truth is not taken:
            continue
        here = narrow(frame, dict(state), expr.test, taken)
        if here is not None:
            out = join(out, evaluate(frame, here, branch))
    return out


def _sequence(frame: Frame, state: State, expr: ir.Sequence) -> Value:
    items: list[Value] = []
    exact = expr.kind != "set"
    for item in expr.items:
        if type(item) is ir.Starred:
            value = evaluate(frame, state, item)
            held = value.atoms[0] if len(value.atoms) == 1 else None
            if type(held) is Container and held.items is not None and held.kind in ("list", "tuple"):
                items.extend(held.items)
            else:
                exact = False
                items.append(transfer.iterate(value) if value.atoms else NEVER)
        else:
            items.append(evaluate(frame, state, item))
    if exact:
        return container(expr.kind, tuple(i if i.atoms else UNKNOWN for i in items))
    return container(expr.kind, None, join_all(items))


def _dict(frame: Frame, state: State, expr: ir.Dict) -> Value:
    table: dict[object, Value] | None = {}
    values: list[Value] = []
    for key, item in zip(expr.keys, expr.values, strict=True):
        name = None if key is None else evaluate(frame, state, key)
        value = evaluate(frame, state, item)
        if name is None:
            held = value.atoms[0] if len(value.atoms) == 1 else None
            if (
                type(held) is Container
                and held.keys is not None
                and held.items is not None
                and table is not None
            ):
                assert type(held) is Container
                table.update(zip(held.keys or (), held.items or (), strict=True))
                continue
            table = None
            values.append(element_of(held) if type(held) is Container else UNKNOWN)
            continue
        const = constant_of(name)
        if const is None:
            table = None
        elif table is not None:
            table[const[0]] = value
        values.append(value)
    if table is not None:
        return container("dict", tuple(v if v.atoms else UNKNOWN for v in table.values()), None, tuple(table))
    return container("dict", None, join_all(values))


def _comprehension(frame: Frame, state: State, expr: ir.Comprehension) -> Value:
    known = _converted(frame, state, expr)
    whole = _element_of_all(frame, state, expr)
    return whole if known is None else known


def _converted(frame: Frame, state: State, expr: ir.Comprehension) -> Value | None:
    """``int(part) for part in parts`` of known parts, as a version is taken apart; None for all else."""
    call, clause = expr.element, expr.clauses[0]
    if len(expr.clauses) > 1 or clause.conditions or type(call) is not ir.Call or expr.value is not None:
        return None
    if type(call.func) is not ir.Name or call.func.name != "int" or type(clause.target) is not ir.Name:
        return None
    numbers = []
    for item in known_items(evaluate(frame, dict(state), clause.iter)) or ():
        numbers.append(evaluate(frame, {**state, clause.target.name: item}, call))
    if not numbers or any(constant_of(number) is None for number in numbers):
        return None
    return container("iterator" if expr.kind == "generator" else expr.kind, tuple(numbers), UNKNOWN)


def _element_of_all(frame: Frame, state: State, expr: ir.Comprehension) -> Value:
    here: State | None = dict(state)
    for clause in expr.clauses:
        assert here is not None
        source = evaluate(frame, here, clause.iter)
        element = get_iterated(frame, source)
        if not element.atoms:
            # Empty, or not known yet: the element is never evaluated.
            return container("iterator" if expr.kind == "generator" else expr.kind, None, NEVER)
        bind(frame, here, clause.target, element)
        for condition in clause.conditions:
            test = evaluate(frame, here, condition)
            truth = truth_of(test)
            here = None if truth is False else narrow(frame, here, condition, True)
            if here is None:
                return container("iterator" if expr.kind == "generator" else expr.kind, None, NEVER)
    assert here is not None
    element = evaluate(frame, here, expr.element)
    if expr.value is not None:
        element = evaluate(frame, here, expr.value)
    return container("iterator" if expr.kind == "generator" else expr.kind, None, element)


def get_iterated(frame: Frame, source: Value) -> Value:
    """One element of what is iterated over; NEVER when it is known to be empty."""
    return calls.iterate(frame, source) if source.atoms else NEVER


def _formatted(frame: Frame, state: State, expr: ir.FormattedString) -> Value:
    for part in expr.parts:
        evaluate(frame, state, part)
    return opaque("template") if expr.template else TEXT


def _interpolation(frame: Frame, state: State, expr: ir.Interpolation) -> Value:
    evaluate(frame, state, expr.value)
    if expr.spec is not None:
        evaluate(frame, state, expr.spec)
    return TEXT


def _starred(frame: Frame, state: State, expr: ir.Starred) -> Value:
    return evaluate(frame, state, expr.value)


def _await(frame: Frame, state: State, expr: ir.Await) -> Value:
    return evaluate(frame, state, expr.value)


def _yield(frame: Frame, state: State, expr: ir.Yield) -> Value:
    value = constant(None) if expr.value is None else evaluate(frame, state, expr.value)
    frame.yields = join(frame.yields, get_iterated(frame, value) if expr.is_from else value)
    return UNKNOWN


def _walrus(frame: Frame, state: State, expr: ir.Walrus) -> Value:
    value = evaluate(frame, state, expr.value)
    bind(frame, state, expr.target, value)
    return value


def _lambda(frame: Frame, state: State, expr: ir.Lambda) -> Value:
    return frame.analyzer.closure(frame, state, expr.function)


def bind(frame: Frame, state: State, target: ir.Expr, value: Value) -> None:
    """Assign a value to a target, unpacking sequences."""
    if frame.table is not None:
        frame.table[target.id] = value
    if type(target) is ir.Name:
        frame.store(state, target.name, value)
    elif type(target) is ir.Attribute:
        evaluate(frame, state, target.base)
        key = key_of(target)
        if key is not None:
            frame.store(state, key, value)
    elif type(target) is ir.Subscript:
        _bind_item(frame, state, target, value)
    elif type(target) is ir.Starred:
        bind(frame, state, target.value, value)
    elif type(target) is ir.Sequence:
        for item, part in zip(target.items, unpack(frame, target, value), strict=True):
            bind(frame, state, item, part)


def _bind_item(frame: Frame, state: State, target: ir.Subscript, value: Value) -> None:
    base = evaluate(frame, state, target.base)
    index = evaluate(frame, state, target.index)
    key = key_of(target.base)
    if key is None:
        return
    frame.forget_below(state, key)
    atom = base.atoms[0] if len(base.atoms) == 1 else None
    if type(atom) is not Container:
        return
    const = constant_of(index)
    if atom.kind == "dict" and const is not None and atom.items is not None:
        table = dict(zip(atom.keys or (), atom.items, strict=True))
        table[const[0]] = value
        frame.store(state, key, container("dict", tuple(table.values()), None, tuple(table)))
        return
    if atom.kind == "list" and const is not None and atom.items is not None and type(const[0]) is int:
        position = const[0]
        if -len(atom.items) <= position < len(atom.items):
            items = list(atom.items)
            items[position] = value
            frame.store(state, key, container("list", tuple(items)))
            return
    if type(target.index) is ir.Slice:
        value = transfer.iterate(value) if value.atoms else NEVER
    frame.store(state, key, container(atom.kind, None, join(element_of(atom), value)))


def unpack(frame: Frame, target: ir.Sequence, value: Value) -> list[Value]:
    """One value per item of an unpacking target."""
    count = len(target.items)
    star = next((i for i, item in enumerate(target.items) if type(item) is ir.Starred), None)
    if not value.atoms:
        return [NEVER] * count
    totals = [NEVER] * count
    for atom in value.atoms:
        parts = _unpack_atom(frame, atom, value, count, star)
        if parts is not None:
            totals = [join(t, p) for t, p in zip(totals, parts, strict=True)]
    return [t if t.atoms else UNKNOWN for t in totals]


def _unpack_atom(frame: Frame, atom: Any, value: Value, count: int, star: int | None) -> list[Value] | None:
    if type(atom) is NoneAtom or (type(atom) is Tensor and atom.rank == 0):
        return None  # eager code would raise here, so what it really is was not seen
    if type(atom) is Container and atom.items is not None and atom.kind != "dict":
        items = atom.items
        if star is None:
            return list(items) if len(items) == count else None
        after = count - star - 1
        if len(items) < count - 1:
            return None
        middle = items[star : len(items) - after]
        return [*items[:star], container("list", tuple(middle)), *items[len(items) - after :]]
    element = get_iterated(frame, Value((atom,), value.confidence, value.origin))
    if not element.atoms:
        element = UNKNOWN
    parts = [element] * count
    if star is not None:
        parts[star] = container("list", None, element)
    return parts


_HANDLERS: dict[type, Callable[[Frame, State, Any], Value]] = {
    ir.Const: _const,
    ir.Name: _name,
    ir.Attribute: _attribute,
    ir.Subscript: _subscript,
    ir.Slice: _slice,
    ir.Call: _call,
    ir.Unary: _unary,
    ir.Binary: _binary,
    ir.BoolOp: _boolop,
    ir.Compare: _compare,
    ir.IfExp: _ifexp,
    ir.Sequence: _sequence,
    ir.Dict: _dict,
    ir.Comprehension: _comprehension,
    ir.Interpolation: _interpolation,
    ir.FormattedString: _formatted,
    ir.Starred: _starred,
    ir.Await: _await,
    ir.Yield: _yield,
    ir.Walrus: _walrus,
    ir.Lambda: _lambda,
}

__all__ = ["arguments", "bind", "evaluate", "get_iterated", "truth_of", "unpack"]
