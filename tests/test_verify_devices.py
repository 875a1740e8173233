"""Backends, devices and precisions, and one program under two interpreters."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from torch_compile_lint.front import verify_compare
from torch_compile_lint.model import Report, Stats
from torch_compile_lint.verify.run import Probed, Verified, installed_torch
from torch_compile_lint.verify.workers import Batch, LocalWorkers, Options

PYTHON = os.environ.get("TCLINT_TORCH_PYTHON", sys.executable)
OTHER = os.environ.get("TCLINT_OTHER_PYTHON", "")  # a second interpreter with another torch
needs_torch = pytest.mark.skipif(not installed_torch(PYTHON), reason="needs torch")
ROOT = Path(__file__).resolve().parent.parent
NET = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)
    def forward(self, x):
        x = self.body(x)
        if x.sum() > 0:
            x = x * 2
        return x.relu()

def tclint_inputs():
    return Net(), (torch.ones(2, 3),)
"""


def probed(path: Path, backend: str = "eager", device: str = "cpu", **probe: Any) -> dict[str, Any]:
    setup = {"file": str(path), "search": [], "watch": [str(path)], "memory": 4 << 30, "device": device}
    step = {"how": "factory", "function": "tclint_inputs"}
    whole = {"id": 0, "title": "Net", "timeout": 120, "calls": 3, "steps": [step], **probe}
    found: list[dict[str, Any]] = []
    one = Batch({**setup, "backend": backend}, (whole,))
    LocalWorkers(Options(PYTHON, backend=backend)).run([one], lambda _, __, result: found.append(result))
    return found[0]


@needs_torch
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_backends_see_the_same_break(backend: str, tmp_path: Path) -> None:
    if backend == "inductor" and not os.environ.get("TCLINT_ALL_BACKENDS"):
        pytest.skip("twenty seconds of a C++ compiler: TCLINT_ALL_BACKENDS=1")
    if backend == "inductor" and shutil.which("g++") is None and shutil.which("clang++") is None:
        pytest.skip("inductor needs a C++ compiler")
    path = tmp_path / "net.py"
    path.write_text(NET)
    result = probed(path, backend)
    assert result["outcome"] == "ran", result
    (variant,) = result["variants"]
    assert [(event["kind"], event["line"]) for event in variant["events"]] == [("break", 10)]
    assert variant["differences"] == []


