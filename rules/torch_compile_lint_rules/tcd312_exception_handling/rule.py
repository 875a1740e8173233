"""try/except: what is caught, and what is raised inside."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import (
    ClassRef,
    Confidence,
    FunctionView,
    Hit,
    Instance,
    Rule,
    ir,
    tensor_confidence,
)

OPERATOR_ERRORS = frozenset(("RuntimeError",))


def _names(expr: ir.Expr | None) -> Iterator[str]:
    if isinstance(expr, ir.Name):
        yield expr.name
    elif isinstance(expr, ir.Sequence):
        for item in expr.items:
            yield from _names(item)


def _raises(block: ir.Block) -> Iterator[ir.Raise]:
    for op in block:
        if isinstance(op, ir.Raise):
            yield op
        elif isinstance(op, ir.Branch):
            yield from _raises(op.body)
            yield from _raises(op.orelse)


def _is_custom(exc: ir.Expr | None, view: FunctionView) -> bool:
    """A class of the program: builtin exceptions are traced."""
    if exc is None:
        return False
    atoms = view.value(exc).atoms
    return any(
        isinstance(atom, ClassRef | Instance)
        and "." in atom.symbol
        and not atom.symbol.startswith("builtins.")
        for atom in atoms
    )


def _computes(block: ir.Block, view: FunctionView) -> bool:
    """Whether a tensor operator stands in the block."""
    return any(
        op.start <= node.start and node.end <= op.end and tensor_confidence(view.value(node)) is not None
        for kind in (ir.Call, ir.Binary)
        for node in view.nodes(kind)
        for op in block
    )


def check(node: ir.Try, view: FunctionView) -> Iterator[Hit]:
    for op in _raises(node.body):
        if node.handlers and _is_custom(op.exc, view):
            func = op.exc.func if isinstance(op.exc, ir.Call) else op.exc
            yield Hit(op, "custom", {"name": view.text(func) if func is not None else ""})
            return
    caught = {name for handler in node.handlers for name in _names(handler.type)}
    if caught & OPERATOR_ERRORS and _computes(node.body, view) and not any(_raises(node.body)):
        handler = next(h for h in node.handlers if OPERATOR_ERRORS & set(_names(h.type)))
        # Harmless while nothing fails, which only data decides.
        slots = {"name": "RuntimeError"}
        yield Hit(handler.type or node, "operator", slots, confidence=Confidence.POSSIBLE)
        return
    if node.handlers:
        yield Hit(node, "try", {"name": ""})


RULE = Rule(on=(ir.Try,), check=check)
