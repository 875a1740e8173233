"""The part of the rules' index about PyTorch's graph-break ids: who can know of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from torch_compile_lint.registry import LoadedRule
from torch_compile_lint.torchdb import db

KINDS = {
    "rule": "found by a rule",
    "source": "shows in the source, no rule reports it",
    "runtime": "only a run can know",
    "internal": "internal to Dynamo",
    "asked": "asked for by the source",
}


def coverage(rules: Sequence[LoadedRule]) -> list[str]:
    """Markdown lines: how many ids of each registry are of which kind, and which rule finds which."""
    releases = db.break_releases()
    counts = {release: Counter(_kind(name) for name in db.breaks(release)) for release in releases}
    lines = [
        "## PyTorch's graph-break ids",
        "",
        "PyTorch numbers the places where Dynamo gives up. Each id of each registry is classified in",
        "`torchdb/breaks/classes.json`; `tclint rule GB0170` shows one. "
        f"{len(db.break_hints())} of them have an example",
        "and a hint of ours, compiled on the releases named there.",
        "",
        "| | " + " | ".join(releases) + " |",
        "|---" * (len(releases) + 1) + "|",
        *(
            f"| {words} | {' | '.join(str(counts[release][kind]) for release in releases)} |"
            for kind, words in KINDS.items()
        ),
        f"| all | {' | '.join(str(counts[release].total()) for release in releases)} |",
        "",
        "| rule | ids it reports |",
        "|---|---|",
    ]
    by_rule: dict[str, list[str]] = {}
    for name in sorted({name for release in releases for name in db.breaks(release)}):
        found = db.classification(name)
        for code in found.codes if found is not None else ():
            by_rule.setdefault(code, []).append(name)
    lines += [
        f"| {rule.meta.code} {rule.meta.name} | {', '.join(by_rule[rule.meta.code])} |"
        for rule in rules
        if rule.meta.code in by_rule
    ]
    return lines


def _kind(name: str) -> str:
    found = db.classification(name)
    return found.kind if found is not None else "unclassified"
