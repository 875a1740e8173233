"""The index of one file."""

from __future__ import annotations

import ast
import dataclasses
import sysconfig
from pathlib import Path

import pytest
from torch_compile_lint.facts import ir
from torch_compile_lint.facts.index_ir import ClassIndex, FileIndex
from torch_compile_lint.index import TRIGGERS, absolute_module, index_file, index_tree
from torch_compile_lint.index_facts import tree_from_facts
from torch_compile_lint.index_triggers import is_plain, is_static_index
from torch_compile_lint.source import SourceFile, read_source, source_from_bytes, source_from_text


def index(text: str, module: str = "pkg.mod", path: str = "pkg/mod.py") -> FileIndex:
    return index_file(source_from_text(path, text, module))


def show(expr: ir.Expr | None) -> str:
    """An expression as short text."""
    if expr is None:
        return "-"
    if isinstance(expr, ir.Const):
        return repr(expr.value)
    if isinstance(expr, ir.Name):
        return expr.name if expr.scope == "global" else f"{expr.name}'"
    if isinstance(expr, ir.Attribute):
        return f"{show(expr.base)}.{expr.attr}"
    if isinstance(expr, ir.Subscript):
        return f"{show(expr.base)}[{show(expr.index)}]"
    if isinstance(expr, ir.Call):
        inner = [f"{a.star}{a.keyword + '=' if a.keyword else ''}{show(a.value)}" for a in expr.args]
        return f"{show(expr.func)}({', '.join(inner)})"
    if isinstance(expr, ir.Sequence):
        return f"{expr.kind}({', '.join(show(i) for i in expr.items)})"
    if isinstance(expr, ir.Binary):
        return f"({show(expr.left)} {expr.op} {show(expr.right)})"
    if isinstance(expr, ir.Compare):
        return f"({show(expr.left)} {' '.join(expr.ops)} {', '.join(show(r) for r in expr.rights)})"
    if isinstance(expr, ir.IfExp):
        return f"({show(expr.body)} if {show(expr.test)} else {show(expr.orelse)})"
    if isinstance(expr, ir.BoolOp):
        return f" {expr.op} ".join(show(v) for v in expr.values)
    return type(expr).__name__


def attributes(one: ClassIndex) -> list[tuple[str, str, str]]:
    return [(a.name, a.op, show(a.value)) for a in one.attributes]


# ---------------------------------------------------------------- units


UNITS = """\
import torch

@deco(1)
def plain(x: int, /, y=2, *rest, key: str = "k", **more) -> bool:
    # é
    return helper(x.attr)


class Net(torch.nn.Module, metaclass=Meta):
    size: int = 3

    def __init__(self):
        pass

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, new):
        self._value = new

    class Inner:
        async def run(self):
            yield 1

if FLAG:
    def late(): return 1
else:
    def late(): return 2
"""


def test_units_slice_back() -> None:
    found = index(UNITS)
    assert set(found.functions) == {
        "plain",
        "Net.__init__",
        "Net.value",
        "Net.value.setter",
        "Net.Inner.run",
        "late",
        "late#1",
    }
    texts = {q: UNITS[f.start : f.end] for q, f in found.functions.items()}
    assert texts["plain"].startswith("@deco(1)\ndef plain") and texts["plain"].endswith("helper(x.attr)")
    assert texts["Net.value"].startswith("@property\n")
    assert texts["Net.Inner.run"].startswith("async def run")
    assert texts["late"].endswith("return 2") and texts["late#1"].endswith("return 1")
    assert found.functions["late#1"].overload and not found.functions["late"].overload
    assert found.functions["Net.Inner.run"].indent == 8
    assert found.functions["Net.Inner.run"].owner == "Net.Inner"
    assert found.functions["Net.Inner.run"].is_async and found.functions["Net.Inner.run"].is_generator
    assert found.functions["plain"].line == 4
    net = found.classes["Net"]
    assert UNITS[net.start : net.end].startswith("class Net(")
    assert net.methods == {"__init__": "Net.__init__", "value": "Net.value"}
    assert [show(b) for b in net.bases] == ["torch.nn.Module"]
    assert [(k, show(v)) for k, v in net.keywords] == [("metaclass", "Meta")]


def test_parameters() -> None:
    plain = index(UNITS).functions["plain"]
    assert [(p.name, p.kind, show(p.annotation), show(p.default)) for p in plain.params] == [
        ("x", "positional-only", "int", "-"),
        ("y", "positional", "-", "2"),
        ("rest", "var-positional", "-", "-"),
        ("key", "keyword-only", "str", "'k'"),
        ("more", "var-keyword", "-", "-"),
    ]
    assert show(plain.returns) == "bool"
    assert [show(d) for d in plain.decorators] == ["deco(1)"]
    assert plain.calls == {"helper", "deco"}
    assert plain.reads == {"attr"}


