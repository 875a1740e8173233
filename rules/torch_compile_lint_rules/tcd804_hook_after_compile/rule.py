"""Hooks on the layers of a model whose compiled form has been called already."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import Confidence, Hit, Rule, Script, first_calls, ir

HOOKS = frozenset(
    (
        *("register_forward_hook", "register_forward_pre_hook"),
        *("register_full_backward_hook", "register_full_backward_pre_hook"),
    )
)


def check(script: Script, _: None) -> Iterator[Hit]:
    calls = [
        call
        for call in script.nodes(ir.Call)
        if isinstance(call.func, ir.Attribute) and call.func.attr in HOOKS
    ]
    for name, start in first_calls(script).items() if calls else ():
        for call in calls:
            assert isinstance(call.func, ir.Attribute)
            layer = script.written(_without_index(call.func.base))
            # The model's own hooks run outside of what is compiled: only those of its layers are lost.
            if call.start > start and layer.startswith(name + ".") and layer != name + "._orig_mod":
                yield Hit(call, "hook", {"call": script.source(call)}, confidence=Confidence.LIKELY)


def _without_index(expr: ir.Expr) -> ir.Expr:
    """`model.layers` of `model.layers[0]`: which one does not matter."""
    while isinstance(expr, ir.Subscript):
        expr = expr.base
    return expr


RULE = Rule(on=(Script,), check=check)
