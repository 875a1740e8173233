"""Keywords and modes that torch.compile refuses."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import CompileCall, Hit, Rule

PARAMETERS = frozenset(
    (
        *("model", "fullgraph", "dynamic", "backend", "mode", "options", "disable"),
        *("name", "recompile_limit", "isolate_recompiles", "shapes_spec"),  # newer releases only
    )
)
MODES = frozenset(("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs", "lite"))


def check(call: CompileCall, _: None) -> Iterator[Hit]:
    if call.symbol != "torch.compile":
        return
    given = call.keywords
    for name in given:
        if name not in PARAMETERS:
            yield Hit(call.node, "keyword", {"name": name})
            return
    mode = given.get("mode")
    if isinstance(mode, str) and mode not in MODES and given.get("backend", "inductor") == "inductor":
        yield Hit(call.node, "mode", {"name": mode})
    elif isinstance(mode, str) and given.get("options") is ...:
        yield Hit(call.node, "both")


RULE = Rule(on=(CompileCall,), check=check)
