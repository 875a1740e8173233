"""The files of one run: found, hashed, indexed, and followed through their imports.

In: a ``Config`` and the paths asked for. Out: a ``Workspace`` with the index of every file
that matters. Files that were not asked for are read when something imports them and they
belong to the same project; findings are reported for the others only.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from torch_compile_lint.follow import Finder, Node, modules_in, targets
from torch_compile_lint.model import RunError
from torch_compile_lint.records import dataclass, field

if TYPE_CHECKING:
    from torch_compile_lint.cache import Cache
    from torch_compile_lint.facts.index_ir import FileIndex, FunctionIndex
    from torch_compile_lint.importers import Surroundings
    from torch_compile_lint.source import SourceFile

Progress = Callable[[str, int, int], None]
_SMALL = 200_000  # bytes of source below which forking costs more than it saves
MOST_FOLLOWED = 200  # files that are read beside those asked for, because these lead to them


@dataclass(slots=True)
class Inputs:
    """What was asked for: ``shown`` maps absolute paths to the names findings carry."""

    shown: dict[str, str] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)  # of every readable file
    errors: list[RunError] = field(default_factory=list)
    sizes: dict[str, int] = field(default_factory=dict)
    named: tuple[str, ...] = ()  # files that were named themselves, not found in a folder


@dataclass(slots=True)
class Workspace:
    """Indexes by absolute path, each with the digest of what other files can see of it."""

    inputs: Inputs
    overlays: dict[str, str]
    indexes: dict[str, FileIndex] = field(default_factory=dict)
    skeletons: dict[str, str] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    edges: dict[Node, tuple[Node, ...]] = field(default_factory=dict)  # what imports lead to
    folders: dict[str, str] = field(default_factory=dict)  # digests of what is in them
    fresh: int = 0  # files indexed in this run, not taken from the cache
    before: Workspace | None = None  # an editor's last one: what is the same need not be read again

    def source(self, path: str) -> SourceFile:
        """The text of a file, unsaved text first."""
        return open_source(path, self.overlays)

    def shown(self, path: str, cwd: str) -> str:
        """How a path is printed: as it was asked for, else relative to where we are."""
        found = self.inputs.shown.get(path)
        if found is not None:
            return found
        below = os.path.relpath(path, cwd)
        return path if below.startswith("..") else below


def open_source(path: str, overlays: dict[str, str]) -> SourceFile:
    """A file's text, unsaved text first. Raises OSError."""
    from torch_compile_lint.source import read_source, source_from_text

    text = overlays.get(path)
    return read_source(path) if text is None else source_from_text(path, text)


# ---------------------------------------------------------------- what was asked for


def collect(
    paths: Sequence[str],
    overlays: dict[str, str],
    patterns: Sequence[str],
    gitignore: bool,
    cwd: str,
    include: Sequence[str] = (),
) -> Inputs:
    """Find and hash the files asked for; what cannot be read becomes one error each."""
    from torch_compile_lint import discovery

    inputs = Inputs()
    named = [p for p in paths if os.path.join(cwd, p) in overlays]
    searched = [p for p in paths if p not in named]
    for name in named:
        inputs.shown[os.path.normpath(os.path.join(cwd, name))] = name
    inputs.named = tuple(
        os.path.normpath(os.path.join(cwd, p)) for p in paths if p in named or os.path.isfile(p)
    )
    if searched:
        found = discovery.discover(searched, patterns, gitignore, include)
        inputs.errors.extend(found.errors)
        for name in found.files:
            inputs.shown.setdefault(os.path.normpath(os.path.join(cwd, name)), name)
    for path, name in list(inputs.shown.items()):
        problem = _hash(path, overlays, inputs)
        if problem is not None:
            inputs.errors.append(RunError(name, problem))
            del inputs.shown[path]
    return inputs


def _hash(path: str, overlays: dict[str, str], inputs: Inputs) -> str | None:
    text = overlays.get(path)
    if text is not None:
        data = text.encode("utf-8", "surrogatepass")
    else:
        try:
            with open(path, "rb") as stream:
                data = stream.read()
        except OSError as problem:
            return f"cannot be read: {problem.strerror}"
    inputs.digests[path] = hashlib.sha256(data).hexdigest()
    inputs.sizes[path] = len(data)
    return None


def file_digest(path: str, overlays: dict[str, str]) -> str | None:
    """The digest of a file as it is now; None where it cannot be read."""
    inputs = Inputs()
    return inputs.digests[path] if _hash(path, overlays, inputs) is None else None


# ---------------------------------------------------------------- indexing


