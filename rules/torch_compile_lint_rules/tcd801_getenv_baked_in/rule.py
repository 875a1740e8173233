"""Reads of os.environ that are not guarded on while the variable is unset. os.getenv is a `[[calls]]` row."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import (
    ENVIRONMENT_GETS,
    Confidence,
    FunctionView,
    Hit,
    Rule,
    environment_read,
    ir,
    may_read_environment,
)

# All three survive a name that is not set.
UNSET = ("get", "contains", "caught")


def check(node: ir.Call | ir.Compare | ir.Subscript, view: FunctionView) -> Iterator[Hit]:
    read = environment_read(node, view)
    if read is not None and read.form in UNSET:
        # Whether the variable is set when the graph is made is decided outside.
        yield Hit(node, "unset", {"read": view.text(node)}, confidence=Confidence.LIKELY)


def _reads(node: ir.Call | ir.Compare | ir.Subscript) -> bool:
    return may_read_environment(node, ("get",))


RULE = Rule(on=(ir.Call, ir.Compare, ir.Subscript), check=check, callees=ENVIRONMENT_GETS, where=_reads)
