"""Walks over the IR: children of a node, all functions of a unit, and moving spans."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.facts import ir
from torch_compile_lint.records import field_annotations


def _fields(kind: type) -> tuple[str, ...]:
    plain = {"int", "str", "bool", "object", "str | None", "tuple[str, ...]", "tuple[tuple[str, str], ...]"}
    return tuple(name for name, note in field_annotations(kind).items() if note not in plain)


#: The fields of each node class that may hold nodes (or the facts of a nested function).
CHILDREN: dict[type, tuple[str, ...]] = {
    kind: _fields(kind) for kind in vars(ir).values() if isinstance(kind, type) and issubclass(kind, ir.Node)
}


def children(node: ir.Node) -> Iterator[ir.Node | ir.FunctionFacts]:
    """What a node holds, in field order; a nested function's facts are not entered."""
    for name in CHILDREN[type(node)]:
        value = getattr(node, name)
        if type(value) is tuple:
            for item in value:
                if item is not None:
                    yield item
        elif value is not None:
            yield value


def roots(facts: ir.FunctionFacts) -> Iterator[ir.Node]:
    """The nodes directly in a function's facts."""
    yield from facts.decorators
    yield from facts.params
    if facts.returns is not None:
        yield facts.returns
    yield from facts.body


def nodes(facts: ir.FunctionFacts) -> Iterator[ir.Node]:
    """Every node of one function in field order, parents first; nested functions excluded."""
    todo: list[ir.Node] = list(roots(facts))[::-1]
    while todo:
        node = todo.pop()
        yield node
        todo.extend([child for child in children(node) if isinstance(child, ir.Node)][::-1])


def functions(facts: ir.FunctionFacts) -> Iterator[ir.FunctionFacts]:
    """A function and all functions nested in it."""
    todo = [facts]
    while todo:
        facts = todo.pop()
        yield facts
        for node in nodes(facts):
            if (type(node) is ir.Lambda or type(node) is ir.FunctionDef) and node.function is not None:
                todo.append(node.function)


def shift(facts: ir.FunctionFacts, delta: int) -> None:
    """Move every span of a unit."""
    if not delta:
        return
    for function in functions(facts):
        function.start += delta
        function.end += delta
        function.name_start += delta
        function.name_end += delta
        for node in nodes(function):
            node.start += delta
            node.end += delta


def freeze(unit: ir.FunctionFacts) -> None:
    """Free names were sets while scopes were open."""
    for facts in functions(unit):
        facts.free = frozenset(facts.free)
