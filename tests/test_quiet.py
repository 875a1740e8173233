"""Quiet evaluations share records only where evaluating again would give the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from torch_compile_lint.engine import Engine
from torch_compile_lint.model import Report, Request
from torch_compile_lint.program.quiet import MAX_QUIET_STATEMENTS, QuietRecords, full_key
from torch_compile_lint.program.values import Container, Origin, Value, tensor

ROOT = Path(__file__).parent.parent

# Both classes call the builder with the same arguments; the second reaches it deeper down.
BUILDERS = """
import torch
from torch import nn


def make(kind):
    if kind == "conv":
        return nn.Conv2d(3, 8, 1)
    return nn.Linear(3, 8)


def deeper(kind, left):
    return make(kind) if left == 0 else deeper(kind, left - 1)


class A(nn.Module):
    def __init__(self, kind="conv"):
        super().__init__()
        self.first = make("conv")
        self.second = deeper("conv", 3)

    def forward(self, x):
        y = self.first(x)
        if y.sum() > 0:
            y = y + 1
        return self.second(y) if y.mean() > 0 else y


class B(nn.Module):
    def __init__(self):
        super().__init__()
        self.only = make("conv")

    def forward(self, x):
        y = self.only(x)
        while y.any():
            y = self.only(y)
        return y
"""


def report(path: str) -> Report:
    overrides = {"min-confidence": "possible", "cache": False, "jobs": 1, "target-torch": "2.13.0"}
    return Engine().check(Request(paths=(path,), overrides=overrides, isolated=True))


@pytest.mark.parametrize("name", ["vision", "language", "training", "builders"])
def test_reports_are_those_of_evaluations_that_share_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = ROOT / "fixtures" / "programs" / name
    if name == "builders":
        folder = tmp_path
        Path(tmp_path, "nets.py").write_text(BUILDERS)
    shared = report(str(folder))
    monkeypatch.setattr(QuietRecords, "take_over", lambda self, key: None)
    alone = report(str(folder))
    assert shared.findings
    assert shared.findings == alone.findings


def test_what_exhausts_a_budget_is_not_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "\n".join(f"    x = x + {n}" for n in range(MAX_QUIET_STATEMENTS + 10))
    names = "\n".join(f"        self.a{n} = slow(1)" for n in range(6))
    head = f"from torch import nn\ndef slow(x):\n{lines}\n    return x\n"
    text = f"{head}class A(nn.Module):\n    def __init__(self):\n"
    Path(tmp_path, "a.py").write_text(
        f"{text}{names}\n    def forward(self, x):\n        return x + "
        + " + ".join(f"self.a{n}" for n in range(6))
    )
    evaluated = []
    real = QuietRecords.evaluate

    def count(self: QuietRecords, record: object, *rest: object) -> None:
        evaluated.append(record)
        real(self, record, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(QuietRecords, "evaluate", count)
    report(str(tmp_path))
    assert len(evaluated) == 1


def test_a_key_holds_the_reasons_of_its_arguments() -> None:
    plain = tensor()
    because = tensor(origin=Origin("`x` is annotated as a tensor"))
    inside = Value((Container("list", (because,)),))
    keys = [("f.py", "f", 0, (value,), False, None) for value in (plain, because, inside)]
    assert plain == because
    assert full_key(keys[0]) == keys[0]
    assert len({repr(full_key(key)) for key in keys}) == 3
    assert full_key(keys[1]) != full_key(keys[0])
