"""The test of a jump as a boolean tensor expression, and the part of it that tracing decides."""

from __future__ import annotations

import itertools

from torch_compile_lint.facts import ir
from torch_compile_lint.program.values import Number, Tensor
from torch_compile_lint.program.view import FunctionView
from torch_compile_lint.records import dataclass
from torch_compile_lint.rewrite.purity import is_pure, is_static, is_tensor, only
from torch_compile_lint.rewrite.text import argument, operand, shadowed, source


@dataclass(frozen=True, slots=True)
class Condition:
    """``static and tensor``: source of each; ``static`` is '' where nothing is decided in tracing."""

    static: str
    tensor: str
    negated: str  # the tensor part, negated


def condition(test: ir.Expr, view: FunctionView) -> Condition | None:
    """The condition of a jump on a tensor; None where it cannot be written with torch functions."""
    if shadowed("torch", view) or "#" in source(test, view):
        return None
    static: list[str] = []
    tensors = [test]
    if isinstance(test, ir.BoolOp) and test.op == "and":
        static = [operand(part, view) for part in test.values if is_static(part, view)]
        tensors = [part for part in test.values if not is_static(part, view)]
        if static and not all(_harmless(part, view) for part in test.values):
            return None
        if not tensors:
            return None
    first, *others = tensors
    if not all(_harmless(part, view) for part in others):
        return None
    texts = [boolean(part, view) for part in tensors]
    if any(text is None for text in texts):
        return None
    joined = _joined("torch.logical_and", [text for text in texts if text is not None])
    if isinstance(first, ir.Unary) and first.op == "not" and len(tensors) == 1:
        negated = boolean(first.operand, view)
    else:
        negated = f"torch.logical_not({joined})"
    return None if negated is None else Condition(" and ".join(static), joined, negated)


def boolean(expr: ir.Expr, view: FunctionView) -> str | None:
    """An expression of torch functions that is true where Python finds ``expr`` true; None if none is."""
    if isinstance(expr, ir.Unary) and expr.op == "not":
        inner = boolean(expr.operand, view)
        return None if inner is None else f"torch.logical_not({inner})"
    if isinstance(expr, ir.BoolOp):
        if not all(_harmless(part, view) for part in expr.values[1:]):
            return None
        parts = [boolean(part, view) for part in expr.values]
        if any(part is None for part in parts):
            return None
        return _joined(f"torch.logical_{expr.op}", [part for part in parts if part is not None])
    base = item_base(expr, view)
    if base is not None:
        text = _scalar(base, view)
        return text if _is_boolean(base, view) else f"{text} != 0"
    if isinstance(expr, ir.Compare) and len(expr.ops) > 1:
        return _chained(expr, view)
    if isinstance(expr, ir.Compare) and any(item_base(side, view) for side in _sides(expr)):
        return _compared(expr, view)
    if not is_tensor(expr, view):
        return None
    if isinstance(expr, ir.Call) and "builtins.bool" in view.callees(expr):
        return None
    if _is_boolean(expr, view):
        return argument(expr, view)
    return f"{operand(expr, view)} != 0"


def item_base(expr: ir.Expr, view: FunctionView) -> ir.Expr | None:
    """``t``, if the expression is ``t.item()`` of a tensor."""
    if not isinstance(expr, ir.Call) or expr.args or not isinstance(expr.func, ir.Attribute):
        return None
    base = expr.func.base
    return base if expr.func.attr == "item" and is_tensor(base, view) else None


def _scalar(base: ir.Expr, view: FunctionView) -> str:
    """The tensor whose number was taken, without dimensions: of two elements it raises as .item() does."""
    text = operand(base, view)
    atoms = view.value(base).atoms
    return text if all(isinstance(a, Tensor) and a.rank == 0 for a in atoms) else f"{text}.reshape(())"


def _compared(expr: ir.Compare, view: FunctionView) -> str | None:
    """`t.item() > 1` as `t > 1`: numbers taken out of tensors are compared as tensors."""
    if expr.ops[0] in ("in", "not in", "is", "is not"):
        return None
    texts = []
    for side in _sides(expr):
        base = item_base(side, view)
        if base is not None:
            texts.append(_scalar(base, view))
        elif is_tensor(side, view) or (is_static(side, view) and only(view.value(side), Number)):
            texts.append(source(side, view) if isinstance(side, ir.Const) else operand(side, view))
        else:
            return None
    return f" {expr.ops[0]} ".join(texts)


def _sides(expr: ir.Compare) -> tuple[ir.Expr, ...]:
    return (expr.left, *expr.rights)


def _harmless(part: ir.Expr, view: FunctionView) -> bool:
    """Whether an operand may be evaluated always, once the numbers it takes stay tensors."""
    base = item_base(part, view)
    if base is not None:
        return is_pure(base, view)
    if isinstance(part, ir.Compare):
        return all(is_pure(item_base(side, view) or side, view) for side in _sides(part))
    return is_pure(part, view)


def _is_boolean(expr: ir.Expr, view: FunctionView) -> bool:
    return all(isinstance(atom, Tensor) and atom.dtype == "bool" for atom in view.value(expr).atoms)


def _chained(expr: ir.Compare, view: FunctionView) -> str | None:
    """`a < b < c` takes the truth of `a < b`; as torch.logical_and it does not."""
    sides = (expr.left, *expr.rights)
    if any(op in ("in", "not in", "is", "is not") for op in expr.ops):
        return None
    if not all(is_pure(side, view) and only(view.value(side), Tensor, Number) for side in sides):
        return None
    pairs = list(itertools.pairwise(sides))
    if not all(any(is_tensor(side, view) for side in pair) for pair in pairs):
        return None

    def text(side: ir.Expr) -> str:
        return source(side, view) if isinstance(side, ir.Const) else operand(side, view)

    parts = [f"{text(a)} {op} {text(b)}" for (a, b), op in zip(pairs, expr.ops, strict=True)]
    return _joined("torch.logical_and", parts)


def _joined(function: str, parts: list[str]) -> str:
    text = parts[0]
    for part in parts[1:]:
        text = f"{function}({text}, {part})"
    return text
