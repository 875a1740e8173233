"""A clock that is read -> nought while compiling; a statement that waits -> only while not compiling."""

from __future__ import annotations

from torch_compile_lint.model import Edit, Fix, Safety, Span
from torch_compile_lint.rewrite.guard import guard_statement
from torch_compile_lint.rewrite.text import shadowed, source
from torch_compile_lint.rule import FunctionView, Hit, ir

ZEROS = {
    **{
        f"time.{name}": "0.0" for name in ("time", "perf_counter", "monotonic", "process_time", "thread_time")
    },
    **{f"time.{name}_ns": "0" for name in ("time", "perf_counter", "monotonic")},
}


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    call = hit.node
    if not isinstance(call, ir.Call) or shadowed("torch", view):
        return None
    if isinstance(view.parent(call), ir.ExprStmt):
        return guard_statement(call, view, "Wait only while not compiling")
    zeros = {ZEROS.get(symbol) for symbol in view.callees(call)}
    text = source(call, view)
    if len(zeros) != 1 or None in zeros or "\n" in text or "#" in text or call.args:
        return None
    new = f"{zeros.pop()} if torch.compiler.is_compiling() else {text}"
    if not isinstance(view.parent(call), ir.Assign | ir.Return):
        new = f"({new})"
    return Fix(
        "Read the clock only while not compiling",
        Safety.UNSAFE,
        (Edit("", Span(call.start, call.end), new),),
        ("torch",),
    )
