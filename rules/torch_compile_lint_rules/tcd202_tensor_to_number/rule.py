"""int(t), float(t), complex(t), operator.index(t)."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Number, Rule, ir, tensor_confidence

NAMES = {
    "builtins.int": "int",
    "builtins.float": "float",
    "builtins.complex": "complex",
    "operator.index": "operator.index",
}
# Of a Python float numpy's function gives a float that Dynamo knows (measured on 2.9 and later).
_ROUNDING = frozenset(f"numpy.{n}" for n in ("round", "around", "ceil", "floor", "trunc", "rint"))
# The same of an int: the result is a float whatever comes in.
_TO_FLOAT = frozenset(
    f"numpy.{n}"
    for n in ("sqrt", "cbrt", "exp", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "tanh", "float32")
)


def _is_folded(argument: ir.Expr, view: FunctionView) -> bool:
    """`int(np.ceil(width / scale))` of plain numbers: numpy's result is known, nothing is read out."""
    if not isinstance(argument, ir.Call) or len(argument.args) != 1:
        return False
    atoms = view.value(argument.args[0].value).atoms
    callees = view.callees(argument)
    if not atoms or not callees or not all(isinstance(a, Number) and a.source != "tensor" for a in atoms):
        return False
    if all(name in _TO_FLOAT for name in callees):
        return True
    floats = all(isinstance(a, Number) and a.type == "float" for a in atoms)
    return floats and all(name in _ROUNDING for name in callees)


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    name = next((NAMES[symbol] for symbol in view.callees(call) if symbol in NAMES), None)
    argument = view.argument(call, 0)
    if name is None or argument is None:
        return
    confidence = tensor_confidence(view.value(argument))
    if confidence is not None and not _is_folded(argument, view):
        yield Hit(call, "number", {"name": name, "value": view.text(argument)}, argument, confidence)


RULE = Rule(on=(ir.Call,), check=check, callees=NAMES)
