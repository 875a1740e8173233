"""`float(t)`, `int(t)` that only take part in arithmetic with tensors -> a 0-d tensor of that kind."""

from __future__ import annotations

from torch_compile_lint.model import Edit, Fix, Safety, Span
from torch_compile_lint.rewrite.numbers import stays_tensor
from torch_compile_lint.rewrite.purity import only
from torch_compile_lint.rewrite.text import operand, source
from torch_compile_lint.rule import FunctionView, Hit, Tensor, ir

CASTS = {"float": "float", "int": "long"}


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    call = hit.node
    name = hit.slots.get("name", "")
    if not isinstance(call, ir.Call) or len(call.args) != 1 or name not in CASTS:
        return None
    given = call.args[0].value
    value = view.value(given)
    if "#" in source(call, view) or not only(value, Tensor) or not stays_tensor(call, view):
        return None
    text = f"{operand(given, view)}.detach()"
    if any(getattr(atom, "dtype", None) != name for atom in value.atoms):
        text += f".{CASTS[name]}()"
    edit = Edit("", Span(call.start, call.end), text)
    return Fix("Keep it a tensor", Safety.UNSAFE, (edit,))
