"""`os.getenv(...)` -> `os.environ.get(...)`: the same by definition, and guarded on where it is set."""

from __future__ import annotations

from torch_compile_lint.model import Edit, Fix, Safety, Span
from torch_compile_lint.rewrite.text import shadowed
from torch_compile_lint.rule import FunctionView, Hit, ir


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    call = hit.node
    if not isinstance(call, ir.Call) or shadowed("os", view) or view.callees(call) != ("os.getenv",):
        return None
    if any(a.keyword not in (None, "default", "key") or a.star for a in call.args):
        return None
    edit = Edit("", Span(call.func.start, call.func.end), "os.environ.get")
    return Fix("Use os.environ.get", Safety.SAFE, (edit,), ("os",))
