"""Keep what an ``Analyzer`` worked out over an edit, less what rested on the edited functions.

An editor's edit changes the body of one function. What was inferred for everything that does
not lead there still holds: ``forget`` drops the rest from an analyzer's tables, and a ``Shelf``
holds the contexts of one file's roots while another file's are being worked on. Both belong to
the analyzer and know its tables; they are apart because a single run never needs them.

Precondition of ``forget``: nothing but function bodies changed (``workspace.skeleton`` is the same).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch_compile_lint.program import function_view
from torch_compile_lint.records import dataclass, field

if TYPE_CHECKING:
    from torch_compile_lint.facts.index_ir import FileIndex
    from torch_compile_lint.program.infer import Analyzer

MANY_OUTLINES = 4000  # each edit leaves one of a function that is no more
Units = frozenset[tuple[str, str]]  # (path, qualname) of units whose text changed


@dataclass(slots=True)
class Shelf:
    """The contexts of one file's roots."""

    memo: dict[Any, Any] = field(default_factory=dict)
    made: dict[Any, Any] = field(default_factory=dict)
    fullgraph: bool = False

    def drop(self, changed: Units) -> None:
        """Forget every context that looked at a changed unit."""
        self.memo = {k: r for k, r in self.memo.items() if not _touches(r.deps, changed)}
        self.made = {k: f for k, f in self.made.items() if (f.path, f.unit) not in changed}

    def moves_with(self, path: str) -> bool:
        """True where something holds offsets into the whole file: a function outside every unit."""
        return any(r.unit is None and r.path == path for r in self.memo.values())


def take(analyzer: Analyzer) -> Shelf:
    """The contexts the analyzer holds now, which it then holds no longer."""
    shelf = Shelf(analyzer._memo, analyzer.closures._made, analyzer._fullgraph)
    analyzer._memo, analyzer.closures._made = {}, {}
    analyzer.begin_file()
    return shelf


def put_back(analyzer: Analyzer, shelf: Shelf) -> None:
    """Go on where ``take`` stopped."""
    analyzer.begin_file()
    analyzer._memo, analyzer.closures._made = shelf.memo, shelf.made
    analyzer._fullgraph = shelf.fullgraph
    for path, qualname, _, _, is_root, *_ in shelf.memo:
        if not is_root:
            analyzer._counts[path, qualname] = analyzer._counts.get((path, qualname), 0) + 1


def forget(analyzer: Analyzer, index: FileIndex, changed: Units) -> None:
    """Take a file's new index in, and drop from the tables of the whole run what changed units gave."""
    path = index.path
    table = analyzer.program.files if path in analyzer.program.files else analyzer.program.external_files
    table[path] = index
    for unit in changed:
        analyzer._facts.pop(unit, None)
    if len(function_view._outlines) > MANY_OUTLINES:
        function_view.forget_outlines()
    names, attributes, closures = analyzer.names, analyzer.attributes, analyzer.closures
    memos: tuple[dict[Any, Any], ...] = (names._globals, names._orders, names._members, attributes._stored)
    for memo in memos:
        for known in [k for k, (_, deps) in memo.items() if _touches(deps, changed)]:
            del memo[known]
    for key, found in list(closures._found.items()):
        if key in changed or (found is not None and _touches(found.wrapper_deps or (), changed)):
            del closures._found[key]
    analyzer.quiet_records.forget(lambda deps: _touches(deps, changed))
    for one in [k for k, f in closures._made_quietly.items() if (f.path, f.unit) in changed]:
        del closures._made_quietly[one]


def _touches(deps: Any, changed: Units) -> bool:
    return any(("facts", path, unit) in deps for path, unit in changed)
