"""Classes and functions of model libraries that were measured to break the graph, told at the call."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import (
    LIBRARIES,
    Api,
    Confidence,
    FunctionView,
    Hit,
    Instance,
    LibraryBreak,
    Rule,
    Value,
    elements,
    ir,
    library_break,
)

_TOLD = frozenset(("torchvision.ops.nms", "torchvision.ops.batched_nms"))  # by TCD219, for more releases
_SEQUENTIAL = "torch.nn.Sequential"


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    found = _breaking(view.value(call.func), view)
    if found is not None:
        slots = {
            "func": view.text(call.func),
            "name": found.name,
            "place": f"{found.file}:{found.line}",
            "inside": found.function,
        }
        form = f"{found.library}-raises" if found.effect == "error" else found.library
        yield Hit(call, form, slots, subject=call.func, confidence=Confidence.LIKELY)


def _breaking(value: Value, view: FunctionView) -> LibraryBreak | None:
    """What breaks when the value is called; None where something else may be called."""
    found = [_of_atom(atom, view) for atom in value.atoms]
    return found[0] if all(found) else None


def _of_atom(atom: object, view: FunctionView) -> LibraryBreak | None:
    if isinstance(atom, Api) and atom.bound is None:
        known = library_break(atom.symbol)
        listed = known is not None and known.kind == "function" and known.name not in _TOLD
        return known if listed else None
    if not isinstance(atom, Instance):
        return None
    if atom.items is not None and (atom.symbol == _SEQUENTIAL or atom.symbol.partition(".")[0] in LIBRARIES):
        inside = (_breaking(element, view) for element in elements(atom.items))
        return next((one for one in inside if one is not None), None)
    known = library_break(atom.symbol)
    # A library that is itself what is checked is told at its own lines.
    return None if known is None or known.kind == "function" or view.is_own(atom.symbol) else known


RULE = Rule(
    on=(ir.Call,),
    check=check,
    callees=(*(f"{library}.*" for library in LIBRARIES), _SEQUENTIAL + ".__call__"),
)
