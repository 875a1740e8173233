"""Which unannotated parameters are numbers: whole kinds of use, each with its opposite."""

from __future__ import annotations

import textwrap

import kinds
import pytest

HEAD = """
import math
import torch
from torch import nn, Tensor, arange
import torch.nn.functional as F
"""
LAYERS = "self.lin = nn.Linear(3, 3)"


def parameter(params: str, body: str, kind: str) -> None:
    """The value that the first of ``params`` has where ``body`` is done."""
    name = params.partition(",")[0].partition("=")[0].partition(":")[0].strip()
    text = f"""
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {LAYERS}
        self.table = torch.zeros(3, 3)
        self.count = 3

    def forward(self, {params}):
{textwrap.indent(body, "        ")}
        return {name}  # kind: {name}={kind}
"""
    assert kinds.problems({"m.py": HEAD + text}) == []


COUNTS = [
    "range({0})",
    "[0 for _ in range({0})]",
    "range(1, {0} + 1)",
    "torch.arange({0})",
    "arange({0})",
    "torch.arange(0, {0} - 1, device=self.table.device)",
    "torch.zeros({0}, 4)",
    "torch.ones(({0}, {0}))",
    "torch.empty([2, {0}])",
    "torch.zeros(size=({0}, 3))",
    "torch.full(({0}, 2), 1.0)",
    "torch.eye({0})",
    "torch.randn(2, {0})",
    "torch.linspace(0, 1, {0})",
    "self.table[:{0}]",
    "self.table[-{0}:, 0]",
    "self.table[..., {0} - 1 : {0} + 1]",
    "self.table.view({0}, -1)",
    "self.table.reshape(({0}, -1))",
    "self.table.expand({0}, -1, -1)",
    "self.table.repeat(1, {0})",
    "torch.reshape(self.table, ({0}, -1))",
    "self.table.new_zeros({0})",
    "math.sqrt({0})",
]


@pytest.mark.parametrize("use", COUNTS)
def test_a_bound_or_a_size_is_a_number(use: str) -> None:
    parameter("x, j", f"y = {use.format('x')}", "unknown")


@pytest.mark.parametrize("use", COUNTS)
def test_what_is_counted_decides_over_other_uses(use: str) -> None:
    parameter("x, j", f"z = x.max() if j else 0\ny = {use.format('x')}", "unknown")


@pytest.mark.parametrize(
    "use",
    [
        "range(len(x))",
        "range(x.size(0))",
        "torch.arange(x.shape[1])",
        "torch.zeros(x.shape[0], 4)",
        "torch.full((2,), 1.0) + x.sum()",
        "torch.full((2, 2), x.numel())",
        "x[:self.count]",
        "self.table[: x.size(0)]",
        "self.table.view(x.shape[0], -1)",
        "x.view(self.count, -1)",
        "torch.reshape(x, (3, -1))",
        "torch.tile(x, (2, 1))",
        "math.sqrt(x.size(-1))",
        "torch.zeros_like(x)",
        "x.expand(self.count, -1)",
        "self.table[x]",
        "F.relu(x)",
    ],
)
def test_a_tensor_whose_size_counts_is_a_tensor(use: str) -> None:
    parameter("x, j", f"y = {use}", "tensor?")


@pytest.mark.parametrize(
    "name",
    [
        *(
            "i",
            "n",
            "step",
            "idx",
            "seq_len",
            "length",
            "batch_size",
            "dim",
            "num_frames",
            "n_heads",
            "height",
        ),
        *(
            "max_len",
            "offset",
            "layer_idx",
            "return_dict",
            "use_cache",
            "device",
            "dtype",
            "mode",
            "training",
        ),
    ],
)
def test_a_name_of_a_number_is_no_tensor_without_a_use_that_says_so(name: str) -> None:
    parameter(f"{name}, y", "z = y", "unknown")
    parameter(f"{name}, y", f"if {name} > 3:\n    y = {name} + 1", "unknown")
    parameter(f"{name}, y", f"if {name} % 2 == 0:\n    y = 1", "unknown")


@pytest.mark.parametrize("name", ["n", "idx", "step", "offset", "length"])
def test_a_use_decides_over_the_name(name: str) -> None:
    parameter(f"{name}, y", f"z = self.lin({name})", "tensor?")
    parameter(f"{name}, y", f"z = {name}.sum(-1)", "tensor?")
    parameter(f"{name}: Tensor, y", f"z = {name}", "tensor")


@pytest.mark.parametrize(
    "name",
    ["x", "input", "hidden_states", "img", "q", "pixel_values", "tokens", "h", "w", "index", "feat", "t"],
)
def test_the_first_input_of_a_forward_is_a_tensor(name: str) -> None:
    parameter(f"{name}, y", "z = y", "tensor?")


ASKED = [
    "if {0}:",
    "if not {0}:",
    "while {0}:",
    "if {0} and y:",
    "if {0} == 2:",
    "if {0} != 'a':",
    "if {0} in (1, 2):",
]


@pytest.mark.parametrize("question", ASKED)
def test_what_is_asked_for_its_truth_is_no_tensor_without_a_use_that_says_so(question: str) -> None:
    parameter("cond, y", f"{question.format('cond')}\n    y = 1", "unknown")
    parameter("cond, y", f"z = cond.sum()\n{question.format('cond')}\n    y = 1", "tensor?")


@pytest.mark.parametrize(
    "question",
    [
        "if {0}.sum() == 2:",
        "if {0} > 0:",
        "if y == 2:",
        "if {0}.shape[0] == 2:",
        "if ({0} == 2).all():",
    ],
)
def test_other_questions_say_nothing(question: str) -> None:
    parameter("cond, y", f"{question.format('cond')}\n    y = 1", "tensor?")


@pytest.mark.parametrize(
    ("default", "kind"), [("3", "int?"), ("0.5", "float?"), ("'mean'", "text?"), ("False", "bool?")]
)
def test_a_default_says_what_it_is(default: str, kind: str) -> None:
    parameter(f"option={default}, y=None", "z = y", kind)


def test_a_helper_of_the_first_kind() -> None:
    """The bias of an attention layer is made for two lengths: neither is a tensor."""
    text = """
class Bias(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads = heads
        self.bias = None

    def forward(self, i, j):
        if self.bias is not None and self.bias.shape[-1] >= j and self.bias.shape[-2] >= i:
            return self.bias[..., -i:, -j:]
        y = i  # kind: i=unknown
        z = j  # kind: j=unknown
        q = arange(j - i, j)
        return q  # kind: q=tensor[?,1]
"""
    assert kinds.problems({"m.py": HEAD + text}) == []
