"""What belongs to a named class or function (``FILE:NAME``): itself, and what its file says it is built of.

A module inside a module is a compile root of its own, so the root nearest to a finding is often the inner
class. Which lines the named one reaches is not known before it runs: planned are the findings in what it
mentions, directly or through what that mentions; afterwards those count too where something was executed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence

from torch_compile_lint.model import Finding


class Chosen:
    """The names a user gave, by file, each with what it mentions. Without names all findings belong."""

    def __init__(
        self, names: dict[str, str], read: Callable[[str], str], absolute: Callable[[str], str]
    ) -> None:
        self.names = names
        self._absolute = absolute
        self._mentioned = {path: _mentioned(read(path), name) for path, name in names.items()}

    def planned(self, findings: Sequence[Finding]) -> list[Finding]:
        """The findings that a probe is to reach."""
        return [finding for finding in findings if self._belongs(finding)]

    def kept(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Of judged findings: those, and the ones at whose function something was executed."""
        return tuple(f for f in findings if self._belongs(f) or (f.verdict and f.verdict.evidence))

    def root(self, path: str, name: str) -> str:
        """The root through which the lines of root ``name`` are to be reached: the named one, where that
        is another.
        """
        named = self.names.get(path)
        if named is None:
            return name
        own = within(name, named) and name != named + ".forward"  # what calling the class runs
        return name if own or within(named, name) else named

    def _belongs(self, finding: Finding) -> bool:
        if self._absolute(finding.path) not in self.names:  # its file was given as a whole
            return True
        places = [(finding.path, finding.function), *((h.path, h.function) for h in finding.witness[:1])]
        return any(self._covers(self._absolute(path), function) for path, function in places)

    def _covers(self, path: str, function: str) -> bool:
        name = self.names.get(path)
        if name is None:
            return False
        if within(function, name) or within(name, function):
            return True
        head = function.split(".")[0]
        # Of the named method's own class only what that method calls, and then its root is that method.
        return head != name.split(".")[0] and head in self._mentioned[path]


def within(function: str, name: str) -> bool:
    """Whether ``function`` is what ``name`` names, or a part of it."""
    return function == name or function.startswith(name + ".")


def _mentioned(text: str, name: str) -> frozenset[str]:
    """Top-level classes and functions of a file that are named in ``name``'s code, and in theirs."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    defined = {
        node.name: node
        for node in tree.body
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    }
    found: set[str] = set()
    below = [name.split(".")[0]]
    while below:
        head = below.pop()
        if head in found or head not in defined:
            continue
        found.add(head)
        below += [node.id for node in ast.walk(defined[head]) if isinstance(node, ast.Name)]
    return frozenset(found)
