"""`math.f(t)` that only takes part in arithmetic with tensors -> `torch.f(t.detach())`."""

from __future__ import annotations

from torch_compile_lint.model import Edit, Fix, Safety, Span
from torch_compile_lint.rewrite.numbers import stays_tensor
from torch_compile_lint.rewrite.purity import is_tensor
from torch_compile_lint.rewrite.text import operand, shadowed, source
from torch_compile_lint.rule import FunctionView, Hit, ir

SAME = {
    **{name: name for name in ("sqrt", "exp", "sin", "cos", "tan", "sinh", "cosh", "tanh", "log2", "log10")},
    **{name: name for name in ("asin", "acos", "atan", "asinh", "acosh", "atanh", "expm1", "log1p", "erf")},
    **{name: name for name in ("erfc", "lgamma", "exp2")},
    "fabs": "abs",
}


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    call = hit.node
    if not isinstance(call, ir.Call) or len(call.args) != 1 or call.args[0].star or call.args[0].keyword:
        return None
    names = {symbol.removeprefix("math.") for symbol in view.callees(call)}
    given = call.args[0].value
    if len(names) != 1 or not is_tensor(given, view) or shadowed("torch", view):
        return None
    (name,) = names
    function = SAME.get(name) or ("log" if name == "log" else None)
    if function is None or "#" in source(call, view) or not stays_tensor(call, view):
        return None
    text = f"torch.{function}({operand(given, view)}.detach())"
    return Fix(
        f"Use torch.{function}", Safety.UNSAFE, (Edit("", Span(call.start, call.end), text),), ("torch",)
    )
