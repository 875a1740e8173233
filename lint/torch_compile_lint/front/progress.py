"""A progress bar on standard error, on a terminal only, and only for runs a person would notice."""

from __future__ import annotations

import os
import sys
import time

_PATIENCE = 0.4  # seconds before anything is drawn
_EVERY = 0.08


class Progress:
    """Called by the engine as ``progress(stage, done, total)``."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._last = 0.0
        self._drawn = False

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._start < _PATIENCE or now - self._last < _EVERY or not total:
            return
        self._last = now
        try:
            width = os.get_terminal_size(sys.stderr.fileno()).columns
        except (OSError, ValueError):
            return
        room = max(min(width - len(stage) - 20, 40), 5)
        full = room * min(done, total) // total
        bar = "━" * full + "─" * (room - full)
        sys.stderr.write(f"\r\x1b[2K{stage} {bar} {done}/{total}")
        sys.stderr.flush()
        self._drawn = True

    def clear(self) -> None:
        """Leave no trace before the report is printed."""
        if self._drawn:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
            self._drawn = False


def for_terminal() -> Progress | None:
    """A bar where a person is watching, None in a pipe."""
    try:
        watched = sys.stderr.isatty() and os.environ.get("TERM") != "dumb" and "CI" not in os.environ
    except (AttributeError, ValueError):
        return None
    return Progress() if watched else None
