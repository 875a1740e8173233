"""Kinds of parameters, from inference to the values that an isolated run is called with."""

from __future__ import annotations

from pathlib import Path

from torch_compile_lint.engine import Engine
from torch_compile_lint.model import Request
from torch_compile_lint.verify import isolated
from torch_compile_lint.worker.inputs_values import from_kind

NET = """\
import torch
from torch import nn

from helpers import pick


class Net(nn.Module):
    def forward(self, x: torch.Tensor):
        return pick(x.sum(0) > 0, 0.5, ["a", "b"], [x, x], (1, True), None)
"""
HELPERS = """\
def pick(scores, limit, names, many, pair, nothing, unknown=thing()):
    use(limit, names, many, pair, nothing, unknown)
    if scores.any():
        return scores
    return scores
"""


def test_kinds_come_with_findings_also_from_the_cache(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    (tmp_path / "helpers.py").write_text(HELPERS)
    for _ in range(2):
        report = Engine().check(Request((str(tmp_path),), cwd=str(tmp_path), isolated=True))
        (finding,) = report.findings
        assert set(finding.kinds) == {
            "scores=tensor[bool,?]",
            "limit=float",
            "names=tuple[str;str]",
            "many=tuple[tensor;tensor]",
            "pair=tuple[int;bool]",
            "nothing=none",
        }
    (step,) = isolated.steps(str(tmp_path / "net.py"), [finding], lambda path: str(tmp_path / path))
    assert step["file"] == str(tmp_path / "helpers.py")
    assert step["hints"]["kinds"]["limit"] == "float"
    (step,) = isolated.steps(str(tmp_path / "helpers.py"), [finding], lambda path: str(tmp_path / path))
    assert "file" not in step


def test_values_for_kinds() -> None:
    assert from_kind("tensor[bool,1]") == [{"kind": "tensor", "dtype": "bool", "dims": [7], "high": 5}]
    assert {len(spec["dims"]) for spec in from_kind("tensor")} == {0, 1, 2, 3, 4}
    assert from_kind("int")[0] == {"kind": "value", "value": 3}
    assert from_kind("tuple[int;tensor[?,0]]")[0]["items"][1]["dims"] == []
    (pair,) = from_kind("list[str]")
    assert [item["value"] for item in pair["items"]] == ["a", "a"]
    assert from_kind("") == from_kind("tuple[;int]") == []
