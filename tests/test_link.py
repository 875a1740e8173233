"""Names, imports and classes across files."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from torch_compile_lint import discovery, source
from torch_compile_lint.index import index_file
from torch_compile_lint.program.canonical import canonical, external_is_module
from torch_compile_lint.program.external import ExternalPackages
from torch_compile_lint.program.link import Program
from torch_compile_lint.program.symbols import (
    ClassSymbol,
    ExternalSymbol,
    FunctionSymbol,
    ModuleSymbol,
    Symbol,
    VariableSymbol,
)


def build(root: Path, files: dict[str, str], search: tuple[str, ...] = ()) -> Program:
    """Write files and link them; what lies below `site/` is another package."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    source.forget_folders()
    found = [f for f in discovery.discover([str(root)]).files if "/site/" not in f]
    external = ExternalPackages([str(root / "site")])
    return Program([index_file(source.read_source(f)) for f in found], external)


def short(root: Path, symbol: Symbol | None) -> str:
    if isinstance(symbol, FunctionSymbol):
        return f"def {Path(symbol.path).relative_to(root).as_posix()}:{symbol.qualname}"
    if isinstance(symbol, ClassSymbol):
        return f"class {symbol.symbol}"
    if isinstance(symbol, ModuleSymbol):
        return f"module {symbol.name}"
    if isinstance(symbol, VariableSymbol):
        return f"variable {symbol.name}"
    return symbol.name if isinstance(symbol, ExternalSymbol) else "nothing"


PROGRAM = {
    "pyproject.toml": "",
    "pkg/__init__.py": "from .layers import *\nfrom .layers import Block as Renamed\nfrom . import sub\n",
    "pkg/layers.py": """
        import torch.nn as nn
        import torch.nn.functional as F
        from torch.nn.modules.linear import Linear as L
        from .base import Base
        __all__ = ["Block", "helper"]
        SIZE = 3
        class Block(Base): pass
        class Hidden(Base): pass
        def helper(x): return F.relu(x)
        def _private(): pass
    """,
    "pkg/base.py": "from torch import nn\nclass Base(nn.Module):\n    def forward(self, x): return x\n",
    "pkg/sub/__init__.py": "from pkg.layers import SIZE\nfrom .deep import *\n",
    "pkg/sub/deep.py": "from ..layers import helper as h\ndef dive(): pass\n_hidden = 1\n",
    "main.py": """
        import os.path
        import numpy as np
        import pkg
        import pkg.sub.deep
        from pkg import Renamed, Block, helper, sub
        from pkg.sub import dive, SIZE
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from pkg.base import Base
        try:
            from fast import run
        except ImportError:
            def run(): pass
        alias = pkg.layers.helper
    """,
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Renamed", "class pkg.layers.Block"),
        ("Block", "class pkg.layers.Block"),
        ("helper", "def pkg/layers.py:helper"),
        ("pkg.helper", "def pkg/layers.py:helper"),
        ("pkg.Hidden", "nothing"),
        ("pkg.layers.Hidden", "class pkg.layers.Hidden"),
        ("pkg.layers._private", "def pkg/layers.py:_private"),
        ("pkg.layers.F.relu", "torch.nn.functional.relu"),
        ("pkg.layers.L", "torch.nn.Linear"),
        ("pkg.sub.deep.dive", "def pkg/sub/deep.py:dive"),
        ("pkg.sub.deep.h", "def pkg/layers.py:helper"),
        ("dive", "def pkg/sub/deep.py:dive"),
        ("sub", "module pkg.sub"),
        ("SIZE", "variable SIZE"),
        ("Base", "class pkg.base.Base"),
        ("Base.forward", "def pkg/base.py:Base.forward"),
        ("Block.forward", "def pkg/base.py:Base.forward"),
        ("np.interp", "numpy.interp"),
        ("os.path.join", "os.path.join"),
        ("print", "builtins.print"),
        ("TYPE_CHECKING", "typing.TYPE_CHECKING"),
        ("run", "def main.py:run"),
        ("absent", "nothing"),
    ],
)
def test_names(tmp_path: Path, name: str, expected: str) -> None:
    program = build(tmp_path, PROGRAM)
    assert short(tmp_path, program.resolve(str(tmp_path / "main.py"), name)) == expected


def test_a_conditional_import_has_two_meanings(tmp_path: Path) -> None:
    program = build(tmp_path, PROGRAM)
    found = program.resolve_all(str(tmp_path / "main.py"), "run")
    assert [short(tmp_path, s) for s in found] == ["def main.py:run", "fast.run"]


