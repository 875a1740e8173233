"""Which files a run takes: those named, and Python files and notebooks of folders, unless git ignores them.

In: paths as a user gave them, patterns of what to leave out or to add. Out: a ``Discovery``. A path that
gives nothing is an error in it, never an exception. Nothing is read here.
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable, Sequence

from torch_compile_lint.documents import NOTEBOOK
from torch_compile_lint.model import RunError
from torch_compile_lint.records import dataclass

DEFAULT_EXCLUDES = (
    ".bzr",
    ".direnv",
    ".eggs",
    ".git",
    ".hg",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nox",
    ".pants.d",
    ".pytest_cache",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".torch_compile_lint_cache",
    ".venv",
    "__pycache__",
    "__pypackages__",
    "build",
    "dist",
    "node_modules",
    "site-packages",
    "venv",
)


@dataclass(frozen=True, slots=True)
class Discovery:
    """``files`` in a stable order without duplicates; ``errors`` for paths that gave nothing."""

    files: tuple[str, ...]
    errors: tuple[RunError, ...] = ()


def discover(
    paths: Sequence[str],
    exclude: Iterable[str] = DEFAULT_EXCLUDES,
    respect_gitignore: bool = True,
    include: Iterable[str] = (),
) -> Discovery:
    """Python files and notebooks at and below ``paths``.

    A file that is named itself is always taken. In a folder, ``*.py`` and ``*.ipynb`` files and
    those that an ``include`` pattern matches are taken, where git does not ignore them and no
    ``exclude`` pattern matches (a name, or a path below the folder).
    Symbolic links to folders are not followed, so loops cannot happen.
    """
    patterns = tuple(exclude)
    names = {p for p in patterns if not any(c in p for c in "*?[/")}
    globs = tuple(p.rstrip("/") for p in patterns if p not in names)
    more = tuple(include)
    found: dict[str, str] = {}
    errors: list[RunError] = []
    for path in paths:
        if os.path.isdir(path):
            files = _in_repository(path, more) if respect_gitignore else None
            if files is None:
                files = _walk(path, names, globs, more)
            else:
                files = [f for f in files if not _excluded(f, names, globs)]
            prefix = "" if path in (".", "./") else path
            for name in sorted(files):
                full = os.path.join(prefix, name)
                found.setdefault(os.path.realpath(full), full)
        elif os.path.isfile(path):
            found.setdefault(os.path.realpath(path), path)
        elif os.path.lexists(path):
            errors.append(RunError(path, "neither a file nor a folder (a broken link, a device?)"))
        else:
            errors.append(RunError(path, "no such file or folder"))
    return Discovery(tuple(found.values()), tuple(errors))


def is_excluded(name: str, patterns: Sequence[str]) -> bool:
    """True where discovery would leave a file out; ``name`` is relative to the folder searched."""
    names = {p for p in patterns if not any(c in p for c in "*?[/")}
    return _excluded(name, names, tuple(p.rstrip("/") for p in patterns if p not in names))


def _excluded(name: str, names: set[str], globs: tuple[str, ...]) -> bool:
    parts = name.split("/")
    if not names.isdisjoint(parts):
        return True
    for pattern in globs:
        if fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch(name, pattern + "/*"):
            return True
        if "/" not in pattern and any(fnmatch.fnmatch(p, pattern) for p in parts):
            return True
    return False


def _is_source(name: str, include: tuple[str, ...]) -> bool:
    """True for a file that a search takes; ``name`` is relative to the folder searched."""
    if name.endswith((".py", NOTEBOOK)):
        return True
    return bool(include) and _excluded(name, set(), include)


def _in_repository(folder: str, include: tuple[str, ...]) -> list[str] | None:
    """Names git tracks or would track; None where git has no say (no repository, no git)."""
    at = os.path.abspath(folder)
    while not os.path.exists(os.path.join(at, ".git")):
        parent = os.path.dirname(at)
        if parent == at:
            return None
        at = parent
    import subprocess  # not for a run over named files

    command = ["git", "-C", folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    if done.returncode != 0 or not done.stdout:
        return None  # also a folder that is itself ignored: who names it wants it checked
    files: set[str] = set()
    for raw in done.stdout.split(b"\0"):
        name = os.fsdecode(raw)
        full = os.path.join(folder, name)
        if _is_source(name, include):
            if os.path.isfile(full):
                files.add(name)
        elif name and os.path.isdir(full) and not os.path.islink(full):
            # A submodule or a repository inside this one: git lists the folder only.
            inner = name.rstrip("/")
            nested = _in_repository(full, include)
            if nested is None:
                nested = _walk(full, set(DEFAULT_EXCLUDES), (), include)
            files.update(f"{inner}/{f}" for f in nested)
    return list(files)


def _walk(folder: str, names: set[str], globs: tuple[str, ...], include: tuple[str, ...]) -> list[str]:
    """Names of the Python files below ``folder``, with ``/`` between folders."""
    files: list[str] = []
    waiting = [""]
    while waiting:
        prefix = waiting.pop()
        try:
            entries = list(os.scandir(os.path.join(folder, prefix) if prefix else folder))
        except OSError:
            continue  # unreadable: nothing in it can be imported either
        for entry in entries:
            if entry.name in names:
                continue
            name = f"{prefix}/{entry.name}" if prefix else entry.name
            if globs and _excluded(name, names, globs):
                continue
            try:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(name)
                elif _is_source(name, include) and entry.is_file():
                    files.append(name)
            except OSError:
                continue  # a link that points to itself
    return files
