"""`torch.compile(model)` as a statement: nothing is compiled in place."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import CompileCall, Hit, Rule

COMPILERS = frozenset(("torch.compile", "torch._dynamo.optimize", "torch.jit.script", "torch.jit.trace"))


def check(call: CompileCall, _: None) -> Iterator[Hit]:
    # torch.compile(mode=...) alone makes a decorator; thrown away it is as useless.
    if call.discarded and call.symbol in COMPILERS:
        yield Hit(call.node, "discarded", {"call": call.text})


RULE = Rule(on=(CompileCall,), check=check)
