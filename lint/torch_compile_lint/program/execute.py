"""Statements: (frame, state, block) -> state after it, or None where its end is not reached.

A state is changed in place along straight lines and copied where paths part. Loops run to a
fixpoint of the state at their head, which is widened when it does not settle by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch_compile_lint.facts import ir
from torch_compile_lint.program import calls, transfer
from torch_compile_lint.program.evaluate import bind, evaluate, get_iterated, truth_of
from torch_compile_lint.program.frame import Frame, State, join_states, same_state
from torch_compile_lint.program.lattice import container, join, widen
from torch_compile_lint.program.narrow import narrow
from torch_compile_lint.program.patterns import match_statement
from torch_compile_lint.program.transfer_version import version_text
from torch_compile_lint.program.tree import dotted, key_of
from torch_compile_lint.program.values import (
    NEVER,
    NONE,
    UNKNOWN,
    Container,
    Instance,
    Value,
    is_tensor,
    is_unknown,
    opaque,
)

WIDEN_AFTER = 3
GIVE_UP_AFTER = 6


def run_block(frame: Frame, state: State | None, block: ir.Block) -> State | None:
    """Execute statements in order until the end or a place that cannot be passed."""
    reached = frame.table
    for op in block:
        if state is None:
            return None
        frame.analyzer.spend()
        if reached is not None:
            reached[op.id] = NONE
        state = _HANDLERS[type(op)](frame, state, op)
        if frame.tries and state is not None:
            frame.tries[-1] = join_states(frame.tries[-1], dict(state))
    return state


def _expr(frame: Frame, state: State, op: ir.ExprStmt) -> State | None:
    evaluate(frame, state, op.value)
    return state


def _assign(frame: Frame, state: State, op: ir.Assign) -> State | None:
    if op.value is None:
        return state
    value = evaluate(frame, state, op.value)
    if op.annotation is not None and (is_unknown(value) or not value.atoms):
        said = frame.analyzer.annotation(frame.path, op.annotation)
        if not is_unknown(said):
            value = said
    for target in op.targets:
        bind(frame, state, target, value)
    return state


def _aug_assign(frame: Frame, state: State, op: ir.AugAssign) -> State | None:
    old = evaluate(frame, state, op.target)
    value = evaluate(frame, state, op.value)
    held = old.atoms[0] if len(old.atoms) == 1 else None
    if not old.atoms or not value.atoms:
        result = NEVER
    elif op.op == "+" and type(held) is Container and held.kind == "list":
        # A list takes any iterable here.
        right = value.atoms[0] if len(value.atoms) == 1 else None
        if type(right) is Container and right.items is not None and held.items is not None:
            result = container("list", held.items + right.items)
        else:
            element = held.element if held.items is None else None
            grown = join(element or get_iterated(frame, old), get_iterated(frame, value))
            result = container("list", None, grown)
    elif is_tensor(old) and op.op != "@":
        result = old  # in place: dtype and shape stay
    else:
        result = transfer.binary(op.op, old, value)
    if type(op.target) is not ir.Subscript:
        bind(frame, state, op.target, result)
        if frame.table is not None:
            # Rules ask what stood there before the operation.
            frame.table[op.target.id] = old
    return state


def _return(frame: Frame, state: State, op: ir.Return) -> State | None:
    value = NONE if op.value is None else evaluate(frame, state, op.value)
    frame.returns = join(frame.returns, value)
    return None


def _raise(frame: Frame, state: State, op: ir.Raise) -> State | None:
    for expr in (op.exc, op.cause):
        if expr is not None:
            evaluate(frame, state, expr)
    return None


def _assert(frame: Frame, state: State, op: ir.Assert) -> State | None:
    test = evaluate(frame, state, op.test)
    if op.message is not None:
        failed = narrow(frame, dict(state), op.test, False)
        evaluate(frame, state if failed is None else failed, op.message)
    if truth_of(test) is False:
        return None
    return narrow(frame, state, op.test, True)


def _delete(frame: Frame, state: State, op: ir.Delete) -> State | None:
    for target in op.targets:
        _delete_target(frame, state, target)
    return state


def _delete_target(frame: Frame, state: State, target: ir.Expr) -> None:
    if frame.table is not None:
        frame.table[target.id] = NONE
    if type(target) is ir.Sequence:
        for item in target.items:
            _delete_target(frame, state, item)
        return
    if type(target) in (ir.Attribute, ir.Subscript):
        evaluate(frame, state, target.base)  # type: ignore[attr-defined]
    if type(target) is ir.Subscript:
        evaluate(frame, state, target.index)
    key = key_of(target)
    if key is not None:
        frame.forget_below(state, key)
        state.pop(key, None)


def _global(frame: Frame, state: State, op: ir.Global) -> State | None:
    return state


def _import(frame: Frame, state: State, op: ir.Import) -> State | None:
    for name, local in op.names:
        if name != "*":
            frame.store(state, local, frame.analyzer.imported(frame.path, op.module, op.level, name, local))
    return state


def _pass(frame: Frame, state: State, op: ir.Op) -> State | None:
    return state


def _break(frame: Frame, state: State, op: ir.Break) -> State | None:
    if frame.breaks:
        frame.breaks[-1] = join_states(frame.breaks[-1], state)
    return None


def _continue(frame: Frame, state: State, op: ir.Continue) -> State | None:
    if frame.continues:
        frame.continues[-1] = join_states(frame.continues[-1], state)
    return None


def _branch(frame: Frame, state: State, op: ir.Branch) -> State | None:
    test = evaluate(frame, state, op.test)
    truth = truth_of(test)
    if truth is True:
        return run_block(frame, narrow(frame, state, op.test, True), op.body)
    if truth is False:
        return run_block(frame, narrow(frame, state, op.test, False), op.orelse)
    other = dict(state)
    then = run_block(frame, narrow(frame, state, op.test, True), op.body)
    otherwise = narrow(frame, other, op.test, False)
    if op.orelse:
        otherwise = run_block(frame, otherwise, op.orelse)
    return join_states(then, otherwise)


def _while(frame: Frame, state: State, op: ir.While) -> State | None:
    head: State = state
    done: State | None = None
    out: State | None = None
    for turn in range(GIVE_UP_AFTER + 2):
        here = dict(head)
        test = evaluate(frame, here, op.test)
        truth = truth_of(test)
        done = None if truth is True else narrow(frame, dict(here), op.test, False)
        body = None if truth is False else narrow(frame, here, op.test, True)
        frame.breaks.append(None)
        frame.continues.append(None)
        end = run_block(frame, body, op.body)
        out = frame.breaks.pop()
        again = join_states(end, frame.continues.pop())
        if again is None:
            break
        merged = _next_head(head, again, turn)
        if merged is None:
            break
        head = merged
    done = run_block(frame, done, op.orelse)
    return join_states(done, out)


def _for(frame: Frame, state: State, op: ir.For) -> State | None:
    source = evaluate(frame, state, op.iter)
    element = get_iterated(frame, source)
    if source.atoms and not element.atoms:
        # Known to be empty, here and now.
        return run_block(frame, state, op.orelse)
    head: State = state
    out: State | None = None
    for turn in range(GIVE_UP_AFTER + 2):
        here = dict(head)
        bind(frame, here, op.target, element)
        frame.breaks.append(None)
        frame.continues.append(None)
        end = run_block(frame, here, op.body)
        out = frame.breaks.pop()
        again = join_states(end, frame.continues.pop())
        if again is None:
            if _never_empty(source):
                return out
            break
        merged = _next_head(head, again, turn)
        if merged is None:
            if _never_empty(source):
                head = again
            break
        head = merged
    done = run_block(frame, head, op.orelse)
    return join_states(done, out)


def _never_empty(source: Value) -> bool:
    """True when the loop body runs at least once."""
    if len(source.atoms) != 1 or type(source.atoms[0]) is not Container:
        return False
    return bool(source.atoms[0].items)


def _next_head(head: State, again: State, turn: int) -> State | None:
    """The loop head joined with the state that comes round; None when nothing is new."""
    merged = join_states(head, again)
    assert merged is not None
    if same_state(merged, head):
        return None
    if turn >= WIDEN_AFTER:
        for key, value in merged.items():
            old = head.get(key)
            if old is not value and old != value:
                merged[key] = UNKNOWN if turn >= GIVE_UP_AFTER else widen(value)
    return merged


def _try(frame: Frame, state: State, op: ir.Try) -> State | None:
    frame.tries.append(dict(state))
    before = dict(state)
    end = run_block(frame, state, op.body)
    raised = frame.tries.pop()
    if frame.tries:
        frame.tries[-1] = join_states(frame.tries[-1], raised)
    if op.orelse:
        end = run_block(frame, end, op.orelse)
    for handler in () if _cannot_fail(frame, before, op.body) else op.handlers:
        here = None if raised is None else dict(raised)
        if here is None:
            break
        if frame.table is not None:
            frame.table[handler.id] = NONE
        if handler.type is not None:
            evaluate(frame, here, handler.type)
        if handler.name is not None:
            frame.store(here, handler.name, opaque("exception"))
        end = join_states(end, run_block(frame, here, handler.body))
    if op.final:
        if raised is not None and end is None:
            run_block(frame, dict(raised), op.final)
        end = run_block(frame, end, op.final)
    return end


def _cannot_fail(frame: Frame, state: State, body: ir.Block) -> bool:
    """A try around ``import torch`` and a question to it (``torch.compiler.is_compiling()``).

    Where code is compiled torch is there, and such questions do not raise; nor does asking the
    installed packages for its version, whichever way its name gets there.
    """
    for op in body:
        if type(op) in (ir.Assign, ir.Return) and _is_version(frame, state, op.value):  # type: ignore[attr-defined]
            continue
        if type(op) is ir.Import:
            names = [name for name, _ in op.names] if op.module is None else [op.module]
            if any(name.partition(".")[0] != "torch" for name in names):
                return False
        elif type(op) is not ir.Return or not _is_question(op.value):
            return False
    return True


def _is_version(frame: Frame, state: State, expr: ir.Expr | None) -> bool:
    if type(expr) is not ir.Call or (dotted(expr.func) or "").rpartition(".")[2] != "version":
        return False
    atoms = evaluate(frame, dict(state), expr).atoms
    return len(atoms) == 1 and version_text(atoms[0]) is not None


def _is_question(expr: ir.Expr | None) -> bool:
    if type(expr) is not ir.Call or expr.args:
        return False
    name = dotted(expr.func)
    return name is not None and name.startswith("torch.") and name.rpartition(".")[2].startswith("is_")


def _with(frame: Frame, state: State, op: ir.With) -> State | None:
    for item in op.items:
        context = evaluate(frame, state, item.context)
        if frame.table is not None:
            frame.table[item.id] = NONE
        if item.target is not None:
            bind(frame, state, item.target, entered(frame, context))
        else:
            entered(frame, context)
    return run_block(frame, state, op.body)


def entered(frame: Frame, context: Value) -> Value:
    """What ``with context as x`` binds."""
    if not context.atoms:
        return NEVER
    if len(context.atoms) == 1:
        atom = context.atoms[0]
        if type(atom) is Container and atom.kind == "iterator":
            return get_iterated(frame, context)
        if type(atom) is Instance:
            return calls.method(frame, context, "__enter__")
    return UNKNOWN


def _match(frame: Frame, state: State, op: ir.Match) -> State | None:
    return match_statement(frame, state, op, run_block)


def _function_def(frame: Frame, state: State, op: ir.FunctionDef) -> State | None:
    for decorator in op.decorators:
        evaluate(frame, state, decorator)
    if op.function is None:
        frame.store(state, op.name, frame.analyzer.global_value(frame.path, op.name))
        return state
    # Bound first: a nested function may call itself.
    state.pop(op.name, None)
    value = frame.analyzer.closure(frame, state, op.function)
    frame.store(state, op.name, value)
    return state


def _class_def(frame: Frame, state: State, op: ir.ClassDef) -> State | None:
    for decorator in op.decorators:
        evaluate(frame, state, decorator)
    for base in op.bases:
        if frame.table is not None:
            frame.table[base.id] = NONE
        evaluate(frame, state, base.value)
    frame.store(state, op.name, UNKNOWN)
    return state


def _type_alias(frame: Frame, state: State, op: ir.TypeAlias) -> State | None:
    frame.store(state, op.name, opaque("type"))
    return state


_HANDLERS: dict[type, Callable[[Frame, State, Any], State | None]] = {
    ir.ExprStmt: _expr,
    ir.Assign: _assign,
    ir.AugAssign: _aug_assign,
    ir.Return: _return,
    ir.Raise: _raise,
    ir.Assert: _assert,
    ir.Delete: _delete,
    ir.Global: _global,
    ir.Import: _import,
    ir.Pass: _pass,
    ir.Break: _break,
    ir.Continue: _continue,
    ir.Branch: _branch,
    ir.While: _while,
    ir.For: _for,
    ir.Try: _try,
    ir.With: _with,
    ir.Match: _match,
    ir.FunctionDef: _function_def,
    ir.ClassDef: _class_def,
    ir.TypeAlias: _type_alias,
}

__all__ = ["entered", "run_block"]
