"""Properties of the lowering over real code, with Python's own ``ast`` as the oracle.

The committed tests take a sample of the standard library;
``python tests/test_lower_properties.py PATH...`` takes whatever is named (with UNITS=1 in the
environment also function by function).
"""

from __future__ import annotations

import ast
import importlib.util
import os
import sys
import sysconfig
import warnings
from pathlib import Path

import pytest
from torch_compile_lint.facts import ir
from torch_compile_lint.facts.walk import functions, nodes
from torch_compile_lint.syntax import SyntaxProblem

_spec = importlib.util.spec_from_file_location("ast_oracle", Path(__file__).with_name("ast_oracle.py"))
assert _spec is not None and _spec.loader is not None
ast_oracle = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(ast_oracle)
Oracle, check_ids, check_units = ast_oracle.Oracle, ast_oracle.check_ids, ast_oracle.check_units

warnings.simplefilter("ignore")


def read(path: Path) -> str | None:
    """The text as the tool would see it; None for what Python itself cannot parse."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        ast.parse(text)
    except (UnicodeDecodeError, SyntaxError, ValueError, RecursionError):
        return None
    return text


def sample(count: int) -> list[Path]:
    stdlib = Path(sysconfig.get_paths()["stdlib"])
    files = sorted(p for p in stdlib.rglob("*.py") if "site-packages" not in p.parts)
    middling = [p for p in files if 2_000 < p.stat().st_size < 40_000]
    chosen = middling[:: max(1, len(middling) // count)]
    return chosen + [p for p in files if p.name in ("test_patma.py", "test_fstring.py", "test_generators.py")]


@pytest.mark.parametrize("path", sample(40), ids=lambda p: p.name)
def test_stdlib_matches_ast(path: Path) -> None:
    text = read(path)
    if text is None:
        pytest.skip("not Python of this version")
    oracle = Oracle(text)
    oracle.check_file()
    for facts in oracle.facts.values():
        check_ids(facts)
    check_units(oracle)


COMPATIBLE = """\
import ｏｓ as 𝔬𝔰, ｏｓ.ｐａｔｈ

class 𝐍𝐞𝐭(𝔬𝔰.𝔓𝔞𝔱𝔥𝔏𝔦𝔨𝔢):
    def ﬁt(self, µ: 𝔬𝔰.ℰ = ﬁ, *ａ, ｋ=1, **ℴ):
        global ｇ
        def ｉnner(ｂ): return (b, ｂ, µ, fi)
        try:
            del self.ａttr
        except ValueError as ｅ:
            print(e, ｋey=µ)
        match self:
            case {"a": ｘ, **ｒ} | [ｘ, *ｒ]: return x
            case 𝐍𝐞𝐭(ｖ=1) as ｗ: return w
"""


def test_names_are_what_python_reads_them_as() -> None:
    oracle = Oracle(COMPATIBLE)
    oracle.check_file()
    fit = oracle.facts["Net.fit"]
    assert {"\u03bc", "a", "k", "o", "e", "x", "r", "w", "inner"} <= fit.locals
    assert check_units(oracle) == 2


def test_spans_slice_back_to_expressions() -> None:
    """Every expression's text, taken alone, parses as an expression of that kind."""
    path = Path(sysconfig.get_paths()["stdlib"]) / "argparse.py"
    text = path.read_text(encoding="utf-8")
    oracle = Oracle(text)
    oracle.check_file()
    kinds = {ir.Call: ast.Call, ir.Binary: ast.BinOp, ir.Compare: ast.Compare, ir.Lambda: ast.Lambda}
    seen = 0
    for qualname, (start, _, _) in oracle.units.items():
        for facts in functions(oracle.facts[qualname]):
            for node in nodes(facts):
                if type(node) in kinds:
                    piece = text[start + node.start : start + node.end]
                    assert type(ast.parse(f"({piece})", mode="eval").body) is kinds[type(node)]
                    seen += 1
    assert seen > 500


def main(roots: list[str]) -> None:
    failed = checked = nodes_ = units = 0
    for root in roots:
        paths = [Path(root)] if os.path.isfile(root) else sorted(Path(root).rglob("*.py"))
        for path in paths:
            text = read(path)
            if text is None:
                continue
            checked += 1
            try:
                oracle = Oracle(text)
                oracle.check_file()
                for facts in oracle.facts.values():
                    check_ids(facts)
                if os.environ.get("UNITS"):
                    units += check_units(oracle)
                nodes_ += oracle.compared
            except SyntaxProblem as error:
                print("PROBLEM", path, error, flush=True)
            except Exception as error:
                failed += 1
                print("FAIL", path, type(error).__name__, str(error)[:300], flush=True)
    print(f"{checked} files, {nodes_} nodes compared, {units} units, {failed} failed")


if __name__ == "__main__":
    main(sys.argv[1:])
