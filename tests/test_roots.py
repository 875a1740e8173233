"""Compile roots: every spelling of torch.compile, and forward of module classes."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from torch_compile_lint import source
from torch_compile_lint.index import index_file
from torch_compile_lint.program.link import Program
from torch_compile_lint.program.roots import Root, find_roots

HEAD = """\
import functools
import torch
from torch import nn
from torch import compile as tc
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
    def forward(self, x): return self.inner(x)
    def step(self, x): return x
class Inner(nn.Module):
    def forward(self, x): return x
def f(x): return x
"""


def roots(tmp_path: Path, text: str, mode: str = "marked") -> list[Root]:
    path = tmp_path / "m.py"
    path.write_text(text, encoding="utf-8")
    source.forget_folders()
    return list(find_roots(Program([index_file(source.read_source(str(path)))]), mode))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("@torch.compile\ndef g(x): pass", ["g"]),
        ("@torch.compile()\ndef g(x): pass", ["g"]),
        ("@torch.compile(fullgraph=True)\ndef g(x): pass", ["g!"]),
        ("@tc\ndef g(x): pass", ["g"]),
        ("@functools.partial(torch.compile, fullgraph=True)\ndef g(x): pass", ["g!"]),
        ("compiled = functools.partial(torch.compile, fullgraph=True)\n@compiled\ndef g(x): pass", ["g!"]),
        ("opt = torch.compile(fullgraph=True)\n@opt\ndef g(x): pass", ["g!"]),
        ("c = torch.compile\n@c\ndef g(x): pass", ["g"]),
        ("import torch._dynamo as dynamo\n@dynamo.optimize('eager')\ndef g(x): pass", ["g"]),
        ("@torch._dynamo.optimize(nopython=True)\ndef g(x): pass", ["g!"]),
        ("def deco(fn):\n    return torch.compile(fn, fullgraph=True)\n@deco\ndef g(x): pass", ["g!"]),
        ("@torch.no_grad()\n@torch.compile\ndef g(x): pass", ["g"]),
        ("class M(nn.Module):\n    @torch.compile\n    def step(self, x): pass", ["M.step@m.M"]),
        ("h = torch.compile(f)", ["f"]),
        ("h = torch.compile(model=f)", ["f"]),
        ("h = tc(f, fullgraph=True)", ["f!"]),
        ("h = torch.compile(fullgraph=True)(f)", ["f!"]),
        ("h = torch._dynamo.optimize('eager')(f)", ["f"]),
        ("h = functools.partial(torch.compile, fullgraph=True)(f)", ["f!"]),
        ("h = torch.compile(functools.partial(f, 1))", ["f"]),
        ("h = torch.compile(Net())", ["Net.forward@m.Net"]),
        ("h = torch.compile(Net().to('cuda').eval())", ["Net.forward@m.Net"]),
        ("net = Net()\nnet = torch.compile(net)", ["Net.forward@m.Net"]),
        ("net = Net()\nnet.compile(fullgraph=True)", ["Net.forward@m.Net!"]),
        ("net = Net()\nnet.step = torch.compile(net.step)", ["Net.step@m.Net"]),
        ("Net.step = torch.compile(Net.step)", ["Net.step@m.Net"]),
        ("net = Net()\nnet.inner = torch.compile(net.inner)", ["Inner.forward@m.Inner"]),
        ("h = torch.compile(lambda x: f(x))", ["<lambda>"]),
        ("def main():\n    net = Net().cuda()\n    net = torch.compile(net)", ["Net.forward@m.Net"]),
        ("def main(net: Net):\n    torch.compile(net)", ["Net.forward@m.Net"]),
        ("def main(net: 'Net | None'):\n    torch.compile(net)", ["Net.forward@m.Net"]),
        ("def main(net: 'Optional[Net]'):\n    torch.compile(net)", ["Net.forward@m.Net"]),
        ("def main(net: Net | None):\n    torch.compile(net)", ["Net.forward@m.Net"]),
        ("def make() -> Net: ...\nh = torch.compile(make())", ["Net.forward@m.Net"]),
        ("def main():\n    @torch.compile\n    def g(x): pass", ["main.<locals>.g"]),
        ("def main():\n    def g(x): pass\n    return torch.compile(g)", ["main.<locals>.g"]),
        ("def main():\n    return torch.compile(lambda x: x)", ["main.<locals>.<lambda>"]),
        (
            "class M(nn.Module):\n    def __init__(self):\n        self.layer = Inner()\n"
            "        self.layer = torch.compile(self.layer)\n        self.step = torch.compile(self.step)\n"
            "        self.compile()\n    def step(self): pass\n    def forward(self): pass",
            ["Inner.forward@m.Inner", "M.step@m.M", "M.forward@m.M"],
        ),
        ("h = torch.compile(nn.Sequential(Inner(), nn.ReLU()))", ["Inner.forward@m.Inner"]),
        ("h = torch.compile(f if FLAG else Net())", ["f", "Net.forward@m.Net"]),
        ("h = torch.compile(torch.compiler.disable(f))", []),
        ("@torch.compiler.disable\n@torch.compile\ndef g(x): pass", []),
        ("@torch._dynamo.disable()\ndef g(x): pass\nh = torch.compile(g)", []),
        ("import re\np = re.compile('x')\nc = compile('1', 'x', 'eval')", []),
        ("class K:\n    def compile(self): pass\nK().compile()", []),
        ("h = torch.compile(unknown)", []),
    ],
)
def test_marks(tmp_path: Path, code: str, expected: list[str]) -> None:
    found = roots(tmp_path, HEAD + code + "\n")
    shown = [r.qualname + (f"@{r.owner}" if r.owner else "") + ("!" if r.fullgraph else "") for r in found]
    assert sorted(shown) == sorted(expected)


def test_options(tmp_path: Path) -> None:
    code = 'h = torch.compile(f, fullgraph=True, dynamic=False, mode="max-autotune", backend="eager")\n'
    (one,) = roots(tmp_path, HEAD + code)
    assert (one.fullgraph, one.dynamic, one.mode, one.backend) == (True, False, "max-autotune", "eager")
    assert (one.mark_line, one.marked, one.kind) == (14, True, "function")


def test_a_lambda_carries_its_sketch(tmp_path: Path) -> None:
    text = HEAD + "h = torch.compile(lambda x: f(x))\n"
    (one,) = roots(tmp_path, text)
    assert one.kind == "lambda" and one.sketch is not None
    assert text[one.sketch.start : one.sketch.end] == "lambda x: f(x)"


def test_the_stricter_of_two_calls_counts(tmp_path: Path) -> None:
    (one,) = roots(tmp_path, HEAD + "a = torch.compile(f)\nb = torch.compile(f, fullgraph=True)\n")
    assert one.fullgraph and one.mark_line == 15


MODULES = """
import torch
from torch import nn
class Base(nn.Module):
    def forward(self, x): return self.part(x)
    def part(self, x): return x
