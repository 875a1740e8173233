"""Calling a class whose metaclass overrides `__call__`."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import ClassRef, FunctionView, Hit, Rule, ir


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    if not any(isinstance(atom, ClassRef) for atom in view.value(call.func).atoms):
        return
    callees = view.callees(call)
    if any(symbol.endswith(".__call__") for symbol in callees):
        form = "attribute" if "<sets attributes>" in callees else "call"
        yield Hit(call, form, {"call": view.text(call), "name": view.text(call.func)})


RULE = Rule(on=(ir.Call,), check=check, callees=("*.__call__",))