def test_digests_follow_the_text() -> None:
    before, after = index(UNITS), index(UNITS.replace("return self._value", "return self._longer"))
    same = [q for q in before.functions if before.functions[q].digest == after.functions[q].digest]
    assert sorted(set(before.functions) - set(same)) == ["Net.value"]
    assert before.classes["Net"].digest != after.classes["Net"].digest  # spans behind it move
    swapped = index(UNITS.replace("self._value = new", "self._valve = new"))
    assert before.classes["Net"].digest == swapped.classes["Net"].digest
    assert before.digest != after.digest


def test_offsets_count_code_points() -> None:
    text = 's = "é\U0001f600"; t = torch.f(s)\r\nclass A:\r\n    é = 1\r\n    def f(self): "é"; return x\r\n'
    found = index(text)
    sketch = found.globals["t"][0]
    assert text[sketch.start : sketch.end] == "torch.f(s)"
    method = found.functions["A.f"]
    assert text[method.start : method.end] == 'def f(self): "é"; return x'


def test_every_sketch_slices_back() -> None:
    found = index(UNITS)
    for function in found.functions.values():
        for decorator in function.decorators:
            piece = UNITS[decorator.start : decorator.end]
            assert ast.dump(ast.parse(piece, mode="eval"))


# ---------------------------------------------------------------- imports and globals


def test_imports() -> None:
    text = """
import torch, torch.nn as nn
import a.b.c
from . import x
from .y import z as w
from ..up import v
from star import *
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from t import T
try:
    import fast
except ImportError:
    fast = None
__all__ = ["x", "w"]
__all__ += ["q"]
"""
    found = index(text, "pkg.sub.mod")
    table = {b.local: (b.module, b.attr) for b in found.imports}
    assert table == {
        "torch": ("torch", None),
        "nn": ("torch.nn", None),
        "a": ("a", None),
        "x": ("pkg.sub", "x"),
        "w": ("pkg.sub.y", "z"),
        "v": ("pkg.up", "v"),
        "TYPE_CHECKING": ("typing", "TYPE_CHECKING"),
        "T": ("t", "T"),
        "fast": ("fast", None),
    }
    by_name = {b.local: b for b in found.imports}
    assert by_name["a"].also == "a.b.c"
    assert by_name["T"].typing_only and not by_name["T"].conditional
    assert by_name["fast"].conditional and not by_name["fast"].typing_only
    assert found.star_imports == ("star",)
    assert found.exports == ("x", "w", "q")
    assert show(found.globals["fast"][0]) == "None"


@pytest.mark.parametrize(
    ("module", "is_package", "name", "level", "expected"),
    [
        ("a.b.c", False, "x", 1, "a.b.x"),
        ("a.b.c", True, "x", 1, "a.b.c.x"),
        ("a.b.c", False, None, 2, "a"),
        ("a", False, "x", 1, "x"),
        ("a", False, "x", 5, "x"),
        ("", False, "x", 1, "x"),
        ("a.b", False, "x.y", 0, "x.y"),
    ],
)
def test_absolute_module(module: str, is_package: bool, name: str | None, level: int, expected: str) -> None:
    assert absolute_module(module, is_package, name, level) == expected


def test_open_exports_are_unknown() -> None:
    assert index("__all__ = names()\n").exports is None
    assert index("__all__ = ['a']\n__all__ += other\n").exports is None
    assert index("__all__ = ['a']\n__all__.extend(other)\n").exports is None


def test_globals_of_every_form() -> None:
    found = index(
        "a, b = 1, 'x'\nc: int = 2\nd: int\nfor e in f: pass\ng = 1\ng = None\nwith h() as i: j = 3\n"
    )
    assert {k: [show(e) for e in v] for k, v in found.globals.items()} == {
        "a": ["1"],
        "b": ["'x'"],
        "c": ["2"],
        "d": [],
        "e": [],
        "g": ["1", "None"],
        "i": [],
        "j": ["3"],
    }


def test_large_literals_are_cut() -> None:
    found = index(f"big = {list(range(500))}\ntable = {dict.fromkeys(range(500))}\n")
    assert show(found.globals["big"][0]) == "list(<omitted>)"
    assert show(found.globals["table"][0]) == "dict(**<omitted>)"


# ---------------------------------------------------------------- classes


