"""`importlib.import_module("m")` -> `m`, imported at the top of the file; imports that may fail -> there."""

from __future__ import annotations

import keyword

from torch_compile_lint.model import Edit, Fix, Safety, Span
from torch_compile_lint.rewrite.text import shadowed
from torch_compile_lint.rewrite.to_module_level import imports_to_module_level
from torch_compile_lint.rule import FunctionView, Hit, ir


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    call = hit.node
    if isinstance(call, ir.Import):
        parent = view.parent(call)
        return imports_to_module_level(parent, view) if isinstance(parent, ir.Try) else None
    if not isinstance(call, ir.Call) or len(call.args) != 1 or call.args[0].keyword or call.args[0].star:
        return None
    given = call.args[0].value
    if not isinstance(given, ir.Const) or not isinstance(given.value, str):
        return None
    name = given.value
    parts = name.split(".")
    if not all(part.isidentifier() and not keyword.iskeyword(part) for part in parts):
        return None
    callees = set(view.callees(call))
    plain = callees == {"builtins.__import__"} and len(parts) == 1
    if not (plain or callees == {"importlib.import_module"}) or shadowed(parts[0], view):
        return None
    edit = Edit("", Span(call.start, call.end), name)
    return Fix("Import at the top of the file", Safety.UNSAFE, (edit,), (name,))
