"""Real workers under a real torch: evil probes beside good ones, inputs, the command line, interruption."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest
from torch_compile_lint.verify.run import installed_torch
from torch_compile_lint.verify.workers import (
    Batch,
    LocalWorkers,
    Options,
    WorkerProblem,
    scrubbed_environment,
)

PYTHON = os.environ.get("TCLINT_TORCH_PYTHON", sys.executable)
needs_torch = pytest.mark.skipif(not installed_torch(PYTHON), reason="needs torch")
ROOT = Path(__file__).resolve().parent.parent

EVIL = """
import ctypes, os, threading, time
import torch

def good():
    def f(x):
        y = x + 1
        if y.sum() > 0:
            y = y * 2
        return y
    return f, (torch.ones(3),)

def segfault():
    def f(x):
        ctypes.string_at(0)
        return x
    return f, (torch.ones(3),)

def leaves():
    os._exit(0)

def loops():
    def f(x):
        while True:
            x = x + 1
    return f, (torch.ones(3),)

def bomb():
    while True:
        os.fork()

def eats():
    return (lambda x: torch.zeros(25 << 30).fill_(1)), (torch.ones(3),)

def floods():
    def f(x):
        for _ in range(1 << 10):
            print("x" * (1 << 20))
        return x
    return f, (torch.ones(3),)

def deadlock():
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()

def raises():
    raise KeyError("no such thing")
