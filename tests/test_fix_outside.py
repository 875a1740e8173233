"""Fixes that write beyond their function: what moves, what stays, and that it computes the same."""

from __future__ import annotations

import os
from typing import Any

import pytest
from torch_compile_lint.fix.edits import edited
from torch_compile_lint.model import Request
from torch_compile_lint.place_outside import _RESERVED
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


# ---------------------------------------------------------------- into __init__

SUPER = ("super().__init__()", "self.size = size", "self.seen = 0")
MADE_HERE = {
    "of the input's size": ("return nn.Linear(x.shape[-1], 3)(x)",),
    "of an argument": ("return nn.Linear(3, n)(x)",),
    "of an attribute that changes": ("self.size = n", "return nn.Linear(3, self.size)(x)"),
    "of an attribute nobody stores": ("return nn.Linear(3, self.other)(x)",),
    "under a condition": ("if n > 1:", "    x = nn.Linear(3, 3)(x)", "return x"),
    "in a loop": ("for _ in range(2):", "    x = nn.Linear(3, 3)(x)", "return x"),
    "handed on": ("lin = nn.Linear(3, 3)", "return lin"),
    "kept by somebody": ("lin = nn.Linear(3, 3)", "self.kept = lin", "return lin(x)"),
    "written to": ("w = nn.Parameter(torch.ones(3), requires_grad=False)", "w.mul_(2)", "return x * w"),
    "its weight is written to": ("lin = nn.Linear(3, 3)", "nn.init.zeros_(lin.weight)", "return lin(x)"),
    "its mode is set": ("lin = nn.LayerNorm(3)", "lin.eval()", "return lin(x)"),
    "the name is taken": ("size = nn.Linear(3, 3)", "return size(x)"),
    "the name is nn.Module's": ("half = nn.Linear(3, 3)", "return half(x)"),
    "keeps statistics": ("return nn.BatchNorm1d(3)(x)",),
    "drops": ("return nn.LSTM(3, 3, dropout=0.5)(x)[0]",),
}


@pytest.mark.parametrize("why", sorted(MADE_HERE))
def test_what_depends_on_the_call_is_made_in_the_call(why: str) -> None:
    text = _method(*MADE_HERE[why], init=SUPER)
    assert _repaired(text, "TCD607").first.findings
    assert _fixed(text, "TCD607") is None


@pytest.mark.parametrize(
    "init",
    [
        (),
        ("self.size = size",),
        ("super().__init__()", "if size > 2:", "    return", "self.size = size"),
        ("super().__init__()", "raise ValueError"),
    ],
)
def test_a_class_without_a_plain_init_is_left(init: tuple[str, ...]) -> None:
    assert _fixed(_method("lin = nn.Linear(3, 3)", "return lin(x)", init=init), "TCD607") is None


def test_a_class_of_another_base_is_left() -> None:
    text = _method("lin = nn.Linear(3, 3)", "return lin(x)", init=SUPER)
    assert _fixed(text, "TCD607") is not None
    other = text.replace("(nn.Module)", "(Base)").replace(
        "class Net", "class Base(nn.Module):\n    pass\n\n\nclass Net"
    )
    assert _fixed(other, "TCD607") is None


def test_moved_layers_compute_what_the_first_call_did() -> None:
    """The same seed draws the same numbers, gradients included, and now they stay."""
    torch = pytest.importorskip("torch")
    rows = (
        "lin = nn.Linear(self.size, 3, bias=False)",
        "scale = nn.Parameter(torch.ones(3))",
        "return lin(x) * scale + nn.PReLU()(x)",
    )
    text = _method(*rows, init=SUPER)
    new = _fixed(text, "TCD607")
    assert new is not None
    outcomes = []
    for version in (text, new):
        torch.manual_seed(0)
        net = _space(version)["Net"]()
        x = torch.ones(2, 3, requires_grad=True)
        y = net(x)
        y.sum().backward()
        outcomes.append((y, x.grad, net))
    before, after = outcomes
    assert torch.equal(before[0], after[0]) and torch.equal(before[1], after[1])
    assert sorted(after[2].state_dict()) == ["lin.weight", "prelu.weight", "scale"]
    assert torch.equal(after[2](torch.ones(2, 3)), after[0])
    assert torch.equal(torch.compile(after[2], backend="eager", fullgraph=True)(torch.ones(2, 3)), after[0])


