"""Hooks registered while tracing: on modules, and on tensors that the graph computes."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir, is_computed

MODULE_HOOKS = frozenset(
    (
        "register_forward_hook",
        "register_forward_pre_hook",
        "register_full_backward_hook",
        "register_full_backward_pre_hook",
        "register_backward_hook",
    )
)
TENSOR_HOOKS = frozenset(("register_hook", "register_post_accumulate_grad_hook"))


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    if not isinstance(call.func, ir.Attribute):
        return
    base, slots = call.func.base, {"func": view.text(call.func)}
    for symbol in view.callees(call):
        owner, _, name = symbol.rpartition(".")
        if owner == "torch.Tensor" and name in TENSOR_HOOKS and is_computed(base, view):
            yield Hit(call, "tensor", slots, base)
        elif owner.startswith("torch.nn.") and name in MODULE_HOOKS:
            # Backward hooks wait for the backward pass: a call more or less of them shows there only.
            dropped = "backward" not in name and isinstance(view.parent(call), ir.ExprStmt)
            yield Hit(call, "kept" if dropped else "module", slots, base)


RULE = Rule(on=(ir.Call,), check=check, callees=tuple(f"*.{name}" for name in MODULE_HOOKS | TENSOR_HOOKS))
