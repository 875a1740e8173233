"""Fixes that write beyond their function: what moves, what stays, and that it computes the same."""

from __future__ import annotations

import os
from typing import Any

import pytest
from torch_compile_lint.model import Request
from torch_compile_lint.repair import Repaired, repair

HEAD = "import torch\nfrom torch import nn\n\n\n"


def _repaired(text: str, code: str) -> Repaired:
    path = os.path.abspath("outside_programs.py")
    overrides = {
        "cache": False,
        "jobs": 1,
        "target-torch": "2.13",
        "select": [code],
        "min-confidence": "possible",
    }
    return repair(Request((path,), {path: text}, overrides, isolated=True), unsafe=True)


def _fixed(text: str, code: str) -> str | None:
    """The new text, which must be free of what was fixed and stable; None where nothing is offered."""
    done = _repaired(text, code)
    assert done.refused == [] and not done.report.errors
    if not done.texts:
        return None
    (new,) = done.texts.values()
    assert not _repaired(new, code).texts
    return new


def _space(text: str) -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": "outside_programs"}
    exec(compile(text, "outside_programs", "exec", dont_inherit=True), space)
    return space


def _method(*rows: str, before: str = "", init: tuple[str, ...] = ()) -> str:
    out = [HEAD + before + "class Net(nn.Module):"]
    if init:
        out += ["    def __init__(self, size=3):", *(f"        {row}" for row in init), ""]
    out += ["    def forward(self, x: torch.Tensor, n: int = 2) -> torch.Tensor:"]
    return "\n".join([*out, *(f"        {row}" for row in rows)]) + "\n"


# ---------------------------------------------------------------- class statements

STAYS = {
    "closes over a local": ("class C:", "    k = n", "return x * C.k"),
    "a method closes over a local": (
        "class C:",
        "    def f(self):",
        "        return n",
        "return x * C().f()",
    ),
    "keeps a list": ("class C:", "    k = []", "return x * len(C.k)"),
    "runs a call": ("class C:", "    k = len('ab')", "return x * C.k"),
    "is written to": ("class C:", "    k = 2", "C.k = 3", "return x * C.k"),
    "bound twice": ("class C:", "    k = 2", "C = C()", "return x * C.k"),
    "under a condition": ("if n > 1:", "    class C:", "        k = 2", "return x"),
    "hides a builtin": ("class int:", "    k = 2", "return x * int.k"),
    "locals() sees it": ("class C:", "    k = 2", "return x * len(locals())"),
    "a string over two lines": ("class C:", '    k = """a', '    b"""', "return x * len(C.k)"),
    "base unknown": ("class C(Later):", "    pass", "return x * C.k"),
}


@pytest.mark.parametrize("why", sorted(STAYS))
def test_a_class_that_needs_its_function_stays(why: str) -> None:
    text = _method(*STAYS[why]) + "\n\nclass Later:\n    k = 2\n"
    assert _repaired(text, "TCD304").first.findings
    assert _fixed(text, "TCD304") is None


def test_a_class_stays_where_the_module_knows_its_name() -> None:
    rows = ("class C:", "    k = 2", "return x * C.k")
    assert _fixed(_method(*rows, before="C = 3\n\n\n"), "TCD304") is None
    assert _fixed(_method(*rows), "TCD304") is not None


def test_line_ends_and_tabs_are_kept() -> None:
    text = _method("class C:", "    k = 2  # kept", "return x * C.k")
    new = _fixed(text.replace("\n", "\r\n"), "TCD304")
    assert new is not None and new.replace("\r\n", "") == new.replace("\r\n", "").replace("\n", "")
    assert "class C:\r\n    k = 2  # kept\r\n\r\n\r\nclass Net" in new
    tabs = _fixed(text.replace("    ", "\t"), "TCD304")
    assert tabs is not None and "\n\nclass C:\n\tk = 2  # kept\n" in tabs


# ---------------------------------------------------------------- imports


def test_imports_that_may_fail_move_whole() -> None:
    rows = ("try:", "    import absent_one", "except ImportError:", "    absent_one = None")
    moved = _fixed(_method(*rows, "return x if absent_one is None else x * 2"), "TCD302")
    assert moved is not None and moved.index("try:") < moved.index("class Net")
    space = _space(moved)
    torch = pytest.importorskip("torch")
    assert torch.equal(space["Net"]()(torch.ones(3)), torch.ones(3))


@pytest.mark.parametrize(
    "rows",
    [
        ("try:", "    import absent_one", "except ImportError:", "    pass", "return x"),
        ("try:", "    import absent_one", "except ImportError:", "    absent_one = x", "return x"),
        ("try:", "    import absent_one", "except ImportError:", "    other = None", "return x"),
        (
            "try:",
            "    import absent_one",
            "    x = x + 1",
            "except ImportError:",
            "    absent_one = None",
            "return x",
        ),
    ],
)
def test_a_try_that_does_more_stays(rows: tuple[str, ...]) -> None:
    assert _fixed(_method(*rows), "TCD302") is None
