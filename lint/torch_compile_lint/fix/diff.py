"""A unified diff of what fixes would change, as `patch` and `git apply` read it."""

from __future__ import annotations

import difflib
import re

_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def unified(name: str, before: str, after: str) -> str:
    """The diff of one file; '' where nothing changes."""
    rows = difflib.unified_diff(_LINE.findall(before), _LINE.findall(after), f"a/{name}", f"b/{name}")
    out = []
    for row in rows:
        out.append(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n")
    return "".join(out)