def test_absolute_names(tmp_path: Path) -> None:
    program = build(tmp_path, PROGRAM)
    assert program.absolute("pkg.layers.Block") == (ClassSymbol("pkg.layers.Block"),)
    assert program.absolute("torch.nn.modules.conv.Conv2d") == (ExternalSymbol("torch.nn.Conv2d"),)


def test_stars_cycles_and_builtins(tmp_path: Path) -> None:
    program = build(
        tmp_path,
        {
            "a.py": "from b import *\nfrom b import thing\ndef one(): pass\n",
            "b.py": "from a import *\nfrom a import thing\ndef two(): pass\n",
            "c.py": "from torch import *\nfrom a import *\n",
        },
    )
    a, c = str(tmp_path / "a.py"), str(tmp_path / "c.py")
    assert short(tmp_path, program.resolve(a, "two")) == "def b.py:two"
    assert short(tmp_path, program.resolve(a, "one")) == "def a.py:one"
    assert program.resolve(a, "thing") is None
    assert short(tmp_path, program.resolve(c, "two")) == "def b.py:two"
    assert short(tmp_path, program.resolve(c, "relu")) == "torch.relu"
    assert short(tmp_path, program.resolve(c, "print")) == "builtins.print"


def test_a_circle_hides_nothing(tmp_path: Path) -> None:
    program = build(
        tmp_path,
        {
            "a.py": "from b import *\nfrom d import *\n",
            "b.py": "from a import *\n",
            "d.py": "def x(): pass\n",
        },
    )
    for name in ("a.py", "b.py"):
        assert short(tmp_path, program.resolve(str(tmp_path / name), "x")) == "def d.py:x"


def test_duplicate_module_names(tmp_path: Path) -> None:
    program = build(
        tmp_path,
        {
            "one/model.py": "class Net: pass\n",
            "one/train.py": "from model import Net\n",
            "two/model.py": "class Net: pass\n",
            "two/train.py": "from model import Net\n",
        },
    )
    found = {}
    for name in ("one", "two"):
        symbol = program.resolve(str(tmp_path / name / "train.py"), "Net")
        assert isinstance(symbol, ClassSymbol)
        info = program.classes.info(symbol.symbol)
        assert info is not None
        found[name] = info.path
    assert found == {n: str(tmp_path / n / "model.py") for n in ("one", "two")}


def test_a_script_finds_its_neighbour(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": "",
        "tools/run.py": "import near\nimport logging\n",
        "tools/near.py": "def f(): pass\n",
    }
    program = build(tmp_path, {**files, "tools/logging.py": ""})
    run = str(tmp_path / "tools/run.py")
    assert short(tmp_path, program.resolve(run, "near.f")) == "def tools/near.py:f"
    assert short(tmp_path, program.resolve(run, "logging.info")) == "logging.info"


NAMESPACE = "import ns.part.a\nfrom ns.part import a\n"


def test_namespace_packages(tmp_path: Path) -> None:
    program = build(
        tmp_path,
        {
            "pyproject.toml": "",
            "src/ns/part/a.py": "def f(): pass\n",
            "src/ns/b.py": "import ns.part.a\nfrom ns.part import a\n",
        },
    )
    b = str(tmp_path / "src/ns/b.py")
    assert short(tmp_path, program.resolve(b, "ns.part.a.f")) == "def src/ns/part/a.py:f"
    assert short(tmp_path, program.resolve(b, "a.f")) == "def src/ns/part/a.py:f"


# ---------------------------------------------------------------- classes


def test_bases_across_files(tmp_path: Path) -> None:
    program = build(tmp_path, PROGRAM)
    classes = program.classes
    assert classes.mro("pkg.layers.Block") == ("pkg.layers.Block", "pkg.base.Base", "torch.nn.Module")
    assert classes.is_module_class("pkg.layers.Block")
    assert classes.is_subclass("pkg.layers.Block", "torch.nn.Module") is True
    assert classes.is_subclass("pkg.layers.Block", "pkg.layers.Hidden") is False
    method = classes.find_method("pkg.layers.Block", "forward")
    assert method is not None and (method.qualname, method.owner, method.kind) == (
        "Base.forward",
        "pkg.base.Base",
        "method",
    )


