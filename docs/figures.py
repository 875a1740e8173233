"""The pictures of the explanation, drawn from ``fixtures/hazards/cells.json``: what torch really did.

Each function returns one SVG, written by hand so that it takes its colours from the page (light or
dark) and stays legible at the width of a telephone. ``python docs/figures.py FOLDER`` writes them.
"""

from __future__ import annotations

import json
import re
import sys
from html import escape
from pathlib import Path

CELLS = Path(__file__).resolve().parent.parent / "fixtures" / "hazards" / "cells.json"
# One hazard in one position: the cases of fixtures/hazards that differ in nothing else.
POSITIONS = (
    ("in the body", {"if": "if_tensor", "print": "print_const", ".item()": "item"}),
    ("under torch.no_grad()", {"if": "tif_nograd", "print": "break_nograd"}),
    ("under autocast", {".item()": "break_autocast"}),
    ("in a helper", {"if": "if_in_helper"}),
    ("in a helper of a helper", {"print": "break_in_helper"}),
    ("in a helper called in a loop", {"print": "break_helper_loop"}),
    ("in a loop", {"if": "if_in_loop", "print": "print_in_loop", ".item()": "item_in_loop"}),
    ("in a try block", {"if": "tif_try", "print": "break_try"}),
    ("under a context manager of yours", {"print": "break_cm"}),
)
HAZARDS = ("if", "print", ".item()")
EFFECTS = (
    ("fine", "one graph, same results"),
    ("recompile", "compiled again when a value changes"),
    ("break", "the graph breaks"),
    ("skip", "no graph at all: the whole function runs in Python"),
    ("wrong", "other results, without a word"),
    ("error", "raises where eager mode does not"),
)


def cells() -> tuple[dict[str, dict[str, str]], list[str]]:
    """({case: {release: what was observed}}, releases)."""
    data = json.loads(CELLS.read_text(encoding="utf-8"))
    return {name: row["verdict"] for name, row in data["cells"].items()}, data["versions"]


def effect(observed: str) -> str | None:
    """The effect of one cell; None where nothing could be observed there."""
    if observed.startswith(("ERROR", "CRASH", "exc", "raises")):
        return "error"
    if observed.startswith("WRONG"):
        return "wrong"
    if observed.startswith("skip"):
        return "skip"
    if observed.startswith("break"):
        return "break"
    if observed.startswith("recompile"):
        return "recompile"
    return "fine" if observed.startswith("ok") else None


def position() -> str:
    """What the same statement costs in different places, on the newest release measured."""
    observed, releases = cells()
    release = releases[-1]
    left, wide, high, top = 232, 118, 34, 30
    rows = []
    for column, hazard in enumerate(HAZARDS):
        rows.append(_text("h", left + (column + 0.5) * wide, 20, hazard, "middle"))
    for number, (place, cases) in enumerate(POSITIONS):
        y = top + number * high
        rows.append(_text("", left - 10, y + 21, place, "end"))
        for column, hazard in enumerate(HAZARDS):
            if hazard not in cases:
                continue
            x = left + column * wide
            said = observed[cases[hazard]][release]
            kind = effect(said) or "fine"
            count = re.search(r"×(\d+)", said)
            text = "no graph" if kind == "skip" else _counted(int(count.group(1)) if count else 1)
            rows.append(_box(kind, x + 3, y + 3, wide - 6, high - 6))
            rows.append(_text("on", x + wide / 2, y + 21, text, "middle"))
    return _svg(
        left + 3 * wide,
        top + len(POSITIONS) * high + 4,
        rows,
        f"The same statement in different places, torch {release}",
    )


def _counted(breaks: int) -> str:
    return f"{breaks} break" if breaks == 1 else f"{breaks} breaks"


def releases() -> str:
    """How many of the measured constructs had which effect, release by release."""
    observed, names = cells()
    # Only what could be observed on every release, so that the bars mean the same.
    common = [row for row in observed.values() if all(effect(row.get(n, "")) for n in names)]
    left, width, high, top = 62, 500, 36, 8
    rows = []
    for number, name in enumerate(names):
        y = top + number * high
        rows.append(_text("", left - 8, y + 22, name, "end"))
        x = float(left)
        for kind, _ in EFFECTS:
            count = sum(effect(row[name]) == kind for row in common)
            part = width * count / len(common)
            if not count:
                continue
            rows.append(_box(kind, x, y + 3, part, high - 8, f"{count} {kind}"))
            if part > 22:
                rows.append(_text("on", x + part / 2, y + 22, str(count), "middle"))
            x += part
    y = top + len(names) * high + 8
    for number, (kind, text) in enumerate(EFFECTS):
        rows.append(_box(kind, left, y + number * 21, 14, 14))
        rows.append(_text("", left + 22, y + number * 21 + 12, text, "start"))
    return _svg(
        left + width + 4,
        y + len(EFFECTS) * 21 + 4,
        rows,
        f"Effects on {len(common)} constructs, by release of torch",
    )


def _text(kind: str, x: float, y: float, text: str, anchor: str) -> str:
    name = f' class="{kind}"' if kind else ""
    return f'<text{name} x="{x:.1f}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'


def _box(kind: str, x: float, y: float, width: float, height: float, title: str = "") -> str:
    inside = f"><title>{escape(title)}</title></rect>" if title else "/>"
    return f'<rect class="{kind}" x="{x:.1f}" y="{y}" width="{width:.1f}" height="{height}" rx="3"{inside}'


def _svg(width: float, height: float, rows: list[str], title: str) -> str:
    box = f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{escape(title)}"'
    return f'<svg class="measured" {box} xmlns="http://www.w3.org/2000/svg">{"".join(rows)}</svg>'


FIGURES = {"position": position, "releases": releases}


def main() -> None:
    folder = Path(sys.argv[1])
    style = (Path(__file__).parent / "pages" / "extra.css").read_text(encoding="utf-8")
    for name, draw in FIGURES.items():
        (folder / f"{name}.svg").write_text(
            draw().replace("<svg", "<svg", 1).replace(">", f"><style>{style}</style>", 1)
        )


if __name__ == "__main__":
    main()
