"""Calls of functions under assume_constant_result whose answer can change."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir

MARKS = frozenset(("@torch.compiler.assume_constant_result", "@torch._dynamo.assume_constant_result"))


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    if not MARKS.isdisjoint(view.callees(call)) and not view.is_fixed(call):
        yield Hit(call, "call", {"func": view.text(call.func)})


RULE = Rule(on=(ir.Call,), check=check, callees=MARKS)
