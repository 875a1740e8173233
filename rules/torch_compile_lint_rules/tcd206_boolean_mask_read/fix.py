"""`x[x > c].sum()` -> `torch.where(x > c, x, 0).sum()`: the sum needs no list of the chosen values."""

from __future__ import annotations

from torch_compile_lint.model import Edit, Fix, Safety, Span
from torch_compile_lint.rewrite.purity import is_pure, is_tensor, only
from torch_compile_lint.rewrite.text import argument, shadowed, source
from torch_compile_lint.rule import FunctionView, Hit, Number, ir


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    read = hit.node
    if not isinstance(read, ir.Subscript) or shadowed("torch", view) or "#" in source(read, view):
        return None
    function = view.parent(read)
    call = view.parent(function) if isinstance(function, ir.Attribute) else None
    if not isinstance(function, ir.Attribute) or function.attr != "sum":
        return None
    if not isinstance(call, ir.Call) or call.func is not function or call.args:
        return None
    mask = read.index
    if not isinstance(mask, ir.Compare) or len(mask.ops) != 1 or not is_pure(read, view):
        return None
    # The mask has the shape of the tensor only if it is made from it.
    if source(mask.left, view) != source(read.base, view) or not only(view.value(mask.rights[0]), Number):
        return None
    if not is_tensor(read.base, view):
        return None
    text = f"torch.where({argument(mask, view)}, {argument(read.base, view)}, 0)"
    edit = Edit("", Span(read.start, read.end), text)
    return Fix("Sum with torch.where", Safety.UNSAFE, (edit,), ("torch",))
