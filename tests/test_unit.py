"""Facts from Python's own tree are those from libcst's, byte for byte.

The committed tests take a sample of the standard library and the shapes that are easy to get
wrong; ``python tests/test_unit.py PATH...`` takes whatever is named.
"""

from __future__ import annotations

import sys
import sysconfig
import textwrap
import time
import warnings
from pathlib import Path

import pytest
from torch_compile_lint.facts.codec import encode_facts
from torch_compile_lint.facts.lower import lower_unit
from torch_compile_lint.facts.unit import from_ast, unit_facts
from torch_compile_lint.index import index_file
from torch_compile_lint.source import read_source
from torch_compile_lint.syntax import SyntaxProblem

warnings.simplefilter("ignore")

SHAPES = {
    "decorators": r"""
@a.b(1)
# note
@(c)
async def f(self): return await self.g()
""",
    "header": r"""
def f(a: (int), /, b=(1), *args: T, c: str = (  # one (
 'x'), d, **k) -> (x or y): pass
""",
    "arguments": r"""
def f(x): return (g)((x), *(x), k=(x), **(x)), g(
  # (
  (x), ((y)) , ), g((x for x in y)), g(x for x in y)
""",
    "call of a call": r"""
def f(x): return (x.a
  .b)(1)(2)[(3)]((4),)
""",
    "tuples": r"""
def f(x):
    a, = x
    (b), c = x,
    for d, in (x), : pass
    return x[1,], x[(1, 2)], x[1:(2), ...], ()
""",
    "clauses": r"""
def f(x): return [(a) for (a) in (x) if (a) if a for b in a], {(k): (v) for k, v in x}
""",
    "lambdas": r"""
def f(x): return lambda: (x), lambda a, b=(2): (
 a, b), (lambda *a, **k: (yield))
""",
    "strings": r"""
def f(x): return 'a' "b", b'c', f'{x!r:>{x}}' 'd', (f'{x = }'
  'e'), rf'\{x}'
""",
    "nested": r"""
def f(x):
    @d
    def g(y=x):
        nonlocal x
        x = [z for z in y if (w := z)]
    return g, w
""",
    "with": r"""
def f(x):
    with x as y, x.a() as z: pass
    with (x): pass
    with x as (y, z): pass
""",
    "try": r"""
def f(x):
    try: pass
    except (A, B) as e: raise C from e
    except D: del x, e
    else: pass
    finally: assert x, (x)
""",
    "semicolons": r"""
def f(x):
    if x: pass; return 1;
    elif (x): global y; y = 1
    else: import a.b as c, d.e; from . import g as h
""",
    "wide": r"""
def f(x):
    ü = 'é' + x.ä(ö=1, *ß) # ü
    return {'é': ü, **ü}
""",
    "tabs": r"""
def f(x):
	if x:
		return (x)
""",
    "comments": r"""
def f(x): # (
    return g(x # )
    , # (
    (y)) # )
""",
    "left to libcst": r"""
def f(x):
    match x:
        case A(b=(1)): pass
    class C(x): pass
""",
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("indent", [0, 4])
def test_shapes_agree(name: str, indent: int) -> None:
    text = SHAPES[name].strip("\n")
    unit = textwrap.indent(text, " " * indent)[indent:]
    facts = unit_facts(unit, "function", "f", indent)
    assert encode_facts(facts) == encode_facts(lower_unit(unit, "function", "f", indent))


@pytest.mark.parametrize("name", sorted(set(SHAPES) - {"with", "left to libcst"}))
def test_shapes_need_no_libcst_tree_of_the_function(name: str) -> None:
    assert from_ast(SHAPES[name].strip("\n"), "f", 0) is not None


def test_what_is_no_function_is_left_to_libcst() -> None:
    assert from_ast("x = 1", "f", 0) is None
    assert from_ast("def f(:", "f", 4) is None
    with pytest.raises(SyntaxProblem):
        unit_facts("def f(x): return )", "function", "f")


def test_too_deep_is_refused_by_both() -> None:
    chain = "def f(x): return x" + ".a" * 5000
    with pytest.raises(SyntaxProblem, match="nested too deeply"):
        unit_facts(chain, "function", "f")


def compare(path: Path) -> tuple[int, int, list[str]]:
    """Functions compared, functions left to libcst, and the names of those that differ."""
    source = read_source(str(path))
    compared = left = 0
    wrong = []
    for name, function in index_file(source).functions.items():
        text = source.text[function.start : function.end]
        facts = from_ast(text, name, function.indent)
        if facts is None:
            left += 1
            continue
        compared += 1
        try:
            other = lower_unit(text, "function", name, function.indent)
        except SyntaxProblem:  # libcst refuses a few forms that Python takes
            continue
        if encode_facts(facts) != encode_facts(other):
            wrong.append(name)
    return compared, left, wrong


def test_stdlib_agrees() -> None:
    stdlib = Path(sysconfig.get_paths()["stdlib"])
    files = sorted(p for p in stdlib.glob("*.py") if 5_000 < p.stat().st_size < 60_000)
    total = 0
    for path in files[::6]:
        compared, left, wrong = compare(path)
        assert not wrong, (path, wrong)
        assert left <= 2 + compared // 5, path
        total += compared
    assert total > 300


def main(roots: list[str]) -> None:
    compared = left = wrong = 0
    started = time.process_time()
    for root in roots:
        for path in sorted(Path(root).rglob("*.py")) if Path(root).is_dir() else [Path(root)]:
            done, other, bad = compare(path)
            compared, left, wrong = compared + done, left + other, wrong + len(bad)
            for name in bad:
                print("DIFFERS", path, name, flush=True)
    seconds = time.process_time() - started
    print(f"{compared} functions agree, {left} left to libcst, {wrong} differ ({seconds:.0f} s)")


if __name__ == "__main__":
    main(sys.argv[1:])
