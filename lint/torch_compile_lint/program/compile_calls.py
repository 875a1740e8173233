"""The calls that compile something, as rules see them: the script around a model, not its forward.

They come from the index alone, so they are found in code that no compile root reaches. Which
release accepts which option is measured data of the rules, not of this module.
"""

from __future__ import annotations

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.index_ir import FileIndex
from torch_compile_lint.program.link import Program
from torch_compile_lint.program.symbols import ExternalSymbol
from torch_compile_lint.records import dataclass


@dataclass(frozen=True, slots=True)
class CompileCall:
    """One call. ``node`` has offsets into the file; ``text`` is its source on one line.

    ``symbol``: 'torch.compile', 'torch._dynamo.optimize', ...; ``discarded``: it is a statement
    of its own; ``keywords``: its keyword arguments, constants as their value, others as ``...``;
    ``starred``: it has a ``**`` argument, so more may be given.
    """

    node: ir.Call
    scope: str
    symbol: str
    discarded: bool
    keywords: dict[str, object]
    starred: bool
    text: str


def compile_calls(program: Program, index: FileIndex, text: str) -> tuple[CompileCall, ...]:
    """The calls of one file whose function is known by its canonical name."""
    out = []
    for mark in index.marks:
        for call in _with_inner(mark.call):
            for symbol in program.resolve_expr(index.path, call.func):
                if type(symbol) is ExternalSymbol:
                    keywords = {
                        a.keyword: a.value.value if isinstance(a.value, ir.Const) else ...
                        for a in call.args
                        if a.keyword is not None and not a.star
                    }
                    line = " ".join(text[call.start : call.end].split())
                    out.append(
                        CompileCall(
                            call,
                            mark.scope,
                            symbol.name,
                            mark.discarded and call is mark.call,
                            keywords,
                            any(a.star == "**" for a in call.args),
                            line if len(line) <= 60 else f"{line[:40]}…{line[-19:]}",
                        )
                    )
    return tuple(out)


def _with_inner(call: ir.Call) -> tuple[ir.Call, ...]:
    """``torch.compile(options)(f)``: the call and the one that makes its function."""
    return (call, call.func) if isinstance(call.func, ir.Call) else (call,)