def build(
    inputs: Inputs,
    overlays: dict[str, str],
    cache: Cache,
    jobs: int,
    progress: Progress | None,
    before: Workspace | None = None,
    around: Surroundings | None = None,
    meanwhile: Callable[[], object] | None = None,
) -> Workspace:
    """Index what was asked for and, round by round, what that imports from the same project.

    ``around`` are the files that may import what was named: those that do are part of it, too.
    ``meanwhile`` is done here while other processes read the first files, if they do.
    """
    space = Workspace(inputs, overlays, before=before)
    space.digests.update(inputs.digests)
    space.sizes.update(inputs.sizes)
    finder = Finder(inputs.shown, overlays)
    beyond: set[str] = set()  # files that were followed to

    def index(paths: Iterable[str]) -> None:
        wanted = [p for p in paths if p not in space.indexes and _hashed(space, p)]
        nonlocal meanwhile
        if _index(space, wanted, cache, jobs, progress, meanwhile):
            meanwhile = None

    def follow(nodes: list[Node]) -> None:
        while nodes:
            index(_affordable(dict.fromkeys(p for p, _ in nodes), space, beyond))
            found: dict[Node, None] = {}
            for path, name in nodes:
                one = space.indexes.get(path)
                if one is not None:
                    others = space.edges[path, name] = targets(one, name, finder)
                    found.update(dict.fromkeys(others))
            nodes = [node for node in found if node not in space.edges]

    follow([(path, None) for path in sorted(inputs.shown)])
    if around is not None:
        _add_importers(space, around, finder, index, follow)
    space.folders = {folder: listing(folder) for folder in finder.folders()}
    # What could not be read, or was beyond what is affordable, is no part of the program.
    space.edges = {
        node: tuple(other for other in others if other[0] in space.indexes)
        for node, others in space.edges.items()
    }
    space.before = None
    return space


def _affordable(paths: Iterable[str], space: Workspace, beyond: set[str]) -> list[str]:
    """Those of the paths that are part of the program already, and what is affordable of the others.

    A model file of a large library reaches all of it in a dozen steps, by way of code that loads
    checkpoints. What a call in `forward` returns is decided in the first few: nearest comes first.
    ``beyond`` holds the files that were followed to, and gains these.
    """
    wanted = []
    for path in paths:
        if path not in space.indexes and path not in space.inputs.shown:
            if len(beyond) >= MOST_FOLLOWED:
                continue
            beyond.add(path)
        wanted.append(path)
    return wanted


def _add_importers(
    space: Workspace,
    around: Surroundings,
    finder: Finder,
    index: Callable[[Iterable[str]], None],
    follow: Callable[[list[Node]], None],
) -> None:
    """Add the files that import what was named, those that import these, and so on, while affordable."""
    from torch_compile_lint.importers import MOST_BYTES, MOST_FOUND

    wanted = newest = set(space.inputs.named)
    looked = set(space.inputs.named)
    count = size = 0
    undecided: list[str] = []  # they import something that may turn out to import what is wanted
    while newest:
        candidates = [*undecided, *around.mentioning(newest, looked)]
        looked.update(candidates)
        newest, undecided = set(), []
        for at, path in enumerate(candidates):
            if at % MOST_FOUND == 0:
                index(candidates[at : at + MOST_FOUND])
            one = space.indexes.get(path)
            if one is None:
                continue
            if not _leads(space, targets(one, None, finder), wanted, finder):
                undecided.append(path)
                continue
            count, size = count + 1, size + space.sizes[path]
            if count > MOST_FOUND or size > MOST_BYTES:
                break
            newest.add(path)
        wanted = wanted | newest
        # A package's `__init__.py` that only passes names on has no roots: nothing in it is to be followed.
        callers = [path for path in sorted(newest) if _has_code(space.indexes[path])]
        follow([(path, None) for path in callers if (path, None) not in space.edges])
        if count > MOST_FOUND or size > MOST_BYTES:
            return


def _leads(space: Workspace, nodes: Iterable[Node], wanted: set[str], finder: Finder) -> bool:
    """True where one of the nodes is a wanted file, or a name that comes from one."""
    seen: set[Node] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        path, name = node
        if path not in wanted or node in seen:
            continue
        index = space.indexes.get(path)
        if name is None or index is None:
            return True
        seen.add(node)
        waiting.extend(targets(index, name, finder))
    return False


def _has_code(index: FileIndex) -> bool:
    """True where a root, or a caller of one, may stand in a file."""
    return bool(index.functions or index.classes or index.marks or index.script)


def listing(folder: str) -> str:
    """A digest of the module names in a folder."""
    return hashlib.sha256(
        "\n".join(sorted(modules_in(folder))).encode("utf-8", "surrogateescape")
    ).hexdigest()


def _hashed(space: Workspace, path: str) -> bool:
    if path not in space.digests:
        known = Inputs()
        if _hash(path, space.overlays, known) is not None:
            return False
        space.digests[path] = known.digests[path]
        space.sizes[path] = known.sizes[path]
    return True