@needs_torch
def test_lines_that_only_half_precision_reaches_are_reached(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(NET.replace("if x.sum() > 0:", "if x.dtype == torch.float16:"))
    result = probed(path, wanted=[[str(path), 11]], precisions=True)
    names = [variant["name"] for variant in result["variants"]]
    assert names == ["", "autocast", "float16"]  # bfloat16 is not needed any more
    assert 11 in result["variants"][-1]["lines"][str(path)]


@needs_torch
def test_without_a_gpu_one_line_says_so(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(NET)
    result = probed(path, device="cuda")
    if result["outcome"] == "ran":  # there is one: autocast and half precision are always tried there
        names = {variant["name"] for variant in result["variants"]}
        assert {"autocast", "float16", "bfloat16"} <= names
        return
    assert (result["outcome"], result["reason"]) == ("could-not-run", "no CUDA")
    assert result["error"] in ("this torch was built without CUDA", "no CUDA device was found")


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs torch in this interpreter")
def test_module_and_inputs_move_to_the_device_and_to_the_precision() -> None:
    import torch
    from torch_compile_lint.worker import ladder, probe
    from torch_compile_lint.worker.observe import autocast
    from torch_compile_lint.worker.target import Target

    def target() -> Target:
        inputs: dict[str, Any] = {
            "x": torch.ones(2, 3),
            "many": [torch.ones(1), 7],
            "ids": torch.ones(2).long(),
        }
        return Target(torch.nn.Linear(3, 3), [((), inputs)], name="Net")

    moved = target()
    probe.prepare(moved, "meta")  # stands in for a GPU: values there are as far away
    assert {p.device.type for p in moved.fn.parameters()} == {"meta"}
    ((_, kwargs),) = moved.calls
    assert kwargs["x"].device.type == kwargs["many"][0].device.type == "meta"
    assert kwargs["many"][1] == 7
    variants = list(ladder.precisions(target(), "cuda"))
    assert [(v.name, v.dtype, v.autocast, v.always) for v in variants] == [
        ("Net, autocast", "", "float16", True),
        ("Net, float16", "float16", "", True),
        ("Net, bfloat16", "bfloat16", "", True),
    ]
    assert not any(v.always for v in ladder.precisions(target(), "cpu"))
    half = variants[1]
    probe.prepare(half, "cpu")
    ((_, kwargs),) = half.calls
    assert (kwargs["x"].dtype, kwargs["ids"].dtype) == (torch.float16, torch.int64)
    assert autocast(variants[0], "cuda:0").device == "cuda"
    assert autocast(variants[0], "cpu").device == "cpu"


def outcome(torch: str, *sites: tuple[int, str, str], problem: bool = False) -> Verified:
    events = [
        {"kind": kind, "path": "/p/net.py", "line": line, "gb": gb, "text": "why", "stack": []}
        for line, kind, gb in sites
    ]
    variant = {"name": "Net", "events": events, "graphs_after_call": [1, 1], "evidence": "call", "source": ""}
    variant.update(differences=[], seconds={"eager": 0.0, "compiled": 0.0})
    result = {"outcome": "ran", "stage": "", "reason": "", "error": "", "variants": [variant]}
    if problem:
        result.update(outcome="could-not-run", reason="crash", variants=[])
    made = Verified(Report((), (), Stats(), torch, "modules"), torch=torch)
    made.probes.append(Probed("/p/net.py", "Net", result))
    return made


def test_breaks_that_appear_and_vanish() -> None:
    old = outcome("2.9.1", (3, "break", "GB0170"), (5, "break", "GB0124"))
    new = outcome("2.14.1", (3, "break", "GB0170"), (8, "skip", "GB0059"))
    text, worse = verify_compare.render(old, new)
    assert worse == 1
    assert text.startswith("torch 2.9.1 -> 2.14.1: 1 module compared\n")
    shown = [line.split(":", 1) for line in text.splitlines()[1:]]
    assert [head.split()[0] for head, _ in shown] == ["appears", "vanishes"]
    assert "8: skip GB0059 why in Net" in text and "5: break GB0124 why in Net" in text
    content = json.loads(verify_compare.render(old, new, "json")[0])
    assert [row["line"] for row in content["appeared"]] == [8]
    same, none = verify_compare.render(old, old)
    assert (none, "no break appears, none vanishes" in same) == (0, True)


def test_a_module_that_runs_under_one_release_only_is_not_compared() -> None:
    old, new = outcome("2.9.1", problem=True), outcome("2.14.1", (3, "break", "GB0170"))
    text, worse = verify_compare.render(old, new)
    assert worse == 0
    assert "not compared: net.py:Net could be run under one of them only" in text


def compare(folder: Path, first: str, second: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in ("lint", "rules"))}
    command = [
        sys.executable,
        "-m",
        "torch_compile_lint",
        "verify",
        "net.py",
        "--compare-torch",
        first,
        second,
    ]
    return subprocess.run(
        [*command, "-j", "1"], cwd=folder, env=env, capture_output=True, text=True, timeout=500, check=False
    )


@needs_torch
def test_the_same_interpreter_twice_differs_in_nothing(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    done = compare(tmp_path, PYTHON, PYTHON)
    assert done.returncode == 0, done.stderr
    assert "1 module compared" in done.stdout
    assert "no break appears, none vanishes" in done.stdout


@needs_torch
@pytest.mark.skipif(not installed_torch(OTHER) if OTHER else True, reason="needs TCLINT_OTHER_PYTHON")
def test_two_interpreters(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    done = compare(tmp_path, PYTHON, OTHER)
    assert done.returncode in (0, 1), done.stderr
    assert f"torch {installed_torch(PYTHON)} -> {installed_torch(OTHER)}: 1 module compared" in done.stdout


def test_compare_refuses_what_it_cannot_write() -> None:
    from torch_compile_lint.config import ConfigError

    with pytest.raises(ConfigError, match="--compare-torch writes text or json"):
        verify_compare.run(argparse.Namespace(format="html"))
