"""torch.zeros(t), x.view(t), x.repeat(t), narrow, select, topk...: a tensor where an int is asked for."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import Confidence, FunctionView, Hit, Rule, ir, is_computed, tensor_confidence

# API -> positions (from 0) of the arguments that have to be numbers; None = all of them.
FACTORIES = {f"torch.{name}": None for name in ("zeros", "ones", "empty", "rand", "randn", "eye")}
METHODS: dict[str, tuple[int, ...] | None] = {
    **dict.fromkeys(("new_zeros", "new_ones", "new_empty", "view", "reshape", "expand", "repeat"), None),
    "narrow": (1, 2),
    "select": (0, 1),
    "topk": (0,),
    "split": (0,),
    "chunk": (0,),
    "tril": (0,),
    "triu": (0,),
    "unfold": (0, 1, 2),
    "unsqueeze": (0,),
    "tile": None,
}
FUNCTIONS: dict[str, tuple[int, ...] | None] = {
    **FACTORIES,
    "torch.arange": None,
    "torch.full": (0,),
    "torch.linspace": (2,),
    "torch.narrow": (2, 3),
    "torch.topk": (1,),
    "torch.tril": (1,),
    "torch.triu": (1,),
    "torch.nn.functional.pad": (1,),
    "torch.nn.functional.interpolate": (1,),
    "torch.nn.functional.dropout": (1,),
}
KEYWORDS = frozenset(("size", "k", "diagonal", "steps", "start", "end", "length", "chunks", "p", "pad"))


def _asked(call: ir.Call, view: FunctionView) -> tuple[int, ...] | None:
    """Positions that have to be numbers; () where the call is none of these."""
    for symbol in view.callees(call):
        if symbol in FUNCTIONS:
            return FUNCTIONS[symbol]
        owner, _, name = symbol.rpartition(".")
        if owner == "torch.Tensor" and name in METHODS:
            return METHODS[name]
    return ()


def _computed(expr: ir.Expr, view: FunctionView) -> tuple[ir.Expr, Confidence] | None:
    for part in expr.items if isinstance(expr, ir.Sequence) else (expr,):
        confidence = tensor_confidence(view.value(part))
        # Sizes look like anything: only what is proved to be a tensor counts.
        if confidence is Confidence.PROVED and is_computed(part, view):
            return part, confidence
    return None


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    asked = _asked(call, view)
    if asked == ():
        return
    position = 0
    for argument in call.args:
        wanted = argument.keyword in KEYWORDS if argument.keyword else asked is None or position in asked
        position += argument.keyword is None
        found = _computed(argument.value, view) if wanted and not argument.star else None
        if found is not None:
            part, confidence = found
            yield Hit(
                call, "size", {"func": view.text(call.func), "value": view.text(part)}, part, confidence
            )
            return


RULE = Rule(on=(ir.Call,), check=check, callees=(*FUNCTIONS, *(f"torch.Tensor.{name}" for name in METHODS)))
