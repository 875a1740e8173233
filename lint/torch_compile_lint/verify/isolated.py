"""The last step of the ladder: the flagged function alone, with values made from its annotations and
failures.

Only functions that need no object of their own: module-level ones and static methods. What this shows
is weaker than a call of the module, and is said to be ("isolated").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch_compile_lint.model import Finding


def steps(path: str, findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """One step for each flagged function of this file that stands alone."""
    found: list[dict[str, Any]] = []
    names = []
    for finding in findings:
        name = finding.function
        same_file = finding.path == path or path.endswith("/" + finding.path.lstrip("./"))
        if same_file and name and "<locals>" not in name and name not in names:
            names.append(name)
            found.append({"how": "isolated", "function": name, "hints": {}})
    return found
