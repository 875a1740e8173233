"""Inference over programs of several files, and that its answers do not depend on order."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

_SPEC = importlib.util.spec_from_file_location("kinds", Path(__file__).with_name("kinds.py"))
assert _SPEC is not None and _SPEC.loader is not None
kinds = importlib.util.module_from_spec(_SPEC)
sys.modules["kinds"] = kinds
_SPEC.loader.exec_module(kinds)

PROGRAMS = Path(__file__).parent.parent / "fixtures" / "programs"
NAMES = sorted(p.name for p in PROGRAMS.iterdir() if any("# kind:" in f.read_text() for f in p.rglob("*.py")))


def read(name: str) -> dict[str, str]:
    root = PROGRAMS / name
    return {p.relative_to(root).as_posix(): p.read_text() for p in sorted(root.rglob("*.py"))}


@pytest.mark.parametrize("name", NAMES)
def test_program(name: str) -> None:
    assert kinds.problems(read(name)) == []


@pytest.mark.parametrize("name", NAMES)
def test_order_of_files_does_not_matter(name: str) -> None:
    files = read(name)
    forth = kinds.analyse(files)
    back = kinds.analyse(dict(reversed(list(files.items()))))
    assert {k: kinds.describe(v) for k, v in forth.values.items()} == {
        k: kinds.describe(v) for k, v in back.values.items()
    }
    assert forth.functions == back.functions
    assert forth.deps == back.deps


@pytest.mark.parametrize("name", NAMES)
def test_a_root_does_not_hear_of_the_others(name: str) -> None:
    """Each root alone gives what it gives after all others."""
    files = read(name)
    together = kinds.reach_by_root(files, shared=True)
    apart = kinds.reach_by_root(files, shared=False)
    assert together == apart
