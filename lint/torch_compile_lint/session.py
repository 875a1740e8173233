"""A project as an editor has it: one long-lived program, some of its files unsaved, checked again
after every keystroke.

``Engine`` answers one request; a ``Session`` keeps what that takes and, on an edit, redoes what
the edit reaches. Most edits stay inside one function: then the file is indexed again, that
function lowered, and every context that looked at it evaluated; indexes, links, attributes and
all other contexts stay. Any other edit links the program anew, and still indexes one file only.
What comes out is what ``Engine.check`` says of the same texts (a test compares them).

Single-threaded: the owner calls from one thread at a time. Nothing here raises for what stands
in user code; a wrong configuration is a ``ConfigError`` of the constructor.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from torch_compile_lint import analysis, discovery, engine, findings, pool, source, workspace
from torch_compile_lint.cache import Cache
from torch_compile_lint.follow import Node
from torch_compile_lint.importers import Surroundings
from torch_compile_lint.model import Finding, Request, RunError
from torch_compile_lint.program import shelf
from torch_compile_lint.reach import Reach
from torch_compile_lint.records import dataclass, replace
from torch_compile_lint.workspace import Inputs, Workspace

if TYPE_CHECKING:
    from torch_compile_lint.facts.index_ir import FileIndex
    from torch_compile_lint.program.function_view import AnalyzedFunction
    from torch_compile_lint.program.infer import Analyzer, RootResult
    from torch_compile_lint.raw import UnitResult

SHELVES = 6  # files whose contexts are kept from edit to edit


@dataclass(frozen=True, slots=True)
class Answer:
    """What there is to say of one file. Positions are those of ``text``, the last that parsed."""

    findings: tuple[Finding, ...]
    unused: tuple[Finding, ...]
    errors: tuple[RunError, ...]
    text: str
    syntax_error: Finding | None = None  # of the text as it is now, where that does not parse


class Session:
    """See the module."""

    def __init__(self, request: Request) -> None:
        """``request.paths``: what belongs to the program whether it is open or not."""
        self.run = engine.prepare(request)
        self._codes = engine.selected(self.run.config)
        self._paths = request.paths
        self._cache = Cache(self.run.cache_folder, self.run.salt)
        self._open: dict[str, str] = {}
        self._unsaved: set[str] = set()  # edited since they were opened or saved
        self._broken: dict[str, FileIndex] = {}  # files whose present text does not parse
        self._space = Workspace(Inputs(), {})
        self._outside = analysis.Outside(self._cache)
        self._by_file: dict[str, list[Any]] = {}
        self._bench: _Bench | None = None
        self._backwards: dict[Node, list[Node]] | None = None
        self._reaching: dict[str, frozenset[str]] = {}
        self._results: dict[str, UnitResult] = {}
        self._failed: dict[str, str] = {}
        self._around = False
        self.stop: Callable[[], bool] = _never
        # Files with roots that are to be analysed, with the units their old result is wrong about.
        self._todo: dict[str, set[tuple[str, str]]] = {}
        self._owing: dict[str, set[str]] = {}  # files with findings left out -> where they come from
        self._options = analysis.Options(
            target=self.run.target,
            roots=self.run.config.roots,
            plugins=self.run.config.plugins,
            folders=self.run.folders,
            cache_folder=self.run.cache_folder,
            salt=self.run.salt,
            jobs=1,  # a process with threads does not fork
        )

    # ------------------------------------------------------------ what changed

    def sync(self, texts: Mapping[str, str]) -> None:
        """Take in the texts that are open now, by absolute path."""
        before, self._open = self._open, dict(texts)
        closed = [p for p in before if p not in texts]
        opened = [p for p in texts if p not in before]
        edited = [p for p in texts if p in before and before[p] != texts[p]]
        self._unsaved.update(edited)
        self._unsaved.difference_update(closed)
        if any(p not in self._space.indexes for p in (*closed, *opened)) or (opened and self._around):
            self.load()
        else:
            for path in (*closed, *opened, *edited):
                self._take(path)
        self._plan()

    def saved(self, path: str) -> None:
        """The file on disk is now what is open."""
        self._unsaved.discard(path)

    def disk_changed(self, path: str) -> None:
        """A file that is not open was written, made or removed by someone else."""
        if path in self._open:
            return
        if path in self._space.indexes and os.path.isfile(path):
            self._take(path)
        else:
            self.load()
        self._plan()

    @property
    def wide(self) -> bool:
        """True where files that import what is open belong to the program."""
        return self._around

    def widen(self) -> None:
        """Let files that import what is open belong to the program, from now on: see ``importers``."""
        self._around = True
        self.load()
        self._plan()

    def load(self) -> None:
        """Find all files again and index those that are new or changed."""
        source.forget_folders()
        settings = self.run.config
        asked = [*self._paths, *(p for p in self._open if not self.excluded(p))]
        overlays = self._overlays()
        inputs = workspace.collect(
            asked,
            overlays,
            settings.patterns(),
            settings.respect_gitignore,
            self.run.cwd,
            settings.extend_include,
        )
        self._build(inputs, overlays)

    def _overlays(self) -> dict[str, str]:
        """Open texts; of one that does not parse, the last that did."""
        last = self._space.overlays
        return {p: last[p] if p in self._broken and p in last else t for p, t in self._open.items()}

    def _take(self, path: str) -> None:
        """Index one file again and do what its change makes necessary."""
        space = self._space
        text = self._open.get(path)
        try:
            file = workspace.open_source(path, {} if text is None else {path: text})
        except OSError:
            self.load()
            return
        known = space.indexes.get(path)
        if known is not None and known.digest == file.digest:
            self._broken.pop(path, None)
            self._set_text(path, text)
            return
        from torch_compile_lint.index import index_file

        index = index_file(file)
        if index.error is not None and known is not None and known.error is None:
            self._broken[path] = index  # in the middle of a word: everything else stays as it was
            return
        self._broken.pop(path, None)
        self._set_text(path, text)
        skeleton = workspace.skeleton(file.text, index)
        inside = known is not None and known.error is None and skeleton == space.skeletons[path]
        changed = frozenset() if known is None else _changed(known, index)
        space.indexes[path], space.skeletons[path] = index, skeleton
        space.digests[path] = file.digest
        if inside and not self._spans_whole_file(path):
            self._edit(index, changed)
        else:
            self._relink(path, changed, known)

    def _set_text(self, path: str, text: str | None) -> None:
        if text is None:
            self._space.overlays.pop(path, None)
        else:
            self._space.overlays[path] = text

    def _spans_whole_file(self, path: str) -> bool:
        """True where something of the file is known by offsets that any edit moves."""
        roots = [r for group in self._by_file.values() for r in group if r.path == path]
        if any(root.sketch is not None for root in roots):
            return True
        return self._bench is not None and self._bench.spans_whole_file(path)

    def _edit(self, index: FileIndex, changed: shelf.Units) -> None:
        """Only bodies of functions changed."""
        if self._bench is not None:
            self._bench.take_edit(index, changed)
        for path, result in self._results.items():
            wrong = {unit for unit in result.facts if unit in changed or unit == (index.path, "")}
            if wrong:
                self._todo.setdefault(path, set()).update(wrong)
                if any(r.path == index.path and (r.path, r.unit or "") in wrong for r in result.raws):
                    self._owing.setdefault(index.path, set()).add(path)

    def _relink(self, path: str, changed: shelf.Units, known: FileIndex | None) -> None:
        """What other files see of the file changed; ``known`` is what its index was."""
        touched = set(self._leading_to(path))
        space = self._space
        old = space.inputs
        inputs = Inputs(old.shown, dict(space.digests), old.errors, space.sizes, old.named)
        # The workspace has the new index already. What was lowered is from the old one.
        indexes = {p: i for p, i in space.indexes.items() if p != path}
        if known is not None:
            indexes[path] = known
        self._build(inputs, self._overlays(), replace(space, indexes=indexes))
        touched |= self._leading_to(path)
        for one in touched:
            if one in self._results:
                self._todo.setdefault(one, set()).update(changed)

    # ------------------------------------------------------------ the program

    def _build(self, inputs: Inputs, overlays: dict[str, str], lowered: Workspace | None = None) -> None:
        """Link the program anew. ``lowered``: what the bench has lowered, where that is not the workspace."""
        from torch_compile_lint.program.external import ExternalPackages
        from torch_compile_lint.program.link import Program

        before, around, settings = self._space, None, self.run.config
        if self._around:
            named = [p for p in inputs.named if p in self._open]
            around = Surroundings(named, settings.patterns(), settings.respect_gitignore)
        space = workspace.build(inputs, overlays, self._cache, 1, None, before, around)
        self._space = space
        program = Program(space.indexes.values(), ExternalPackages(self.run.folders, self._outside.read))
        self._by_file = analysis.roots_by_file(program, space, self.run.config.roots)
        self._cache.put("index", self._outside.take())
        bench = _Bench(self._by_file, program, self._outside, space, self._options)
        lowered = before if lowered is None else lowered
        bench.go_on_from(self._bench, lowered)
        known = {} if self._bench is None else self._bench.settings
        self._bench = bench
        self._backwards = None
        self._reaching.clear()
        for path in [p for p in self._results if p not in self._by_file]:
            del self._results[path]
        for path, result in self._results.items():
            changed = any(_digest(lowered, *unit) != _digest(space, *unit) for unit in result.facts)
            if changed or known.get(path) != bench.settings.get(path):
                self._todo.setdefault(path, set())
        self._todo = {p: units for p, units in self._todo.items() if p in self._by_file}

    def _leading_to(self, path: str) -> frozenset[str]:
        """Files whose imports lead to a file, itself included."""
        known = self._reaching.get(path)
        if known is not None:
            return known
        if self._backwards is None:
            self._backwards = {}
            for node, others in self._space.edges.items():
                for other in others:
                    self._backwards.setdefault(other, []).append(node)
        seen = {node for node in self._backwards if node[0] == path} | {(path, None)}
        waiting = list(seen)
        while waiting:
            for node in self._backwards.get(waiting.pop(), ()):
                if node not in seen:
                    seen.add(node)
                    waiting.append(node)
        found = self._reaching[path] = frozenset(file for file, name in seen if name is None)
        return found

    def _plan(self) -> None:
        """Decide which files' roots have something to say about what is open, and what is known."""
        wanted: dict[str, None] = {}
        for path in self._open:
            wanted.update(dict.fromkeys(r for r in self._leading_to(path) if r in self._by_file))
        self._todo = {p: units for p, units in self._todo.items() if p in wanted}
        self._owing = {p: h for p, h in self._owing.items() if not h.isdisjoint(self._todo)}
        unknown = [p for p in wanted if p not in self._results and p not in self._todo]
        if not unknown:
            return
        group = {p: self._by_file[p] for p in unknown}
        space = self._space
        reach = Reach(space.edges, space.skeletons, space.inputs.shown)
        keys = analysis.unit_keys(space, group, reach, self._options, self._cache)
        stored = self._cache.get_many("unit", keys.values())
        for path, key in keys.items():
            result = analysis.still_true(path, stored.get(key), self._space)
            if result is None:
                self._todo[path] = set()
            else:
                self._results[path] = result

    # ------------------------------------------------------------ work and answers

    def waits_for(self, path: str) -> bool:
        """True while the next answer about a file would be worse than the last.

        Its own roots are to be analysed, or findings in edited functions are left out and no
        file they are reached from has been analysed again.
        """
        return path in self._todo or path in self._owing

    @property
    def busy(self) -> bool:
        """True while something is left to do."""
        return bool(self._todo)

    def work(self, first: Sequence[str]) -> Iterator[str]:
        """Analyse what is left, one file's roots after another: ``first``, what is open, the rest.

        What is not open is put off in its middle where ``stop`` says so.
        """
        while self._todo:
            # What is looked at, what it waits for, what is open, the rest.
            owing = [home for homes in self._owing.values() for home in homes]
            order = (*first, *owing, *self._open, *self._todo)
            path = next(p for p in order if p in self._todo)
            if not self._analyse(path):
                return
            yield path
        self._cache.flush()

    def prepare(self, first: Sequence[str]) -> Iterator[str]:
        """Have at hand what the next edit of an open file will need, one file after another."""
        assert self._bench is not None
        for path in [*dict.fromkeys((*first, *self._open))][:SHELVES]:
            if path in self._by_file and path in self._open and path not in self._bench.shelves:
                self._analyse(path)
                yield path

    def _analyse(self, path: str) -> bool:
        """Analyse one file's roots; False where that was put off."""
        assert self._bench is not None
        self._bench.keep = path in self._open
        self._bench.stop = self.stop if path not in self._open else _never
        try:
            result = pool.attempt(self._bench.analyse_file, path)
        except _PutOff:
            self._bench.forget(path)
            return False
        self._todo.pop(path, None)
        self._owing = {p: homes for p, homes in self._owing.items() if path not in homes}
        self._results.pop(path, None)
        self._failed.pop(path, None)
        if isinstance(result, pool.Failed):
            self._failed[path] = f"cannot be analysed: {result.message} {result.place}".rstrip()
            self._bench.forget(path)
            return True
        self._results[path] = result
        if not self._unsaved:  # what stands on disk is worth keeping for the command line, too
            for level, values in result.made.items():
                self._cache.put(level, values)
        result.made = {}
        return True

    def excluded(self, path: str) -> bool:
        """True for a file that nobody wants checked although it is open (a library's, say)."""
        below = os.path.relpath(path, self.run.config.root).replace(os.sep, "/")
        if below.startswith("../"):
            below = path.lstrip("/")
        return discovery.is_excluded(below, self.run.config.patterns())

    def index(self, path: str) -> FileIndex | None:
        """The index of a file as it parsed last."""
        return self._space.indexes.get(path)

    def unit_digest(self, path: str, unit: str) -> str:
        """What a function's text is known by."""
        return _digest(self._space, path, unit)

    def answer(self, path: str) -> Answer | None:
        """Everything known of one file now; None for one that is not checked."""
        index = self._space.indexes.get(path)
        if index is None or path not in self._space.inputs.shown:
            return None
        run = self.run
        raws = []
        for home, result in self._results.items():
            wrong = self._todo.get(home, ())
            raws += [r for r in result.raws if r.path == path and (r.path, r.unit or "") not in wrong]
        shown = Inputs({path: path})
        view = replace(self._space, inputs=shown)
        made = findings.make(raws, view, run.config.root, run.cwd)
        kept, unused = engine.filtered(made, view, run.config, self._codes, True)
        errors = [e for r in self._results.values() for e in r.errors if e[0] == path]
        if path in self._failed:
            errors.append((path, self._failed[path]))
        text = view.source(path).text
        broken = self._broken.get(path)
        return Answer(
            findings=tuple(kept),
            unused=() if self.busy else tuple(unused),
            errors=tuple(RunError(p, m) for p, m in sorted(set(errors))),
            text=text,
            syntax_error=None if broken is None else _syntax_error(broken, path, self._open[path]),
        )


