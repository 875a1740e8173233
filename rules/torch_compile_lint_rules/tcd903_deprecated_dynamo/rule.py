"""torch._dynamo.optimize, private and old."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import CompileCall, Hit, Rule

OLD = frozenset(
    ("torch._dynamo.optimize", "torch._dynamo.optimize_assert", "torch._dynamo.eval_frame.optimize")
)


def check(call: CompileCall, _: None) -> Iterator[Hit]:
    if call.symbol in OLD:
        yield Hit(call.node, "optimize", {"call": call.text})


RULE = Rule(on=(CompileCall,), check=check)