def _index(
    space: Workspace,
    paths: list[str],
    cache: Cache,
    jobs: int,
    progress: Progress | None,
    meanwhile: Callable[[], object] | None,
) -> bool:
    """Index files, from the cache or anew; whether other processes did, and ``meanwhile`` was done."""
    from torch_compile_lint import pool
    from torch_compile_lint.facts.codec import CodecError, decode_index
    from torch_compile_lint.source import is_package, module_name

    paths = [path for path in paths if not _same_as_before(space, path)]
    keys: dict[str, bytes] = {}
    for path in paths:
        place = f"{module_name(path)}:{is_package(path)}"
        keys[path] = cache.key("index", space.digests[path], place)
    stored = cache.get_many("index", keys.values())
    missing = []
    for path in paths:
        data = stored.get(keys[path])
        if data is None:
            missing.append(path)
            continue
        try:
            index = decode_index(data[32:])
        except CodecError:
            missing.append(path)
            continue
        _keep(space, path, index, data[:32])
    if not missing:
        return False
    overlays = space.overlays
    size = sum(space.sizes.get(p, 0) for p in missing)
    missing.sort(key=lambda p: -space.sizes.get(p, 0))
    jobs = jobs if size > _SMALL else 1
    results = pool.run(lambda p: index_bytes(p, overlays), missing, jobs, meanwhile)
    for count, (number, result) in enumerate(results, 1):
        path = missing[number]
        if progress is not None:
            progress("reading", count, len(missing))
        if isinstance(result, pool.Failed):
            name = space.inputs.shown.get(path, path)
            text = f"cannot be analysed: {result.message} {result.place}".rstrip()
            space.inputs.errors.append(RunError(name, text))
            continue
        index = decode_index(result[32:])
        if index.digest == space.digests[path]:  # else it changed under our hands: do not keep it
            cache.put("index", {keys[path]: result})
        _keep(space, path, index, result[:32])
        space.fresh += 1
    return min(jobs, len(missing)) > 1 and pool.can_fork()


def _same_as_before(space: Workspace, path: str) -> bool:
    """True, with its index taken over, where a file is what it was in the workspace before."""
    from torch_compile_lint.source import module_name

    before = space.before
    known = None if before is None else before.indexes.get(path)
    if before is None or known is None or before.digests.get(path) != space.digests[path]:
        return False
    if known.module != module_name(path):
        return False
    space.indexes[path], space.skeletons[path] = known, before.skeletons[path]
    return True


def _keep(space: Workspace, path: str, index: FileIndex, skeleton: bytes) -> None:
    index.path = path
    space.indexes[path] = index
    space.skeletons[path] = skeleton.decode("ascii", "replace")


def index_bytes(path: str, overlays: dict[str, str]) -> bytes:
    """The skeleton's digest (32 characters) and the encoded index of one file."""
    from torch_compile_lint.facts.codec import encode_index
    from torch_compile_lint.index import index_file

    source = open_source(path, overlays)
    index = index_file(source)
    return skeleton(source.text, index).encode() + encode_index(index)


def skeleton(text: str, index: FileIndex) -> str:
    """A digest of all of a file but the bodies of functions that nothing is read from.

    What other files see of a file through its index alone: an edit inside an ordinary
    function's body leaves it as it is. Methods that store attributes count whole.
    """
    whole = {a.method for c in index.classes.values() for a in c.attributes}
    whole.update(m.scope for m in index.marks)
    digest = hashlib.blake2b(digest_size=16)
    at = 0
    for one in sorted(index.functions.values(), key=lambda f: f.start):
        if one.start < at:
            continue
        end = one.end if one.qualname in whole else _signature_end(text, one)
        digest.update(text[at:end].encode("utf-8", "surrogatepass"))
        digest.update(b"\1" if one.is_generator else b"\0")
        at = one.end
    digest.update(text[at:].encode("utf-8", "surrogatepass"))
    digest.update("\n".join(index.settings).encode())
    return digest.hexdigest()


def _signature_end(text: str, one: FunctionIndex) -> int:
    last = one.returns.end if one.returns is not None else one.start
    for param in one.params:
        last = max(last, param.end)
        for part in (param.annotation, param.default):
            if part is not None:
                last = max(last, part.end)
    stop = text.find("\n", max(last, _def_offset(text, one)))
    return one.end if stop < 0 else min(stop, one.end)


def _def_offset(text: str, one: FunctionIndex) -> int:
    """Behind the decorators: the `def` keyword's place, found from the last decorator's end."""
    last = max([one.start, *(d.end for d in one.decorators)])
    return max(text.find("def", last), one.start)
