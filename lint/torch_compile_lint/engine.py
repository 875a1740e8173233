"""``Engine.check(Request) -> Report``: the only code that knows the order of the stages.

discover and hash -> (the whole report from the cache, if nothing changed) -> index -> link,
roots, analysis, rules -> findings -> suppressions and filters -> report. The engine never
prints, never exits and never raises for what stands in user code; a wrong configuration is a
``ConfigError``, anything it could not do for one file or rule an entry of ``Report.errors``.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from functools import partial
from typing import TYPE_CHECKING

from torch_compile_lint import __version__, config, workspace
from torch_compile_lint.cache import FOLDER, Cache, tool_salt
from torch_compile_lint.config import Config, ConfigError
from torch_compile_lint.model import Finding, Report, Request, RunError, Stats
from torch_compile_lint.records import dataclass, replace

if TYPE_CHECKING:
    from torch_compile_lint.analysis import Outcome
    from torch_compile_lint.importers import Surroundings
    from torch_compile_lint.suppress import Unused
    from torch_compile_lint.workspace import Inputs, Progress, Workspace


# Set in the environment, every rule looks at every node of its kinds, and no cache is used:
# findings must be the same (``benchmarks/screen.py``).
NO_SCREEN = "TCLINT_NO_SCREEN"


@dataclass(frozen=True, slots=True)
class Run:
    """What holds for one whole run, or for an editor's session."""

    config: Config
    cwd: str
    target: str
    folders: tuple[str, ...]
    salt: str
    cache_folder: str | None
    jobs: int


class Engine:
    """Checks requests. Holds nothing between them but what is true of the machine."""

    def check(self, request: Request, progress: Progress | None = None) -> Report:
        """Everything there is to say about what was asked for."""
        start = time.perf_counter()
        run = prepare(request)
        cache = Cache(run.cache_folder, run.salt)
        # Trees, indexes and facts are all alive until they go at once: collections in between
        # walk over millions of objects and find nothing.
        collecting = gc.isenabled()
        gc.disable()
        try:
            return self._check(request, run, cache, start, progress)
        finally:
            gc.unfreeze()
            if collecting:
                gc.enable()
            cache.close()

    def _check(
        self, request: Request, run: Run, cache: Cache, start: float, progress: Progress | None
    ) -> Report:
        settings = run.config
        overlays = {os.path.abspath(p): t for p, t in request.overlays.items()}
        inputs = workspace.collect(
            request.paths,
            overlays,
            settings.patterns(),
            settings.respect_gitignore,
            run.cwd,
            settings.extend_include,
        )
        seconds = {"find": time.perf_counter() - start}
        key = self._report_key(run, request.noqa, inputs, cache)
        from torch_compile_lint import report_codec

        around = None
        if inputs.named:
            from torch_compile_lint.importers import Surroundings

            around = Surroundings(inputs.named, settings.patterns(), settings.respect_gitignore)
        beside = "" if around is None else around.signature()
        stored = cache.get("report", key)
        if stored is not None:
            known = report_codec.decode(stored)
            if known is not None and known[3] == beside and _unchanged(known[1], known[2], overlays):
                seconds["total"] = time.perf_counter() - start
                return replace(known[0], stats=replace(known[0].stats, seconds=_rounded(seconds)))
        report, space = self._fresh(run, request.noqa, inputs, overlays, around, cache, seconds, progress)
        seconds["total"] = time.perf_counter() - start
        report = replace(report, stats=replace(report.stats, seconds=_rounded(seconds)))
        if not report.errors:  # what failed is tried again
            also = {p: d for p, d in space.digests.items() if p not in inputs.digests}
            cache.put("report", {key: report_codec.encode(report, also, space.folders, beside)})
        return report

    def _report_key(self, run: Run, noqa: bool, inputs: Inputs, cache: Cache) -> bytes:
        files = [f"{p}\t{inputs.shown[p]}\t{inputs.digests[p]}" for p in inputs.shown]
        parts = [config.digest_text(run.config), run.config.root, run.target, run.cwd, str(noqa), *files]
        for folder in run.folders:
            try:
                parts.append(f"{folder}\t{os.stat(folder).st_mtime_ns}")
            except OSError:
                continue
        return cache.key("report", *parts)

    def _fresh(
        self,
        run: Run,
        noqa: bool,
        inputs: Inputs,
        overlays: dict[str, str],
        around: Surroundings | None,
        cache: Cache,
        seconds: dict[str, float],
        progress: Progress | None,
    ) -> tuple[Report, Workspace]:
        from torch_compile_lint import analysis, findings

        settings = run.config
        clock = time.perf_counter()
        get_ready = partial(analysis.get_ready, settings.plugins)
        space = workspace.build(inputs, overlays, cache, run.jobs, progress, None, around, get_ready)
        rules = selected(settings)
        seconds["index"] = time.perf_counter() - clock
        clock = time.perf_counter()
        options = analysis.Options(
            target=run.target,
            roots=settings.roots,
            plugins=settings.plugins,
            folders=run.folders,
            cache_folder=run.cache_folder,
            salt=run.salt,
            jobs=run.jobs,
            screen=NO_SCREEN not in os.environ,
        )
        outcome = analysis.analyse(space, options, cache, progress)
        seconds["analyse"] = time.perf_counter() - clock
        clock = time.perf_counter()
        raws = [raw for result in outcome.results for raw in result.raws]
        made = findings.make(raws, space, settings.root, run.cwd)
        kept, unused = filtered(made, space, settings, rules, noqa)
        kept, unused = _in_cells(kept, space, run.cwd), _in_cells(unused, space, run.cwd)
        report = Report(
            findings=tuple(kept),
            errors=_errors(inputs, outcome, space, run.cwd),
            stats=Stats(
                files=len(inputs.shown),
                lowered=outcome.lowered,
                cached=len(space.indexes) - space.fresh,
                functions=sum(len(i.functions) for i in space.indexes.values()),
                reachable=outcome.reachable,
            ),
            target_torch=run.target,
            roots=settings.roots,
            unused_suppressions=tuple(unused),
        )
        seconds["report"] = time.perf_counter() - clock
        return report, space


