"""`compiled.generate(...)`, `compiled.encode(...)`: the wrapper hands methods on to the eager module."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import Confidence, Hit, Rule, Script, ir

GENERATE = frozenset(("generate", "generate_batch"))
OWN = frozenset(("forward", "__call__", "__init__", "extra_repr", "reset_parameters", "load_state_dict"))


def check(script: Script, _: None) -> Iterator[Hit]:
    for call in script.nodes(ir.Call):
        func = call.func
        if not isinstance(func, ir.Attribute) or func.attr in OWN or func.attr.startswith("_"):
            continue
        made = script.compiled(func.base)
        if made is None or made.in_place:
            continue
        slots = {"call": script.source(call), "name": script.source(func.base), "method": func.attr}
        if func.attr in GENERATE:
            yield Hit(call, "generate", slots, confidence=Confidence.LIKELY)
        elif func.attr in script.class_methods(made.target):
            yield Hit(call, "method", slots, confidence=Confidence.LIKELY)


RULE = Rule(on=(Script,), check=check)
