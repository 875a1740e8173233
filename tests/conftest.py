"""Marks that the tests use."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Names the marks, so that a misspelt one is an error."""
    config.addinivalue_line("markers", "torch: needs an installed torch")
