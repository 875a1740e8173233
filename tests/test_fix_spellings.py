"""Private spellings of torch._dynamo and the public ones they become: same results, same graphs."""

from __future__ import annotations

import os
from typing import Any

import pytest
from torch_compile_lint.model import Request
from torch_compile_lint.repair import repair

torch = pytest.importorskip("torch")

HEAD = """\
import torch
import torch._dynamo
import torch._dynamo as private
from torch._dynamo.testing import CompileCounter

counter = CompileCounter()


def run(fn, *args, calls=2):
    compiled = torch.compile(fn, backend=counter)
    return [compiled(*args) for _ in range(calls)], counter.frame_count, counter.op_count


x = torch.arange(4.0)
"""
SNIPPETS = {
    "is_compiling": "def f(x):\n    return x + torch._dynamo.is_compiling()\nout = f(x), run(f, x)",
    "is_compiling, an alias": "def f(x):\n    return x + private.is_compiling()\nout = f(x), run(f, x)",
    "is_compiling, imported": (
        "from torch._dynamo.external_utils import is_compiling as busy\n"
        "out = busy(), run(lambda x: x + busy(), x)"
    ),
    "allow_in_graph": (
        "def g(x):\n    print(end='')\n    return x * 2\n"
        "g = torch._dynamo.allow_in_graph(g)\nout = run(lambda x: g(x) + 1, x)"
    ),
    "assume_constant_result": (
        "@private.assume_constant_result\ndef g():\n    return len(str(id(object())) * 0) + 3\n"
        "out = run(lambda x: x + g(), x)"
    ),
    "disable": (
        "@torch._dynamo.disable\ndef g(x):\n    return x * 2\nout = g(x), run(lambda x: g(x + 1) * 3, x)"
    ),
    "disable, with options": (
        "@private.disable(recursive=False)\ndef g(x):\n    return x * 2\nout = run(lambda x: g(x + 1) * 3, x)"
    ),
    "list_backends": (
        "out = torch._dynamo.list_backends() + torch._dynamo.list_backends(exclude_tags=('experimental',))"
    ),
    "reset": "out = [run(torch.sin, x, calls=1)]\ntorch._dynamo.reset()\nout.append(run(torch.sin, x))",
    "set_stance": (
        "with torch._dynamo.set_stance('force_eager'):\n    out = run(lambda x: x + 1, x)\n"
        "out = out, run(lambda x: x - 1, x)"
    ),
    "substitute_in_graph": (
        "import operator\n"
        "def halves(x):\n    return operator.concat([x], [x])\n"
        "def mine(x, /):\n    return -x\n"
        "def original(x, /):\n    return -x\n"
        "private.substitute_in_graph(original)(mine)\nout = run(lambda x: original(x), x)"
    ),
}


def _outcome(text: str) -> Any:
    torch._dynamo.reset()
    space: dict[str, Any] = {"__name__": "spellings"}
    exec(compile(text, "spellings", "exec", dont_inherit=True), space)
    return space["out"]


@pytest.mark.parametrize("what", sorted(SNIPPETS))
def test_the_public_name_does_the_same(what: str) -> None:
    text = HEAD + SNIPPETS[what] + "\n"
    path = os.path.abspath("spellings.py")
    overrides = {"cache": False, "jobs": 1, "target-torch": "2.13", "select": ["TCD903"]}
    done = repair(Request((path,), {path: text}, overrides, isolated=True))
    (new,) = done.texts.values()
    assert not done.report.findings and "torch.compiler." in new.replace(
        "from torch.compiler", "torch.compiler."
    )
    assert str(_outcome(text)) == str(_outcome(new))


def test_names_without_a_public_counterpart_are_not_reported() -> None:
    """What this list promises: torch.compiler has none of them here."""
    private = (
        "mark_dynamic",
        "mark_static",
        "mark_static_address",
        "maybe_mark_dynamic",
        "graph_break",
        "run",
    )
    assert [name for name in private if hasattr(torch.compiler, name)] == []
    assert [name for name in private if not hasattr(torch._dynamo, name)] == []
