"""torch.compile around something that Dynamo is told not to touch: no graph is ever made.

Measured, and silent: `torch.compile(torch.compiler.disable(f))` and `@torch.compile` above
`@torch.compiler.disable` do compile f, and so does a disabled function that calls something compiled.
"""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import Compiled, Confidence, Hit, Rule, Script, ir

DISABLE = frozenset(("torch.compiler.disable", "torch._dynamo.disable", "torch._disable_dynamo"))
RECURRENT = frozenset(("torch.nn.RNN", "torch.nn.LSTM", "torch.nn.GRU"))


def check(script: Script, _: None) -> Iterator[Hit]:
    for decorators in _decorators(script):
        yield from _stacked(decorators, script)
    for call in script.nodes(ir.Call):
        made = script.compile_call(call)
        if made is not None:
            yield from _given(made, script)
        elif script.name(call.func) in DISABLE and call.args:
            thing = call.args[0].value
            if call.args[0].keyword is None and script.compiled(thing) is not None:
                yield Hit(call, "disabled", {"call": script.source(call)})
    for made in script.in_place():
        yield from _given(made, script)


def _decorators(script: Script) -> Iterator[tuple[ir.Expr, ...]]:
    if "<locals>" not in script.facts.qualname:
        yield script.facts.decorators
    for inner in script.nodes(ir.FunctionDef):
        yield inner.decorators


def _stacked(decorators: tuple[ir.Expr, ...], script: Script) -> Iterator[Hit]:
    """``@torch.compiler.disable`` above ``@torch.compile``."""
    outer: ir.Expr | None = None
    for one in decorators:
        name = script.name(one.func if isinstance(one, ir.Call) else one)
        if name in DISABLE:
            outer = one
        elif name == "torch.compile" and outer is not None:
            yield Hit(one, "stacked", {"disable": script.source(outer), "call": script.source(one)})
            return


def _given(made: Compiled, script: Script) -> Iterator[Hit]:
    """A module whose own forward is disabled, or a recurrent layer."""
    thing = made.target
    text = {"call": script.source(made.call), "name": script.instance_class(thing).rpartition(".")[2]}
    if script.instance_class(thing) in RECURRENT:
        if "allow_rnn" not in script.file_text:
            yield Hit(made.call, "recurrent", text)
        return
    for name, decorator in script.method_decorators(thing, "forward"):
        if name in DISABLE and not _is_shallow(decorator):
            yield Hit(made.call, "forward", text, confidence=Confidence.LIKELY)
            return


def _is_shallow(decorator: ir.Expr) -> bool:
    """``disable(recursive=False)``: what the forward calls is compiled."""
    return isinstance(decorator, ir.Call) and any(a.keyword == "recursive" for a in decorator.args)


RULE = Rule(on=(Script,), check=check)
