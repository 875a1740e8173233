"""Where a script calls what it compiled: the order of calls is what many mistakes are about."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.facts import ir
from torch_compile_lint.program.script import Script


def compiled_calls(script: Script) -> Iterator[tuple[str, ir.Call]]:
    """Calls of compiled things, in source order, under each name that the thing has here.

    After `model = torch.compile(net)`, a call `model(x)` is one of 'model' and one of 'net'.
    """
    in_place = [(script.written(one.target), one.call.end) for one in script.in_place() if one.target]
    for call in script.nodes(ir.Call):
        name = script.written(call.func)
        if not name:
            continue
        found = script.compiled(call.func)
        if found is not None and not found.in_place:
            yield name, call
            original = script.written(found.target) if found.target is not None else ""
            if original and original != name:
                yield original, call
        elif any(name == held and call.start > end for held, end in in_place):
            yield name, call


def first_calls(script: Script) -> dict[str, int]:
    """Name of a compiled thing -> the offset where its first call ends."""
    out: dict[str, int] = {}
    for name, call in compiled_calls(script):
        out.setdefault(name, call.end)
    return out
