"""Settings of torch._dynamo.config and torch._inductor.config that a release does not have."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import Hit, Rule, Script, setting_changes, settings

# What logging was set by before 2.1: all of it went to torch._logging.
LOGGING = frozenset(
    (
        *("log_level", "output_code", "print_graph_breaks", "output_graph_code", "log_file_name"),
        *("print_specializations", "print_guards", "print_graph"),
    )
)


def check(script: Script, _: None) -> Iterator[Hit]:
    for change in setting_changes(script):
        known = settings(change.module, script.target)
        first = change.name.partition(".")[0]
        if (
            not known
            or change.guarded
            or change.name in known
            or (first != change.name and first not in known)
        ):
            continue
        if first != change.name and not any(name.startswith(first + ".") for name in known):
            continue  # an attribute of a setting's value
        form = "log" if change.name in LOGGING else "dynamo"
        yield Hit(change.node, form, {"module": change.module, "name": change.name})


RULE = Rule(on=(Script,), check=check)
