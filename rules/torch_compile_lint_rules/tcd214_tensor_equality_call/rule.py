"""Calls that look at the data inside, by what they are given; the other calls are rows of rule.toml.

torch.quantile does for a number or a vector of them as `q` (a 0-d tensor is not checked, and traces on every
release), the Gaussian loss for variances in a tensor (one number is checked by Python).
"""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Number, Rule, Tensor, ir, tensor_confidence

# API -> the position of `q`.
QUANTILES = {
    "torch.quantile": 1,
    "torch.nanquantile": 1,
    "torch.Tensor.quantile": 0,
    "torch.Tensor.nanquantile": 0,
}
GAUSSIAN = dict.fromkeys(
    (
        "torch.nn.functional.gaussian_nll_loss",
        "torch.nn.GaussianNLLLoss.__call__",
        "torch.nn.GaussianNLLLoss.forward",
    ),
    2,  # the position of `var`
)


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    for symbol in view.callees(call):
        if symbol in QUANTILES:
            q = view.argument(call, QUANTILES[symbol], "q")
            if q is not None and _is_checked(view, q):
                yield Hit(call, "quantile", {"func": view.text(call.func)})
            return
        if symbol in GAUSSIAN:
            var = view.argument(call, GAUSSIAN[symbol], "var")
            confidence = tensor_confidence(view.value(var)) if var is not None else None
            if var is not None and confidence is not None:
                yield Hit(call, "variance", {"func": view.text(call.func)}, var, confidence)
            return


def _is_checked(view: FunctionView, q: ir.Expr) -> bool:
    """Whether it is surely a number or a tensor with dimensions."""
    atoms = view.value(q).atoms
    return bool(atoms) and all(
        isinstance(atom, Number) or (isinstance(atom, Tensor) and bool(atom.rank)) for atom in atoms
    )


RULE = Rule(on=(ir.Call,), check=check, callees=(*QUANTILES, *GAUSSIAN))
