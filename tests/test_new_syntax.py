"""Python 3.10 to 3.14 is parsed whatever Python runs the tool: what ast does not know, libcst reads.

Each snippet stands once in a module and once in a forward; the hazard behind it must be found at
its line. What the installed libcst does not know either is one clear TCD000.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

import libcst
import pytest
from torch_compile_lint.engine import Engine
from torch_compile_lint.model import Request

SNIPPETS = {
    "match (3.10)": (
        "match point:\n"
        "    case {'x': one, **rest} if one: y = rest\n"
        "    case [a, *_] | (a, _): y = a\n"
        "    case _: y = 0"
    ),
    "parenthesized with (3.10)": "with (open('a') as a, open('b') as b,):\n    y = a",
    "except star (3.11)": (
        "try:\n"
        "    y = 1\n"
        "except* ValueError as group:\n"
        "    y = group\n"
        "except* (TypeError, OSError):\n"
        "    y = 2"
    ),
    "star in index (3.11)": "y = table[*key, 0]",
    "type parameters (3.12)": (
        "def first[T: (int, str), *Ts, **P](items: list[T]) -> T:\n    return items[0]"
    ),
    "generic class (3.12)": "class Box[T]:\n    item: T",
    "type alias (3.12)": "type Pair[T] = tuple[T, T]",
    "quotes in f-string (3.12)": 'y = f"{names["a"]!r:>{width}} {f\'{x + f"{x}"}\'}"',
    "lines in f-string (3.12)": 'y = f"{\n    x  # why\n    + 1\n}"',
    "backslash in f-string (3.12)": "y = f\"{'\\n'.join(names)}\"",
    "type default (3.13)": "def first[T = int](items: list[T]) -> T:\n    return items[0]",
    "template string (3.14)": "y = t\"{x!r:>{width}} {t'{x}'}\"",
    "except without parentheses (3.14)": ("try:\n    y = 1\nexcept ValueError, TypeError:\n    y = 2"),
    "except star without parentheses (3.14)": ("try:\n    y = 1\nexcept* ValueError, TypeError:\n    y = 2"),
    "return in finally (warns in 3.14)": (
        "def f():\n    try:\n        return 1\n    finally:\n        return 2"
    ),
}


def known(snippet: str) -> bool:
    """Whether this Python or the installed libcst parses it."""
    try:
        compile(snippet, "snippet", "exec")
        return True
    except SyntaxError:
        pass
    try:
        libcst.parse_module(snippet)
        return True
    except libcst.ParserSyntaxError:
        return False


@pytest.mark.parametrize("name", list(SNIPPETS))
@pytest.mark.parametrize("inside", [False, True], ids=["module", "forward"])
def test_new_syntax(name: str, inside: bool, tmp_path: Path) -> None:
    snippet = SNIPPETS[name]
    before = "import torch\nfrom torch import nn\n"
    body = "        if x.sum() > 0:\n            x = x + 1\n        return x\n"
    head = "    def forward(self, x: torch.Tensor, point, table, key, names, width):\n"
    forward = f"\n\nclass Net(nn.Module):\n{head}"
    if inside:
        text = before + forward + textwrap.indent(snippet, "        ") + "\n" + body
    else:
        text = before + snippet + forward + body
    (tmp_path / "new.py").write_text(text, encoding="utf-8")
    overrides = {"cache": False, "jobs": 1, "target-torch": "2.13"}
    report = Engine().check(Request((str(tmp_path),), overrides=overrides, isolated=True))
    assert report.errors == ()
    found = {(f.code, f.line) for f in report.findings}
    if known(snippet):
        line = text.splitlines().index("        if x.sum() > 0:") + 1
        assert ("TCD101", line) in found and not any(code == "TCD000" for code, _ in found)
    else:
        assert [code for code, _ in found] == ["TCD000"]
