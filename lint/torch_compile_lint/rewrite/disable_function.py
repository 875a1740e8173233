"""The last resort: the function that holds a break under `@torch.compiler.disable`, to be shown.

It removes no break. The call breaks the graph once, and everything in the function runs eagerly,
where the break inside would cut the function as well and each frame on the way to it.
"""

from __future__ import annotations

from torch_compile_lint.facts import ir
from torch_compile_lint.model import Edit, Fix, Safety, Span
from torch_compile_lint.program.view import FunctionView
from torch_compile_lint.rewrite.flow import statement_of
from torch_compile_lint.rewrite.text import lines_of, shadowed

DECORATOR = "@torch.compiler.disable"


def disable_function(node: ir.Node, view: FunctionView) -> Fix | None:
    """The decorator on a helper; None for a root, of which nothing would be compiled any more."""
    facts = view.facts
    if view.is_root or facts.kind != "function" or "<locals>" in facts.qualname or facts.is_generator:
        return None
    if facts.decorators or facts.is_async or shadowed("torch", view) or statement_of(node, view) is None:
        return None
    first = lines_of(facts.body[0], view)
    if first is None:
        return None
    # The unit's text begins at `def`: how far that is indented shows in its body, one level deeper.
    depth = facts.qualname.count(".")
    indent = first.indent[: len(first.indent) * depth // (depth + 1)]
    edit = Edit("", Span(0, 0), f"{DECORATOR}{first.newline}{indent}")
    return Fix(f"Last resort: disable `{facts.name}`", Safety.DISPLAY, (edit,), ("torch",))
