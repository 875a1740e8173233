"""The index of one file: units, imports, globals, classes."""

from __future__ import annotations

import ast

import pytest
from indexing import STORES, UNITS, attributes, index, show
from torch_compile_lint.index import absolute_module

# ---------------------------------------------------------------- units


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
