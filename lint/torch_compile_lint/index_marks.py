"""Calls that might compile something, kept with the locals they mention.

Over-approximate: whether `x.compile()` is torch's is judged by ``program.roots``, which can
resolve names. Decorators of units are in ``FunctionIndex.decorators``; a decorated *nested*
function appears here as the call its decorator is short for.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from typing import Any

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.index_ir import CompileMark
from torch_compile_lint.index_sketch import Sketcher
from torch_compile_lint.index_stores import in_source_order, local_sketches
from torch_compile_lint.index_walk import UnitScan

_COMPILE_NAMES = frozenset(("compile", "optimize", "optimize_assert", "disable"))
# What the text of a unit must hold for rules about the script around a model to read it.
SCRIPT_WORDS = re.compile(
    r"torch\.compile\b|(?<![.\w])compile\(|_dynamo\b|_inductor\b|torch\.library|\bcustom_op\b|\btriton_op\b"
    r"|\bload_inline\b|\bCompileCounter|(?<!\bre)(?<!\bregex)\.compile\("
)
_OTHER_COMPILERS = frozenset(("re", "regex", "ast", "sre_compile"))


_SCRIPT_PARTS = (  # one of them stands in whatever ``SCRIPT_WORDS`` finds, and is found much faster
    "compile",
    "_dynamo",
    "_inductor",
    "torch.library",
    "custom_op",
    "triton_op",
    "load_inline",
    "CompileCounter",
)


def is_script(text: str) -> bool:
    """Whether rules about the script around a model want to read a file."""
    if "torch" not in text or not any(part in text for part in _SCRIPT_PARTS):
        return False
    return SCRIPT_WORDS.search(text) is not None


def last_name(node: Any) -> str:
    """'c' of `a.b.c`, `a.b.c(...)` and `c`; '' of anything else."""
    while type(node) is ast.Call:
        node = node.func
    if type(node) is ast.Attribute:
        return node.attr
    return node.id if type(node) is ast.Name else ""


def compile_aliases(tree: ast.Module, text: str) -> set[str]:
    """Names of a file that may be torch.compile and its kin."""
    aliases: set[str] = set()
    if "compile" not in text and "_dynamo" not in text:
        return aliases
    # An import inside a function is rare enough to look for it only where the text has one.
    for node in ast.walk(tree) if "import compile" in text else tree.body:
        if type(node) is ast.ImportFrom and (node.module or "").startswith("torch"):
            for alias in node.names:
                if alias.name in _COMPILE_NAMES:
                    aliases.add(alias.asname or alias.name)
        elif type(node) is ast.Assign:
            value = node.value
            partial = type(value) is ast.Call and value.args and last_name(value) == "partial"
            target = value.args[0] if partial else value  # type: ignore[attr-defined]
            if type(target) is ast.Attribute and target.attr in _COMPILE_NAMES:
                aliases.update(t.id for t in node.targets if type(t) is ast.Name)
    return aliases


def compile_marks(
    out: UnitScan, scope: str, bound: frozenset[str], aliases: Collection[str], sketcher: Sketcher
) -> list[CompileMark]:
    """The marks of one unit, in source order."""
    inner = {id(call.func) for call, _ in out.marks}
    found: list[tuple[ir.Call, bool, int]] = []
    sketcher.mentioned.clear()
    for call, alone in out.marks:
        if id(call) in inner or _is_other(call, bound):
            continue  # torch.compile(options) of torch.compile(options)(f) is part of it
        sketch = sketcher.expr(call, bound)
        if type(sketch) is ir.Call:
            found.append((sketch, alone, call.lineno))
    for node in out.nested:
        for decorator in node.decorator_list:
            last = last_name(decorator)
            if last in _COMPILE_NAMES or last in aliases or last == "partial":
                sketch = sketcher.expr(decorator, bound)
                found.append((_applied(sketch, node.name, sketcher), False, node.lineno))
    if not found:
        return []
    out.statements.sort(key=in_source_order)
    local = local_sketches(out.statements, bound, sketcher) if bound else {}
    found.sort(key=lambda f: f[0].start)
    return [CompileMark(call, scope, alone, line, local) for call, alone, line in found]


def _is_other(call: ast.Call, bound: frozenset[str]) -> bool:
    """True for `re.compile(...)` and the like."""
    func = call.func
    if type(func) is not ast.Attribute or type(func.value) is not ast.Name:
        return False
    return func.value.id in _OTHER_COMPILERS and func.value.id not in bound


def _applied(decorator: ir.Expr, name: str, sketcher: Sketcher) -> ir.Call:
    """`decorator(name)`: what `@decorator` above `def name` does."""
    start, end = decorator.start, decorator.end
    number = sketcher.next_id
    sketcher.next_id = number + 3
    argument = ir.Argument(number + 1, start, end, ir.Name(number, start, end, name, "local"), None, "")
    return ir.Call(number + 2, start, end, decorator, (argument,))
