"""What a file's imports lead to, name by name.

A *node* is a file as a whole (name None) or one name of it. `from pkg import __version__`
leads to the one binding in ``pkg/__init__.py`` that makes the name, not to the hundred modules
imported beside it. A name that is defined in its file leads to the file as a whole, since
its body may use everything in it, and import more inside its functions. This follows the same
steps as ``program.link``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch_compile_lint.facts.index_ir import FileIndex, ImportBinding

Node = tuple[str, "str | None"]


def targets(index: FileIndex, name: str | None, finder: Finder) -> tuple[Node, ...]:
    """The nodes that one node of a file leads to."""
    found: dict[Node, None] = {}
    if name is None:
        for binding in (*index.imports, *index.inner_imports):
            found.update(dict.fromkeys(_binding(binding, index.path, finder)))
        for module in index.star_imports:
            other = finder.find(module, index.path)
            if other is not None:
                found[other, None] = None
        return tuple(found)
    if name in index.functions or name in index.classes or name in index.globals:
        return ((index.path, None),)
    for binding in index.imports:
        if binding.local == name:
            found.update(dict.fromkeys(_binding(binding, index.path, finder)))
    if not found:
        for module in index.star_imports:
            other = finder.find(module, index.path)
            if other is not None:
                found[other, name] = None
    return tuple(found)


def _binding(binding: ImportBinding, path: str, finder: Finder) -> list[Node]:
    found: list[Node] = []
    module = finder.find(binding.module, path)
    if binding.attr is None:
        if module is not None:
            found.append((module, None))
        deeper = finder.find(binding.also, path) if binding.also else None
        if deeper is not None:
            found.append((deeper, None))
        return found
    if module is not None and module != path:
        found.append((module, binding.attr))
    inner = finder.find(f"{binding.module}.{binding.attr}", path)
    if inner is not None:
        found.append((inner, None))
    return found


class Finder:
    """Modules of the project the requested files belong to, by name, on disk."""

    def __init__(self, paths: Iterable[str], unsaved: Iterable[str] = ()) -> None:
        """``unsaved``: files that may exist in an editor only."""
        from torch_compile_lint.source import is_package, module_name

        self._names: dict[str, frozenset[str]] = {}
        self._found: dict[str, str | None] = {}
        self._bases: dict[str, set[str]] = {}  # base folder -> top-level names asked for
        self._unsaved: dict[str, set[str]] = {}
        for path in unsaved:
            self._unsaved.setdefault(os.path.dirname(path), set()).add(os.path.basename(path))
        for path in paths:
            module = module_name(path)
            parts = module.split(".") if module else []
            base = os.path.dirname(path)
            for _ in range(len(parts) - (0 if is_package(path) else 1)):
                base = os.path.dirname(base)
            self._bases.setdefault(base, set()).update(parts[:1])

    def find(self, module: str, importer: str) -> str | None:
        """The file of a module, or None where it is no module of this project."""
        if module not in self._found:
            self._found[module] = self._search(module.split("."))
        found = self._found[module]
        if found is not None:
            return found
        folder = os.path.dirname(importer)  # a script's own folder
        top = module.partition(".")[0]
        entries = self._entries(folder)
        if top not in entries and f"{top}.py" not in entries:
            return None
        return self._file(folder, module.split("."))

    def folders(self) -> tuple[str, ...]:
        """Folders that were looked into: a module that appears in one may change an answer."""
        return tuple(sorted(self._names))

    def _search(self, parts: list[str]) -> str | None:
        for base, tops in self._bases.items():
            if (parts[0] == "torch" or _is_site(base)) and parts[0] not in tops:
                continue  # another project's package, however near it lies
            found = self._file(base, parts)
            if found is not None:
                return found
        return None

    def _file(self, base: str, parts: list[str]) -> str | None:
        folder = base
        for part in parts[:-1]:
            if part not in self._entries(folder):
                return None
            folder = os.path.join(folder, part)
        last = parts[-1]
        entries = self._entries(folder)
        if last in entries:
            inner = os.path.join(folder, last)
            if "__init__.py" in self._entries(inner):
                return os.path.join(inner, "__init__.py")
        if f"{last}.py" in entries:
            return os.path.join(folder, f"{last}.py")
        return None

    def _entries(self, folder: str) -> frozenset[str]:
        known = self._names.get(folder)
        if known is None:
            known = modules_in(folder)
            if folder in self._unsaved:
                known = known | self._unsaved[folder]
            self._names[folder] = known
        return known


def modules_in(folder: str) -> frozenset[str]:
    """Names in a folder that may be modules or packages."""
    try:
        names = os.listdir(folder)
    except OSError:
        return frozenset()
    return frozenset(n for n in names if n.endswith(".py") or (n.isidentifier() and n != "__pycache__"))


def _is_site(folder: str) -> bool:
    return os.path.basename(folder) in ("site-packages", "dist-packages")
