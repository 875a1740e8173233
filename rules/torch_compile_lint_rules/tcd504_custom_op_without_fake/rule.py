"""Operators made with torch.library for which the file registers no fake implementation."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import Confidence, Hit, Rule, Script, ir

FAKES = ("register_fake", "impl_abstract", "register_meta", '"Meta"', "'Meta'")
# Kernels under these keys are traced through, or run on fake tensors.
TRACED = frozenset(("CompositeImplicitAutograd", "CompositeExplicitAutograd", "Meta"))


def check(script: Script, _: None) -> Iterator[Hit]:
    if any(word in script.file_text for word in FAKES):
        return  # for which operator is not worth a false alarm
    calls = list(script.nodes(ir.Call))
    for call in calls:
        if script.name(call.func) in ("torch.library.custom_op", "torch.library.custom_ops.custom_op"):
            name = _text(call)
            if name and not _is_triton(script):
                yield Hit(call, "custom", {"name": name}, confidence=Confidence.LIKELY)
    yield from _defined(calls, script)


def _defined(calls: list[ir.Call], script: Script) -> Iterator[Hit]:
    for call in calls:
        if not (isinstance(call.func, ir.Attribute) and call.func.attr == "define"):
            continue
        library = script.assigned(call.func.base)
        schema = _text(call)
        if not (isinstance(library, ir.Call) and script.name(library.func) == "torch.library.Library"):
            continue
        name = schema.partition("(")[0]
        keys = [_key(c) for c in calls if _implements(c, name)]
        if name and keys and not TRACED.intersection(keys) and all(keys):
            full = f"{_text(library)}::{name}"
            yield Hit(call, "define", {"name": full}, confidence=Confidence.LIKELY)


def _implements(call: ir.Call, name: str) -> bool:
    return isinstance(call.func, ir.Attribute) and call.func.attr == "impl" and _text(call) == name


def _key(call: ir.Call) -> str:
    """The dispatch key that a kernel is registered under; '' where it is not written out."""
    values = [a.value for a in call.args if a.keyword in (None, "dispatch_key")]
    last = values[-1] if len(values) == 3 else None
    return last.value if isinstance(last, ir.Const) and isinstance(last.value, str) else ""


def _text(call: ir.Call) -> str:
    first = call.args[0].value if call.args else None
    return first.value if isinstance(first, ir.Const) and isinstance(first.value, str) else ""


def _is_triton(script: Script) -> bool:
    return "triton_op" in script.file_text


RULE = Rule(on=(Script,), check=check)
