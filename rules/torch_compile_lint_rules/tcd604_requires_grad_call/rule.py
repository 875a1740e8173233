"""`t.requires_grad_()`, `t.requires_grad = True`, `torch.zeros(..., requires_grad=True)`; modules too."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import Confidence, FunctionView, Hit, Rule, ir, is_computed, tensor_confidence

# Functions that make a tensor from numbers. Methods (`x.new_zeros(...)`) are traced with it: measured.
FACTORIES = (
    "torch.arange",
    "torch.empty",
    "torch.empty_like",
    "torch.eye",
    "torch.full",
    "torch.full_like",
    "torch.linspace",
    "torch.logspace",
    "torch.ones",
    "torch.ones_like",
    "torch.rand",
    "torch.rand_like",
    "torch.randint",
    "torch.randint_like",
    "torch.randn",
    "torch.randn_like",
    "torch.tensor",
    "torch.zeros",
    "torch.zeros_like",
)


def check(node: ir.Call | ir.Assign, view: FunctionView) -> Iterator[Hit]:
    if isinstance(node, ir.Assign):
        for target in node.targets:
            if isinstance(target, ir.Attribute) and target.attr == "requires_grad":
                confidence = tensor_confidence(view.value(target.base))
                if confidence is not None:
                    yield Hit(node, "assign", {"call": view.text(target)}, target.base, confidence)
        return
    callees = view.callees(node)
    if callees and all(symbol in FACTORIES for symbol in callees):
        if _is_constant(_option(node), True):
            yield Hit(node, "factory", {"call": view.text(node)})
        return
    for symbol in callees:
        if (
            symbol.startswith("torch.")
            and symbol.endswith(".requires_grad_")
            and isinstance(node.func, ir.Attribute)
        ):
            base = node.func.base
            middle = symbol == "torch.Tensor.requires_grad_" and is_computed(base, view)
            off = _is_constant(view.argument(node, 0, "requires_grad"), False)
            if middle and (off or _asked(base, view)):
                return
            # Newer releases trace it where the result does not leave the graph as a leaf.
            sure = Confidence.LIKELY if middle else Confidence.PROVED
            yield Hit(node, "middle" if middle else "call", {"call": view.text(node)}, base, sure)
            return


def _option(call: ir.Call) -> ir.Expr | None:
    return next((a.value for a in call.args if a.keyword == "requires_grad"), None)


def _is_constant(expr: ir.Expr | None, value: bool) -> bool:
    return isinstance(expr, ir.Const) and expr.value is value


def _asked(base: ir.Expr, view: FunctionView) -> bool:
    """Whether the tensor was made with `requires_grad=...`: that breaks, and what follows changes nothing."""
    if isinstance(base, ir.Call):
        option = _option(base)
        return option is not None and not _is_constant(option, False)
    return isinstance(base, ir.Name) and any(
        isinstance(assign.value, ir.Call)
        and _asked(assign.value, view)
        and any(isinstance(t, ir.Name) and t.name == base.name for t in assign.targets)
        for assign in view.nodes(ir.Assign)
    )


def _sets_attribute(node: ir.Call | ir.Assign) -> bool:
    return isinstance(node, ir.Assign) and any(isinstance(t, ir.Attribute) for t in node.targets)


RULE = Rule(
    on=(ir.Call, ir.Assign), check=check, callees=("*.requires_grad_", *FACTORIES), where=_sets_attribute
)
