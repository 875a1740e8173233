"""What the place that text goes to can show: colour, links, and how wide it is."""

from __future__ import annotations

import os
from typing import TextIO

COLOR_CHOICES = ("auto", "always", "never")
# Terminals that show OSC 8 links, by the value of TERM_PROGRAM.
_LINKING = frozenset({"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "Tabby", "zed"})


def use_color(stream: TextIO, choice: str = "auto") -> bool:
    """Colour where it was asked for, else on a terminal that wants it (https://no-color.org, FORCE_COLOR)."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    forced = os.environ.get("FORCE_COLOR")
    if forced:
        return forced not in ("0", "false")
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def use_links(stream: TextIO) -> bool:
    """True where the terminal is known to turn OSC 8 sequences into links (FORCE_HYPERLINK decides)."""
    forced = os.environ.get("FORCE_HYPERLINK")
    if forced:
        return forced not in ("0", "false")
    if not stream.isatty() or os.environ.get("TERM") == "dumb":
        return False
    env = os.environ
    if env.get("TERM_PROGRAM") in _LINKING or env.get("TERM") in ("xterm-kitty", "alacritty", "foot"):
        return True
    if "WT_SESSION" in env or "KONSOLE_VERSION" in env or "DOMTERM" in env:
        return True
    vte = env.get("VTE_VERSION", "")
    return vte.isdigit() and int(vte) >= 5000


def terminal_width(stream: TextIO) -> int:
    """Columns to use: the terminal's, within what reads well."""
    try:
        columns = int(os.environ.get("COLUMNS", "0")) or os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        columns = 100
    return min(max(columns, 60), 120)
