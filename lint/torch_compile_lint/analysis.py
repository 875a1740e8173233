"""From indexes to raw findings: link, find the roots, analyse each file's roots, judge.

A file's roots are the unit of parallel work and of caching. Its answer rests on what the files
it imports, directly or not, show of themselves (their skeletons), and on the functions that
were looked into (their texts); while those stay, the answer does. Everything here that costs
(libcst, rule modules, the analyzer) is imported only when a file has to be analysed.
"""

from __future__ import annotations

import gc
import hashlib
import os
from typing import TYPE_CHECKING, Any

from torch_compile_lint import pool, raw
from torch_compile_lint.cache import Cache
from torch_compile_lint.raw import Place, UnitResult
from torch_compile_lint.reach import Reach
from torch_compile_lint.records import dataclass, field
from torch_compile_lint.settings_in_effect import NONE, settings_in_effect, with_settings

if TYPE_CHECKING:
    from torch_compile_lint.facts import ir
    from torch_compile_lint.facts.index_ir import FileIndex
    from torch_compile_lint.program.infer import Analyzer, RootResult
    from torch_compile_lint.program.link import Program
    from torch_compile_lint.source import SourceFile
    from torch_compile_lint.workspace import Progress, Workspace

_COLLECT_EVERY = 64  # files in one process; inference leaves cycles behind. Children end before, see below
_MOST = 48  # files that one process analyses: what it keeps of them would fill the memory
_FEW = 3  # files below which forking costs more than it saves


@dataclass(frozen=True, slots=True)
class Options:
    """What of the configuration decides the raw findings."""

    target: str
    roots: str
    plugins: tuple[str, ...]
    folders: tuple[str, ...]  # site-packages of the project
    cache_folder: str | None
    salt: str
    jobs: int
    screen: bool = True  # False: every rule looks at everything; slow, for tests and benchmarks


@dataclass(slots=True)
class Outcome:
    """The answers of all files, cached or fresh."""

    results: list[UnitResult] = field(default_factory=list)
    errors: list[tuple[str, str]] = field(default_factory=list)
    cached: int = 0
    lowered: int = 0
    reachable: int = 0


def analyse(space: Workspace, options: Options, cache: Cache, progress: Progress | None) -> Outcome:
    """Raw findings of everything that can be reached from the workspace's roots."""
    from torch_compile_lint.program.external import ExternalPackages
    from torch_compile_lint.program.link import Program

    outside = Outside(cache)
    loader = ExternalPackages(options.folders, outside.read)
    program = Program(space.indexes.values(), loader)
    by_file = roots_by_file(program, space, options.roots)
    cache.put("index", outside.take())
    outcome = Outcome()
    reach = Reach(space.edges, space.skeletons, space.inputs.shown)
    # Roots that cannot reach a file that was asked for have nothing to say about it.
    by_file = {path: roots for path, roots in by_file.items() if reach.asked(path)}
    keys = unit_keys(space, by_file, reach, options, cache)
    stored = cache.get_many("unit", keys.values())
    todo: list[str] = []
    for path, key in keys.items():
        result = still_true(path, stored.get(key), space)
        if result is None:
            todo.append(path)
        else:
            outcome.results.append(result)
    outcome.cached = len(outcome.results)
    if todo:
        _fresh(todo, keys, by_file, program, outside, space, options, cache, outcome, progress)
    outcome.results.sort(key=lambda r: r.path)
    seen = {place for r in outcome.results for place in r.reached}
    outcome.reachable = len(seen)
    for one in outcome.results:
        outcome.errors.extend(one.errors)
    return outcome


def roots_by_file(program: Program, space: Workspace, mode: str) -> dict[str, list[Any]]:
    """The roots of every file that has any, and no roots for files that only call a compiler."""
    from torch_compile_lint.program.roots import find_roots

    by_file: dict[str, list[Any]] = {}
    for root in find_roots(program, mode):
        by_file.setdefault(root.home, []).append(root)
    for path, index in space.indexes.items():
        if index.marks or index.script:  # the code around a model has findings of its own
            by_file.setdefault(path, [])
    return by_file


