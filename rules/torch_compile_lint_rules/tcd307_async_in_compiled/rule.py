"""await, async for, async with; asyncio.run and friends. An async def without await is fine."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir

RUNNERS = frozenset(
    ("asyncio.run", "asyncio.runners.run", "asyncio.new_event_loop", "asyncio.get_event_loop")
)


def check(node: ir.Node, view: FunctionView) -> Iterator[Hit]:
    if isinstance(node, ir.Call):
        if not RUNNERS.isdisjoint(view.callees(node)):
            yield Hit(node, "run", {"call": view.text(node)})
    elif isinstance(node, ir.Await) or (isinstance(node, ir.For | ir.With) and node.is_async):
        yield Hit(node, "await", {"call": view.text(node)})


def _waits(node: ir.Node) -> bool:
    return isinstance(node, ir.Await) or (isinstance(node, ir.For | ir.With) and node.is_async)


RULE = Rule(on=(ir.Call, ir.Await, ir.For, ir.With), check=check, callees=RUNNERS, where=_waits)
