"""`--fix --prove` over real processes: what holds is kept, what does not is refused with its reason."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from torch_compile_lint import prove

pytest.importorskip("torch")
ROOT = Path(__file__).parent.parent
ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{ROOT / 'lint'}{os.pathsep}{ROOT / 'rules'}"}

HOLDS = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.lin(x)
        if y.sum() > 0:
            y = y * 2
        if x.shape[0] > 100000:
            print("large")
        return y
"""
INPUTS = """

def tclint_inputs():
    return Net(), (torch.ones(3, 4),)
"""
# The condition has one element and one dimension: where-ing the scalar broadcasts it to that shape.
FAILS = """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x.sum()
    return y * 2 if x[:1] > 0 else y


def tclint_inputs():
    return f, (torch.ones(3),)
"""


def tclint(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "torch_compile_lint", *arguments, "--isolated", "--no-cache", "-j1"]
    return subprocess.run(
        command, cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, timeout=300, check=False
    )


def test_what_holds_is_kept_and_what_is_not_reached_is_not(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_text(HOLDS + INPUTS)
    done = tclint("--fix", "--unsafe-fixes", "--prove", "m.py", cwd=tmp_path)
    assert "kept: m.py:12: TCD101: the break is gone, none appeared" in done.stderr, done.stderr
    assert "refused: m.py:15: TCD401: not reached" in done.stderr
    text = file.read_text()
    assert "y = torch.where(y.sum() > 0, y * 2, y)" in text
    assert "is_compiling" not in text


# The loop ends the graph at its first line; the fix is offered at the second one, and changes the call.
ELSEWHERE = """\
import torch
from torch import nn


class Net(nn.Module):
    def cut(self, x: torch.Tensor, shapes: torch.Tensor) -> torch.Tensor:
        start = 0
        total = x.sum()
        for height, width in shapes:
            part = x[:, start : start + height * width]
            total = total + part.view(2, height, width)[:, 0].sum()
            start += height * width
        return total

    def forward(self, one: torch.Tensor, two: torch.Tensor) -> torch.Tensor:
        pairs = []
        for part in (one, two):
            _, height, width = part.shape
            pairs.append((height, width))
        shapes = torch.as_tensor(pairs, dtype=torch.long)
        return self.cut(torch.cat((one.flatten(1), two.flatten(1)), 1), shapes) + shapes.sum()


def tclint_inputs():
    return Net(), (torch.ones(2, 3, 4), torch.ones(2, 2, 2))
"""


def test_a_fix_of_the_calls_speaks_for_the_whole_function(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_text(ELSEWHERE)
    done = tclint("--fix", "--unsafe-fixes", "--prove", "m.py", cwd=tmp_path)
    assert "kept: m.py:11: TCD218: the break is gone, none appeared" in done.stderr, done.stderr
    assert file.read_text() == ELSEWHERE.replace("1)), 1), shapes)", "1)), 1), pairs)").replace(
        "two.flatten(1)), 1), shapes)", "two.flatten(1)), 1), pairs)"
    )


def test_what_changes_a_result_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_text(FAILS)
    done = tclint("--fix", "--unsafe-fixes", "--prove", "--roots", "all", "m.py", cwd=tmp_path)
    assert "refused: m.py:6: TCD104: results" in done.stderr, done.stderr
    assert file.read_text() == FAILS


def test_without_inputs_nothing_unsafe_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_text("raise SystemExit\n" + HOLDS)
    done = tclint("--fix", "--unsafe-fixes", "--prove", "m.py", cwd=tmp_path)
    assert "no inputs available" in done.stderr, done.stderr
    assert "is_compiling" not in file.read_text() and "where" not in file.read_text()


MADE = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.width = 4

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        norm = nn.LayerNorm(self.width)
        return norm(x) + 1


def tclint_inputs():
    return Net(), (torch.ones(3, 4),)
"""


@pytest.mark.skipif(not os.environ.get("TCLINT_ALL_PROOFS"), reason="set TCLINT_ALL_PROOFS=1: 20 s")
def test_a_break_inside_a_library_belongs_to_the_line_that_led_there(tmp_path: Path) -> None:
    """The layer's constructor breaks in torch's own files; made in __init__ it is part of the state."""
    (tmp_path / "m.py").write_text(MADE)
    inputs = ("--inputs", "m.py:tclint_inputs")
    done = tclint("--fix", "--unsafe-fixes", "--prove", "--target-torch", "2.13", *inputs, ".", cwd=tmp_path)
    assert "refused: m.py:11: TCD607: state of " in done.stderr, done.stderr
    assert (tmp_path / "m.py").read_text() == MADE


def _seen(*events: tuple[str, int]) -> prove._Run:
    """One variant of one probe, with events (kind, line) in one function."""
    key = ("m.py:Net", "eval")
    return prove._Run({key: {}}, {key: [(("m.py", "forward", kind), line) for kind, line in events]})


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([("break", 5), ("break", 9)], [("break", 9)], ""),
        ([("break", 5), ("break", 9)], [("skip", 9)], ""),  # it broke before, and more is compiled with it
        ([("break", 5)], [("skip", 9)], "a new skip in forward (m.py:9)"),
        ([("break", 5)], [("break", 5), ("recompile", 5)], "a new recompile in forward (m.py:5)"),
        ([("skip", 9)], [("break", 9)], "a new break in forward (m.py:9)"),
    ],
)
def test_what_counts_as_new(
    before: list[tuple[str, int]], after: list[tuple[str, int]], expected: str
) -> None:
    prover = object.__new__(prove._Prover)
    assert prover._not_gone([], _seen(*before), _seen(*after)) == expected
