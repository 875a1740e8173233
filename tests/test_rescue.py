"""What stands in an `except` for any error is no finding at the default confidence: no trace comes there."""

from __future__ import annotations

from pathlib import Path

import pytest
from torch_compile_lint.engine import Engine
from torch_compile_lint.model import Confidence, Request

NET = """\
import torch


@torch.compile
def f(x, model):
    try:
        {first}
        return model(x)
    except{kind}:
        print("failed")
        return x
"""


def found(tmp_path: Path, first: str, kind: str) -> list[Confidence]:
    file = tmp_path / "net.py"
    file.write_text(NET.format(first=first, kind=kind and f" {kind}"))
    overrides = {"cache": False, "jobs": 1, "min-confidence": "possible", "target-torch": "2.14"}
    report = Engine().check(Request((str(file),), isolated=True, overrides=overrides))
    return [finding.confidence for finding in report.findings if finding.code == "TCD401"]


@pytest.mark.parametrize(
    "kind",
    ["", "Exception", "RuntimeError", "BaseException as e", "(RuntimeError, torch.cuda.OutOfMemoryError)"],
)
def test_a_rescue_from_what_operations_raise_is_only_possible(tmp_path: Path, kind: str) -> None:
    assert found(tmp_path, "pass", kind) == [Confidence.POSSIBLE]
    # a raise of its own is traced, and leads there
    assert found(tmp_path, "if model is None: raise RuntimeError('none')", kind) == [Confidence.PROVED]


@pytest.mark.parametrize("kind", ["KeyError", "(RuntimeError, KeyError)", "AttributeError", "ImportError"])
def test_what_python_raises_while_tracing_is_told(tmp_path: Path, kind: str) -> None:
    assert found(tmp_path, "pass", kind) == [Confidence.PROVED]