"""
NAMES = ("good", "segfault", "leaves", "loops", "bomb", "eats", "floods", "deadlock", "raises")


def batch(path: Path, steps: list[list[dict[str, Any]]], timeout: float = 30.0) -> Batch:
    setup = {"file": str(path), "search": [], "watch": [str(path)], "memory": 4 << 30, "device": "cpu"}
    probes = [
        {"id": n, "title": str(n), "timeout": timeout, "calls": 3, "steps": s} for n, s in enumerate(steps)
    ]
    return Batch({**setup, "backend": "eager"}, tuple(probes))


def run(one: Batch) -> list[dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    LocalWorkers(Options(PYTHON)).run([one], lambda _, probe, result: found.update({probe: result}))
    return [found[number] for number in range(len(one.probes))]


@needs_torch
def test_evil_probes_hurt_nobody_else(tmp_path: Path) -> None:
    path = tmp_path / "evil.py"
    path.write_text(EVIL)
    steps = [[{"how": "factory", "function": name}] for name in (*NAMES, "good")]
    results = dict(zip((*NAMES, "again"), run(batch(path, steps, timeout=20.0)), strict=True))
    for name in ("good", "again"):
        assert results[name]["outcome"] == "ran", results[name]
        (variant,) = results[name]["variants"]
        assert [(event["kind"], event["line"]) for event in variant["events"]] == [("break", 8)]
    for name in NAMES[1:]:
        assert results[name]["outcome"] == "could-not-run", (name, results[name])
    assert results["segfault"]["error"] == "killed by SIGSEGV"
    assert results["loops"]["reason"] == "time-out"
    assert results["deadlock"]["reason"] == "time-out"
    assert results["bomb"]["reason"] in ("processes", "time-out", "memory", "crash", "factory")
    assert results["floods"]["reason"] == "output"
    assert results["raises"]["error"] == "KeyError: 'no such thing'"


@needs_torch
def test_inputs_are_found(tmp_path: Path) -> None:
    path = tmp_path / "nets.py"
    path.write_text(
        textwrap.dedent(
            """
            import torch
            from torch import nn

            class Conv(nn.Module):
                def __init__(self, in_channels, out_channels, kernel_size):
                    super().__init__()
                    self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
                def forward(self, image):
                    return self.conv(image).relu()

            class Words(nn.Module):
                def __init__(self, vocab_size, d_model, num_heads):
                    super().__init__()
                    self.embed = nn.Embedding(vocab_size, d_model)
                    self.attention = nn.MultiheadAttention(d_model, num_heads, batch_first=True)
                    self.out = nn.Linear(d_model, 2)
                def forward(self, input_ids, attention_mask=None):
                    h = self.embed(input_ids)
                    h, _ = self.attention(h, h, h)
                    if attention_mask is not None:
                        h = h * attention_mask[..., None]
                    return self.out(h)

            class Later(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.body = nn.Sequential(nn.Linear(48, 8), nn.ReLU())
                def forward(self, x, y):
                    return self.body(x) + y.mean()

            def plain(x, y):
                return x @ y.transpose(-1, -2)
            """
        )
    )
    names = ("Conv", "Words", "Later")
    steps = [[{"how": "synthesize", "class": name, "method": "forward", "hints": {}}] for name in names]
    steps.append([{"how": "synthesize", "function": "plain", "hints": {}}])
    results = run(batch(path, steps, timeout=60.0))
    for result in results:
        assert result["outcome"] == "ran", result
    assert all(v["evidence"] == "synthesized" for r in results for v in r["variants"])
    titles = [v["name"] for v in results[1]["variants"]]
    assert "Words, attention_mask given" in titles
    reached = {line for v in results[1]["variants"] for line in v["lines"][str(path)]}
    assert 22 in reached  # the guarded line


GIANT = """
import torch
from torch import nn

class Giant(nn.Module):
    def __init__(self, width=60_000):
        super().__init__()
        self.first = nn.Linear(width, width)
        self.second = nn.Linear(width, width)
    def forward(self, x):
        x = self.first(x)
        print(x.shape)
        if x.sum() > 0:
            x = x * 2
        return self.second(x)

def tclint_inputs():
    return Giant(), (torch.ones(2, 60_000),)
"""


@needs_torch
def test_a_giant_is_observed_without_its_memory(tmp_path: Path) -> None:
    path = tmp_path / "giant.py"
    path.write_text(GIANT)
    (result,) = run(batch(path, [[{"how": "factory", "function": "tclint_inputs"}]], timeout=60.0))
    assert result["outcome"] == "ran", result
    (variant,) = result["variants"]
    assert "on fake tensors" in variant["source"]
    assert [(event["kind"], event["line"]) for event in variant["events"]] == [("break", 12), ("break", 13)]


MARKED = """
import torch
from torch import compile

@compile(fullgraph=True)
def marked(x: torch.Tensor):
    if x.sum() > 0:
        x = x * 2
    return x

def tclint_inputs():
    return marked, (torch.ones(2),)

def later():
    def f(x):
        if x.sum() > 0:
            x = x * 2
        return x
    return {"fn": compile(f, backend="eager"), "args": (torch.ones(2),), "raw": True}
"""


@needs_torch
def test_a_mark_of_the_user_keeps_its_options_and_compiles_nothing_itself(tmp_path: Path) -> None:
    path = tmp_path / "marked.py"
    path.write_text(MARKED)
    steps = [[{"how": "factory", "function": name}] for name in ("tclint_inputs", "later")]
    first, second = (result["variants"][0] for result in run(batch(path, steps, timeout=60.0)))
    assert {(event["kind"], event["line"]) for event in first["events"]} == {("error", 7)}
    assert {(event["kind"], event["line"]) for event in second["events"]} == {("break", 16)}


def test_secrets_do_not_reach_a_worker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("HF_TOKEN", "secret")
    kept = scrubbed_environment(str(tmp_path), "eager")
    assert "secret" not in kept.values()
    assert kept["HOME"] == kept["TMPDIR"] == str(tmp_path)


def test_an_interpreter_without_torch_is_one_line(tmp_path: Path) -> None:
    import venv

    venv.create(tmp_path / "bare", with_pip=False)
    python = tmp_path / "bare" / "bin" / "python"
    with pytest.raises(WorkerProblem, match="has no torch"):
        LocalWorkers(Options(str(python))).run([batch(tmp_path / "x.py", [[]])], lambda *_: None)
    with pytest.raises(WorkerProblem, match="cannot start"):
        LocalWorkers(Options("/no/such/python")).run([batch(tmp_path / "x.py", [[]])], lambda *_: None)


NET = """
import time
import torch
from torch import nn

class Net(nn.Module):
    def forward(self, x, flag=False):
        if x.sum() > 0:
            x = x * 2
        if flag:
            print(x)
        return x

def tclint_inputs():
    return Net(), (torch.ones(2, 3),)
"""


def tclint(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in ("lint", "rules"))}
    command = [
        sys.executable,
        "-m",
        "torch_compile_lint",
        "verify",
        *arguments,
        "--python",
        PYTHON,
        "-j",
        "1",
    ]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=500, check=False)


@needs_torch
def test_command_line(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    done = tclint("net.py", "--format", "json", "--write-contract", "agreed.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    verdicts = {finding["line"]: finding["verdict"] for finding in report["findings"]}
    assert verdicts[8]["outcome"] == "confirmed"
    assert verdicts[8]["evidence"] == "example"
    assert verdicts[8]["torch"] == installed_torch(PYTHON)
    modules = json.loads((tmp_path / "agreed.json").read_text())["modules"]
    assert any(row["breaks"] >= 1 for row in modules.values())
    started = time.monotonic()
    again = tclint("net.py", cwd=tmp_path)
    assert again.returncode == 1
    assert "confirmed     net.py:8:" in again.stdout
    assert time.monotonic() - started < 60  # from the cache
    page = tclint("net.py", "--format", "html", "--output", "page.html", cwd=tmp_path)
    assert page.returncode == 1
    assert "class=confirmed" in (tmp_path / "page.html").read_text()
    assert tclint("net.py", "--contract", "agreed.json", cwd=tmp_path).returncode == 0


@needs_torch
def test_no_cuda_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    done = tclint("net.py", "--format", "json", "--device", "cuda", cwd=tmp_path)
    if "no CUDA" not in done.stdout:
        pytest.skip("there is a CUDA device here")
    outcomes = {finding["verdict"]["outcome"] for finding in json.loads(done.stdout)["findings"]}
    assert outcomes == {"could-not-run"}
    assert done.returncode == 0


def test_bad_options_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("x = 1\n")
    cases = {
        ("nowhere.py",): "no such file or folder: nowhere.py",
        ("net.py", "--backend", "tvm"): "--backend must be one of",
        ("net.py", "--device", "tpu"): "--device must be",
        ("net.py", "--inputs", "net.py"): "--inputs must be FILE:FUNCTION",
        ("net.py", "--timeout", "0"): "must be positive",
        ("net.py", "--executor", "ray://x:1"): "--executor must be dask://HOST:PORT",
    }
    for arguments, expected in cases.items():
        done = tclint(*arguments, cwd=tmp_path)
        assert done.returncode == 2
        assert expected in done.stderr
        assert done.stderr.count("\n") == 1


@needs_torch
def test_interruption_leaves_no_process_and_says_what_is_known(tmp_path: Path) -> None:
    begun = tmp_path / "begun"  # processes that come and go before the first probe prove nothing
    asleep = f"open({str(begun)!r}, 'w').close(); time.sleep(300); return Net()"
    (tmp_path / "net.py").write_text(NET.replace("return Net()", asleep))
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in ("lint", "rules"))}
    command = [sys.executable, "-m", "torch_compile_lint", "verify", "net.py", "--python", PYTHON]
    process = subprocess.Popen(
        [*command, "--timeout", "300"],
        cwd=tmp_path,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 200
    from torch_compile_lint.worker import sandbox

    while time.monotonic() < deadline and not begun.exists():
        time.sleep(0.2)
    family = sandbox.descendants(process.pid)
    assert len(family) >= 3  # worker, its batch, its probe
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted: 2 probes were not run" in err
    assert "could-not-run" in out
    time.sleep(0.5)
    assert not [pid for pid in family if os.path.exists(f"/proc/{pid}") and _alive(pid)]


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


BASES = """
import abc
import torch
from torch import nn

class Base(nn.Module, abc.ABC):
    @abc.abstractmethod
    def step(self, x): ...
    def forward(self, *inputs):
        return self.step(inputs[0])

class Plain(Base):
    def step(self, x):
        return x * 2

class Branching(Base):
    def __init__(self, width=3):
        super().__init__()
    def step(self, x):
        if x.sum() > 0:
            x = x * 2
        return x
"""


@needs_torch
def test_a_base_class_is_seen_through_the_subclass_that_holds_the_finding(tmp_path: Path) -> None:
    path = tmp_path / "bases.py"
    path.write_text(BASES)
    step = {"how": "synthesize", "class": "Base", "method": "forward", "hints": {}}
    one = batch(path, [[step]], timeout=60.0)
    one.probes[0]["wanted"] = [[str(path), 20]]
    (result,) = run(one)
    assert result["outcome"] == "ran", result
    assert {variant["name"] for variant in result["variants"]} == {"Branching"}
    assert {(e["kind"], e["line"]) for v in result["variants"] for e in v["events"]} == {("break", 20)}
