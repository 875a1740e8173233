"""cache_size_limit, recompile_limit and their accumulated kin, raised."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import Hit, Rule, Script, setting_changes

DEFAULTS = {
    "cache_size_limit": 8,
    "recompile_limit": 8,
    "accumulated_cache_size_limit": 256,
    "accumulated_recompile_limit": 256,
}


def check(script: Script, _: None) -> Iterator[Hit]:
    for change in setting_changes(script):
        default = DEFAULTS.get(change.name)
        value = change.value
        known = change.module == "torch._dynamo.config" and default is not None
        if known and isinstance(value, int) and value > (default or 0):
            yield Hit(change.node, "raised", {"name": change.name, "value": str(value)})


RULE = Rule(on=(Script,), check=check)
