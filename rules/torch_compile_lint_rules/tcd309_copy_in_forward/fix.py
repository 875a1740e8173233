"""`copy.deepcopy(t)` of a tensor -> `t.clone()`."""

from __future__ import annotations

from torch_compile_lint.model import Edit, Fix, Safety, Span
from torch_compile_lint.rewrite.purity import is_tensor
from torch_compile_lint.rewrite.text import operand, source
from torch_compile_lint.rule import FunctionView, Hit, ir


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    call = hit.node
    if hit.form != "tensor" or not isinstance(call, ir.Call) or len(call.args) != 1:
        return None
    given = call.args[0].value
    if call.args[0].star or not is_tensor(given, view) or "#" in source(call, view):
        return None
    if "copy.deepcopy" not in view.callees(call):
        return None  # copy.copy shares the memory: no clone
    edit = Edit("", Span(call.start, call.end), f"{operand(given, view)}.clone()")
    return Fix("Clone the tensor", Safety.UNSAFE, (edit,))
