"""What each file's imports lead to, shared between files instead of listed for each.

In a large package nearly every file leads to a thousand others: a set per file would take time
and memory that grow with the square of the package. Files that import each other lead to the
same files, so one answer serves a whole strongly connected component of the import graph, and
a component's answer is made from those of the components it leads to (Tarjan, "Depth-first
search and linear graph algorithms", SIAM J. Comput. 1, 1972).
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Mapping

from torch_compile_lint.follow import Node
from torch_compile_lint.records import dataclass


@dataclass(frozen=True, slots=True)
class Beyond:
    """A component and everything it leads to."""

    digest: bytes  # changes when one of the files, or what one shows of itself, does
    asked: bool  # a file that was asked for is among them


class Reach:
    """Answers for the files of one workspace; ``edges`` must not change any more."""

    def __init__(
        self,
        edges: Mapping[Node, tuple[Node, ...]],
        skeletons: Mapping[str, str],
        asked: Container[str],
    ) -> None:
        self._edges = edges
        self._skeletons = skeletons
        self._asked = asked
        self._known: dict[Node, Beyond] = {}

    def digest(self, path: str) -> str:
        """Of the skeletons of all files that a file leads to, itself included."""
        return self._beyond((path, None)).digest.hex()

    def asked(self, path: str) -> bool:
        """True where a file that was asked for is among those that a file leads to, or is it."""
        return self._beyond((path, None)).asked

    def _beyond(self, start: Node) -> Beyond:
        if start not in self._known:
            self._search(start)
        return self._known[start]

    def _search(self, start: Node) -> None:
        """Tarjan's algorithm without recursion: import chains are long."""
        edges, known = self._edges, self._known
        number = {start: 0}
        low = {start: 0}
        place = {start: 0}  # in ``component``
        component = [start]  # nodes whose component is still open, in the order they were met
        path = [(start, iter(edges.get(start, ())))]
        while path:
            node, others = path[-1]
            for other in others:
                if other in known:
                    continue
                if other not in number:
                    number[other] = low[other] = len(number)
                    place[other] = len(component)
                    component.append(other)
                    path.append((other, iter(edges.get(other, ()))))
                    break
                low[node] = min(low[node], number[other])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    low[above] = min(low[above], low[node])
                if low[node] == number[node]:
                    self._close(component[place[node] :])
                    del component[place[node] :]

    def _close(self, nodes: list[Node]) -> None:
        files = sorted({path for path, _ in nodes})
        inside = set(nodes)
        outside = {self._known[n] for node in nodes for n in self._edges.get(node, ()) if n not in inside}
        digest = hashlib.blake2b(digest_size=20)
        for path in files:
            digest.update(f"{path}:{self._skeletons[path]}\n".encode("utf-8", "surrogatepass"))
        for one in sorted({o.digest for o in outside}):
            digest.update(one)
        asked = any(path in self._asked for path in files) or any(o.asked for o in outside)
        beyond = Beyond(digest.digest(), asked)
        self._known.update(dict.fromkeys(nodes, beyond))