def _in_cells(found: list[Finding], space: Workspace, cwd: str) -> list[Finding]:
    """The same findings; those in notebooks with lines counted within their cells."""
    from torch_compile_lint.documents import NOTEBOOK, Cells, relocated

    paths = {f.path for f in found} | {hop.path for f in found for hop in f.witness}
    notebooks = {p for p in paths if p.endswith(NOTEBOOK)}
    if not notebooks:
        return found
    full = {name: path for path, name in space.inputs.shown.items()}
    known = {p: Cells(space.source(full.get(p, os.path.join(cwd, p))).text) for p in notebooks}
    return relocated(found, known.get)


def prepare(request: Request) -> Run:
    """Read the configuration and find out by which torch to judge. Raises ConfigError."""
    cwd = os.path.abspath(request.cwd or os.getcwd())
    settings = config.load(request.paths, cwd, request.overrides, request.config_file, request.isolated)
    found = config.installed(settings)
    folder = None
    if settings.cache:
        folder = settings.cache_dir or os.path.join(settings.root, FOLDER)
    from torch_compile_lint import pool

    return Run(
        config=settings,
        cwd=cwd,
        target=config.target_release(settings, found),
        folders=found.folders,
        salt=_salt(settings),
        cache_folder=folder,
        jobs=settings.jobs or pool.cores(),
    )


def _salt(settings: Config) -> str:
    """What a cached value rests on besides its inputs: the tool, the rules and this Python."""
    import importlib.util

    folders = [os.path.dirname(os.path.abspath(__file__))]
    for plugin in settings.plugins:
        try:
            spec = importlib.util.find_spec(plugin)
        except (ImportError, ValueError):
            spec = None
        if spec is not None and spec.submodule_search_locations:
            folders.extend(spec.submodule_search_locations)
    return tool_salt(folders, (__version__, *map(str, sys.version_info[:2])))


def selected(settings: Config) -> frozenset[str]:
    """Codes whose findings are reported. A selector that names no rule is an error."""
    from torch_compile_lint import registry

    try:
        rules = registry.load(settings.plugins, settings.select, settings.ignore, settings.extend_select)
        for _, codes in settings.per_file_ignores:
            registry.load(settings.plugins, ignore=codes)
    except registry.RuleError as problem:
        raise ConfigError(str(problem)) from None
    return frozenset(rule.meta.code for rule in rules)


def filtered(
    made: list[Finding], space: Workspace, settings: Config, codes: frozenset[str], noqa: bool
) -> tuple[list[Finding], list[Finding]]:
    """Selection, per-file ignores, confidence, ignore comments; and the comments that did nothing."""
    from torch_compile_lint import findings, suppress

    full = {name: path for path, name in space.inputs.shown.items()}
    ignored: dict[str, tuple[str, ...]] = {}
    kept = []
    for one in made:
        if one.code not in codes and one.code != findings.SYNTAX_CODE:
            continue
        if one.path not in ignored:
            ignored[one.path] = suppress.ignored_in_file(
                full[one.path], settings.root, settings.per_file_ignores
            )
        if suppress.matches(one.code, one.name, ignored[one.path]):
            continue
        kept.append(one)
    comments = {
        name: space.indexes[path].suppressions
        for path, name in space.inputs.shown.items()
        if path in space.indexes and space.indexes[path].suppressions
    }
    marked, unused = suppress.apply(kept, comments, suppress.KINDS if noqa else suppress.OURS)
    shown = [f for f in marked if f.confidence >= settings.min_confidence]
    # With a selection, a comment about the rest is not unused.
    if settings.select or settings.ignore:
        unused = []
    return shown, _unused(unused, space, full)


def _unused(unused: list[Unused], space: Workspace, full: dict[str, str]) -> list[Finding]:
    from torch_compile_lint import findings, suppress

    out = []
    for one in unused:
        file = full[one.path]
        try:
            source = space.source(file)
        except OSError:
            continue
        out.append(suppress.unused_finding(one, source.text, source.lines, file))
    return sorted(out, key=findings.order)


def _errors(inputs: Inputs, outcome: Outcome, space: Workspace, cwd: str) -> tuple[RunError, ...]:
    """One entry for each thing that went wrong, however many functions it went wrong in."""
    errors = [(e.path, e.message) for e in inputs.errors]
    places: dict[str, list[str]] = {}
    for path, message in outcome.errors:
        places.setdefault(message, []).append(space.shown(path, cwd) if path else "")
    for message, paths in places.items():
        paths = sorted(set(paths))
        more = f" (and in {len(paths) - 1} more files)" if len(paths) > 1 else ""
        errors.append((paths[0], message + more))
    return tuple(RunError(path, message) for path, message in sorted(set(errors)))


def _unchanged(also: dict[str, str], folders: dict[str, str], overlays: dict[str, str]) -> bool:
    """True while the files a report rests on are the same, and no module came or went beside them."""
    if any(workspace.listing(folder) != digest for folder, digest in folders.items()):
        return False
    return all(workspace.file_digest(p, overlays) == d for p, d in also.items())


def _rounded(seconds: dict[str, float]) -> dict[str, float]:
    return {stage: round(value, 4) for stage, value in seconds.items()}