class Same(Base):
    def __init__(self): pass
class Other(Base):
    def part(self, x): return x + 1
class Called(nn.Module):
    def __call__(self, x): return x
class Off(nn.Module):
    @torch.compiler.disable
    def forward(self, x): return x
class Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x
class Not:
    def forward(self, x): return x
class Outer:
    class Deep(Base):
        def forward(self, x): return x
def free(x: torch.Tensor): return x
def quiet(n: int): return n
def uses(n): return torch.zeros(n)
"""


def test_module_roots(tmp_path: Path) -> None:
    found = roots(tmp_path, MODULES, "modules")
    assert [(r.qualname, r.owner) for r in found] == [
        ("Base.forward", "m.Base"),
        ("Base.forward", "m.Other"),
        ("Called.__call__", "m.Called"),
        ("Outer.Deep.forward", "m.Outer.Deep"),
    ]
    assert all(r.kind == "forward" and not r.marked for r in found)


def test_marked_has_no_unmarked_module(tmp_path: Path) -> None:
    assert roots(tmp_path, MODULES, "marked") == []


def test_all_takes_what_touches_torch(tmp_path: Path) -> None:
    names = [r.qualname for r in roots(tmp_path, MODULES, "all")]
    assert "free" in names and "uses" in names and "quiet" not in names


def test_a_mark_in_another_file(tmp_path: Path) -> None:
    files = {
        "net.py": "from torch import nn\nclass Net(nn.Module):\n    def forward(self, x): return x\n",
        "run.py": textwrap.dedent("""
            import torch
            import net
            model = torch.compile(net.Net(), fullgraph=True)
        """),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    source.forget_folders()
    program = Program([index_file(source.read_source(str(tmp_path / n))) for n in files])
    (one,) = find_roots(program)
    assert (one.home, one.path) == (str(tmp_path / "net.py"),) * 2
    assert (one.mark_path, one.mark_line) == (str(tmp_path / "run.py"), 4)
    assert one.fullgraph and one.marked
