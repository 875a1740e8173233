"""The generic check behind ``[[calls]]`` rows: a call whose callee is a listed symbol is a hit.

A row 'pkg.*' covers everything below pkg; the longest symbol wins. Slots for messages:
``call`` the whole call, ``func`` what is called, ``receiver`` the object of a method,
``symbol`` the canonical name.
"""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import CallRow, FunctionView, Hit, Rule, ir

MODULE = "torch.nn.Module."


def rule_for(rows: tuple[CallRow, ...]) -> Rule:
    """A rule over calls that serves ``rows``."""
    exact = {row.symbol: row.form for row in rows if not row.symbol.endswith(".*")}
    below = {row.symbol[:-2]: row.form for row in rows if row.symbol.endswith(".*")}

    def form_of(symbol: str) -> str | None:
        if symbol in exact:
            return exact[symbol]
        if symbol.startswith("torch.nn.") and (method := MODULE + symbol.rpartition(".")[2]) in exact:
            return exact[method]  # torch.nn.Linear.eval is a method of torch.nn.Module
        owner = symbol
        while below and "." in owner:
            owner = owner.rpartition(".")[0]
            if owner in below:
                return below[owner]
        return None

    def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
        for symbol in view.callees(call):
            form = form_of(symbol)
            if form is not None:
                receiver = call.func.base if isinstance(call.func, ir.Attribute) else None
                yield Hit(
                    call,
                    form,
                    {
                        "call": view.text(call),
                        "func": view.text(call.func),
                        "receiver": view.text(receiver) if receiver is not None else "",
                        "symbol": symbol,
                    },
                    subject=receiver,
                )
                return

    return Rule(on=(ir.Call,), check=check)
