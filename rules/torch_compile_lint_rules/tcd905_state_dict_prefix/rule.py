"""The state dict of a compiled model, where the wrapper's prefix gets into or is missing from the keys."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import Confidence, Hit, Rule, Script, ir


def check(script: Script, _: None) -> Iterator[Hit]:
    if "_orig_mod" in script.file_text:
        return  # whoever wrote it knows
    saves: list[ir.Call] = []
    loads: list[ir.Call] = []
    for call in script.nodes(ir.Call):
        if isinstance(call.func, ir.Attribute) and call.func.attr in ("state_dict", "load_state_dict"):
            made = script.compiled(call.func.base)
            if made is not None and not made.in_place:
                (saves if call.func.attr == "state_dict" else loads).append(call)
    for call in saves:
        if not _goes_back(call, script):
            yield Hit(call, "save", _slots(call, script), confidence=Confidence.LIKELY)
    for call in loads:
        # Whether the file was written by a compiled model is not to be seen here.
        given = [a.value for a in call.args if a.keyword in (None, "state_dict")]
        if not given or saves or (isinstance(given[0], ir.Call) and _is_own(given[0], script)):
            continue
        strict = [a.value for a in call.args if a.keyword == "strict"]
        loose = bool(strict) and isinstance(strict[0], ir.Const) and strict[0].value is False
        yield Hit(call, "loose" if loose else "load", _slots(call, script), confidence=Confidence.POSSIBLE)


def _slots(call: ir.Call, script: Script) -> dict[str, str]:
    assert isinstance(call.func, ir.Attribute)
    return {"call": script.source(call), "name": script.source(call.func.base)}


def _goes_back(call: ir.Call, script: Script) -> bool:
    """`compiled.load_state_dict(compiled.state_dict())`, or into another compiled module."""
    parent = script.parent(call)
    holder = script.parent(parent) if isinstance(parent, ir.Argument) else None
    if isinstance(holder, ir.Call) and isinstance(holder.func, ir.Attribute):
        return holder.func.attr == "load_state_dict" and script.compiled(holder.func.base) is not None
    return False


def _is_own(call: ir.Call, script: Script) -> bool:
    return (
        isinstance(call.func, ir.Attribute)
        and call.func.attr == "state_dict"
        and script.compiled(call.func.base) is not None
    )


RULE = Rule(on=(Script,), check=check)
