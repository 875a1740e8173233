"""Colour for terminals, and how wide characters are there."""

from __future__ import annotations

import unicodedata

_CODES = {"bold": 1, "dim": 2, "red": 31, "green": 32, "yellow": 33, "blue": 34, "cyan": 36}


class Paint:
    """``paint(text, 'red', 'bold')``; without colour the text as it is."""

    def __init__(self, on: bool, links: bool = False) -> None:
        self.on = on
        self.links = links

    def __call__(self, text: str, *styles: str) -> str:
        if not self.on or not text:
            return text
        return f"\x1b[{';'.join(str(_CODES[s]) for s in styles)}m{text}\x1b[0m"

    def link(self, text: str, target: str) -> str:
        """The text as a link (OSC 8), where the terminal shows links and there is a target."""
        if not self.links or not target:
            return text
        return f"\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\"


def cells(text: str) -> int:
    """How many terminal columns the text takes."""
    if text.isascii():
        return len(text)
    wide = 0
    for char in text:
        if unicodedata.combining(char):
            continue
        wide += 2 if unicodedata.east_asian_width(char) in "WF" else 1
    return wide


def fit(raw: str, start: int, end: int, room: int) -> tuple[str, int, int]:
    """(line, start, end) with tabs as spaces and control characters visible, cut to ``room``.

    The part from ``start`` to ``end`` stays in sight; what is cut is shown as an ellipsis.
    """
    out: list[str] = []
    places: list[int] = []
    column = 0
    for char in raw:
        places.append(column)
        piece = " " * (4 - column % 4) if char == "\t" else char if char.isprintable() else "�"
        out.append(piece)
        column += len(piece)
    places.append(column)
    text = "".join(out)
    left, right = places[min(start, len(raw))], places[min(end, len(raw))]
    if cells(text) <= room:
        return text, left, right
    cut = 0
    if right > room - 2:
        cut = max(min(left - 8, right - room + 4), 0)
    # Indentation says nothing once the left end is gone.
    head = "… " if cut else ""
    body = text[cut:]
    keep = room - len(head)
    if len(body) > keep:
        body = body[: keep - 1] + "…"
    shift = len(head) - cut
    line = head + body
    return line, min(max(left + shift, 0), len(line) - 1), min(right + shift, len(line))
