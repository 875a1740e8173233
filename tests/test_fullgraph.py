"""Where fullgraph=True leaves a number unknown, and where Python has to know it: tclint against torch.

Each case is a function of ``t`` (a 0-d integer tensor), ``x`` and the mask ``m``; the last line of its
name says whether torch 2.13 raises. With torch 2.13 or later installed, that is compiled and looked at.
"""

from __future__ import annotations

import importlib.metadata
import textwrap
from pathlib import Path
from typing import Any

import pytest
from torch_compile_lint.engine import Engine
from torch_compile_lint.model import Request

RAISES = {
    "jump": "n = int(t + 1)\nif n > 2:\n    return x + 1\nreturn x",
    "jump on the call itself": "if (t + 1).item() > 2:\n    return x + 1\nreturn x",
    "ternary": "n = int(t + 1)\nreturn x + 1 if n == 2 else x",
    "while": "n = int(t + 1)\nwhile n > 2:\n    n -= 1\nreturn x + n",
    "walrus": "if (n := int(t + 1)) > 2:\n    return x + n\nreturn x",
    "range": "for i in range(int(t + 1)):\n    x = x + i\nreturn x",
    "not": "return x, not int(t + 1)",
    "or": "return x * (int(t + 1) or 2)",
    "list index": "n = int(t + 1)\nreturn x * [1, 2, 3, 4, 5][n]",
    "text": "n = str(int(t + 1))\nreturn x, n",
    "assert with a message": "n = int(t + 1)\nassert n > 2, f'{n}'\nreturn x * n",
    "size of a masked read": "y = x[m]\nif y.numel() == 0:\n    return x\nreturn y * 2",
    "rows of nonzero": "i = m.nonzero()\nif i.shape[0] > 3:\n    return x\nreturn i",
    "length": "i = m.nonzero()\nreturn x if len(i) > 3 else i",
    "loop over rows": "out = x\nfor row in m.nonzero():\n    out = out + row.sum()\nreturn out",
    "bool": "if bool((t + 1) > 2):\n    return x + 1\nreturn x",
}
RUNS = {
    "arithmetic": "n = int(t + 1)\nreturn x * n + (n - 1)",
    "slice": "return x[: int(t + 1)].sum()",
    "max": "return x * max(int(t + 1), 1)",
    "assert": "n = int(t + 1)\nassert n > 2\nreturn x * n",
    "size": "return torch.zeros(int(t + 1)), x",
    "tolist in a loop": "return [v * 2 for v in m.sum(1).tolist()]",
    "masked read": "return x[m] * 2",
    "nonzero": "return m.nonzero()",
    "another dimension": "y = x[m]\nif x.shape[0] > 2:\n    return y\nreturn x",
    "its size is reduced": "y = x[m].sum()\nif y.dim() > 1:\n    return y\nreturn x",
    "an integer argument": "n = int(t)\nif n > 2:\n    return x + 1\nreturn x",
}
CASES = [(name, body, True) for name, body in RAISES.items()] + [(n, b, False) for n, b in RUNS.items()]


def program(body: str, fullgraph: bool) -> str:
    return (
        "import torch\n\n\ndef f(t: torch.Tensor, x: torch.Tensor, m: torch.BoolTensor):\n"
        f"{textwrap.indent(body, '    ')}\n\n\ng = torch.compile(f, fullgraph={fullgraph}, backend='eager')\n"
    )


def effects(body: str, fullgraph: bool, release: str, folder: Path) -> dict[str, str]:
    file = folder / "program.py"
    file.write_text(program(body, fullgraph))
    overrides = {"cache": False, "jobs": 1, "target-torch": release}
    report = Engine().check(Request(paths=(str(file),), overrides=overrides, isolated=True))
    assert report.errors == ()
    return {finding.effect.value: finding.message for finding in report.findings}


@pytest.mark.parametrize(("name", "body", "raises"), CASES, ids=[case[0] for case in CASES])
def test_unknown_numbers(name: str, body: str, raises: bool, tmp_path: Path) -> None:
    for release in ("2.13", "2.14"):
        found = effects(body, True, release, tmp_path)
        assert set(found) == ({"error"} if raises else set()), (release, found)
        if raises:
            assert "fullgraph=True" in found["error"]
    for message in effects(body, True, "2.9", tmp_path).values():
        assert "raises, since fullgraph=True allows no graph break" in message
    assert "error" not in effects(body, False, "2.13", tmp_path)


@pytest.mark.parametrize(("name", "body", "raises"), CASES, ids=[case[0] for case in CASES])
def test_torch_agrees(name: str, body: str, raises: bool) -> None:
    torch: Any = pytest.importorskip("torch")
    release = tuple(int(part) for part in importlib.metadata.version("torch").split(".")[:2])
    if release < (2, 13):
        pytest.skip("unknown numbers are captured since 2.13")
    space: dict[str, Any] = {"torch": torch}
    exec(compile(program(body, True), "program", "exec"), space)
    torch._dynamo.reset()
    x = torch.arange(12.0).reshape(3, 4)
    try:
        space["g"](torch.tensor(3), x, x > 4)
    except Exception:
        assert raises
    else:
        assert not raises
