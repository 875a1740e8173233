"""What operators, attributes and calls of known APIs give: pure functions on values.

``call_api`` answers None for an API it does not know; the caller then has an unknown value.
The tables behind it are in ``torchdb``; calls whose result depends on the arguments in ways a
table cannot say are handlers in ``transfer_torch``, ``transfer_python`` and
``transfer_library``.
"""

from __future__ import annotations

from torch_compile_lint.program import (
    transfer_library,
    transfer_methods,
    transfer_new,
    transfer_python,
    transfer_torch,
)
from torch_compile_lint.program.transfer_attribute import attribute, constant_value, module_attribute
from torch_compile_lint.program.transfer_kinds import Keywords
from torch_compile_lint.program.transfer_ops import binary, compare, iterate, subscript, truth, unary
from torch_compile_lint.program.transfer_spec import evaluate
from torch_compile_lint.program.values import (
    Instance,
    Number,
    Origin,
    Tensor,
    Value,
    at_most,
    of,
)
from torch_compile_lint.torchdb import db

__all__ = [
    "attribute",
    "binary",
    "call_api",
    "compare",
    "constant_value",
    "iterate",
    "module_attribute",
    "subscript",
    "truth",
    "unary",
]

_HANDLERS = {
    **transfer_python.HANDLERS,
    **transfer_methods.HANDLERS,
    **transfer_library.HANDLERS,
    **transfer_new.HANDLERS,
    **transfer_torch.HANDLERS,
}
_CLASS_WORD = {"bool": "bool ", "int": "int ", "complex": "complex "}


def call_api(symbol: str, bound: Value | None, args: tuple[Value, ...], keywords: Keywords) -> Value | None:
    """The result of calling an API by its canonical name; None when the API is not known.

    ``bound`` is the receiver of a bound method ('torch.Tensor.sum', 'torch.nn.Linear.__call__').
    """
    symbol = db.canonical(symbol)
    given = (bound, *args) if bound is not None else args
    method = symbol.startswith("torch.Tensor.")
    if method and not given:
        return None
    value = _call(symbol, bound, given, keywords)
    if value is None:
        return None
    if bound is not None and (method or symbol.endswith(".__call__")):
        value = at_most(value, bound.confidence)
    return _explained(symbol, method, value, given)


def _call(symbol: str, bound: Value | None, given: tuple[Value, ...], keywords: Keywords) -> Value | None:
    layer = symbol.endswith(".__call__") and symbol.startswith("torch.nn.")
    # The layer itself is no argument of its forward.
    args = given[1:] if layer and bound is not None else given
    handler = _HANDLERS.get(symbol)
    if handler is not None:
        value = handler(args, keywords)
        if value is not None:
            return value
    if layer:
        name = symbol.removesuffix(".__call__")
        spec = db.layer_call(name)
        return None if spec is None else evaluate(spec, args, keywords)
    spec = db.result(symbol)
    if spec is not None:
        return evaluate(spec, args, keywords)
    if db.is_module_class(symbol):
        return of(Instance(symbol, True))
    legacy = transfer_new.legacy_constructor(symbol, args)
    if legacy is not None:
        return legacy
    return transfer_library.by_family(symbol, args, keywords)


def _explained(symbol: str, method: bool, value: Value, given: tuple[Value, ...]) -> Value:
    """The value with the sentence that tells where it comes from."""
    if len(value.atoms) != 1:
        return value
    atom = value.atoms[0]
    if type(atom) is Tensor:
        what = f"{'0-d ' if atom.rank == 0 else ''}{_CLASS_WORD.get(atom.dtype or '', '')}tensor"
        article = "an" if what[0] == "i" else "a"
        if method:
            text = f"`.{symbol.rpartition('.')[2]}()` of a tensor is {article} {what}"
        elif symbol.endswith(".__call__"):
            text = f"`{symbol.removesuffix('.__call__')}` returns {article} {what}"
        else:
            text = f"`{symbol}` returns {article} {what}"
    elif type(atom) is Number and atom.source == "tensor":
        text = f"`{'.' if method else ''}{symbol.rpartition('.')[2]}()` reads a value out of a tensor"
    else:
        return value
    parent = next((v.origin for v in given if v.origin is not None), None)
    return Value(value.atoms, value.confidence, Origin(text, parent))
