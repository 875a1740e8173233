"""`torch._dynamo.optimize(b)` -> `torch.compile(backend=b)`, which decorates and wraps the same way."""

from __future__ import annotations

from torch_compile_lint.model import Edit, Fix, Safety, Span
from torch_compile_lint.rule import CompileCall, Hit

KEYWORDS = {"backend": "backend", "nopython": "fullgraph", "dynamic": "dynamic", "disable": "disable"}
#: Which of them each spelling knows, and what it always means.
SPELLINGS = {
    "torch._dynamo.optimize": (frozenset(KEYWORDS), ()),
    "torch._dynamo.eval_frame.optimize": (frozenset(KEYWORDS), ()),
    "torch._dynamo.optimize_assert": (frozenset(("backend", "dynamic")), ("fullgraph=True",)),
}


def fix(hit: Hit, call: CompileCall, text: str) -> Fix | None:
    node = call.node
    source = text[node.start : node.end]
    if call.symbol not in SPELLINGS or "#" in source:
        return None
    known, always = SPELLINGS[call.symbol]
    parts = []
    for position, argument in enumerate(node.args):
        given = text[argument.value.start : argument.value.end]
        keyword = argument.keyword or ("backend" if position == 0 and not argument.star else "")
        if keyword not in known:
            return None
        parts.append(f"{KEYWORDS[keyword]}={given}")
    edit = Edit("", Span(node.start, node.end), f"torch.compile({', '.join((*parts, *always))})")
    return Fix("Use torch.compile", Safety.UNSAFE, (edit,), ("torch",))
