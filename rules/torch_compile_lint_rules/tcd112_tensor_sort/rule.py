"""sorted(tensors) and tensors.sort(): the order depends on values. A key that gives no tensor is fine."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import Container, FunctionView, Hit, Rule, elements, ir, tensor_confidence

EXTREMES = {"builtins.max": "max", "builtins.min": "min"}


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    subject: ir.Expr | None = None
    if "builtins.sorted" in view.callees(call):
        subject, name = view.argument(call, 0), "sorted"
    elif isinstance(call.func, ir.Attribute) and call.func.attr == "sort":
        atoms = view.value(call.func.base).atoms
        if all(isinstance(atom, Container) and atom.kind == "list" for atom in atoms):
            subject, name = call.func.base, "sort"
    keyed = any(argument.keyword == "key" for argument in call.args)
    form = "sorted"
    if keyed and (extreme := next((n for n in EXTREMES if n in view.callees(call)), None)):
        subject, name, form = view.argument(call, 0), EXTREMES[extreme], "keyed"
    elif keyed:
        return
    if subject is None:
        return
    for element in elements(view.value(subject)):
        confidence = tensor_confidence(element)
        if confidence is not None:
            yield Hit(call, form, {"name": name, "value": view.text(subject)}, subject, confidence)
            return


def _sorts(call: ir.Call) -> bool:
    return isinstance(call.func, ir.Attribute) and call.func.attr == "sort"


RULE = Rule(on=(ir.Call,), check=check, callees=("builtins.sorted", *EXTREMES), where=_sorts)
