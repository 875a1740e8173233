"""`torch._check_tensor_all(t)` -> `torch._assert_async(t.all())`, which is an operation of the graph."""

from __future__ import annotations

from torch_compile_lint.model import Edit, Fix, Safety, Span
from torch_compile_lint.rewrite.flow import statement_of
from torch_compile_lint.rewrite.purity import only
from torch_compile_lint.rewrite.text import holds_comment, operand, source
from torch_compile_lint.rule import FunctionView, Hit, Tensor, ir


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    call = hit.node
    op = statement_of(call, view)
    if not isinstance(call, ir.Call) or not isinstance(op, ir.ExprStmt) or op.value is not call:
        return None
    place = int(hit.slots["func"].endswith("_with"))
    condition = view.argument(call, place, "cond")
    if condition is None or not only(view.value(condition), Tensor):
        return None
    if any(a.star for a in call.args) or holds_comment(call, view) or not isinstance(call.func, ir.Attribute):
        return None
    message = view.argument(call, place + 1, "message")
    text = ""
    if message is not None:
        body = message.function.body if isinstance(message, ir.Lambda) else ()
        given = body[0].value if len(body) == 1 and isinstance(body[0], ir.Return) else None
        if not isinstance(given, ir.Const) or not isinstance(given.value, str):
            return None  # a message that is computed cannot go into the graph
        text = f", {source(given, view)}"
    new = f"{source(call.func.base, view)}._assert_async({operand(condition, view)}.all(){text})"
    edit = Edit("", Span(call.start, call.end), new)
    return Fix("Check inside the graph", Safety.UNSAFE, (edit,))
