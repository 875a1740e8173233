"""Operators made with torch.library for which the file registers no fake implementation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from torch_compile_lint.rule import Confidence, Hit, Rule, Script, ir

FAKES = ("register_fake", "impl_abstract", "register_meta", '"Meta"', "'Meta'")
CUSTOM = ("torch.library.custom_op", "torch.library.custom_ops.custom_op")
# Kernels under these keys are traced through, or run on fake tensors ("default" is the second one).
TRACED = frozenset(("CompositeImplicitAutograd", "CompositeExplicitAutograd", "Meta", "default"))


def check(script: Script, _: None) -> Iterator[Hit]:
    if any(word in script.file_text for word in FAKES):
        return  # for which operator is not worth a false alarm
    calls = list(script.nodes(ir.Call))
    for call in calls:
        if script.name(call.func) in CUSTOM:
            name = _text(call)
            if name and not _gives_nothing(call, script):
                yield Hit(call, "custom", {"name": name}, confidence=Confidence.LIKELY)
    yield from _defined(calls, script)


def _defined(calls: list[ir.Call], script: Script) -> Iterator[Hit]:
    for call in calls:
        if not (isinstance(call.func, ir.Attribute) and call.func.attr == "define"):
            continue
        schema = _text(call)
        name, whole = schema.partition("(")[0], schema
        if script.name(call.func) == "torch.library.define":
            full, whole = name, schema + (_constant(call.args[1].value) if len(call.args) > 1 else "")
        else:
            library = script.assigned(call.func.base)
            if not (isinstance(library, ir.Call) and script.name(library.func) == "torch.library.Library"):
                continue
            full = f"{_text(library)}::{name}"
        keys = [key for c in calls if _implements(c, name, call, script) for key in _keys(c, script)]
        if not name or "->" not in whole or whole.replace(" ", "").endswith("->()"):
            continue
        if keys and all(keys) and not any(k in TRACED or k.startswith("Autograd") for k in keys):
            yield Hit(call, "define", {"name": full}, confidence=Confidence.LIKELY)


def _implements(call: ir.Call, name: str, definition: ir.Call, script: Script) -> bool:
    """`lib.impl("op", ...)`, `torch.library.impl(lib, "op", ...)`, `torch.library.impl("ns::op", ...)`."""
    func = call.func
    if (
        not (isinstance(func, ir.Attribute) and func.attr == "impl")
        and script.name(func) != "torch.library.impl"
    ):
        return False
    given = [a.value for a in call.args if a.keyword in (None, "qualname", "op_name", "name")][:2]
    return any(_constant(value) == name or script.assigned(value) is definition for value in given)


def _keys(call: ir.Call, script: Script) -> list[str]:
    """The dispatch keys or devices of a kernel; '' for one that is not written out."""
    values = [a.value for a in call.args if a.keyword in (None, "dispatch_key", "types")]
    if script.name(call.func) == "torch.library.impl":
        at = 1 if "::" in _text(call) else 2
    else:
        at = 2
    if len(values) <= at:
        return [""]
    key = values[at]
    return [_constant(item) for item in key.items] if isinstance(key, ir.Sequence) else [_constant(key)]


def _gives_nothing(call: ir.Call, script: Script) -> bool:
    """Whether the operator returns None: its fake run has nothing to make."""
    for argument in call.args:
        if argument.keyword == "schema":
            return _constant(argument.value).replace(" ", "").endswith("->()")
    given = [a.value for a in call.args if a.keyword is None]
    if len(given) > 1:
        text = re.escape(script.source(given[1]))
        return re.search(rf"def {text}\([^)]*\)\s*->\s*None\b", script.file_text) is not None
    parent = script.parent(call)
    facts = parent.function if isinstance(parent, ir.FunctionDef) else script.facts
    returns = facts.returns if facts is not None else None
    return isinstance(returns, ir.Const) and returns.value is None


def _constant(value: ir.Expr) -> str:
    return value.value if isinstance(value, ir.Const) and isinstance(value.value, str) else ""


def _text(call: ir.Call) -> str:
    return _constant(call.args[0].value) if call.args else ""


RULE = Rule(on=(Script,), check=check)
