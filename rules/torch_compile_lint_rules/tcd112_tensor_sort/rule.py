"""sorted(tensors) and tensors.sort(): the order depends on values. A key that gives no tensor is fine."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import Container, FunctionView, Hit, Rule, elements, ir, tensor_confidence


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    subject: ir.Expr | None = None
    if "builtins.sorted" in view.callees(call):
        subject, name = view.argument(call, 0), "sorted"
    elif isinstance(call.func, ir.Attribute) and call.func.attr == "sort":
        atoms = view.value(call.func.base).atoms
        if all(isinstance(atom, Container) and atom.kind == "list" for atom in atoms):
            subject, name = call.func.base, "sort"
    if subject is None or any(argument.keyword == "key" for argument in call.args):
        return
    for element in elements(view.value(subject)):
        confidence = tensor_confidence(element)
        if confidence is not None:
            yield Hit(call, "sorted", {"name": name, "value": view.text(subject)}, subject, confidence)
            return


RULE = Rule(on=(ir.Call,), check=check)
