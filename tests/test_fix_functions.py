"""Fixes of whole functions: what becomes an operator, what is given a list; and that it computes the same."""

from __future__ import annotations

import os
import random
from typing import Any

import pytest
from torch_compile_lint.model import Request
from torch_compile_lint.repair import Repaired, repair


def _repaired(text: str, code: str, release: str = "2.13") -> Repaired:
    path = os.path.abspath("function_programs.py")
    overrides = {"cache": False, "jobs": 1, "target-torch": release, "select": [code]}
    return repair(Request((path,), {path: text}, overrides, isolated=True), unsafe=True)


def _fixed(text: str, code: str, release: str = "2.13") -> str | None:
    """The new text, which must be free of what was fixed and stable; None where nothing is offered."""
    done = _repaired(text, code, release)
    assert done.refused == [] and not done.report.errors
    assert done.first.findings, "nothing to fix in the first place"
    if not done.texts:
        return None
    (new,) = done.texts.values()
    assert not _repaired(new, code, release).texts
    return new


def _space(text: str) -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": "function_programs"}
    exec(compile(text, "function_programs", "exec", dont_inherit=True), space)
    return space


# ---------------------------------------------------------------- an operator

MASKS = """\
import torch
from torch import nn

MARKS = [1, 4]


def blocks(ids: torch.Tensor):
    rows, length = ids.shape
    marks = torch.zeros((rows, length), device=ids.device).bool()
    for mark in MARKS:
        marks |= ids == mark
    spots = torch.nonzero(marks)
    together = torch.eye(length, device=ids.device).bool().unsqueeze(0).repeat(rows, 1, 1)
    place = torch.zeros((rows, length), device=ids.device)
    before = 0
    for i in range(spots.shape[0]):
        row, column = spots[i]
{body}
        before = column
    return {result}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(8, 4)

    def forward(self, ids: torch.Tensor):
        x = self.embed(ids)
        together, place = blocks(ids)
        return (together.to(x.dtype) @ x) * (place + 1).unsqueeze(-1), place
"""
BODIES = (
    """\
        if column == 0 or column == length - 1:
            together[row, column, column] = True
            place[row, column] = 0
        else:
            together[row, before : column + 1, before : column + 1] = True
            place[row, before : column + 1] = row + 1""",
    """\
        together[row, :, column] = True
        place[row, column] = before""",
    """\
        together[row] = marks[row]
        place[row, column] = 2""",
)
RESULTS = ("together, place.to(torch.long)", "together.logical_not(), place.long()")


@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("body", BODIES)
def test_an_operator_computes_the_same(body: str, result: str) -> None:
    torch = pytest.importorskip("torch")
    text = MASKS.format(body=body, result=result)
    new = _fixed(text, "TCD205")
    assert new is not None and "@torch.library.custom_op(" in new
    chance = random.Random(body + result)
    torch.manual_seed(0)
    old_net = _space(text)["Net"]()
    new_net = _space(new)["Net"]()
    new_net.load_state_dict(old_net.state_dict())
    torch._dynamo.reset()
    compiled = torch.compile(new_net, backend="aot_eager", fullgraph=True)
    for _ in range(4):
        shape = (chance.randrange(1, 4), chance.randrange(2, 7))
        ids = torch.tensor(
            [[chance.choice([0, 1, 2, 4, 5]) for _ in range(shape[1])] for _ in range(shape[0])]
        )
        given = ids.clone()
        wanted, places = _outcome(old_net, ids)
        for other in (new_net, compiled):
            found, also = _outcome(other, ids)
            assert torch.equal(wanted, found) and torch.equal(places, also) and torch.equal(ids, given)
            for one, two in zip(old_net.parameters(), new_net.parameters(), strict=True):
                torch.testing.assert_close(one.grad, two.grad, rtol=1e-6, atol=1e-6)


def _outcome(net: Any, ids: Any) -> Any:
    net.zero_grad()
    result, places = net(ids)
    result.square().sum().backward()
    return result.detach(), places


HEAD = "import torch\nfrom torch import Tensor\n\nHEARD = []\n\n\n"
TAIL = "\n\n@torch.compile\ndef run(ids: Tensor):\n    return marked({given}) * 1\n"
MARKED = """\
def marked(ids: Tensor) -> Tensor:
    out = torch.zeros_like(ids).long()
    for spot in torch.nonzero(ids):
        out[spot[0]] = 1
    return out.long()
"""
NO_OPERATOR = {
    "no annotation": ("ids: Tensor", "ids"),
    "a number beside": ("(ids: Tensor)", "(ids: Tensor, by: int = 2)"),
    "a default": ("(ids: Tensor)", "(ids: Tensor = HEARD)"),
    "writes into its argument": ("out[spot[0]] = 1", "ids[spot[0]] = 1"),
    "adds to its argument": ("    for spot", "    ids += 1\n    for spot"),
    "writes to global state": ("out[spot[0]] = 1", "HEARD.append(1)"),
    "prints": ("out[spot[0]] = 1", "print(spot)"),
    "draws numbers": ("out[spot[0]] = 1", "out[spot[0]] = torch.randint(3, ())"),
    "may have a gradient": ("return out.long()", "return out.float()"),
    "gives its argument": ("torch.zeros_like(ids).long()", "ids.long()"),
    "gives a view of its argument": ("torch.zeros_like(ids).long()", "ids.view(-1).long()"),
    "the data say how large": ("torch.zeros_like(ids).long()", "torch.zeros(ids.nonzero().shape[0]).long()"),
    "grows in the loop": ("out[spot[0]] = 1", "out = torch.cat((out, out))"),
    "returns early": ("    for spot", "    if ids.dim() == 2:\n        return out.long()\n    for spot"),
    "decorated": ("def marked", "@torch.no_grad()\ndef marked"),
    "gives one tensor twice": ("return out.long()", "return out.long(), out.long()"),
    "gives nothing": ("return out.long()", "return None"),
    "catches": (
        "        out[spot[0]] = 1",
        "        try:\n            out[spot[0]] = 1\n        except IndexError:\n            pass",
    ),
}