STORES = """
class Net(nn.Module):
    scale = 2
    def __init__(self, dim, depth=4, act=None):
        super().__init__()
        layers = []
        for i in range(depth):
            layers.append(nn.Linear(dim, dim))
        act = act or nn.ReLU
        self.blocks = nn.Sequential(*layers)
        self.act = act()
        self.register_buffer("mask", torch.zeros(3), persistent=False)
        self.register_parameter(name="w", param=None)
        self.add_module("extra", nn.Identity())
        self.first, (self.second, self.third) = 1, pair
        self.left, self.right = make()
        self.typed: int = 3
        self.table = {}
        self.table["k"] = dim
        self.blocks.append(nn.GELU())
        setattr(self, "late", 1)
        setattr(self, f"layer{depth}", 1)
        unused = expensive()

    def forward(self, x):
        self.count += 1
        with ctx() as self.held:
            return x

    @staticmethod
    def build(self):
        self.nothing = 1
"""


def test_attribute_sketches() -> None:
    net = index(STORES).classes["Net"]
    assert attributes(net) == [
        ("scale", "", "2"),
        ("blocks", "", "nn.Sequential(*layers')"),
        ("act", "", "act'()"),
        ("mask", "register_buffer", "torch.zeros(3)"),
        ("w", "register_parameter", "None"),
        ("extra", "add_module", "nn.Identity()"),
        ("<children>", "append", "nn.Identity()"),
        ("first", "", "1"),
        ("second", "", "pair[0]"),
        ("third", "", "pair[1]"),
        ("left", "", "make()[0]"),
        ("right", "", "make()[1]"),
        ("typed", "", "3"),
        ("table", "", "Dict"),
        ("table", "setitem", "dim'"),
        ("blocks", "append", "nn.GELU()"),
        ("late", "setattr", "1"),
        ("*", "setattr", "1"),
        ("count", "+=", "1"),
        ("held", "with", "ctx()"),
    ]


def test_locals_of_storing_methods() -> None:
    net = index(STORES).classes["Net"]
    found = [(s.name, s.op, show(s.value)) for s in net.locals["Net.__init__"]]
    assert sorted(found) == [
        ("act", "", "act' or nn.ReLU"),
        ("layers", "", "list()"),
        ("layers", "append", "nn.Linear(dim', dim')"),
    ]
    assert "Net.forward" not in net.locals


def test_order_of_stores_is_the_source_order() -> None:
    net = index(
        "class A:\n  def __init__(self):\n    self.a = 1\n    if x:\n      self.a = 2\n    self.a = 3\n"
    )
    assert [show(a.value) for a in net.classes["A"].attributes] == ["1", "2", "3"]


# ---------------------------------------------------------------- triggers


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if x > 0: pass", {"branch"}),
        ("if x is None: pass", set()),
        ("if x is not None and isinstance(x, int): pass", set()),
        ("if self.training: pass", set()),
        ("if x.shape[0] > 3 and x.ndim == 2: pass", set()),
        ("if mode == 'fast': pass", set()),
        ("if mode in ('a', 'b'): pass", set()),
        ("if not torch.jit.is_scripting(): pass", set()),
        ("if len(x) > 1: pass", set()),
        ("if flag: pass", {"branch"}),
        ("if [x][0]: pass", {"branch"}),
        ("if (x, y) == (1, 2): pass", {"branch"}),
        ("y = 1 if x else 2", {"branch"}),
        ("y = a and b", {"bool-op"}),
        ("y = a.shape and b", set()),
        ("y = not x", {"bool-op"}),
        ("y = x in z", {"contains"}),
        ("y = 0 < x < 1", {"chain"}),
        ("y = 0 < x.ndim < 3", set()),
        ("while True: pass", set()),
        ("while x.any(): pass", {"while", "branch"}),
        ("for i in x: pass", {"for"}),
        ("for i in (1, 2): pass", set()),
        ("y = [i for i in x if i]", {"for", "branch"}),
        ("y = x[0], x[:, 1:], x[..., None], x[-1]", set()),
        ("y = x[m]", {"subscript-dynamic"}),
        ("y = x[:n]", {"subscript-dynamic"}),
        ("y = x[: x.shape[0]]", set()),
        ("assert x", {"assert"}),
        ("assert x.ndim == 2, 'no'", set()),
        ("assert x.ndim == 2, f'{x}'", {"assert", "format"}),
        ("import os", {"import"}),
        ("try: pass\nexcept E: pass", {"try"}),
        ("with a: pass", {"with"}),
        ("self.a = 1", {"setattr-self"}),
        ("o.a = 1", {"setattr-other"}),
        ("self.a += 1", {"augassign-self"}),
        ("global g", {"global"}),
        ("del x", {"delete"}),
        ("raise E", {"raise"}),
        ("f(*a)", {"star"}),
        ("f(**a)", {"star"}),
        ("y = f'{x}'", {"format"}),
        ("y = '%s' % x", {"format"}),
        ("g = lambda: 1", {"def"}),
        ("def g(): pass", {"def"}),
        ("class C: pass", {"class"}),
        ("yield 1", {"yield"}),
        ("match x:\n  case 1: pass", {"match"}),
    ],
)
def test_triggers(body: str, expected: set[str]) -> None:
    inner = body.replace("\n", "\n    ")
    found = index(f"def f(self, x):\n    {inner}\n").functions["f"].triggers
    assert found == expected
    assert found <= set(TRIGGERS)