# ---------------------------------------------------------------- what an answer rests on


def unit_keys(
    space: Workspace,
    by_file: dict[str, list[Any]],
    reach: Reach,
    options: Options,
    cache: Cache,
) -> dict[str, bytes]:
    """The cache key of every file that has roots."""
    common = [options.target, repr(options.plugins), *options.folders]
    for folder in options.folders:
        try:
            common.append(str(os.stat(folder).st_mtime_ns))  # something was installed or removed
        except OSError:
            continue
    keys = {}
    settings = settings_in_effect(space.indexes, space.edges)
    for path, roots in sorted(by_file.items()):
        marks = repr([_root_identity(r) for r in roots]) + repr(sorted(settings.get(path, ())))
        keys[path] = cache.key("unit", path, *common, marks, reach.digest(path))
    return keys


def _root_identity(root: Any) -> tuple[Any, ...]:
    """What of a root decides what is found below it; not the line its mark stands on."""
    return (*root.key[:3], root.kind, root.marked, root.fullgraph, root.dynamic, root.mode, root.backend)


def unit_digest(index: FileIndex | None, unit: str) -> str:
    """The digest of a unit's text as the index knows it; '' where there is no such unit."""
    if index is None:
        return ""
    if not unit:
        return index.digest
    one = index.functions.get(unit) or index.classes.get(unit)
    return "" if one is None else one.digest


def still_true(path: str, data: bytes | None, space: Workspace) -> UnitResult | None:
    """A stored result, or None where something it rests on has changed."""
    if data is None:
        return None
    decoded = raw.decode(path, data)
    if decoded is None:
        return None
    result, digests = decoded
    from torch_compile_lint.workspace import file_digest

    for other, unit, digest in digests:
        if unit_digest(space.indexes.get(other), unit) != digest:
            return None
    for other, digest in result.external.items():
        if file_digest(other, {}) != digest:
            return None
    return result


class Outside:
    """Indexes of other packages' files, through the cache; remembers what was read."""

    def __init__(self, cache: Cache) -> None:
        self.cache = cache
        self.digests: dict[str, str] = {}
        self._made: dict[bytes, bytes] = {}

    def read(self, path: str, module: str) -> FileIndex:
        from torch_compile_lint.facts.codec import CodecError, decode_index, encode_index
        from torch_compile_lint.index import index_file
        from torch_compile_lint.source import source_from_bytes

        with open(path, "rb") as stream:
            data = stream.read()
        digest = hashlib.sha256(data).hexdigest()
        self.digests[path] = digest
        key = self.cache.key("package", digest, module)
        stored = self.cache.get("index", key)
        if stored is not None:
            try:
                index = decode_index(stored)
                index.path = path
                return index
            except CodecError:
                pass
        index = index_file(source_from_bytes(path, data, module))
        self._made[key] = encode_index(index)
        return index

    def take(self) -> dict[bytes, bytes]:
        """What is new since the last call, for the parent's cache."""
        made, self._made = self._made, {}
        return made


# ---------------------------------------------------------------- fresh analysis


