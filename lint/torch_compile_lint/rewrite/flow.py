"""Where a statement stands: its block, what comes before and after it, who reads a name."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.facts import ir
from torch_compile_lint.program.view import FunctionView
from torch_compile_lint.rewrite.text import below

_BLOCKS = ("body", "orelse", "final")


def statement_of(node: ir.Node, view: FunctionView) -> ir.Op | None:
    """The statement that holds a node (the node itself, if it is one)."""
    found: ir.Node | None = node
    while found is not None and not isinstance(found, ir.Op):
        found = view.parent(found)
    return found


def block_of(op: ir.Op, view: FunctionView) -> ir.Block | None:
    """The block a statement stands in."""
    parent = view.parent(op)
    if parent is None:
        return view.facts.body if any(o is op for o in view.facts.body) else None
    for name in _BLOCKS:
        held = getattr(parent, name, None)
        if isinstance(held, tuple) and any(o is op for o in held):
            return held
    return None


def following(op: ir.Op, view: FunctionView) -> ir.Block | None:
    """The statements behind one in its block."""
    block = block_of(op, view)
    if block is None:
        return None
    at = next(i for i, other in enumerate(block) if other is op)
    return block[at + 1 :]


def preceding(op: ir.Op, view: FunctionView) -> Iterator[ir.Op]:
    """The statements that have run to their end when ``op`` begins, nearest first."""
    child: ir.Node | None = op
    while child is not None:
        if isinstance(child, ir.Op):
            block = block_of(child, view)
            if block is not None:
                at = next(i for i, other in enumerate(block) if other is child)
                yield from reversed(block[:at])
        child = view.parent(child)


def names_in(node: ir.Node) -> set[str]:
    """Bare names anywhere in a node."""
    return {found.name for found in below(node) if isinstance(found, ir.Name)}


def targets_of(op: ir.Op) -> set[str]:
    """The bare names a simple statement binds."""
    if isinstance(op, ir.Assign):
        return {n for target in op.targets for n in _target_names(target)}
    if isinstance(op, ir.AugAssign):
        return _target_names(op.target)
    return set()


def _target_names(target: ir.Expr) -> set[str]:
    if isinstance(target, ir.Name):
        return {target.name}
    if isinstance(target, ir.Sequence):
        return {n for item in target.items for n in _target_names(item)}
    return _target_names(target.value) if isinstance(target, ir.Starred) else set()


def binding_before(name: str, op: ir.Op, view: FunctionView) -> ir.Op | ir.Param | None:
    """The statement or parameter that certainly bound ``name`` before ``op``."""
    for earlier in preceding(op, view):
        if name in targets_of(earlier):
            return earlier
        if name in _bound_inside(earlier):
            return None
    return next((p for p in view.facts.params if p.name == name), None)


def _bound_inside(op: ir.Op) -> set[str]:
    """Names that a compound statement may bind or unbind."""
    out: set[str] = set()
    for node in below(op):
        if isinstance(node, ir.Op):
            out |= targets_of(node)
        if isinstance(node, ir.For | ir.Delete | ir.With | ir.Walrus):
            out |= names_in(node) if not isinstance(node, ir.For) else _target_names(node.target)
    return out


def read_outside(name: str, ops: tuple[ir.Op, ...], view: FunctionView) -> bool:
    """Whether anything but ``ops`` mentions a local name: another statement, a nested function."""
    inside = {id(node) for op in ops for node in below(op)}
    if any(name in inner.free for inner in _nested(view)):
        return True
    return any(node.name == name and id(node) not in inside for node in _all_names(view))


def reads_of(name: str, view: FunctionView) -> list[ir.Name]:
    """All places that read a local name of this function."""
    return [n for n in _all_names(view) if n.name == name and not is_target(n, view)]


def writes_of(name: str, view: FunctionView) -> list[ir.Name]:
    """All places that bind a local name of this function."""
    return [n for n in _all_names(view) if n.name == name and is_target(n, view)]


def captured(name: str, view: FunctionView) -> bool:
    """Whether a nested function or lambda uses the name."""
    return any(name in inner.free for inner in _nested(view))


def is_target(node: ir.Expr, view: FunctionView) -> bool:
    """Whether an expression is assigned to, deleted or a loop variable where it stands."""
    parent = view.parent(node)
    if isinstance(parent, ir.Sequence | ir.Starred):
        return is_target(parent, view)
    if isinstance(parent, ir.Assign):
        return any(target is node for target in parent.targets)
    if isinstance(parent, ir.AugAssign | ir.For | ir.WithItem | ir.Walrus | ir.Clause):
        return parent.target is node
    return isinstance(parent, ir.Delete)


def written_in_place(view: FunctionView, besides: ir.Op | None = None) -> set[str]:
    """Names whose tensor some statement writes to: `x += 1`, `x[0] = 1`, `x.add_(1)`, `out=x`."""
    out: set[str] = set()
    inside = {id(node) for node in below(besides)} if besides is not None else set()
    for op in view.facts.body:
        for node in below(op):
            if id(node) in inside:
                continue
            if isinstance(node, ir.AugAssign):
                out |= names_in(node.target)
            elif isinstance(node, ir.Assign):
                out |= {n for t in node.targets if not isinstance(t, ir.Name) for n in names_in(t)}
            elif isinstance(node, ir.Call):
                if isinstance(node.func, ir.Attribute) and node.func.attr.endswith("_"):
                    out |= names_in(node.func.base)
                for argument in node.args:
                    if argument.keyword == "out":
                        out |= names_in(argument.value)
    return out


def _all_names(view: FunctionView) -> Iterator[ir.Name]:
    for op in view.facts.body:
        for node in below(op):
            if isinstance(node, ir.Name):
                yield node


def _nested(view: FunctionView) -> Iterator[ir.FunctionFacts]:
    for op in view.facts.body:
        for node in below(op):
            if isinstance(node, ir.Lambda | ir.FunctionDef) and node.function is not None:
                yield node.function