def test_await_is_a_trigger() -> None:
    text = "async def f(x):\n  await x\n  async with x: pass\n  async for i in x: pass\n"
    assert index(text).functions["f"].triggers == {"await", "with", "for"}


def test_init_may_store() -> None:
    assert (
        index("class A:\n  def __init__(self): self.x = 1\n").functions["A.__init__"].triggers == frozenset()
    )


def test_nested_functions_count_for_their_unit() -> None:
    one = index("def f(x):\n  def g(y):\n    yield y\n    print(y)\n  return g(x)\n").functions["f"]
    assert not one.is_generator
    assert {"print", "g"} <= one.calls
    assert {"yield", "def"} <= one.triggers


def test_reads_hold_values_and_properties() -> None:
    one = index("def f(x, y):\n  z = y.prop\n  return map(helper, x), os.environ['A'], z\n").functions["f"]
    assert one.reads == {"prop", "helper", "os", "environ"}


def test_plain_forms_are_never_tensors() -> None:
    for text in ("None", "x.shape", "x.shape[0]", "len(x)", "x.dim() + 1", "-x.ndim", "'a' in x"):
        assert is_plain(ast.parse(text, mode="eval").body), text
    for text in ("x", "x.a", "f(x)", "x + 1", "x[0]", "x == 1", "x.type()", "[x][0]", "a == b"):
        assert not is_plain(ast.parse(text, mode="eval").body), text
    assert is_static_index(ast.parse("x[0, ..., None, 1:2]", mode="eval").body.slice)  # type: ignore[attr-defined]


# ---------------------------------------------------------------- marks


def test_marks() -> None:
    text = """
import re, torch
from torch import compile as tc
pattern = re.compile("x")
def f(net: Net):
    model = net
    model = torch.compile(model, fullgraph=True)
    tc(net)
    torch.compile(mode="x")(net)
    net.compile()
    @torch.compile
    def step(x): return x
    @torch.no_grad()
    def quiet(x): return x
    return step
"""
    found = index(text)
    assert [(show(m.call), m.scope, m.discarded) for m in found.marks] == [
        ("torch.compile(model', fullgraph=True)", "f", False),
        ("tc(net')", "f", True),
        ("torch.compile(mode='x')(net')", "f", True),
        ("net'.compile()", "f", True),
        ("torch.compile(step')", "f", False),
    ]
    sketches = found.marks[0].locals["model"]
    assert [show(s.value) for s in sketches] == ["net'", "torch.compile(model', fullgraph=True)"]


# ---------------------------------------------------------------- suppressions


def suppressions(text: str) -> list[tuple[int, int, str, tuple[str, ...]]]:
    return [(s.line, s.end_line, s.kind, s.codes) for s in index(text).suppressions]


def test_suppressions() -> None:
    text = """\
x = 1  # noqa
y = f(  # noqa: TCD101, E501 because
    1,
)
z = '''
# noqa
'''  # tclint: ignore[TCD101, tensor-branch] the reason
# tclint: ignore[TCD2]
w = g(
    2)
# tclint: ignore-file[TCD401]
s = "# noqa"
t = 1 + \\
    2  # NOQA:tcd101
# noqa
u = 1  # type: ignore  # noqa:TCD3
v = 1  # noqa-no
"""
    assert suppressions(text) == [
        (1, 1, "noqa", ()),
        (2, 4, "noqa", ("TCD101", "E501")),
        (5, 7, "ignore", ("TCD101", "tensor-branch")),
        (8, 10, "ignore", ("TCD2",)),
        (11, 11, "file", ("TCD401",)),
        (13, 14, "noqa", ("TCD101",)),
        (15, 15, "noqa", ()),
        (16, 16, "noqa", ("TCD3",)),
    ]


