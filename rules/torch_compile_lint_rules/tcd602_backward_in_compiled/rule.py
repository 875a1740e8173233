"""Tensor.backward, torch.autograd.backward, Optimizer.zero_grad and step."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Instance, Rule, ir

BACKWARD = frozenset(("torch.Tensor.backward", "torch.autograd.backward"))


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    callees = view.callees(call)
    receiver = call.func.base if isinstance(call.func, ir.Attribute) else None
    slots = {"call": view.text(call)}
    if not BACKWARD.isdisjoint(callees):
        yield Hit(call, "backward", slots, receiver)
    elif isinstance(call.func, ir.Attribute) and call.func.attr in ("step", "zero_grad"):
        atoms = view.value(call.func.base).atoms
        if any(isinstance(atom, Instance) and atom.symbol.startswith("torch.optim.") for atom in atoms):
            yield Hit(call, "optimizer", slots, receiver)


def _steps(call: ir.Call) -> bool:
    return isinstance(call.func, ir.Attribute) and call.func.attr in ("step", "zero_grad")


RULE = Rule(on=(ir.Call,), check=check, callees=BACKWARD, where=_steps)
