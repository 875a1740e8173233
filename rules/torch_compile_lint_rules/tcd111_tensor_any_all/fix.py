"""`any([a, b])`, `all((a, b))` over tensors that are written out -> torch.logical_or, logical_and."""

from __future__ import annotations

from torch_compile_lint.model import Edit, Fix, Safety, Span
from torch_compile_lint.rewrite.condition import boolean
from torch_compile_lint.rewrite.purity import is_pure
from torch_compile_lint.rewrite.text import shadowed, source
from torch_compile_lint.rule import FunctionView, Hit, ir


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    call = hit.node
    given = view.argument(call, 0) if isinstance(call, ir.Call) else None
    if not isinstance(given, ir.Sequence) or given.kind == "set" or len(given.items) < 2:
        return None
    if shadowed("torch", view) or "#" in source(call, view):
        return None
    name = hit.slots.get("name", "")
    function = {"any": "torch.logical_or", "all": "torch.logical_and"}.get(name)
    parts = [boolean(item, view) if is_pure(item, view) else None for item in given.items]
    if function is None or any(part is None for part in parts):
        return None
    text = parts[0]
    for part in parts[1:]:
        text = f"{function}({text}, {part})"
    assert text is not None
    return Fix(f"Use {function}", Safety.UNSAFE, (Edit("", Span(call.start, call.end), text),), ("torch",))
