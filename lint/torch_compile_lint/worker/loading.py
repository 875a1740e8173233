"""Import the user's file under its own name, and find things in it by qualified name."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import sys
from typing import Any

from . import marks


def module_name(path: str) -> tuple[str, str]:
    """Dotted name of the file, and the folder that must be on ``sys.path`` for it."""
    folder, name = os.path.split(os.path.abspath(path))
    parts = [] if name == "__init__.py" else [os.path.splitext(name)[0]]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        parts.insert(0, package)
    return ".".join(parts), folder


def load_file(path: str, search: list[str]) -> Any:
    """The imported module of ``path``; an installed copy of the same package never shadows it."""
    with marks.noted():
        return _load(path, search)


def _load(path: str, search: list[str]) -> Any:
    name, root = module_name(path)
    for folder in [root] + [item for item in search if item != root]:
        if folder not in sys.path:
            sys.path.insert(0, folder)
    if name.isidentifier() or "." in name:
        with contextlib.suppress(ValueError, ImportError):
            found = importlib.util.find_spec(name)
            if (
                found is not None
                and found.origin
                and os.path.realpath(found.origin) == os.path.realpath(path)
            ):
                return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location(_free_name(path), path)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot import {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _free_name(path: str) -> str:
    base = "".join(c if c.isalnum() else "_" for c in os.path.splitext(os.path.basename(path))[0])
    return "tclint_target_" + base


def loaded_files(places: list[str]) -> list[str]:
    """Source files of imported modules that lie in these files and folders: what a result rests on."""
    found = set()
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        if isinstance(path, str) and path.endswith(".py"):
            path = os.path.realpath(path)
            if any(_inside(path, place) for place in places):
                found.add(path)
    return sorted(found)


def _inside(path: str, place: str) -> bool:
    if path != place and not path.startswith(place.rstrip(os.sep) + os.sep):
        return False
    return "site-packages" not in path or "site-packages" in place  # an environment in the project is no part


def find(module: Any, qualname: str) -> Any:
    """The object at a qualified name (``Net.forward``, ``make.<locals>.f`` is not reachable)."""
    value = module
    for part in qualname.split("."):
        value = getattr(value, part)
    return value


def last_line(error: BaseException) -> str:
    """Type and message of an exception on one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[-1] if isinstance(error, SyntaxError) and lines else (lines[0] if lines else "")
    return (f"{type(error).__name__}: {text}").rstrip(": ")[:400]


def user_frame(error: BaseException, skip: dict[str, Any] | None = None) -> tuple[str, int]:
    """Innermost place of an exception outside this folder."""
    place = ("", 0)
    trace = error.__traceback__
    here = os.path.dirname(os.path.abspath(__file__))
    while trace is not None:
        path = trace.tb_frame.f_code.co_filename
        if os.path.dirname(os.path.abspath(path)) != here:
            place = (path, trace.tb_lineno)
        trace = trace.tb_next
    return place
