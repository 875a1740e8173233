"""`str(t)` -> `f"{t}"`, which is traced; the same text for a tensor of one or more dimensions."""

from __future__ import annotations

from torch_compile_lint.model import Edit, Fix, Safety, Span
from torch_compile_lint.rewrite.purity import only
from torch_compile_lint.rewrite.text import source
from torch_compile_lint.rule import Confidence, FunctionView, Hit, Tensor, ir


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    call = hit.node
    if not isinstance(call, ir.Call) or hit.slots.get("name") != "str" or len(call.args) != 1:
        return None
    given = call.args[0]
    value = view.value(given.value)
    text = source(given.value, view)
    if given.star or given.keyword or not only(value, Tensor) or any(c in text for c in "\"'\\{}#\n!:"):
        return None
    ranks = {atom.rank for atom in value.atoms if isinstance(atom, Tensor)}
    if 0 in ranks:
        return None  # f"{t}" of a 0-d tensor is the number alone
    sure = None not in ranks and value.confidence is Confidence.PROVED
    edit = Edit("", Span(call.start, call.end), f'f"{{{text}}}"')
    return Fix("Use an f-string", Safety.SAFE if sure else Safety.UNSAFE, (edit,))
