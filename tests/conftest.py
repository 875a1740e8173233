"""Marks that the tests use."""

from __future__ import annotations

import signal

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Names the marks, so that a misspelt one is an error; lets tests interrupt what they start."""
    config.addinivalue_line("markers", "torch: needs an installed torch")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # Started in the background, where interrupts are ignored, and children would inherit that.
        signal.signal(signal.SIGINT, signal.default_int_handler)