def test_a_suppression_knows_its_span() -> None:
    text = "x = 1  # why  # noqa: TCD101\n"
    one = index(text).suppressions[0]
    assert text[one.start : one.end] == "# noqa: TCD101"


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("def f(:\n", "1:7: "),
        ("print 'x'\n", "1:1: "),
        ("x = (\n", "1:5: "),
        ("if x:\n\tpass\n        pass\n", "3:"),
        ("é = = 1\n", "1:5: "),
    ],
)
def test_syntax_errors(text: str, where: str) -> None:
    found = index(text)
    assert found.error is not None and found.error.startswith(where)
    assert not found.functions


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 5000 + "1" + ")" * 5000,
        "x = " + "-" * 5000 + "1",
        "x = " + "[" * 150 + "]" * 150,
        "x = a" + ".b" * 5000,
        "x = a" + "()" * 5000,
        "x = " + "1 + " * 5000 + "1",
        "if a: pass\n" + "elif a: pass\n" * 3000,
        "x = " + "not " * 3000 + "1",
        "f" + "(lambda: f" * 90 + ")" * 90,
        "def f():\n" + "".join(" " * i + "if x:\n" for i in range(1, 90)) + " " * 90 + "pass\n",
        "\ud800 = 1\n",
    ],
)
def test_deep_or_odd_source_never_raises(text: str) -> None:
    found = index(text)
    assert found.error is None or found.error[0].isdigit()


def test_a_nul_byte_is_an_error() -> None:
    assert index_file(source_from_bytes("a.py", b"x\0", "a")).error == (
        "1:2: source code cannot contain a NUL byte"
    )


def test_a_long_file() -> None:
    text = "x = f(1)\n" * 100_000
    found = index(text)
    assert found.error is None and found.length == len(text)


STDLIB = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))


@pytest.mark.parametrize("path", STDLIB[:: max(1, len(STDLIB) // 40)], ids=lambda p: p.name)
def test_standard_library(path: Path) -> None:
    source = read_source(str(path))
    found = index_file(source)
    assert found.error is None
    tree = ast.parse(source.text)
    defined = [n for n in ast.walk(tree) if isinstance(n, ast.ClassDef)]
    assert len(found.classes) <= len(defined)
    for key, function in found.functions.items():
        assert key == function.qualname
        text = source.text[function.start : function.end]
        assert text.startswith(("def ", "async ", "@"))
        compile("if 1:\n" + " " * (function.indent or 1) + text if function.indent else text, key, "exec")
    for one in found.classes.values():
        assert source.text[one.start : one.end].startswith(("class ", "@"))


# ---------------------------------------------------------------- without ast

NEWER = """\
import torch
type Alias = list[int]
class Box[T](torch.nn.Module):
    def __init__(self, n: int = 3):
        self.inner = torch.nn.Linear(n, n)
    def forward[S](self, x: S) -> S:
        if x > 0:
            return f"{x["a"]}"
        return self.inner(x)
"""


def plain_data(value: object) -> object:
    """An index as nested tuples, without the numbers of nodes."""
    if isinstance(value, (frozenset, set)):
        return sorted(value)
    if isinstance(value, dict):
        return {k: plain_data(v) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain_data(v) for v in value]
    if dataclasses.is_dataclass(value):
        names = [f.name for f in dataclasses.fields(value) if f.name not in ("id", "size")]
        return [type(value).__name__, *(plain_data(getattr(value, n)) for n in names)]
    return repr(value)


def without_ast(source: SourceFile) -> FileIndex:
    tree = tree_from_facts(source)
    assert tree is not None
    return index_tree(source, tree)


def test_newer_syntax_is_indexed_all_the_same() -> None:
    found = index(NEWER)  # by ast on Python 3.12, through libcst before it
    assert found.error is None
    assert set(found.functions) == {"Box.__init__", "Box.forward"}
    assert attributes(found.classes["Box"]) == [("inner", "", "torch.nn.Linear(n', n')")]
    assert "branch" in found.functions["Box.forward"].triggers
    assert NEWER[found.functions["Box.forward"].start :].startswith("def forward[S]")


@pytest.mark.parametrize("text", [UNITS, STORES], ids=["units", "stores"])
def test_both_ways_agree(text: str) -> None:
    source = source_from_text("pkg/mod.py", text, "pkg.mod")
    assert plain_data(without_ast(source)) == plain_data(index_file(source))


@pytest.mark.parametrize("name", ["dataclasses.py", "functools.py", "contextlib.py"])
def test_both_ways_agree_on_the_library(name: str) -> None:
    source = read_source(str(Path(sysconfig.get_path("stdlib")) / name))
    assert plain_data(without_ast(source)) == plain_data(index_file(source))
