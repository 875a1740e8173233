"""The pytest plugin in a run of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from torch_compile_lint.verify.run import installed_torch

PYTHON = sys.executable
pytestmark = pytest.mark.skipif(not installed_torch(PYTHON), reason="needs torch in this interpreter")
ROOT = Path(__file__).resolve().parent.parent

SUITE = """
import pytest, torch
from torch import nn

class Good(nn.Module):
    def forward(self, x):
        return x.relu() + 1

class Bad(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            x = x * 2
        return x

def test_good(assert_compiles):
    assert assert_compiles(Good(), torch.ones(2)).sum() == 4

def test_bad(assert_compiles):
    assert_compiles(Bad(), torch.ones(2))

def test_allowed(assert_compiles):
    assert_compiles(Bad(), torch.ones(2), max_breaks=1)

@pytest.mark.tclint_compile
def test_only_compiled():
    assert True
"""


def run(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "test_suite.py").write_text(SUITE)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in ("lint", "rules"))}
    plugin = ("-p", "torch_compile_lint.front.pytest_plugin") if not _installed() else ()
    command = [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin, *arguments, "test_suite.py"]
    return subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=400, check=False
    )


def _installed() -> bool:
    from importlib.metadata import entry_points

    return any(point.name == "tclint" for point in entry_points(group="pytest11"))


def test_without_the_switch_nothing_is_compiled(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert "3 passed, 1 skipped" in done.stdout, done.stdout


def test_with_the_switch_breaks_fail_and_are_named(tmp_path: Path) -> None:
    done = run(tmp_path, "--tclint-compile")
    assert "1 failed, 3 passed" in done.stdout, done.stdout
    assert "Bad does not compile as asked" in done.stdout
    assert "test_suite.py:11: break GB0170" in done.stdout
