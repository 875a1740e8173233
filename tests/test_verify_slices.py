"""Calls cut out of a project, and shapes read off annotations, comments and docstrings. No torch."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from torch_compile_lint.verify import shapes, slices

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width: int, depth=2):
        super().__init__()

    def forward(self, x, mask=None):
        return x


def plain(a, b):
    return a + b


def build():
    unused = expensive()
    width = 8
    width += 1
    net = Net(width, depth=3)
    net.eval()
    print("built")
    x = torch.ones(2, width)
    y = net(x, mask=x > 0)
    return y


if __name__ == "__main__":
    model = torch.compile(Net(4).to("cpu"))
    model(torch.ones(1, 4))
    plain(1, b=2)
"""


def found(text: str, tmp_path: Path, **others: str) -> slices.Calls:
    path = tmp_path / "net.py"
    path.write_text(text)
    for name, content in others.items():
        (tmp_path / f"{name}.py").write_text(content)
    return slices.find_calls(str(path), ast.parse(text), lambda name: Path(name).read_text(), [str(tmp_path)])


def test_a_slice_holds_what_the_call_needs_and_nothing_else(tmp_path: Path) -> None:
    calls = found(NET, tmp_path)
    rows = {row["line"]: row["source"].splitlines() for row in calls["Net"]}
    assert rows[25] == [
        "import torch",
        "width = 8",
        "width += 1",
        "net = Net(width, depth=3)",
        "net.eval()",
        "x = torch.ones(2, width)",
        "fn = net",
        "args = (x,)",
        "kwargs = {'mask': x > 0}",
    ]
    assert rows[31] == [
        "import torch",
        "model = torch.compile(Net(4).to('cpu'))",
        "fn = model",
        "args = (torch.ones(1, 4),)",
        "kwargs = {}",
    ]
    (row,) = calls["plain"]
    assert row["source"] == "fn = plain\nargs = (1,)\nkwargs = {'b': 2}\n"


def test_calls_in_tests_of_the_project_count(tmp_path: Path) -> None:
    text = "import torch\nfrom net import Net\n\n\ndef test_it():\n"
    text += "    net = Net(3)\n    assert net(torch.ones(1, 3)).any()\n"
    calls = found(NET, tmp_path, test_net=text)
    assert [Path(row["file"]).name for row in calls["Net"]] == ["net.py", "net.py", "test_net.py"]
    assert calls["Net"][2]["source"].startswith("import torch\nfrom net import Net\nnet = Net(3)\n")


@pytest.mark.parametrize(
    "body",
    [
        "net = Net(1)\n    net(*things)",  # nobody knows how many
        "net = Net(1)\n    net(**things)",
        "for x in data:\n        pass\n    net = Net(1)\n    net(x)",  # a loop cannot be cut out
    ],
)
def test_what_cannot_be_cut_out_is_left_alone(body: str, tmp_path: Path) -> None:
    text = f"class Net:\n    pass\n\n\ndef use(things, data):\n    {body}\n"
    assert found(text, tmp_path).get("Net", []) == []


def test_a_file_that_does_not_parse_stops_nothing(tmp_path: Path) -> None:
    assert len(found(NET, tmp_path, broken="from net import Net\ndef (:\n")["Net"]) == 2


def hints(text: str, name: str = "Net") -> dict[str, Any]:
    return shapes.hints(ast.parse(text), text, name)


def test_jaxtyping_annotations() -> None:
    text = (
        "class Net:\n"
        '    def forward(self, x: Float[Tensor, "batch 3 *height"], i: jt.Int64[Tensor, "batch n"], other):\n'
        "        return x\n"
    )
    assert hints(text)["forward"] == {
        "x": {"dtype": "float", "dims": ["batch", "3", "height"]},
        "i": {"dtype": "int", "dims": ["batch", "n"]},
    }


def test_comments_and_docstrings() -> None:
    text = (
        "class Net:\n"
        "    def forward(self, x, mask):\n"
        '        """Args:\n'
        "            x (Tensor): input of shape (B, C, H, W)\n"
        '        """\n'
        "        # mask: [B, N]\n"
        "        return x\n"
    )
    assert hints(text)["forward"] == {"x": {"dims": ["B", "C", "H", "W"]}, "mask": {"dims": ["B", "N"]}}


def test_shapes_of_other_names_and_of_other_things_are_not_taken() -> None:
    text = "def f(x):\n    # y: (a, b)\n    x = g(x, (1, 2))\n    return x\n"
    assert hints(text, "f") == {"forward": {}}
    assert hints(text, "missing") == {}
    nested = (
        'class A:\n    class B:\n        def forward(self, x: Bool[Tensor, "n"]):\n            return x\n'
    )
    assert hints(nested, "A.B")["forward"] == {"x": {"dtype": "bool", "dims": ["n"]}}
