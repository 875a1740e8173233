"""`tclint rule GB0170`: what a graph-break id is, which code finds it, an example, what to do.

PyTorch's own text comes from its registry. Examples are ours, compiled on the releases named
with them, or the example of a rule that claims the id. Where an id could not be brought about,
the page says so.
"""

from __future__ import annotations

import json
from pathlib import Path

from torch_compile_lint import pages, registry
from torch_compile_lint.config import ConfigError
from torch_compile_lint.front.rule_pages import markdown
from torch_compile_lint.registry import LoadedRule
from torch_compile_lint.report.paint import Paint
from torch_compile_lint.torchdb import db

KINDS = {
    "rule": "Shows in the source, and a rule reports it.",
    "source": "Shows in the source, but",
    "runtime": "Only a run can know:",
    "internal": "Internal to Dynamo:",
    "asked": "Asked for:",
}


def graph_break(name: str, form: str, plugins: tuple[str, ...], width: int, paint: Paint) -> str:
    """The page of one id, as text or JSON. Raises ConfigError for an id that no release has."""
    known = db.graph_break(name)
    if not known:
        held = ", ".join(db.break_releases())
        raise ConfigError(f"no torch release we know has a graph break {name} (known: {held})")
    found = db.classification(name)
    codes = found.codes if found is not None else ()
    rules = [r for r in registry.load(plugins, extend_select=("ALL",)) if _finds(r, name, codes)]
    if form == "json":
        return _as_json(name, known, rules)
    return markdown(_page(name, known, rules), width, paint)


def _finds(rule: LoadedRule, name: str, codes: tuple[str, ...]) -> bool:
    return rule.meta.code in codes or any(name in claim.gb for claim in rule.meta.claims)


def _as_json(name: str, known: dict[str, db.GraphBreak], rules: list[LoadedRule]) -> str:
    found, ours = db.classification(name), db.break_hint(name)
    data = {
        "gb": name,
        "kind": found.kind if found is not None else None,
        "reason": found.reason if found is not None else None,
        "advice": found.advice if found is not None else None,
        "hint": ours.hint if ours is not None else None,
        "example": ours.example if ours is not None else None,
        "instead": ours.instead if ours is not None else None,
        "tried": list(ours.seen) if ours is not None else [],
        "releases": [
            {
                "release": release,
                "title": one.title,
                "context": one.context,
                "explanation": one.explanation,
                "hints": list(one.hints),
            }
            for release, one in known.items()
        ],
        "rules": [{"code": rule.meta.code, "name": rule.meta.name} for rule in rules],
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _page(name: str, known: dict[str, db.GraphBreak], rules: list[LoadedRule]) -> str:
    one = known[list(known)[-1]]
    found, ours = db.classification(name), db.break_hint(name)
    parts = [f"# {name}: {one.title}", "", f"In torch {', '.join(known)}."]
    if found is not None:
        parts += ["", f"{KINDS[found.kind]} {found.reason + '.' if found.reason else ''}".rstrip()]
    if one.explanation.strip() and one.explanation != "explanation":
        parts += ["", "## What PyTorch says", "", one.explanation.strip()]
    if one.context.strip():
        parts += ["", "## Context in its message", "", f"`{one.context.strip()}`"]
    parts += ["", "## Rules that find it", ""]
    parts += [f"- {r.meta.code} {r.meta.name}: {r.meta.summary}" for r in rules] or ["None."]
    example, instead, origin = _example(rules, ours)
    parts += ["", "## Example", "", origin]
    if example:
        parts += ["", "```python", *example.split("\n"), "```"]
    parts += ["", "## What to do", ""]
    if ours is not None:
        parts.append(f"- {ours.hint}")
    parts += [f"- {' '.join(hint.split())} (PyTorch)" for hint in one.hints]
    if ours is None and not one.hints:
        parts += [f"- {r.meta.code}: {text}." for r in rules for text in r.meta.remedies.values()]
        if not rules and found is not None:
            parts.append(f"- {found.advice[:1].upper()}{found.advice[1:]}.")
    if instead:
        parts += ["", "Instead:", "", "```python", *instead.split("\n"), "```"]
    return "\n".join(parts) + "\n"


def _example(rules: list[LoadedRule], ours: db.BreakHint | None) -> tuple[str, str, str]:
    """(code, what to write instead, where it comes from)."""
    if ours is not None:
        return ours.example, ours.instead, f"Compiled on torch {', '.join(ours.seen)}."
    for rule in rules:
        folder = Path(rule.meta.folder) / "cases"
        bad, good = folder / "bad_example.py", folder / "good_example.py"
        if bad.is_file() and good.is_file():
            return pages.example(bad), pages.example(good), f"That of {rule.meta.code}."
    return "", "", "None: we did not bring it about."
