"""str(t), repr(t), format(t, spec), "%s" % t, f"{t!r}". A plain f"{t}" is traced and stays silent."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, Text, ir, tensor_confidence

NAMES = {
    "builtins.str": "str",
    "builtins.repr": "repr",
    "builtins.ascii": "ascii",
    "builtins.format": "format",
}


def _call(call: ir.Call, view: FunctionView) -> tuple[str, str, ir.Expr | None]:
    name = next((NAMES[symbol] for symbol in view.callees(call) if symbol in NAMES), "")
    return ("format" if name == "format" else "str"), name, view.argument(call, 0) if name else None


def _percent(node: ir.Binary, view: FunctionView) -> Iterator[ir.Expr]:
    if node.op == "%" and all(isinstance(atom, Text) for atom in view.value(node.left).atoms):
        right = node.right
        yield from right.items if isinstance(right, ir.Sequence) and right.kind == "tuple" else (right,)


def check(node: ir.Call | ir.Binary | ir.Interpolation, view: FunctionView) -> Iterator[Hit]:
    form, name, operands = "str", "", []
    if isinstance(node, ir.Call):
        form, name, argument = _call(node, view)
        operands = [argument] if argument is not None else []
    elif isinstance(node, ir.Binary):
        form, name, operands = "percent", "%", list(_percent(node, view))
    elif node.conversion:
        form, name, operands = "percent", f"!{node.conversion}", [node.value]
    for operand in operands:
        confidence = tensor_confidence(view.value(operand))
        if confidence is not None:
            yield Hit(node, form, {"name": name, "value": view.text(operand)}, operand, confidence)
            return


def _shows(node: ir.Call | ir.Binary | ir.Interpolation) -> bool:
    return node.op == "%" if isinstance(node, ir.Binary) else isinstance(node, ir.Interpolation)


RULE = Rule(on=(ir.Call, ir.Binary, ir.Interpolation), check=check, callees=NAMES, where=_shows)
