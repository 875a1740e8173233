"""t.grad_fn; t.data_ptr(), t.untyped_storage(): what only a real tensor has."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, in_test, ir, is_computed, tensor_confidence

METHODS = {
    "torch.Tensor.untyped_storage": "storage",
    "torch.Tensor.storage": "storage",
    "torch.Tensor.data_ptr": "data-ptr",
}
# Dynamo knows the object and two of its methods (measured on five releases).
UNTYPED = frozenset(("torch.Tensor.untyped_storage",))
TRACED = frozenset(("size", "resize_"))


def check(node: ir.Attribute | ir.Call, view: FunctionView) -> Iterator[Hit]:
    if isinstance(node, ir.Attribute):
        # That of a tensor which comes from outside is known (measured on five releases).
        if node.attr != "grad_fn" or not is_computed(node.base, view) or _has_none(node.base, view):
            return
        confidence = tensor_confidence(view.value(node.base))
        if confidence is not None:
            yield Hit(node, "grad-fn", {"value": view.text(node)}, node.base, confidence)
        return
    for symbol in view.callees(node):
        if symbol in METHODS and not (symbol in UNTYPED and _is_traced(node, view)):
            base = node.func.base if isinstance(node.func, ir.Attribute) else None
            form = METHODS[symbol]
            if form == "data-ptr":
                if _is_second(node, view):
                    return
                form += max((_use(one, view) for one in _standing_for(node, view)), key=_USES.index)
            yield Hit(node, form, {"value": view.text(node)}, base)
            return


# What they give has no history: reading its grad_fn is traced (measured on five releases).
_MADE = "zeros ones empty full rand randn randint arange eye tensor linspace zeros_like ones_like rand_like"
NO_HISTORY = frozenset(("torch.Tensor.detach", *(f"torch.{name}" for name in _MADE.split())))


def _has_none(tensor: ir.Expr, view: FunctionView) -> bool:
    """Whether a tensor is what one of these calls gave, and its name holds nothing else."""
    made: list[ir.Expr | None] = [tensor]
    if isinstance(tensor, ir.Name):
        made = [
            one.value
            for one in view.nodes(ir.Assign)
            if any(isinstance(t, ir.Name) and t.name == tensor.name for t in one.targets)
        ]
    return bool(made) and all(
        isinstance(call, ir.Call)
        and not NO_HISTORY.isdisjoint(view.callees(call))
        and not any(a.keyword == "requires_grad" for a in call.args)
        for call in made
    )


# What is done with a pointer decides since 2.6, which traces the call itself; the costliest comes last.
_USES = ("", "-test", "-constant", "-compared", "-arithmetic")


def _standing_for(call: ir.Call, view: FunctionView) -> Iterator[ir.Expr]:
    """The call, and reads of the local name that it is assigned to, where nothing else is."""
    yield call
    assign = view.parent(call)
    if not isinstance(assign, ir.Assign) or not isinstance(assign.targets[0], ir.Name):
        return
    name = assign.targets[0].name
    given = [
        t for one in view.nodes(ir.Assign) for t in one.targets if isinstance(t, ir.Name) and t.name == name
    ]
    if len(given) == 1 and given[0].scope == "local":
        yield from (one for one in view.nodes(ir.Name) if one.name == name and one is not given[0])


def _is_second(call: ir.Call, view: FunctionView) -> bool:
    """Whether another pointer stands before this one in a comparison: one remedy is enough."""
    parent = view.parent(call)
    if not isinstance(parent, ir.Compare) or parent.left is call or not isinstance(parent.left, ir.Call):
        return False
    return any(METHODS.get(symbol) == "data-ptr" for symbol in view.callees(parent.left))


def _use(pointer: ir.Expr, view: FunctionView) -> str:
    """The ending of the form that says how a pointer is used."""
    parent = view.parent(pointer)
    if isinstance(parent, ir.Binary):
        return "-arithmetic"
    if isinstance(parent, ir.Compare):
        other = [one for one in (parent.left, *parent.rights) if one is not pointer]
        return "-constant" if all(isinstance(one, ir.Const) for one in other) else "-compared"
    return "-test" if in_test(pointer, view) else ""


def _is_traced(node: ir.Call, view: FunctionView) -> bool:
    """Whether nothing is called on the storage here that Dynamo does not know."""
    read = view.parent(node)
    called = view.parent(read) if isinstance(read, ir.Attribute) else None
    return not (
        isinstance(read, ir.Attribute)
        and isinstance(called, ir.Call)
        and called.func is read
        and read.attr not in TRACED
    )


def _reads_grad_fn(node: ir.Attribute | ir.Call) -> bool:
    return isinstance(node, ir.Attribute) and node.attr == "grad_fn"


RULE = Rule(on=(ir.Attribute, ir.Call), check=check, callees=METHODS, where=_reads_grad_fn)
