"""os.environ[...], os.environ.get, `in os.environ`, os.getenv. What is frozen has a rule of its own."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import (
    ENVIRONMENT_COPIES,
    ENVIRONMENT_GETS,
    FunctionView,
    Hit,
    Rule,
    environment_read,
    ir,
    may_read_environment,
)

METHODS = ("get", "setdefault", "items", "copy")
# One claim serves both.
FORMS = {"subscript": "environ", "setdefault": "environ"}


def check(node: ir.Subscript | ir.Call | ir.Compare, view: FunctionView) -> Iterator[Hit]:
    read = environment_read(node, view)
    if read is not None:
        yield Hit(node, FORMS.get(read.form, read.form), {"value": view.text(node)})


def _reads(node: ir.Subscript | ir.Call | ir.Compare) -> bool:
    return may_read_environment(node, METHODS)


RULE = Rule(
    on=(ir.Subscript, ir.Call, ir.Compare),
    check=check,
    callees=("os.getenv", "os.environ.setdefault", *ENVIRONMENT_GETS, *ENVIRONMENT_COPIES),
    where=_reads,
)
