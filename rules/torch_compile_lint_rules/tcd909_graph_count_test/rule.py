"""Assertions on CompileCounter.frame_count, and on what torch._dynamo.explain counts."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import Hit, Rule, Script, ir

COUNTED = {"frame_count": "frames", "graph_count": "explain", "graph_break_count": "explain"}
COUNTERS = ("torch._dynamo.testing.CompileCounter", "torch._dynamo.testing.CompileCounterWithBackend")


def check(script: Script, _: None) -> Iterator[Hit]:
    for node in script.nodes(ir.Assert):
        test = node.test
        if isinstance(test, ir.Compare) and len(test.ops) == 1 and test.ops[0] in ("==", "<=", "<"):
            yield from _hits(node, (test.left, *test.rights), script)
    for call in script.nodes(ir.Call):
        if isinstance(call.func, ir.Attribute) and call.func.attr in (
            "assertEqual",
            "assertEquals",
            "assertLessEqual",
        ):
            yield from _hits(call, tuple(a.value for a in call.args[:2]), script)


def _hits(node: ir.Node, compared: tuple[ir.Expr, ...], script: Script) -> Iterator[Hit]:
    for one in compared:
        if not isinstance(one, ir.Attribute) or one.attr not in COUNTED:
            continue
        form = COUNTED[one.attr]
        made = script.assigned(one.base) if not isinstance(one.base, ir.Call) else one.base
        if _is_counter(made, form, script):
            yield Hit(node, form, {"text": script.source(node)})
            return


def _is_counter(made: ir.Expr | None, form: str, script: Script) -> bool:
    if not isinstance(made, ir.Call):
        return False
    if form == "frames":
        return script.name(made.func).startswith(COUNTERS)
    inner = made.func if isinstance(made.func, ir.Call) else made  # explain(f)(x) and explain(f, x)
    return script.name(inner.func).startswith("torch._dynamo.") and script.name(inner.func).endswith(
        ".explain"
    )


RULE = Rule(on=(Script,), check=check)
