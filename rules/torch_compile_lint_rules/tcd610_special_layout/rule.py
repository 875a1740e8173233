"""Strided nested tensors (jagged ones are traced); sparse and quantized ones are rows of rule.toml."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir

NESTED = frozenset(("torch.nested.nested_tensor", "torch.nested.as_nested_tensor"))


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    if not NESTED.isdisjoint(view.callees(call)):
        layout = view.argument(call, 99, "layout")
        if layout is None or view.text(layout) == "torch.strided":
            yield Hit(call, "nested", {"call": view.text(call)})


RULE = Rule(on=(ir.Call,), check=check, callees=NESTED)
