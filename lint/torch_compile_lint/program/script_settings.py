"""Changes of the compiler's settings in a script: assigned, patched, or set by name."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.facts import ir
from torch_compile_lint.program.script import Script
from torch_compile_lint.records import dataclass

MODULES = ("torch._dynamo.config", "torch._inductor.config", "torch._functorch.config")


@dataclass(frozen=True, slots=True)
class SettingChange:
    """One change. ``value`` is the constant it is set to, else ``...``.

    ``guarded``: under a ``try``, or an ``if`` that asks for the setting or the release first.
    """

    node: ir.Node
    module: str
    name: str  # dotted for nested ones ('triton.cudagraphs')
    value: object
    guarded: bool


def setting_changes(script: Script) -> Iterator[SettingChange]:
    """Every change of a unit, in source order."""
    if "config" not in script.file_text:
        return
    for node in script.nodes(ir.Assign):
        for target in node.targets:
            if isinstance(target, ir.Attribute) and node.value is not None:
                yield from _change(node, script.name(target), node.value, script)
    for call in script.nodes(ir.Call):
        name = script.name(call.func)
        if name == "builtins.setattr" and len(call.args) == 3:
            module, setting = script.name(call.args[0].value), _constant(call.args[1].value)
            if isinstance(setting, str):
                yield from _change(call, f"{module}.{setting}", call.args[2].value, script)
        elif name.endswith(".config.patch"):
            module = name[: -len(".patch")]
            for setting, value in _patched(call):
                yield from _change(call, f"{module}.{setting}", value, script)


def _patched(call: ir.Call) -> Iterator[tuple[str, ir.Expr]]:
    """`patch(name=value)`, `patch({"name": value})` and `patch("name", value)`."""
    given = [a.value for a in call.args if a.keyword is None and not a.star]
    if len(given) == 2 and isinstance(name := _constant(given[0]), str):
        yield name, given[1]
    if given and isinstance(given[0], ir.Dict):
        for key, value in zip(given[0].keys, given[0].values, strict=True):
            if key is not None and isinstance(name := _constant(key), str):
                yield name, value
    for argument in call.args:
        if argument.keyword is not None:
            yield argument.keyword, argument.value


def _change(node: ir.Node, full: str, value: ir.Expr, script: Script) -> Iterator[SettingChange]:
    for module in MODULES:
        if full.startswith(module + "."):
            name = full[len(module) + 1 :]
            yield SettingChange(node, module, name, _constant(value), guarded(node, script))


def _constant(expr: ir.Expr) -> object:
    return expr.value if isinstance(expr, ir.Const) else ...


def guarded(node: ir.Node, script: Script) -> bool:
    """Whether a place is under a ``try``, or an ``if`` that asks for a name or the release first."""
    parent = script.parent(node)
    while parent is not None:
        if isinstance(parent, ir.Try) and parent.handlers:
            return True
        if isinstance(parent, ir.Branch):
            test = script.source(parent.test, 1000)
            if "hasattr" in test or "version" in test.lower() or "getattr" in test:
                return True
        parent = script.parent(parent)
    return False
