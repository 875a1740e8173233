"""torch.compile in a loop, where what is compiled differs from turn to turn in what is guarded on.

Measured harmless, and silent: the same function or an equal model compiled again and again,
tensors whose sizes differ, numbers in a closure.
"""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import Compiled, Confidence, Hit, Rule, Script, ir

RESET = ("torch.compiler.reset(", "_dynamo.reset(")


def check(script: Script, _: None) -> Iterator[Hit]:
    for call in script.nodes(ir.Call):
        made = script.compile_call(call)
        if made is None or made.in_place:
            continue
        loops = list(script.loops(call))
        if not loops or _is_short(loops) or _resets(loops, script):
            continue
        targets = {name: loop for loop in loops for name in _names(getattr(loop, "target", None))}
        yield from _hits(call, made, targets, script)


def _hits(
    call: ir.Call, made: Compiled, targets: dict[str, ir.For | ir.While | ir.Clause], script: Script
) -> Iterator[Hit]:
    text = {"call": script.source(call)}
    thing = made.target
    if isinstance(thing, ir.Name) and (given := script.assigned(thing)) is not None:
        thing = given
    if isinstance(thing, ir.Call) and script.class_methods(thing):
        for argument in thing.args:
            by = [name for name in _names(argument.value) if name in targets]
            if by:
                text["by"] = _shown(by[0])
                yield Hit(call, "instance", text, confidence=Confidence.LIKELY)
                return
    if isinstance(thing, ir.Lambda) and thing.function is not None:
        for name in thing.function.free:
            if name in targets and _strings(targets[name]):
                yield Hit(call, "string", text, confidence=Confidence.LIKELY)
                return
    for argument in made.call.args:
        if argument.keyword == "backend" and isinstance(argument.value, ir.Lambda | ir.Call):
            yield Hit(call, "backend", text, confidence=Confidence.LIKELY)


def _names(expr: ir.Expr | None) -> Iterator[str]:
    """Names of an expression that are as they stand part of its value."""
    if isinstance(expr, ir.Name):
        yield expr.name
    elif isinstance(expr, ir.Sequence):
        for item in expr.items:
            yield from _names(item)
    elif isinstance(expr, ir.Binary):
        yield from _names(expr.left)
        yield from _names(expr.right)


def _shown(name: str) -> str:
    """A comprehension's name as it is written."""
    return name.rpartition(".")[2]


def _strings(loop: ir.For | ir.While | ir.Clause) -> bool:
    items = loop.iter.items if not isinstance(loop, ir.While) and isinstance(loop.iter, ir.Sequence) else ()
    return any(isinstance(item, ir.Const) and isinstance(item.value, str) for item in items)


def _is_short(loops: list[ir.For | ir.While | ir.Clause]) -> bool:
    """One turn only: `for mode in ("default",)`."""
    return all(
        not isinstance(loop, ir.While) and isinstance(loop.iter, ir.Sequence) and len(loop.iter.items) < 2
        for loop in loops
    )


def _resets(loops: list[ir.For | ir.While | ir.Clause], script: Script) -> bool:
    return any(word in script.source(loop, 1_000_000) for loop in loops for word in RESET)


RULE = Rule(on=(Script,), check=check)
