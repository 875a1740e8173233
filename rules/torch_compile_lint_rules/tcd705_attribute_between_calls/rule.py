"""`model.scale = 2` between two calls of what torch.compile made of the model."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import Confidence, Hit, Rule, Script, compiled_calls, first_calls, ir

PLAIN = (bool, int, float, str)


def check(script: Script, _: None) -> Iterator[Hit]:
    changed = [
        (assign, target)
        for assign in script.nodes(ir.Assign)
        for target in assign.targets
        if isinstance(target, ir.Attribute)
    ]
    for name, start in first_calls(script).items() if changed else ():
        for assign, target in changed:
            assert isinstance(target, ir.Attribute)
            owner = script.written(target.base)
            if assign.start < start or not (owner == name or owner.startswith(name + ".")):
                continue
            if not _called_later(name, assign, script):
                continue
            if isinstance(assign.value, ir.Const) and isinstance(assign.value.value, PLAIN):
                form = "flag" if isinstance(assign.value.value, bool) else "number"
                yield Hit(assign, form, {"text": script.source(assign)}, confidence=Confidence.LIKELY)
            elif isinstance(assign.value, ir.Name) and _is_counter(assign.value, script):
                yield Hit(assign, "number", {"text": script.source(assign)}, confidence=Confidence.LIKELY)


def _called_later(name: str, assign: ir.Assign, script: Script) -> bool:
    """Whether the model is called below the assignment, or again in the loop around both."""
    loops = [loop for loop in script.loops(assign) if not isinstance(loop, ir.Clause)]
    outer = loops[-1] if loops else None
    for called, call in compiled_calls(script):
        if called == name and (call.start > assign.end or (outer is not None and outer.start < call.start)):
            return True
    return False


def _is_counter(name: ir.Name, script: Script) -> bool:
    """The target of `for name in range(...)` around here."""
    for loop in script.loops(name):
        if isinstance(loop, ir.For) and isinstance(loop.target, ir.Name) and loop.target.name == name.name:
            return isinstance(loop.iter, ir.Call) and script.name(loop.iter.func) == "builtins.range"
    return False


RULE = Rule(on=(Script,), check=check)
