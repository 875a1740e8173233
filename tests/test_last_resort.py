"""`@torch.compiler.disable` on the helper that holds a break: what is offered, and what it costs, counted."""

from __future__ import annotations

import os
from typing import Any

import pytest
from torch_compile_lint.fix.edits import edited
from torch_compile_lint.model import Request, Safety
from torch_compile_lint.repair import repair

PROGRAM = """\
import json

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.second = nn.Linear(3, 3)

    def helper(self, x):
        y = x + 1
        y = y * json.loads("2")
        return y * 2

    def middle(self, x):
        return self.helper(x - 1) * 2

    def forward(self, x: torch.Tensor) -> torch.Tensor:
{forward}
"""
ONCE = ("        return self.second(self.helper(self.first(x)))", (2, 1))
DEEPER = ("        return self.second(self.middle(self.first(x)))", (3, 2))
IN_A_LOOP = (
    "        for _ in range(2):\n            x = self.helper(self.first(x))\n        return self.second(x)",
    (1, 0),  # the frame is skipped either way; the helper was compiled by itself
)


def _shown(text: str) -> str:
    """The text with the one fix that is shown in it."""
    path = os.path.abspath("last_resort.py")
    overrides = {"cache": False, "jobs": 1, "target-torch": "2.13", "select": ["TCD408"]}
    done = repair(Request((path,), {path: text}, overrides, isolated=True), unsafe=True)
    assert not done.texts, "it is never applied"
    (finding,) = done.report.findings
    assert finding.fix is not None and finding.fix.safety is Safety.DISPLAY
    assert finding.fix.title == "Last resort: disable `helper`"
    return edited(text, finding.fix.edits)


def _counted(text: str) -> tuple[int, Any]:
    """Breaks of the compiled module, and what it gives."""
    import torch
    from torch._dynamo.testing import CompileCounter
    from torch._dynamo.utils import counters

    space: dict[str, Any] = {"__name__": "last_resort"}
    exec(compile(text, "last_resort", "exec", dont_inherit=True), space)
    torch._dynamo.reset()
    counters.clear()
    torch.manual_seed(0)
    net = space["Net"]()
    given = torch.compile(net, backend=CompileCounter())(torch.ones(2, 3))
    assert torch.equal(given, net(torch.ones(2, 3)))
    return sum(counters["graph_break"].values()), given


@pytest.mark.parametrize("program", [ONCE, DEEPER, IN_A_LOOP], ids=["once", "deeper", "in a loop"])
def test_what_disabling_the_helper_costs(program: tuple[str, tuple[int, int]]) -> None:
    torch = pytest.importorskip("torch")
    text = PROGRAM.format(forward=program[0])
    new = _shown(text)
    assert "    @torch.compiler.disable\n    def helper(self, x):\n" in new
    before, after = _counted(text), _counted(new)
    assert (before[0], after[0]) == program[1]
    assert torch.equal(before[1], after[1])


def test_the_decorator_stands_where_the_method_does() -> None:
    """In a class within a class: a level deeper, and the text still parses."""
    rows = PROGRAM.format(forward=ONCE[0]).split("class Net")
    inner = ("class Net" + rows[1]).replace("\n", "\n    ")
    new = _shown(rows[0] + "class Outer:\n    " + inner.rstrip() + "\n")
    assert "        @torch.compiler.disable\n        def helper(self, x):\n" in new
    compile(new, "last_resort", "exec")


def test_a_root_is_not_disabled() -> None:
    text = PROGRAM.format(forward='        return x * json.loads("2")')
    path = os.path.abspath("last_resort.py")
    overrides = {"cache": False, "jobs": 1, "target-torch": "2.13", "select": ["TCD408"]}
    report = repair(Request((path,), {path: text}, overrides, isolated=True), unsafe=True).report
    assert [f.fix for f in report.findings] == [None]
