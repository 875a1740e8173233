"""How reports name files: below the folder that the place showing them knows, with ``/`` between."""

from __future__ import annotations

import os

from torch_compile_lint.model import Finding
from torch_compile_lint.records import replace


def below(path: str, root: str) -> str:
    """The path relative to ``root`` where it lies in there, else the full path; always with ``/``."""
    full = os.path.abspath(path)
    relative = os.path.relpath(full, root) if _same_drive(full, root) else full
    shown = full if relative.startswith("..") else relative
    return shown.replace(os.sep, "/")


def uri(path: str, root: str) -> str:
    """A URI: relative to ``root`` where the file lies in there, else ``file://``."""
    from urllib.parse import quote

    shown = below(path, root)
    if not os.path.isabs(shown):
        return quote(shown, errors="surrogateescape")
    return "file://" + quote(shown if shown.startswith("/") else "/" + shown, errors="surrogateescape")


def folder_uri(folder: str) -> str:
    """The ``file://`` URI of a folder, with the slash at its end that makes it a base."""
    from urllib.parse import quote

    shown = folder.replace(os.sep, "/").rstrip("/")
    return "file://" + quote(shown if shown.startswith("/") else "/" + shown, errors="surrogateescape") + "/"


def on_file(finding: Finding) -> Finding:
    """A finding as formats show it that know lines of files only: a notebook's are not its cells'."""
    if finding.cell is None:
        return finding
    said = f"cell {finding.cell}, line {finding.line}: {finding.message}"
    return replace(finding, message=said, line=1, column=1, end_line=1, end_column=1, fix=None)


def _same_drive(one: str, other: str) -> bool:
    return os.path.splitdrive(one)[0].lower() == os.path.splitdrive(other)[0].lower()
