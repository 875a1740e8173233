"""Files beside those asked for that import them: a helper's hazards show where it is called from.

pre-commit, flake8 and editors name single files. What a helper is given is known to its callers
only, so the other files of its project that import it, directly or through others, are part of
the program as well; findings are reported for the named files alone. Nearest first, and no more
than is affordable: `MOST_FILES` are looked at, `MOST_FOUND` files or `MOST_BYTES` of source taken.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from itertools import takewhile

from torch_compile_lint.discovery import discover
from torch_compile_lint.import_statements import imported
from torch_compile_lint.installed import is_project, project_root

MOST_FILES = 4000
MOST_FOUND = 32
MOST_BYTES = 800_000
_DEEPEST = 9  # packages within packages


class Surroundings:
    """The other Python files of the projects that some files belong to."""

    def __init__(self, named: Iterable[str], patterns: Sequence[str], gitignore: bool) -> None:
        """``named`` are absolute paths; ``patterns`` and ``gitignore`` as in discovery."""
        self._named = set(named)
        self._names: dict[str, frozenset[bytes]] = {}
        found: dict[str, None] = {}
        roots: dict[str, set[str]] = {}
        for path in self._named:
            folder = os.path.dirname(path)
            roots.setdefault(project_root(folder), set()).add(folder)
        for root, folders in roots.items():
            found.update(dict.fromkeys(_files(root, folders, patterns, gitignore)))
        self.files = [path for path in found if path not in self._named]

    def signature(self) -> str:
        """Changes whenever one of the files may have changed, come or gone."""
        digest = hashlib.blake2b(digest_size=16)
        for path in sorted(self.files):
            try:
                at = os.stat(path)
            except OSError:
                continue
            row = f"{path}\0{at.st_size}\0{at.st_mtime_ns}\0{at.st_ctime_ns}\n"
            digest.update(row.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def mentioning(self, modules: Iterable[str], known: Iterable[str]) -> list[str]:
        """Files that import something which may be one of these files, nearest first.

        A dotted name may be a file where it is the end of the file's path; which it is, the
        index tells.
        """
        names = {ending for path in modules for ending in endings(path)}
        stems = [name for name in names if b"." not in name]
        skipped = set(known)
        found = [
            path
            for path in self.files
            if path not in skipped and not names.isdisjoint(self._imported(path, stems))
        ]
        return sorted(found, key=lambda p: (self._distance(p), p))

    def _imported(self, path: str, stems: list[bytes]) -> frozenset[bytes]:
        """What a file imports; nothing where none of the ``stems`` stands anywhere in it."""
        known = self._names.get(path)
        if known is None:
            try:
                with open(path, "rb") as stream:
                    data = stream.read()
            except OSError:
                data = b""
            if not any(stem in data for stem in stems):
                return frozenset()  # not kept: another round asks for other stems
            known = self._names[path] = frozenset(imported(data))
        return known

    def _distance(self, path: str) -> int:
        """Steps from the file's folder to the nearest folder of a named file."""
        parts = os.path.dirname(path).split(os.sep)
        best = 1 << 20
        for other in {os.path.dirname(p) for p in self._named}:
            theirs = other.split(os.sep)
            shared = sum(
                1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(parts, theirs, strict=False))
            )
            best = min(best, len(parts) + len(theirs) - 2 * shared)
        return best


def endings(path: str) -> list[bytes]:
    """The dotted names a file may be imported by: 'helpers', 'ops.helpers', 'pkg.ops.helpers', ..."""
    parts = path.removesuffix(".py").split(os.sep)
    if parts[-1] == "__init__":
        parts.pop()
    found: list[bytes] = []
    for part in reversed(parts[-_DEEPEST:]):
        if not part.isidentifier():
            break
        found.append(part.encode() + (b"." + found[-1] if found else b""))
    return found


def _files(root: str, folders: set[str], patterns: Sequence[str], gitignore: bool) -> list[str]:
    """Files of a project; of a folder that is none, what lies beside the named files and in packages."""
    if is_project(root):
        found = _absolute(root, discover((root,), patterns, gitignore).files)
        if len(found) <= MOST_FILES:
            return found
    out: list[str] = []
    for folder in sorted(folders):
        top = folder
        while os.path.isfile(os.path.join(os.path.dirname(top), "__init__.py")):
            top = os.path.dirname(top)
        if os.path.isfile(os.path.join(top, "__init__.py")):
            found = _absolute(top, discover((top,), patterns, gitignore).files)
            if len(found) <= MOST_FILES:
                out.extend(found)
                continue
        out.extend(_beside(folder))
    return out


def _absolute(root: str, files: Iterable[str]) -> list[str]:
    return [os.path.normpath(os.path.join(root, f)) for f in files]


def _beside(folder: str) -> list[str]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [
        path
        for path in (os.path.join(folder, name) for name in names if name.endswith(".py"))
        if os.path.isfile(path)
    ][:MOST_FILES]