def _fresh(
    todo: list[str],
    keys: dict[str, bytes],
    by_file: dict[str, list[Any]],
    program: Program,
    outside: Outside,
    space: Workspace,
    options: Options,
    cache: Cache,
    outcome: Outcome,
    progress: Progress | None,
) -> None:
    crew = Bench(by_file, program, outside, space, options)
    todo.sort(key=lambda p: (-sum(f.end - f.start for f in space.indexes[p].functions.values()), p))
    jobs = options.jobs if len(todo) >= _FEW else 1
    if jobs > 1:
        crew.import_everything()  # once, before the fork
    gc.freeze()  # children share these pages as long as nothing walks over them
    for count, (number, result) in enumerate(pool.run(crew.analyse_file, todo, jobs, most=_MOST), 1):
        if progress is not None:
            progress("analysing", count, len(todo))
        path = todo[number]
        if isinstance(result, pool.Failed):
            outcome.errors.append((path, f"cannot be analysed: {result.message} {result.place}".rstrip()))
            continue
        outcome.results.append(result)
        outcome.lowered += result.lowered
        for level, values in result.made.items():
            cache.put(level, values)
        result.made = {}
        if not result.errors:
            digests = [(p, u, unit_digest(space.indexes.get(p), u)) for p, u in result.facts]
            cache.put("unit", {keys[path]: raw.encode(result, digests)})


def get_ready(plugins: tuple[str, ...]) -> None:
    """Import what analysing files takes, the rules' code included."""
    import torch_compile_lint.facts.unit
    import torch_compile_lint.judge
    import torch_compile_lint.program.compile_calls
    import torch_compile_lint.program.infer  # noqa: F401
    from torch_compile_lint import registry

    try:
        rules = registry.load(plugins, extend_select=("ALL",))
    except registry.RuleError:  # whoever selects rules will say so
        return
    for loaded in rules:
        try:
            _ = loaded.rule
        except Exception:  # whoever runs them will say so
            continue


