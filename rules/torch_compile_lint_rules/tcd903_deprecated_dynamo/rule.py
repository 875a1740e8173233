"""torch._dynamo.optimize, private and old, and private names that torch.compiler has too."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import CompileCall, Edit, Fix, Hit, Rule, Safety, Script, Span, guarded, ir

OLD = frozenset(
    ("torch._dynamo.optimize", "torch._dynamo.optimize_assert", "torch._dynamo.eval_frame.optimize")
)
#: Names that torch.compiler gives and that call the private function of the same name, with its form and
#: the keywords that only the private one takes.
PUBLIC = {
    "allow_in_graph": ("public", frozenset[str]()),
    "assume_constant_result": ("public", frozenset[str]()),
    "disable": ("public", frozenset(("wrapping",))),
    "is_compiling": ("public", frozenset[str]()),
    "list_backends": ("public", frozenset[str]()),
    "reset": ("public", frozenset[str]()),
    "set_stance": ("newer", frozenset[str]()),
    "substitute_in_graph": ("newer", frozenset(("is_embedded_type",))),
}
MODULES = frozenset(
    ("torch._dynamo", "torch._dynamo.decorators", "torch._dynamo.eval_frame", "torch._dynamo.external_utils")
)


def check(seen: CompileCall | Script, _: None) -> Iterator[Hit]:
    if isinstance(seen, CompileCall):
        if seen.symbol in OLD:
            yield Hit(seen.node, "optimize", {"call": seen.text})
    elif "_dynamo" in seen.file_text:
        yield from _private_names(seen)


def _private_names(script: Script) -> Iterator[Hit]:
    for node in script.nodes(ir.Attribute):
        if node.attr not in PUBLIC or guarded(node, script):
            continue
        module = script.name(node.base)
        form, private = PUBLIC[node.attr]
        parent = script.parent(node)
        if module not in MODULES or (
            isinstance(parent, ir.Call)
            and parent.func is node
            and any(a.star == "**" or a.keyword in private for a in parent.args)
        ):
            continue
        new = f"torch.compiler.{node.attr}"
        fix = Fix(f"Use {new}", Safety.SAFE, (Edit("", Span(node.start, node.end), new),), ("torch",))
        slots = {"call": script.source(node), "new": new}
        yield Hit(node, form, slots, fix=None if _hidden(node, script) else fix)
    for statement in script.nodes(ir.Import):
        yield from _imported(statement, script)


def _hidden(node: ir.Attribute, script: Script) -> bool:
    """Whether the function has a name `torch` of its own, and spells this place without it."""
    facts = script.facts
    if facts.kind == "module" or script.written(node).startswith("torch."):
        return False
    return "torch" in facts.locals | facts.free


def _imported(statement: ir.Import, script: Script) -> Iterator[Hit]:
    """`from torch._dynamo import reset`, where torch.compiler has all that is imported."""
    names = [name for name, _ in statement.names]
    if statement.module not in MODULES or not set(names) <= set(PUBLIC) or guarded(statement, script):
        return
    # Where one of its private keywords stands in the file, some call may pass it.
    if any(word in script.file_text for name in names for word in PUBLIC[name][1]):
        return
    form = "newer" if any(PUBLIC[name][0] == "newer" for name in names) else "public"
    start = script.text.index(statement.module, statement.start)
    edit = Edit("", Span(start, start + len(statement.module)), "torch.compiler")
    slots = {"call": f"{statement.module}.{names[0]}", "new": f"torch.compiler.{names[0]}"}
    yield Hit(statement, form, slots, fix=Fix("Import from torch.compiler", Safety.SAFE, (edit,)))


RULE = Rule(on=(CompileCall, Script), check=check)
