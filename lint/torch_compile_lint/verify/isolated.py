"""The last step of the ladder: the flagged function alone, with values made from the kinds that inference
found for its parameters.

Only functions that need no object of their own: module-level ones and static methods, in whatever file they
stand. What this shows is weaker than a call of the module, and is said to be ("isolated").
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch_compile_lint.model import Finding


def steps(path: str, findings: Sequence[Finding], absolute: Callable[[str], str]) -> list[dict[str, Any]]:
    """One step for each flagged function that stands alone; ``path`` is the file of the probe."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for finding in findings:
        name, file = finding.function, absolute(finding.path)
        if not name or "<locals>" in name or (file, name) in found:
            continue
        kinds = dict(item.split("=", 1) for item in finding.kinds)
        step: dict[str, Any] = {"how": "isolated", "function": name, "hints": {"kinds": kinds}}
        if file != path:
            step["file"] = file
        found[file, name] = step
    return list(found.values())
