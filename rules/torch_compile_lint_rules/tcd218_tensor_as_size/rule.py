"""torch.zeros(t), x.view(t), x.repeat(t), narrow, select, topk...: a tensor where an int is asked for."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import (
    Confidence,
    FunctionView,
    Hit,
    NoneAtom,
    Number,
    Rule,
    Text,
    ir,
    is_computed,
    tensor_confidence,
)

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
    "tensor_split": (0,),
}
FUNCTIONS: dict[str, tuple[int, ...] | None] = {
    **FACTORIES,
    "torch.arange": None,
    "torch.full": (0,),
    "torch.linspace": (2,),
    "torch.narrow": (2, 3),
    "torch.tensor_split": (1,),
    "torch.topk": (1,),
    "torch.tril": (1,),
    "torch.triu": (1,),
    "torch.nn.functional.pad": (1,),
    "torch.nn.functional.interpolate": (1,),
    "torch.nn.functional.dropout": (1,),
}
KEYWORDS = frozenset(
    (
        *("size", "k", "diagonal", "steps", "start", "end", "length", "chunks", "p", "pad"),
        *("indices_or_sections", "tensor_indices_or_sections"),
    )
)
# They are documented to take a tensor, so one that was passed in is one.
SPLITS = frozenset(("torch.tensor_split", "torch.Tensor.tensor_split"))


def _asked(call: ir.Call, view: FunctionView) -> tuple[int, ...] | None:
    """Positions that have to be numbers; () where the call is none of these."""
    for symbol in view.callees(call):
        if symbol in FUNCTIONS:
            return FUNCTIONS[symbol]
        owner, _, name = symbol.rpartition(".")
        if owner == "torch.Tensor" and name in METHODS:
            return METHODS[name]
    return ()


def _from_numbers(expr: ir.Expr, view: FunctionView, depth: int = 0) -> bool:
    """Whether a 0-d tensor is made of plain numbers only, as `torch.div(n, 2)` is: Dynamo knows its value."""
    atoms = view.value(expr).atoms
    if all(isinstance(a, Number | Text | NoneAtom) for a in atoms):
        return all(not isinstance(a, Number) or a.source in ("python", "shape") for a in atoms)
    if depth > 4:
        return False
    if isinstance(expr, ir.Binary):
        return all(_from_numbers(side, view, depth + 1) for side in (expr.left, expr.right))
    if isinstance(expr, ir.Sequence):
        return all(_from_numbers(item, view, depth + 1) for item in expr.items)
    if isinstance(expr, ir.Unary):
        return _from_numbers(expr.operand, view, depth + 1)
    if isinstance(expr, ir.Call):
        callees = view.callees(expr)
        known = bool(callees) and all(name in ("torch.div", "torch.tensor") for name in callees)
        return known and all(_from_numbers(a.value, view, depth + 1) for a in expr.args)
    if isinstance(expr, ir.Name) and expr.scope == "local":
        made = [
            assign.value
            for assign in view.nodes(ir.Assign)
            if any(isinstance(t, ir.Name) and t.name == expr.name for t in assign.targets)
        ]
        return bool(made) and all(v is not None and _from_numbers(v, view, depth + 1) for v in made)
    return False


def _computed(expr: ir.Expr, view: FunctionView, given: bool = False) -> tuple[ir.Expr, Confidence] | None:
    """A part that is a tensor of unknown value; one that was passed in counts only where ``given``."""
    for part in expr.items if isinstance(expr, ir.Sequence) else (expr,):
        confidence = tensor_confidence(view.value(part))
        # Sizes look like anything: only what is proved to be a tensor counts.
        if confidence is not Confidence.PROVED or _from_numbers(part, view):
            continue
        if given or is_computed(part, view):
            return part, confidence
    return None


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    asked = _asked(call, view)
    if asked == ():
        return
    if "torch.full" in view.callees(call):
        fill = view.argument(call, 1, "fill_value")
        filled = _computed(fill, view) if fill is not None else None
        if filled is not None:
            slots = {"func": view.text(call.func), "value": view.text(filled[0])}
            yield Hit(call, "fill", slots, *filled)
    splits = any(name in SPLITS for name in view.callees(call))
    position = 0
    for argument in call.args:
        wanted = argument.keyword in KEYWORDS if argument.keyword else asked is None or position in asked
        position += argument.keyword is None
        found = _computed(argument.value, view, splits) if wanted and not argument.star else None
        if found is not None:
            part, confidence = found
            yield Hit(
                call, "size", {"func": view.text(call.func), "value": view.text(part)}, part, confidence
            )
            return


RULE = Rule(on=(ir.Call,), check=check, callees=(*FUNCTIONS, *(f"torch.Tensor.{name}" for name in METHODS)))
