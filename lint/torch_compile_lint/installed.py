"""Which torch a project has, by the names of installed distributions; nothing is ever imported.

Kept free of imports that cost: the quick path of the command line asks it, too.
"""

from __future__ import annotations

import os
import sys

NEWEST_TORCH = "2.14"  # judged by where no torch is installed


def site_folders(root: str, python: str | None) -> list[str]:
    """site-packages of the project's interpreter: the configured, the active, ``.venv``, or ours."""
    for prefix in _prefixes(root, python):
        folders = _below(prefix)
        if folders:
            return folders
    return [p for p in sys.path if os.path.basename(p) in ("site-packages", "dist-packages")]


def torch_release(folders: list[str]) -> str | None:
    """'X.Y' of the torch installed in one of the folders; None where there is none (or a 1.x)."""
    for folder in folders:
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in names:
            if name.startswith("torch-") and name.endswith((".dist-info", ".egg-info")):
                parts = name[len("torch-") :].split(".")
                if len(parts) > 2 and parts[0].isdigit() and parts[1].isdigit() and int(parts[0]) >= 2:
                    return f"{parts[0]}.{parts[1]}"
    return None


def _prefixes(root: str, python: str | None) -> list[str]:
    if python is not None:
        # <prefix>/bin/python or <prefix>\Scripts\python.exe; links are not followed, since a
        # virtual environment's python is a link out of it.
        return [os.path.dirname(os.path.dirname(os.path.abspath(python)))]
    active = [os.environ.get("VIRTUAL_ENV"), os.environ.get("CONDA_PREFIX")]
    if os.environ.get("PRE_COMMIT"):
        active = []  # that is the hook's own environment, which knows nothing of the project's
    local = [os.path.join(root, name) for name in (".venv", "venv")]
    return [p for p in (*active, *local) if p]


def _below(prefix: str) -> list[str]:
    windows = os.path.join(prefix, "Lib", "site-packages")
    found = [windows] if os.path.isdir(windows) else []
    try:
        names = sorted(os.listdir(os.path.join(prefix, "lib")))
    except OSError:
        return found
    for name in names:
        folder = os.path.join(prefix, "lib", name, "site-packages")
        if name.startswith("python") and os.path.isdir(folder):
            found.append(folder)
    return found


_PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg", ".git", ".hg")


def is_project(folder: str) -> bool:
    """Whether a folder looks like the top of a project."""
    return any(os.path.exists(os.path.join(folder, name)) for name in _PROJECT_FILES)


def project_root(start: str) -> str:
    """The nearest folder at or above ``start`` that looks like a project, else the folder that
    holds the outermost package ``start`` lies in."""
    folder = os.path.abspath(start)
    at = folder
    while True:
        if is_project(at):
            return at
        parent = os.path.dirname(at)
        if parent == at:
            break
        at = parent
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder = os.path.dirname(folder)
    return folder
