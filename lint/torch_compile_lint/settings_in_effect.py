"""Which settings of Dynamo hold when the roots of a file are compiled.

Its own; those of the files that it imports, since they have run before; and those of a script
that imports it, directly or not.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from torch_compile_lint.facts.index_ir import FileIndex
from torch_compile_lint.follow import Node
from torch_compile_lint.raw import Raw

#: (file, function or class whose code they hold in, name); file and scope '' hold everywhere.
Settings = frozenset[tuple[str, str, str]]
NONE: Settings = frozenset()
# What a number is that Python has to know, and a setting made a symbol of the graph: end of a message.
UNKNOWN = "raises with {}, since Python has to know it"


def settings_in_effect(
    indexes: Mapping[str, FileIndex], edges: Mapping[Node, tuple[Node, ...]]
) -> dict[str, Settings]:
    """The settings of each file that has any; most projects set none, and this costs them nothing."""
    setting = {path: index.settings for path, index in indexes.items() if index.settings}
    if not setting:
        return {}
    backwards: dict[Node, list[Node]] = {}
    for node, others in edges.items():
        for other in others:
            backwards.setdefault(other, []).append(node)
    found: dict[str, set[tuple[str, str, str]]] = {}
    for path, texts in setting.items():
        for text in texts:
            scope, _, name = text.partition(":")
            if scope not in ("", "*"):
                found.setdefault(path, set()).add((path, scope, name))
                continue
            start = {node for node in (*edges, *backwards) if node[0] == path} | {(path, None)}
            files = _files(start, backwards)
            if scope == "*":
                files |= _files(start, edges)
            folder, name_of_file = os.path.split(path)
            if name_of_file == "__init__.py":  # it has run before anything below it
                files |= {other for other in indexes if other.startswith(folder + os.sep)}
            for file in files:
                found.setdefault(file, set()).add(("", "", name))
    return {path: frozenset(some) for path, some in found.items()}


def with_settings(hits: Iterable[Raw], settings: Settings) -> Iterator[Raw]:
    """What is left of the hits of one function where some settings hold, and what it costs there."""
    for hit in hits:
        name = hit.traced_if.removeprefix("!")
        if not any(is_on(settings, one, hit.path, hit.function) for one in name.split("|") if one):
            yield hit
        elif name != hit.traced_if:
            said = hit.message.rpartition(": ")[0]
            yield hit._replace(effect="error", message=f"{said}: {UNKNOWN.format(name)}", gb=())


def is_on(settings: Settings, name: str, path: str, function: str) -> bool:
    """Whether a setting holds in a function of a file."""
    inside = function.replace(".<locals>", "") + "."
    return any(
        on == name and (not file or (file == path and inside.startswith(f"{scope}.")))
        for file, scope, on in settings
    )


def _files(start: Iterable[Node], edges: Mapping[Node, Iterable[Node]]) -> set[str]:
    """The files that ``edges`` lead to from some nodes, theirs included."""
    seen = set(start)
    waiting = list(seen)
    while waiting:
        for other in edges.get(waiting.pop(), ()):
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return {path for path, _ in seen}