CLASSES = """
import abc, enum, functools
import torch
from torch import nn
from typing import Generic, TypeVar
T = TypeVar("T")
Chosen = nn.Module if FAST else object
class Root(Chosen): pass
class A(Root, Generic[T]):
    def __init__(self):
        self.x = 1
    def run(self): pass
    @property
    def prop(self): return 1
    @functools.cached_property
    def lazy(self): return 1
    @staticmethod
    def fixed(): pass
    @classmethod
    def make(cls): pass
    other = run
    class Inner(nn.Module): pass
class B(A[int]):
    def __init__(self):
        super().__init__()
        self.x = 2
        self.y = 3
    def run(self): super().run()
class Mixin:
    def run(self): pass
class C(Mixin, B): pass
class D(A, B): pass
class E(unknown()): pass
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x
class G(G): pass
class H(I): pass
class I(H): pass
class Plain: pass
class J(A.Inner): pass
"""


def test_classes(tmp_path: Path) -> None:
    program = build(tmp_path, {"m.py": CLASSES})
    classes = program.classes
    assert classes.mro("m.C")[:4] == ("m.C", "m.Mixin", "m.B", "m.A")
    assert classes.is_module_class("m.C") and classes.is_module_class("m.J")
    assert not classes.is_module_class("m.Plain") and not classes.is_module_class("m.F")
    assert classes.is_autograd_function("m.F")
    assert classes.mro("m.D")[:3] == ("m.D", "m.A", "m.Root")  # no consistent order: depth first
    assert classes.mro("m.E") == ("m.E", "?")
    assert classes.is_subclass("m.E", "torch.nn.Module") is None
    assert classes.is_subclass("m.Plain", "torch.nn.Module") is False
    assert classes.mro("m.G") == ("m.G",)
    assert "m.I" in classes.mro("m.H")
    kinds = {n: classes.find_method("m.C", n) for n in ("run", "prop", "lazy", "fixed", "make", "other")}
    assert {n: m.kind for n, m in kinds.items() if m is not None} == {
        "run": "method",
        "prop": "property",
        "lazy": "cached-property",
        "fixed": "static",
        "make": "class",
        "other": "method",
    }
    after = classes.find_method("m.C", "run", after="m.Mixin")
    assert after is not None and after.qualname == "B.run"
    last = classes.find_method("m.C", "run", after="m.B")
    assert last is not None and last.qualname == "A.run"
    assert classes.find_method("m.C", "run", after="m.A") is None


def test_attributes(tmp_path: Path) -> None:
    classes = build(tmp_path, {"m.py": CLASSES}).classes
    found = classes.attribute_sketches("m.C", "x")
    assert [(info.symbol, sketch.method) for info, sketch in found] == [
        ("m.B", "B.__init__"),
        ("m.A", "A.__init__"),
    ]
    assert classes.instance_attributes("m.C") == ("x", "y", "other")


# ---------------------------------------------------------------- other packages


def test_bases_in_another_package(tmp_path: Path) -> None:
    program = build(
        tmp_path,
        {
            "app/m.py": """
                from lightning import LightningModule
                from zoo import Net, Odd, Thing, NNModule
                from absent import ModelMixin, Whatever
                class A(Net): pass
                class B(Odd): pass
                class C(LightningModule): pass
                class D(ModelMixin): pass
                class E(Whatever): pass
                class F(NNModule): pass
            """,
            "site/zoo/__init__.py": """
                from .impl import *
                from .impl import Odd
                from torch.nn import Module as NNModule
            """,
            "site/zoo/impl.py": """
                import torch
                class Net(torch.nn.Module):
                    def forward(self, x): pass
                class Odd: pass
            """,
        },
    )
    classes = program.classes
    answers = {n: classes.is_module_class(f"m.{n}") for n in "ABCDEF"}
    assert answers == {"A": True, "B": False, "C": True, "D": True, "E": False, "F": True}
    assert classes.mro("m.A") == ("m.A", "zoo.impl.Net", "torch.nn.Module")
    method = classes.find_method("m.A", "forward")
    assert method is not None and method.external
    assert all(str(tmp_path / "site") not in path for path in program.files)


def test_canonical_names() -> None:
    assert canonical("torch.nn.modules.linear.Linear") == "torch.nn.Linear"
    assert canonical("torch.nn.modules.Linear") == "torch.nn.Linear"
    assert canonical("torch.nn.modules.utils._pair") == "torch.nn.modules.utils._pair"
    assert canonical("torch._tensor.Tensor.item") == "torch.Tensor.item"
    assert canonical("torch.nn.functional.relu") == "torch.nn.functional.relu"
    assert canonical("torch.distributions.normal.Normal") == "torch.distributions.Normal"
    assert external_is_module("torch.nn.LSTM") and not external_is_module("torch.nn.Parameter")
    assert not external_is_module("torch.nn.functional.relu")
