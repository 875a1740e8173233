"""`t.requires_grad_()`, `module.requires_grad_()`, `t.requires_grad = True`."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import Confidence, FunctionView, Hit, Rule, ir, is_computed, tensor_confidence


def check(node: ir.Call | ir.Assign, view: FunctionView) -> Iterator[Hit]:
    if isinstance(node, ir.Assign):
        for target in node.targets:
            if isinstance(target, ir.Attribute) and target.attr == "requires_grad":
                confidence = tensor_confidence(view.value(target.base))
                if confidence is not None:
                    yield Hit(node, "assign", {"call": view.text(target)}, target.base, confidence)
        return
    for symbol in view.callees(node):
        if (
            symbol.startswith("torch.")
            and symbol.endswith(".requires_grad_")
            and isinstance(node.func, ir.Attribute)
        ):
            base = node.func.base
            middle = symbol == "torch.Tensor.requires_grad_" and is_computed(base, view)
            # Newer releases trace it where the result does not leave the graph as a leaf.
            sure = Confidence.LIKELY if middle else Confidence.PROVED
            yield Hit(node, "middle" if middle else "call", {"call": view.text(node)}, base, sure)
            return


def _sets_attribute(node: ir.Call | ir.Assign) -> bool:
    return isinstance(node, ir.Assign) and any(isinstance(t, ir.Attribute) for t in node.targets)


RULE = Rule(on=(ir.Call, ir.Assign), check=check, callees=("*.requires_grad_",), where=_sets_attribute)
