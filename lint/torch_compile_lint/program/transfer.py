"""What operators, attributes and calls of known APIs give: pure functions on values.

``call_api`` answers None for an API it does not know; the caller then has an unknown value.
The tables behind it are in ``torchdb``; calls whose result depends on the arguments in ways a
table cannot say are handlers in ``transfer_torch``, ``transfer_python`` and
``transfer_library``.
"""

from __future__ import annotations

from torch_compile_lint.model import Confidence
from torch_compile_lint.program import (
    transfer_layers,
    transfer_library,
    transfer_methods,
    transfer_new,
    transfer_python,
    transfer_torch,
    transfer_version,
)
from torch_compile_lint.program.transfer_attribute import attribute, constant_value, module_attribute
from torch_compile_lint.program.transfer_kinds import Keywords
from torch_compile_lint.program.transfer_ops import binary, compare, iterate, subscript, truth, unary
from torch_compile_lint.program.transfer_spec import direct_tensor, evaluate
from torch_compile_lint.program.values import (
    Atom,
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

PROVED = Confidence.PROVED
_HANDLERS = {
    **transfer_python.HANDLERS,
    **transfer_methods.HANDLERS,
    **transfer_library.HANDLERS,
    **transfer_layers.HANDLERS,
    **transfer_new.HANDLERS,
    **transfer_torch.HANDLERS,
    **transfer_version.HANDLERS,
}
_CLASS_WORD = {"bool": "bool ", "byte": "uint8 ", "int": "int ", "complex": "complex "}


class _Plan:
    """What is known of a symbol before its arguments are: made once per symbol."""

    __slots__ = ("handler", "layer", "method", "sentences", "spec", "symbol", "tensor")

    def __init__(self, symbol: str) -> None:
        self.symbol = db.canonical(symbol)
        self.method = self.symbol.startswith("torch.Tensor.")
        self.layer = self.symbol.endswith(".__call__") and self.symbol.startswith("torch.nn.")
        self.handler = _HANDLERS.get(self.symbol)
        if self.layer:
            self.spec = db.layer_call(self.symbol.removesuffix(".__call__"))
        else:
            self.spec = db.result(self.symbol)
        # One tensor, whose class and rank are those of the first argument or constant.
        self.tensor = direct_tensor(self.spec) if self.handler is None and self.spec is not None else None
        self.sentences: dict[Atom, str] = {}

    def sentence(self, atom: Atom) -> str | None:
        """Where a value of this atom comes from, for people; None where nobody would ask."""
        text = self.sentences.get(atom)
        if text is None:
            text = self.sentences[atom] = _sentence(self.symbol, self.method, atom)
        return text or None


_PLANS: dict[str, _Plan] = {}


def call_api(symbol: str, bound: Value | None, args: tuple[Value, ...], keywords: Keywords) -> Value | None:
    """The result of calling an API by its canonical name; None when the API is not known.

    ``bound`` is the receiver of a bound method ('torch.Tensor.sum', 'torch.nn.Linear.__call__').
    """
    plan = _PLANS.get(symbol)
    if plan is None:
        plan = _PLANS[symbol] = _Plan(symbol)
    # The layer itself is no argument of its forward.
    given = args if bound is None or plan.layer else (bound, *args)
    if plan.tensor is not None and given and not keywords:
        out = plan.tensor(given)
        if out is not None:
            confidence = PROVED if bound is None else bound.confidence
            return Value(out, confidence, Origin(plan.sentence(out[0]) or "", given[0].origin))
    if plan.method and not given:
        return None
    value = _call(plan, given, keywords)
    if value is None:
        return None
    if bound is not None and (plan.method or plan.layer):
        value = at_most(value, bound.confidence)
    text = plan.sentence(value.atoms[0]) if len(value.atoms) == 1 else None
    if text is None:
        return value
    parent = next((v.origin for v in given if v.origin is not None), None)
    return Value(value.atoms, value.confidence, Origin(text, parent))


def _call(plan: _Plan, args: tuple[Value, ...], keywords: Keywords) -> Value | None:
    if plan.handler is not None:
        value = plan.handler(args, keywords)
        if value is not None:
            return value
    if plan.spec is not None:
        return evaluate(plan.spec, args, keywords)
    if plan.layer:
        return None
    if db.is_module_class(plan.symbol):
        return of(Instance(plan.symbol, True))
    owner, _, name = plan.symbol.rpartition(".")
    if db.is_module_class(owner):
        return transfer_layers.method(name, args[0] if args else None)
    if owner.startswith("torch.distributions"):
        return transfer_layers.distribution(plan.symbol)
    legacy = transfer_new.legacy_constructor(plan.symbol, args)
    if legacy is not None:
        return legacy
    return transfer_library.by_family(plan.symbol, args, keywords)


def _sentence(symbol: str, method: bool, atom: Atom) -> str:
    if type(atom) is Tensor:
        what = f"{'0-d ' if atom.rank == 0 else ''}{_CLASS_WORD.get(atom.dtype or '', '')}tensor"
        article = "an" if what[0] == "i" else "a"
        if method:
            return f"`.{symbol.rpartition('.')[2]}()` of a tensor is {article} {what}"
        return f"`{symbol.removesuffix('.__call__')}` returns {article} {what}"
    if type(atom) is Number and atom.source == "tensor":
        return f"`{'.' if method else ''}{symbol.rpartition('.')[2]}()` reads a value out of a tensor"
    return ""