def _marked(old: str = "", new: str = "") -> str:
    assert old in MARKED
    return HEAD + MARKED.replace(old, new, 1) + TAIL.format(given="ids * 1")


def test_what_the_negatives_start_from_is_an_operator() -> None:
    assert _fixed(_marked(), "TCD205") is not None


@pytest.mark.parametrize("name", NO_OPERATOR)
def test_no_operator(name: str) -> None:
    assert _fixed(_marked(*NO_OPERATOR[name]), "TCD205") is None


def test_an_operator_needs_a_release_that_has_them() -> None:
    assert _fixed(_marked(), "TCD205", "2.3") is None
    assert _fixed(_marked(), "TCD205", "2.6") is not None


def test_a_name_that_is_taken() -> None:
    assert _fixed(_marked() + "\n\n_marked_fake = 1\n", "TCD205") is None


# ---------------------------------------------------------------- a list

SIZES = """\
import torch
from torch import nn


class Encoder(nn.Module):
    def grid(self, shapes, ratios):
        found = []
        start = 0
        for level, (height, width) in enumerate(shapes):
            rows = torch.linspace(0.5, height - 0.5, height)
            columns = torch.linspace(0.5, width - 0.5, width)
            cells = (rows[:, None] + columns).reshape(-1) / (ratios[level] * height)
            found.append(cells + ratios[start : start + height * width].sum())
            start += height * width
        return torch.cat(found)

    def forward(self, x: torch.Tensor, shapes: torch.Tensor, pairs, ratios: torch.Tensor):
        return x * self.grid(shapes, ratios)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.scale = nn.Parameter(torch.ones(64))

    def forward(self, one: torch.Tensor, two: torch.Tensor):
        pairs = []
        flat = []
        for part in (one, two):
            height, width = part.shape
            pairs.append((height, width))
            flat.append(part.flatten())
        shapes = torch.as_tensor(pairs, dtype=torch.long)
        return self.encoder(torch.cat(flat), shapes, pairs=pairs, ratios=self.scale)
"""


@pytest.mark.parametrize("seed", range(4))
def test_a_list_computes_the_same(seed: int) -> None:
    torch = pytest.importorskip("torch")
    new = _fixed(SIZES, "TCD218")
    assert new == SIZES.replace("self.grid(shapes, ratios)", "self.grid(pairs, ratios)")
    chance = random.Random(seed)
    old_net, new_net = _space(SIZES)["Net"](), _space(new)["Net"]()
    torch._dynamo.reset()
    compiled = torch.compile(new_net, backend="aot_eager", fullgraph=True)
    for _ in range(3):
        given = [torch.randn(chance.randrange(1, 5), chance.randrange(1, 5)) for _ in range(2)]
        for net in (old_net, new_net, compiled):
            net.zero_grad()
            result = net(*given)
            result.sum().backward()
            scale = (new_net if net is compiled else net).scale
            if net is old_net:
                wanted, gradient = result.detach(), scale.grad.clone()
            torch.testing.assert_close(result.detach(), wanted, rtol=1e-6, atol=1e-6)
            torch.testing.assert_close(scale.grad, gradient, rtol=1e-5, atol=1e-5)


NO_LIST = {
    "a row is asked for a method": ("start += height * width", "start += height.abs() * width"),
    "a row is divided": ("start += height * width", "start += height * width / 2"),
    "the row is kept": ("found = []", "found = []\n        kept = [s for s in shapes]"),
    "the tensor is used besides": ("start = 0", "start = 0\n        ratios = ratios * shapes.sum()"),
    "made of floats": ("dtype=torch.long", "dtype=torch.float"),
    "the list grows afterwards": (
        "        return self.encoder(",
        "        pairs.append((1, 1))\n        return self.encoder(",
    ),
    "the tensor is changed": (
        "        return self.encoder(",
        "        shapes[0] = 1\n        return self.encoder(",
    ),
    "the tensor is doubled": (
        "        return self.encoder(",
        "        shapes = shapes * 2\n        return self.encoder(",
    ),
    "sizes of unknown kind": ("height, width = part.shape", "height, width = part[0]"),
    "another list is given": ("pairs=pairs", "pairs=list(pairs)"),
    "no list is given": ("pairs=pairs", "pairs=None"),
    "the function is handed on": (
        "        return x * self.grid",
        "        keep = self.grid\n        return x * self.grid",
    ),
    "a class overrides it": (
        "class Net(",
        "class Other(Encoder):\n    def grid(self, shapes, ratios):\n        return ratios\n\n\nclass Net(",
    ),
    "the list is changed on the way": (
        "        return x * self.grid",
        "        pairs.append((1, 1))\n        return x * self.grid",
    ),
    "the parameter is bound anew": (
        "        return x * self.grid",
        "        pairs = pairs[:1]\n        return x * self.grid",
    ),
}


@pytest.mark.parametrize("name", NO_LIST)
def test_no_list(name: str) -> None:
    old, new = NO_LIST[name]
    assert old in SIZES
    assert _fixed(SIZES.replace(old, new, 1), "TCD218") is None
