"""__import__, importlib.import_module, and `try: import x except ImportError`. Plain imports are traced."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir

CALLS = frozenset(
    ("builtins.__import__", "importlib.import_module", "importlib.__import__", "importlib.reload")
)
EXPECTED = frozenset(("ImportError", "ModuleNotFoundError"))


def _names(expr: ir.Expr | None) -> Iterator[str]:
    if isinstance(expr, ir.Name):
        yield expr.name
    elif isinstance(expr, ir.Sequence):
        for item in expr.items:
            yield from _names(item)


def check(node: ir.Call | ir.Try, view: FunctionView) -> Iterator[Hit]:
    if isinstance(node, ir.Call):
        if not CALLS.isdisjoint(view.callees(node)):
            yield Hit(node, "call", {"call": view.text(node), "name": view.text(node.func)})
        return
    if any(handler.type is None or EXPECTED & set(_names(handler.type)) for handler in node.handlers):
        for op in node.body:
            if isinstance(op, ir.Import):
                name = op.module if op.module is not None else op.names[0][0]
                yield Hit(op, "missing", {"call": view.text(op), "name": name})


def _is_try(node: ir.Call | ir.Try) -> bool:
    return isinstance(node, ir.Try)


RULE = Rule(on=(ir.Call, ir.Try), check=check, callees=CALLS, where=_is_try)
