"""The index of one file: generators, marks, suppressions, bad input, and files that ast cannot parse."""

from __future__ import annotations

import ast
import dataclasses
import sysconfig
from pathlib import Path

import pytest
from indexing import STORES, UNITS, attributes, index, show
from torch_compile_lint.facts.index_ir import FileIndex
from torch_compile_lint.index import index_file, index_tree
from torch_compile_lint.index_facts import tree_from_facts
from torch_compile_lint.index_marks import is_script
from torch_compile_lint.source import SourceFile, read_source, source_from_bytes, source_from_text

# ---------------------------------------------------------------- generators


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("yield x", True),
        ("y = [(yield x)]", True),
        ("def g(y):\n    yield y\n  return g(x)", False),
        ("return lambda: (yield x)", False),
    ],
)
def test_only_a_yield_of_its_own_makes_a_generator(body: str, expected: bool) -> None:
    assert index(f"def f(x):\n  {body}\n").functions["f"].is_generator is expected


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


def test_every_script_word_holds_a_part_that_is_looked_for_first() -> None:
    words = (
        "torch.compile", " compile(", "torch._dynamo", "torch._inductor", "torch.library", "custom_op",
        "triton_op", "load_inline", "CompileCounter", "m.compile()",
    )  # fmt: skip
    for word in words:
        assert is_script(f"import torch\nx = {word}"), word
    assert not is_script("import torch\nx = y")


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
    assert NEWER[found.functions["Box.forward"].start :].startswith("def forward[S]")


@pytest.mark.parametrize("text", [UNITS, STORES], ids=["units", "stores"])
def test_both_ways_agree(text: str) -> None:
    source = source_from_text("pkg/mod.py", text, "pkg.mod")
    assert plain_data(without_ast(source)) == plain_data(index_file(source))


@pytest.mark.parametrize("name", ["dataclasses.py", "functools.py", "contextlib.py"])
def test_both_ways_agree_on_the_library(name: str) -> None:
    source = read_source(str(Path(sysconfig.get_path("stdlib")) / name))
    assert plain_data(without_ast(source)) == plain_data(index_file(source))
