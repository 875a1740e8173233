"""numpy functions that Dynamo cannot turn into torch operators; the list comes from torch."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir, missing_numpy


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    for symbol in view.callees(call):
        if (
            symbol.startswith("numpy.")
            and symbol in missing_numpy()
            and not symbol.startswith("numpy.random.")
        ):
            yield Hit(call, "numpy", {"func": view.text(call.func)})
            return


RULE = Rule(on=(ir.Call,), check=check, callees=("numpy.*",))
