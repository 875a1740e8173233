"""`torch._dynamo.config.suppress_errors = True`, however it is set."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import Hit, Rule, Script, setting_changes


def check(script: Script, _: None) -> Iterator[Hit]:
    for change in setting_changes(script):
        if (
            change.module == "torch._dynamo.config"
            and change.name == "suppress_errors"
            and change.value is True
        ):
            yield Hit(change.node, "on", {"text": script.source(change.node)})


RULE = Rule(on=(Script,), check=check)
