"""Files beside those asked for that import them: a helper's hazards show where it is called from.

pre-commit, flake8 and editors name single files. What a helper is given is known to its callers
only, so the other files of its project that import it, directly or through others, are part of
the program as well; findings are reported for the named files alone. Nearest first, and no more
than is affordable: `MOST_FILES` are looked at, `MOST_FOUND` files or `MOST_BYTES` of source taken.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from itertools import takewhile

from torch_compile_lint.installed import is_project, project_root
from torch_compile_lint.source import discover

MOST_FILES = 4000
MOST_FOUND = 32
MOST_BYTES = 800_000
_STATEMENT = re.compile(rb"^[ \t]*(?:from|import)\b[^\n(]*(?:\([^)]*\))?", re.MULTILINE)
_WORD = re.compile(rb"\w+")


class Surroundings:
    """The other Python files of the projects that some files belong to."""

    def __init__(self, named: Iterable[str], patterns: Sequence[str], gitignore: bool) -> None:
        """``named`` are absolute paths; ``patterns`` and ``gitignore`` as in discovery."""
        self._named = set(named)
        self._words: dict[str, frozenset[bytes]] = {}
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
        """Files whose import statements name one of these modules' last parts, nearest first."""
        words = {name.encode() for name in map(stem, modules) if name}
        skipped = set(known)
        found = [p for p in self.files if p not in skipped and not words.isdisjoint(self._words_of(p))]
        return sorted(found, key=lambda p: (self._distance(p), p))

    def _words_of(self, path: str) -> frozenset[bytes]:
        known = self._words.get(path)
        if known is None:
            try:
                with open(path, "rb") as stream:
                    data = stream.read()
            except OSError:
                data = b""
            statements = b"\n".join(_STATEMENT.findall(data))
            known = self._words[path] = frozenset(_WORD.findall(statements))
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


def stem(path: str) -> str:
    """The last part of the name a file is imported by."""
    folder, name = os.path.split(path)
    return os.path.basename(folder) if name == "__init__.py" else name.removesuffix(".py")


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
