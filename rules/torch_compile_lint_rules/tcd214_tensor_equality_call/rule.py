"""torch.quantile with a number, or with a vector of them; the other calls are rows of rule.toml.

A 0-d tensor as `q` is not checked and traces on every release (measured).
"""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Number, Rule, Tensor, ir

# API -> the position of `q`.
QUANTILES = {
    "torch.quantile": 1,
    "torch.nanquantile": 1,
    "torch.Tensor.quantile": 0,
    "torch.Tensor.nanquantile": 0,
}


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    for symbol in view.callees(call):
        if symbol in QUANTILES:
            q = _given(call, QUANTILES[symbol])
            if q is not None and _is_checked(view, q):
                yield Hit(call, "quantile", {"func": view.text(call.func)})
            return


def _given(call: ir.Call, position: int) -> ir.Expr | None:
    """The argument `q`, by keyword or by position."""
    for argument in call.args:
        if argument.keyword == "q":
            return argument.value
    plain = [a for a in call.args if a.keyword is None]
    if len(plain) <= position or any(a.star for a in plain[: position + 1]):
        return None
    return plain[position].value


def _is_checked(view: FunctionView, q: ir.Expr) -> bool:
    """Whether it is surely a number or a tensor with dimensions."""
    atoms = view.value(q).atoms
    return bool(atoms) and all(
        isinstance(atom, Number) or (isinstance(atom, Tensor) and bool(atom.rank)) for atom in atoms
    )


RULE = Rule(on=(ir.Call,), check=check, callees=QUANTILES)
