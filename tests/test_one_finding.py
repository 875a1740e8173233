"""One site is one finding: exact counts, and the worst effect where a site is reached in several ways."""

from __future__ import annotations

from pathlib import Path

import pytest
from torch_compile_lint.engine import Engine
from torch_compile_lint.model import Effect, Finding, Request

HEAD = """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, t: torch.Tensor) -> torch.Tensor:
"""
SITES = {
    "if": ("        if t.item() > 0:\n            t = t + 1\n        return t\n", "TCD201"),
    "while": ("        while t.item() > 0:\n            t = t - 1\n        return t\n", "TCD201"),
    "twice": ("        n = int(t.item())\n        return t * n\n", "TCD201"),
    "if tensor": ("        if (t > 0).all():\n            t = t + 1\n        return t\n", "TCD101"),
    "not": ("        if not (t > 0).any():\n            t = t + 1\n        return t\n", "TCD101"),
    "print": ("        print(t)\n        return t\n", "TCD401"),
}


def _findings(folder: Path, text: str) -> list[Finding]:
    file = folder / "net.py"
    file.write_text(text)
    overrides = {"cache": False, "jobs": 1, "target-torch": "2.9"}
    report = Engine().check(Request(paths=(str(file),), overrides=overrides, isolated=True))
    assert report.errors == ()
    return list(report.findings)


@pytest.mark.parametrize("name", sorted(SITES))
def test_a_site_is_one_finding(tmp_path: Path, name: str) -> None:
    body, code = SITES[name]
    found = _findings(tmp_path, HEAD + body)
    assert [(f.line, f.code) for f in found] == [(7, code)]


def test_counts_are_exact(tmp_path: Path) -> None:
    body = (
        "        if t.item() > 0:\n            print(t)\n"
        "        if t.sum() > 1:\n            t = t.item() + t\n"
        "        return t\n"
    )
    found = _findings(tmp_path, HEAD + body)
    assert [(f.line, f.code) for f in found] == [(7, "TCD201"), (8, "TCD401"), (9, "TCD101"), (10, "TCD201")]


def test_what_stands_inside_of_a_print_says_what_to_fix_first(tmp_path: Path) -> None:
    found = _findings(tmp_path, HEAD + "        print(t.item())\n        return t + t.item()\n")
    told = {(f.line, f.code): f.remedy for f in found}
    assert told[7, "TCD201"] == "fix TCD401 (print-call) around it first, which takes this along"
    assert "is_compiling" in told[7, "TCD401"]
    assert "TCD401" not in told[8, "TCD201"]  # outside of it, it has a remedy of its own
    assert len(told) == 3


def test_reached_plainly_and_under_fullgraph_is_one_finding_with_the_worse_effect(tmp_path: Path) -> None:
    text = (
        "import torch\n\n\n"
        "def helper(t: torch.Tensor) -> torch.Tensor:\n"
        "    print(t)\n"
        "    return t\n\n\n"
        "@torch.compile\ndef plain(t: torch.Tensor) -> torch.Tensor:\n    return helper(t)\n\n\n"
        "@torch.compile(fullgraph=True)\ndef strict(t: torch.Tensor) -> torch.Tensor:\n    return helper(t)\n"
    )
    found = _findings(tmp_path, text)
    assert [(f.line, f.effect) for f in found] == [(5, Effect.ERROR)]


def test_effects_are_ordered_by_what_they_cost() -> None:
    ranked = sorted(Effect, key=lambda effect: effect.rank)
    assert [effect.value for effect in ranked][:5] == ["error", "wrong", "skip", "break", "recompile"]
