""".tolist() of a tensor: of one of floats on every release, of integers since 2.13 (measured)."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, Tensor, ir

TOLIST = frozenset(("torch.Tensor.tolist",))


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    if TOLIST.isdisjoint(view.callees(call)) or not isinstance(call.func, ir.Attribute):
        return
    base = call.func.base
    form = "other" if _holds_no_integers(base, view) else "tolist"
    yield Hit(call, form, {"call": view.text(call)}, base)


def _holds_no_integers(expr: ir.Expr, view: FunctionView) -> bool:
    """Whether it is surely a tensor of floats, or of bools (a 0-d one counts as an integer)."""
    atoms = view.value(expr).atoms
    return bool(atoms) and all(
        isinstance(atom, Tensor)
        and (atom.dtype in ("float", "complex") or (atom.dtype == "bool" and bool(atom.rank)))
        for atom in atoms
    )


RULE = Rule(on=(ir.Call,), check=check, callees=TOLIST)