class Bench:
    """What one process needs to analyse files one after another."""

    def __init__(
        self,
        by_file: dict[str, list[Any]],
        program: Program,
        outside: Outside,
        space: Workspace,
        options: Options,
    ) -> None:
        self._by_file = by_file
        self._program = program
        self._outside = outside
        self._space = space
        self._options = options
        self.settings = settings_in_effect(space.indexes, space.edges)
        self._pid = os.getpid()
        self._cache: Cache | None = None
        self._sources: dict[str, SourceFile] = {}
        self._made: dict[bytes, bytes] = {}
        self._lowered = 0
        self._analysed = 0
        self._problems: list[tuple[str, str]] = []
        self._tools: tuple[Analyzer, Any] | None = None

    def import_everything(self) -> None:
        """Pay for imports and rules before forking, not in every child."""
        get_ready(self._options.plugins)
        self._prepare()

    def _prepare(self) -> tuple[Analyzer, Any]:
        if self._tools is None:
            from torch_compile_lint import registry
            from torch_compile_lint.judge import Judge
            from torch_compile_lint.program.infer import Analyzer

            rules = registry.load(self._options.plugins, extend_select=("ALL",))
            judge = Judge(rules, self._options.target, self._text, self._options.screen)
            release = self._options.target
            self._tools = Analyzer(self._program, self._facts, judge.visit, release), judge
        return self._tools

    def analyse_file(self, path: str) -> UnitResult:
        """The raw findings of one file's roots."""
        if os.getpid() != self._pid or self._cache is None:
            self._pid = os.getpid()
            # A forked child must not touch its parent's connection.
            self._cache = Cache(self._options.cache_folder, self._options.salt)
            self._outside.cache = self._cache
        from torch_compile_lint.program.compile_calls import compile_calls

        analyzer, judge = self._prepare()
        judge.errors.clear()
        self._made, self._lowered, self._problems = {}, 0, []
        result = UnitResult(path)
        facts: set[tuple[str, str]] = set()
        reached: set[tuple[str, str]] = set()
        settings = self.settings.get(path, NONE)
        for answer in self.answers(analyzer, path):
            if not answer.complete:
                self._problems.append((path, "too much code to follow from one root; it was left out"))
            facts.update((p, u) for level, p, u in answer.deps if level == "facts")
            for one in answer.reached:
                reached.add((one.path, one.facts.qualname))
                if not one.hits:
                    continue
                steps = tuple(Place(s.path, s.unit, s.offset, s.function) for s in one.steps)
                hits = with_settings(one.hits, settings) if settings else one.hits
                result.raws.extend(hit._replace(steps=steps) for hit in hits)
        index = self._program.file(path)
        if index is not None and index.marks:
            calls = compile_calls(self._program, index, self._source(path).text)
            result.raws.extend(judge.compile_calls(calls, path, index))
        if index is not None and index.script:
            from torch_compile_lint.program.script import scripts

            facts.add((path, ""))  # whatever unit of the file changes
            text, target = self._source(path).text, self._options.target
            found = scripts(self._program, index, text, target, self._facts, self._text)
            result.raws.extend(judge.scripts(found))
        result.raws = raw.merge(result.raws)
        result.facts = sorted(facts)
        result.reached = sorted(reached)
        result.errors = [*self._problems, *judge.errors]
        result.lowered = self._lowered
        result.external = dict(self._outside.digests)
        result.made = {"facts": self._made, "index": self._outside.take()}
        self._sources.clear()
        self._analysed += 1
        if self._analysed % _COLLECT_EVERY == 0:
            analyzer.begin_file()
            gc.collect()
        return result

    def answers(self, analyzer: Analyzer, path: str) -> list[RootResult]:
        """What each root of a file reaches (an editor's session keeps more from call to call)."""
        return analyzer.run_all(tuple(self._by_file[path]))

    # ------------------------------------------------------------ texts and facts

    def _source(self, path: str) -> SourceFile:
        known = self._sources.get(path)
        if known is None:
            known = self._sources[path] = self._space.source(path)
        return known

    def _text(self, path: str, unit: str | None) -> str:
        """The text that spans of a unit are relative to."""
        text = self._source(path).text
        index = self._program.file(path)
        if not unit or index is None:
            return text
        one = index.functions.get(unit) or index.classes.get(unit)
        return text if one is None else text[one.start : one.end]

    def _facts(self, path: str, unit: str) -> ir.FunctionFacts | None:
        """A unit's facts: from the cache, else lowered now."""
        from torch_compile_lint.facts.codec import CodecError, decode_facts, encode_facts

        index = self._program.file(path)
        if index is None:
            return None
        kind, text, indent = self._unit(index, unit)
        if text is None:
            return None
        assert self._cache is not None
        kept = self._options.cache_folder is not None
        key = self._cache.key("facts", kind, unit, str(indent), text) if kept else b""
        stored = self._made.get(key) or self._cache.get("facts", key) if kept else None
        if stored is not None:
            try:
                return decode_facts(stored)
            except CodecError:
                pass
        from torch_compile_lint.facts.unit import unit_facts
        from torch_compile_lint.syntax import SyntaxProblem

        try:
            facts = unit_facts(text, kind, unit, indent)
        except SyntaxProblem as problem:
            self._problems.append((path, f"{unit or 'the module body'} was left out: {problem.message}"))
            return None
        self._lowered += 1
        if kept:
            self._made[key] = encode_facts(facts)
        return facts

    def _unit(self, index: FileIndex, unit: str) -> tuple[str, str | None, int]:
        """(kind, text to lower, indent) of a unit."""
        from torch_compile_lint.syntax import blank_bodies

        text = self._source(index.path).text
        ranges = [(f.start, f.end) for f in index.functions.values()]
        if not unit:
            ranges += [(c.start, c.end) for c in index.classes.values()]
            return "module", blank_bodies(text, ranges), 0
        function = index.functions.get(unit)
        if function is not None:
            return "function", text[function.start : function.end], function.indent
        one = index.classes.get(unit)
        if one is None:
            return "class", None, 0
        ranges += [(c.start, c.end) for c in index.classes.values() if c.start > one.start]
        inside = [(s - one.start, e - one.start) for s, e in ranges if one.start < s and e <= one.end]
        line_start = text.rfind("\n", 0, one.start) + 1
        return "class", blank_bodies(text[one.start : one.end], inside), one.start - line_start
