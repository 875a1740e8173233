"""`items[t]`: a list, tuple or ModuleList indexed by a tensor; also a tensor by a 0-d tensor.

Measured on 2.3.1, 2.6.0, 2.9.1, 2.13.0 and 2.14.1: storing at a 0-d tensor that the graph computes breaks
it since 2.9 where a tensor is stored and since 2.13 where a number is, also as one of several indices;
storing at one that enters the graph from outside never does.
"""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rewrite.purity import only
from torch_compile_lint.rule import (
    Container,
    FunctionView,
    Hit,
    Instance,
    Rule,
    Tensor,
    ir,
    is_computed,
    tensor_confidence,
)

MODULES = frozenset(("torch.nn.ModuleList", "torch.nn.Sequential", "torch.nn.ParameterList"))


def _form(base: ir.Expr, index: ir.Expr, view: FunctionView) -> str | None:
    for atom in view.value(base).atoms:
        if isinstance(atom, Container) and atom.kind in ("list", "tuple"):
            return "list"
        if isinstance(atom, Instance) and atom.symbol in MODULES:
            return "modules"
        if isinstance(atom, Tensor) and all(
            isinstance(a, Tensor) and a.rank == 0 for a in view.value(index).atoms
        ):
            if _is_written_out(index, view):
                return None
            return "computed" if is_computed(index, view) else "tensor"
    return None


def _is_written_out(index: ir.Expr, view: FunctionView) -> bool:
    """`torch.tensor(1)`, or a name that holds nothing else: Dynamo keeps the number and indexes by it."""
    made: list[ir.Expr | None] = [index]
    if isinstance(index, ir.Name):
        text = view.text(index)
        made = [a.value for a in view.nodes(ir.Assign) if any(view.text(t) == text for t in a.targets)]
    return bool(made) and all(
        isinstance(call, ir.Call)
        and "torch.tensor" in view.callees(call)
        and bool(call.args)
        and isinstance(call.args[0].value, ir.Const)
        for call in made
    )


def _among_tensors(
    base: ir.Expr, items: tuple[ir.Expr, ...], view: FunctionView
) -> tuple[str, ir.Expr] | None:
    """The form of `t[i, :]`, and the first 0-d tensor among its indices that counts."""
    if not only(view.value(base), Tensor):
        return None
    found: tuple[str, ir.Expr] | None = None
    for item in items:
        atoms = view.value(item).atoms
        if not atoms or not all(isinstance(a, Tensor) and a.rank == 0 for a in atoms):
            continue
        if not _is_written_out(item, view):
            if is_computed(item, view):
                return "computed", item
            found = found or ("tensor", item)
    return found


def _was_fetched(node: ir.Subscript, index: ir.Expr, view: FunctionView) -> bool:
    """Whether the same index was read by before: the graph ended there, the next gets it from outside."""
    if not isinstance(index, ir.Name):
        return False
    given = [
        t for a in view.nodes(ir.Assign) for t in a.targets if isinstance(t, ir.Name) and t.name == index.name
    ]
    return len(given) == 1 and any(
        one is not node
        and given[0].start < one.start < node.start
        and isinstance(one.index, ir.Name)
        and one.index.name == index.name
        and _stored(one, view) is None
        and only(view.value(one.base), Tensor)
        and all(above in _above(node, view) for above in _above(one, view))
        for one in view.nodes(ir.Subscript)
    )


def _above(node: ir.Node, view: FunctionView) -> list[ir.Node]:
    """The compound statements around a node."""
    found: list[ir.Node] = []
    parent = view.parent(node)
    while parent is not None:
        if isinstance(parent, ir.Branch | ir.For | ir.While | ir.Try | ir.With):
            found.append(parent)
        parent = view.parent(parent)
    return found


def _stored(node: ir.Subscript, view: FunctionView) -> ir.Expr | None:
    """What is stored at a subscript; None where it is read (`t[i] += 1` reads first)."""
    parent = view.parent(node)
    return parent.value if isinstance(parent, ir.Assign) and node in parent.targets else None


def _written(node: ir.Subscript, form: str, view: FunctionView) -> str | None:
    """The form of a store: only a computed index is a hazard; since which release is the value's matter."""
    stored = _stored(node, view)
    if stored is None:
        return form
    if form != "computed":
        return None
    return "tensor-stored" if only(view.value(stored), Tensor) else "number-stored"


def check(node: ir.Subscript, view: FunctionView) -> Iterator[Hit]:
    index = node.index
    if isinstance(index, ir.Sequence) and index.kind == "tuple":
        among = _among_tensors(node.base, index.items, view)
        if among is None:
            return
        form, index = among
    else:
        alone = _form(node.base, index, view)
        if alone is None:
            return
        form = alone
    if form == "computed" and _was_fetched(node, index, view):
        return
    confidence = tensor_confidence(view.value(index))
    said = _written(node, form, view) if form in ("computed", "tensor") else form
    if confidence is not None and said is not None:
        yield Hit(node, said, {"base": view.text(node.base), "value": view.text(index)}, index, confidence)


def _is_computed_index(node: ir.Subscript) -> bool:
    return not isinstance(node.index, ir.Const | ir.Slice)


RULE = Rule(on=(ir.Subscript,), check=check, where=_is_computed_index)