def _never() -> bool:
    return False


class _PutOff(KeyboardInterrupt):
    """Something more urgent came up. Of the one family that ``pool.attempt`` lets through."""


class _Bench(analysis.Bench):
    """A bench whose analyzer goes on from what it knew of a file."""

    stop: Callable[[], bool]
    keep = False  # the contexts of the file that is analysed next
    shelves: dict[str, shelf.Shelf]

    def go_on_from(self, before: _Bench | None, old: Workspace) -> None:
        """Take over what an earlier bench has lowered and is the same."""
        self.shelves = {}
        self.stop = _never
        self.import_everything()
        visit = self.analyzer.visit

        def unless_stopped(view: AnalyzedFunction) -> object:
            if self.stop():
                raise _PutOff
            return visit(view)

        self.analyzer.visit = unless_stopped
        if before is not None:
            new = self._space
            same = {
                u: f for u, f in before.analyzer._facts.items() if _digest(old, *u) == _digest(new, *u) != ""
            }
            self.analyzer._facts.update(same)

    @property
    def analyzer(self) -> Analyzer:
        return self._prepare()[0]

    def answers(self, analyzer: Analyzer, path: str) -> list[RootResult]:
        from torch_compile_lint.program.big_stack import on_big_stack

        roots = self._by_file[path]
        kept = self.shelves.pop(path, None)
        if kept is None:
            found = analyzer.run_all(tuple(roots))
        else:
            shelf.put_back(analyzer, kept)
            found = on_big_stack(lambda: [analyzer.run(root) for root in roots])
        if self.keep:
            self.shelves[path] = shelf.take(analyzer)
            while len(self.shelves) > SHELVES:
                del self.shelves[next(iter(self.shelves))]
        return found

    def forget(self, path: str) -> None:
        """Something went wrong on the way: start with nothing next time."""
        self.shelves.pop(path, None)
        self.analyzer.begin_file()

    def take_edit(self, index: FileIndex, changed: shelf.Units) -> None:
        shelf.forget(self.analyzer, index, changed)
        for one in self.shelves.values():
            one.drop(changed)

    def spans_whole_file(self, path: str) -> bool:
        made = self.analyzer.closures._made_quietly.values()
        return any(f.unit is None and f.path == path for f in made) or any(
            one.moves_with(path) for one in self.shelves.values()
        )


def _digest(space: Workspace, path: str, unit: str) -> str:
    return analysis.unit_digest(space.indexes.get(path), unit)


def _changed(old: FileIndex, new: FileIndex) -> shelf.Units:
    """Functions that are new, gone or different."""
    names = old.functions.keys() | new.functions.keys()
    return frozenset(
        (new.path, n) for n in names if analysis.unit_digest(old, n) != analysis.unit_digest(new, n)
    )


def _syntax_error(index: FileIndex, path: str, text: str) -> Finding:
    """The finding of a text that does not parse."""
    space = Workspace(Inputs({path: path}), {path: text}, indexes={path: index})
    return findings.syntax_errors(space, findings.Placer(space, "/", "/"))[0]
