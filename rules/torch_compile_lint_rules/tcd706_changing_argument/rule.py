"""`model(x, name)` in a loop over strings; numbers where dynamic=False forbids to generalise."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import Confidence, Hit, Rule, Script, compiled_calls, ir


def check(script: Script, _: None) -> Iterator[Hit]:
    seen: set[int] = set()
    for _name, call in compiled_calls(script):
        if call.id in seen:
            continue
        seen.add(call.id)
        loops = [loop for loop in script.loops(call) if isinstance(loop, ir.For)]
        for argument in call.args:
            value = argument.value
            if isinstance(value, ir.Name):
                yield from _hits(value, call, loops, script)


def _hits(value: ir.Name, call: ir.Call, loops: list[ir.For], script: Script) -> Iterator[Hit]:
    for loop in loops:
        if not (isinstance(loop.target, ir.Name) and loop.target.name == value.name):
            continue
        if _strings(loop.iter, script) > 1:
            yield Hit(value, "string", {"value": value.name}, confidence=Confidence.LIKELY)
        elif isinstance(loop.iter, ir.Call) and script.name(loop.iter.func) == "builtins.range":
            made = script.compiled(call.func)
            if made is not None and made.option("dynamic") is False:
                yield Hit(value, "static", {"value": value.name}, confidence=Confidence.LIKELY)
        return


def _strings(iterated: ir.Expr, script: Script) -> int:
    """How many strings a literal list, or a name given one, holds."""
    if isinstance(iterated, ir.Name):
        found = script.assigned(iterated)
        iterated = found if found is not None else iterated
    items = iterated.items if isinstance(iterated, ir.Sequence) else ()
    return sum(isinstance(item, ir.Const) and isinstance(item.value, str) for item in items)


RULE = Rule(on=(Script,), check=check)
