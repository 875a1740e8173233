"""`out=` given a tensor that was made empty (the resize_ methods are rows of rule.toml)."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir


def _made_empty(name: ir.Name, view: FunctionView) -> bool:
    for assign in view.nodes(ir.Assign):
        if any(isinstance(t, ir.Name) and t.name == name.name for t in assign.targets):
            value = assign.value
            return (
                isinstance(value, ir.Call)
                and not {"torch.empty", "torch.Tensor.new_empty", "torch.Tensor", "torch.tensor"}.isdisjoint(
                    view.callees(value)
                )
                and (not value.args or view.text(value.args[0].value) in ("0", "[]", "(0,)"))
            )
    return False


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    for argument in call.args:
        if (
            argument.keyword == "out"
            and isinstance(argument.value, ir.Name)
            and _made_empty(argument.value, view)
        ):
            yield Hit(call, "out", {"call": view.text(call), "value": view.text(argument.value)})
            return


def _has_out(call: ir.Call) -> bool:
    return any(argument.keyword == "out" for argument in call.args)


RULE = Rule(on=(ir.Call,), check=check, where=_has_out)
