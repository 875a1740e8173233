"""Index modules of other installed packages on demand; nothing is ever imported."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from torch_compile_lint.facts.index_ir import FileIndex
from torch_compile_lint.index import index_file
from torch_compile_lint.source import read_source

# Packages whose classes are data here, or hold none that could be a module: never worth reading.
_NEVER = frozenset(
    (
        "torch",
        "numpy",
        "scipy",
        "pandas",
        "builtins",
        "typing",
        "typing_extensions",
        "functools",
        "collections",
        "abc",
        "enum",
        "dataclasses",
        "os",
        "sys",
        "math",
        "logging",
    )
)


class ExternalPackages:
    """``module name -> FileIndex | None`` over a search path of site-packages folders.

    ``read`` turns a path into an index; a caller with a cache passes its own. ``read_paths``
    lists what was read, for the cache's dependency record.
    """

    def __init__(
        self,
        search_path: Sequence[str],
        read: Callable[[str, str], FileIndex] | None = None,
    ) -> None:
        self._search_path = tuple(search_path)
        self._read = read if read is not None else _read
        self._tops: dict[str, str | None] = {}  # top-level package -> the folder it is in
        self.read_paths: list[str] = []

    def __call__(self, module: str) -> FileIndex | None:
        """The index of a module; None where it is not installed or is no Python source."""
        top = module.partition(".")[0]
        if top in _NEVER or not top:
            return None
        folder = self._folder(top)
        if folder is None:
            return None
        stem = os.path.join(folder, *module.split("."))
        for path in (os.path.join(stem, "__init__.py"), stem + ".py"):
            if os.path.isfile(path):
                self.read_paths.append(path)
                try:
                    index = self._read(path, module)
                except OSError:
                    return None
                return None if index.error is not None else index
        return None

    def _folder(self, top: str) -> str | None:
        if top not in self._tops:
            self._tops[top] = None
            for folder in self._search_path:
                stem = os.path.join(folder, top)
                if os.path.isdir(stem) or os.path.isfile(stem + ".py"):
                    self._tops[top] = folder
                    break
        return self._tops[top]


def _read(path: str, module: str) -> FileIndex:
    return index_file(read_source(path, module))