def test_constants_made_in_each_call_need_no_fix() -> None:
    """What the page says: they are part of the one graph, and nothing reports them."""
    torch = pytest.importorskip("torch")
    rows = (
        "mask = torch.ones(x.shape[-1], x.shape[-1]).tril() > 0",
        "weights = torch.tensor([1.0, 2.0, 3.0])",
        "return (x * weights).masked_fill(~mask, 0.0)",
    )
    text = _method(*rows)
    path = os.path.abspath("outside_programs.py")
    report = repair(Request((path,), {path: text}, {"cache": False, "jobs": 1}, isolated=True)).report
    assert not report.findings
    from torch._dynamo.testing import CompileCounter

    counter, net = CompileCounter(), _space(text)["Net"]()
    compiled = torch.compile(net, backend=counter, fullgraph=True)
    for _ in range(3):
        assert torch.equal(compiled(torch.ones(3, 3)), net(torch.ones(3, 3)))
    assert counter.frame_count == 1


def test_every_public_name_of_a_module_is_reserved() -> None:
    nn = pytest.importorskip("torch.nn")
    assert {name for name in dir(nn.Module) if not name.startswith("_")} <= _RESERVED


# ---------------------------------------------------------------- counters


def test_a_counter_as_a_buffer_computes_the_same_and_is_compiled_once() -> None:
    """Two calls before one backward pass: nothing that autograd kept may be written to."""
    torch = pytest.importorskip("torch")
    from torch._dynamo.testing import CompileCounter

    rows = (
        "self.seen += 1",
        "y = x.sin() * self.seen - self.seen",
        "self.seen += 2",
        "return y / self.seen",
    )
    text = _method(*rows, init=SUPER)
    new = _fixed(text, "TCD701")
    assert new is not None and new.count("self.seen.clone()") == 2

    def outcome(run: Any) -> list[Any]:
        x = torch.arange(3.0, requires_grad=True)
        parts = [run(x) for _ in range(3)]
        sum(part.sum() for part in parts).backward()
        return [*parts, x.grad]

    old, kept = _space(text)["Net"](), _space(new)["Net"]()
    counter = CompileCounter()
    compiled = outcome(torch.compile(_space(new)["Net"](), backend=counter))
    for left, right, third in zip(outcome(old), outcome(kept), compiled, strict=True):
        assert torch.equal(left, right) and torch.equal(left, third) and left.dtype == right.dtype
    assert counter.frame_count == 1
    assert int(kept.seen) == old.seen == 9 and list(kept.state_dict()) == []
    before = CompileCounter()
    outcome(torch.compile(_space(text)["Net"](), backend=before))
    assert before.frame_count > 1


COUNTS_ELSE = {
    "a test": ("self.seen += 1", "return x if self.seen > 1 else x * 2"),
    "returned": ("self.seen += 1", "return x, self.seen"),
    "a power": ("self.seen += 1", "return x**self.seen"),
    "arithmetic of numbers": ("self.seen += 1", "return x[: n + self.seen]"),
    "by a fraction": ("self.seen += 0.5", "return x"),
    "by an argument": ("self.seen += n", "return x"),
    "by its name": ("self.seen += 1", "return x * getattr(self, 'seen')"),
    "of another object": ("self.seen += 1", "return x + self.other.seen"),
}


@pytest.mark.parametrize("why", sorted(COUNTS_ELSE))
def test_a_counter_that_is_used_as_a_number_stays_one(why: str) -> None:
    assert _fixed(_method(*COUNTS_ELSE[why], init=SUPER), "TCD701") is None


def test_a_counter_that_another_method_resets_stays() -> None:
    text = _method("self.seen += 1", "return x", init=SUPER)
    assert _fixed(text, "TCD701") is not None
    assert _fixed(text + "\n    def reset(self):\n        self.seen = 0\n", "TCD701") is None


# ---------------------------------------------------------------- settings

GRU = """class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.rnn(x)[0]
"""


def _settings(text: str) -> list[str]:
    """The text that each finding's shown fix would make; TCD601 is never fixed by itself."""
    done = _repaired(text, "TCD601")
    assert done.texts == {} and done.report.findings
    fixes = [f.fix for f in done.report.findings if f.fix is not None]
    return [edited(text, fix.edits) for fix in fixes]


def test_a_setting_stands_above_the_first_definition() -> None:
    before = (
        "import torch\nfrom torch import nn\n\nWIDTH = 4\n\n\n# kept\ndef free():\n    return WIDTH\n\n\n"
    )
    (new,) = _settings(before + GRU)
    line = "torch._dynamo.config.allow_rnn = True\n"
    assert new == before.replace("# kept", f"{line}\n\n# kept") + GRU
    assert _repaired(new, "TCD601").report.findings == ()


def test_a_setting_is_written_once_for_two_layers() -> None:
    second = GRU.replace("Net", "Other")
    both = _settings(HEAD + GRU + "\n\n" + second)
    assert len(both) == 2 and both[0] == both[1]


def test_a_setting_needs_torch_above_it() -> None:
    assert _settings("from torch import nn\nimport torch as th\n\n\n" + GRU.replace("torch.", "th.")) == []
