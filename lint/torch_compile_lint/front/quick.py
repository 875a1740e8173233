"""The quick path: a few files in which nothing can be found, answered without the engine.

pre-commit runs the command on whatever file was changed, and most have nothing to do with
torch. Where that is certain from the bytes alone, the answer is the engine's own, and neither
configuration, cache nor analysis is loaded. In any doubt the answer is None, and the engine
decides: what is said here must never differ from what the engine says (a test compares them).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from torch_compile_lint import installed

_FEW = 20
_FEW_FILES = 400  # of a project that are looked through for who imports a file
_NOT_OURS = frozenset(("node_modules", "__pycache__", "venv", "build", "dist", "site-packages"))
_ONLY_AST = 0x400
_WORDS = (b"torch", b"tclint", b"TCD", b"__import__", b"import_module")
_OUR_FILES = (b"tclint", b"torch-compile-lint")


def answer(arguments: list[str]) -> str | None:
    """The report to print (the exit status is 0), or None: ask the engine."""
    understood = _options(arguments[1:] if arguments[:1] == ["check"] else arguments)
    if understood is None:
        return None
    paths, isolated, concise = understood
    if not 0 < len(paths) <= _FEW:
        return None
    if sys.stdout.isatty() or os.environ.get("FORCE_COLOR"):
        return None
    full = [os.path.abspath(p) for p in paths]
    if len(set(full)) < len(full) or not all(p.endswith(".py") for p in full):
        return None
    if not all(is_quiet(path) for path in full):
        return None
    folders = [os.path.dirname(p) for p in full]
    try:
        top = os.path.commonpath(folders)
    except ValueError:
        return None
    if not isolated and _configured(top):
        return None
    if concise:
        return ""
    release = installed.torch_release(installed.site_folders(installed.project_root(top), None))
    count = "1 file" if len(full) == 1 else f"{len(full)} files"
    target = release or installed.NEWEST_TORCH
    return f"Nothing found that torch.compile stumbles over in {count}, judged by torch {target}.\n"


def _options(arguments: list[str]) -> tuple[list[str], bool, bool] | None:
    """(paths, isolated, concise), or None where anything else is asked for."""
    paths = []
    isolated = concise = False
    waiting = iter(arguments)
    for one in waiting:
        if one == "--format":
            one = f"--format={next(waiting, '')}"
        if one == "--isolated":
            isolated = True
        elif one in ("--format=concise", "--format=text"):
            concise = one.endswith("concise")
        elif one.startswith("-"):
            if one not in ("--exit-zero", "--no-cache"):  # nothing is kept here anyway
                return None
        else:
            paths.append(one)
    return paths, isolated, concise


def _configured(folder: str) -> bool:
    """True where a configuration of ours may apply: it has to be read, and may be wrong."""
    while True:
        if os.path.exists(os.path.join(folder, "tclint.toml")):
            return True
        try:
            with open(os.path.join(folder, "pyproject.toml"), "rb") as stream:
                data = stream.read()
            if any(name in data for name in _OUR_FILES):
                return True
        except OSError:
            pass
        parent = os.path.dirname(folder)
        if parent == folder:
            return False
        folder = parent


def nothing_in(paths: list[str]) -> bool:
    """True where no file can hold anything to find, whoever calls it. That they parse is not asked.

    For many files at once (flake8): the project is looked through once, not once for each.
    """
    if not all(p.endswith(".py") and _holds_nothing(p) for p in paths):
        return False
    if len(paths) > 1 and not _mentions_torch({installed.project_root(os.path.dirname(p)) for p in paths}):
        return True
    return len(paths) <= _FEW and not any(_may_be_called(path) for path in paths)


def is_quiet(path: str) -> bool:
    """True where the file parses, and no root and no comment of ours can stand in it."""
    return _holds_nothing(path) and not _may_be_called(path) and _parses(path)


def _holds_nothing(path: str) -> bool:
    try:
        with open(path, "rb") as stream:
            data = stream.read()
    except OSError:
        return False
    if len(data) > 500_000 or any(word in data for word in _WORDS):
        return False
    if data.count(b".compile(") != data.count(b"re.compile("):
        return False
    has_classes = any(mark in b"\n" + data for mark in (b"\nclass ", b" class ", b"\tclass "))
    return _imports_are_foreign(data, os.path.dirname(path), has_classes)


def _parses(path: str) -> bool:
    try:
        with open(path, "rb") as stream:
            data = stream.read()
        if b"\\" in data:
            import warnings

            warnings.simplefilter("ignore")  # invalid escapes in the code we read
        compile(data, path, "exec", _ONLY_AST, dont_inherit=True)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _imports_are_foreign(data: bytes, folder: str, has_classes: bool) -> bool:
    """True where every import is of the standard library, or of another package and no class
    could derive from what it gives."""
    tops = _imported(data)
    if tops is None:
        return False
    standard = sys.stdlib_module_names
    if has_classes and not tops <= standard:
        return False
    # A built-in module cannot be shadowed; `sys` would be found at /sys.
    return not any(_is_near(top, folder) for top in tops.difference(sys.builtin_module_names))


def _imported(data: bytes) -> set[str] | None:
    """Top names of what may be imported; prose that reads like an import counts as one.

    None: something that is not understood (relative, or going on in the next line).
    """
    tops: set[str] = set()
    for line in data.splitlines():
        if b"import" not in line and b"from" not in line:
            continue
        # An import starts a line, or follows the colon or semicolon of another statement.
        for piece in line.replace(b";", b":").split(b":"):
            words = piece.split()
            if not words or not words[0].startswith((b"import", b"from")):
                continue
            if words[0].startswith(b"from.") or (words[0] == b"from" and words[-1:] == [b"\\"]):
                return None
            if words[0] == b"from" and b"import" in piece:
                names = words[1:2]
            elif words[0] == b"import" and len(words) > 1:
                names = b" ".join(words[1:]).split(b",")
            else:
                continue
            for name in names:
                top = name.strip().split(b" ")[0].split(b".")[0]
                if not top or top == b"\\":
                    return None
                tops.add(top.decode("utf-8", "replace"))
            if words[-1].endswith(b"\\"):
                return None
    return tops


def _may_be_called(path: str) -> bool:
    """True where another file of the project may import this one, and call what it defines.

    Then what stands in it may be reached from a model. Any module of its name will do; a
    project too large to look through is left to the engine.
    """
    with open(path, "rb") as stream:
        data = stream.read()
    if b"def " not in data and b"lambda" not in data:
        return False
    folder, name = os.path.split(path)
    word = (os.path.basename(folder) if name == "__init__.py" else name[: -len(".py")]).encode()
    for other in _project(installed.project_root(folder)):
        if other is None or (other[0] != path and word in other[1] and _imports(other[1], word)):
            return True
    return False


def _imports(data: bytes, word: bytes) -> bool:
    """True where an import statement names a module of this name."""
    if not any(_in_import(data, at) for at in _places(data, word)):
        return False  # most often: prose, and the regular expressions need not be loaded
    from torch_compile_lint.import_statements import imported

    return any(word in name.split(b".") for name in imported(data))


def _places(data: bytes, word: bytes) -> Iterator[int]:
    at = data.find(word)
    while at >= 0:
        yield at
        at = data.find(word, at + 1)


def _in_import(data: bytes, at: int) -> bool:
    """True where what stands at a place may be part of an import statement."""
    start = data.rfind(b"\n", 0, at) + 1
    before = data[start:at]
    if b"import" in before or b"from" in before or data[:start].rstrip().endswith(b"\\"):
        return True
    statement = data.rfind(b"import", 0, at)
    opened = data.find(b"(", statement, at) if statement >= 0 else -1
    return opened >= 0 and data.find(b")", opened, at) < 0


def _mentions_torch(roots: set[str]) -> bool:
    """True where a file of these projects speaks of torch, or there are too many to look through."""
    for root in roots:
        for other in _project(root):
            if other is None or any(word in other[1] for word in _WORDS):
                return True
    return False


def _project(root: str) -> Iterator[tuple[str, bytes] | None]:
    """The files of a project with what stands in them; None in the place of all that are too many."""
    looked = 0
    for at, folders, names in os.walk(root):
        if installed.is_project(root):
            folders[:] = [f for f in folders if not f.startswith(".") and f not in _NOT_OURS]
        else:
            folders[:] = [f for f in folders if os.path.exists(os.path.join(at, f, "__init__.py"))]
        for name in names:
            if not name.endswith(".py"):
                continue
            looked += 1
            if looked > _FEW_FILES:
                yield None
                return
            path = os.path.join(at, name)
            try:
                with open(path, "rb") as stream:
                    yield path, stream.read()
            except OSError:
                continue


def _is_near(top: str, folder: str) -> bool:
    """True where a module of this name stands in the folder or in one above it."""
    while True:
        name = os.path.join(folder, top)
        if os.path.exists(name + ".py") or os.path.isdir(name):
            return True
        parent = os.path.dirname(folder)
        if parent == folder:
            return False
        folder = parent
