"""Generated programs: a safe fix never changes an eager result or side effect, an unsafe one not here.

TCLINT_FIX_PROGRAMS sets how many programs are generated (the full number is 1,000; CI runs 40).
"""

from __future__ import annotations

import ast
import contextlib
import io
import logging
import os
import random
from typing import Any

import pytest
from fix_programs import module
from torch_compile_lint.model import Request
from torch_compile_lint.repair import Repaired, repair

PROGRAMS = int(os.environ.get("TCLINT_FIX_PROGRAMS", "40"))
EACH = 20


def _repaired(text: str, unsafe: bool) -> Repaired:
    path = os.path.abspath("generated_programs.py")
    overrides = {"cache": False, "jobs": 1, "target-torch": "2.13"}
    return repair(Request((path,), {path: text}, overrides, isolated=True), unsafe)


def _outcome(space: dict[str, Any], name: str, seed: int) -> tuple[Any, str, list[str]]:
    """Results or the type of the exception, printed text, log records."""
    import torch

    torch.manual_seed(seed)
    heard: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: heard.append(record.getMessage())  # type: ignore[method-assign]
    log = logging.getLogger("generated")
    log.addHandler(handler)
    log.propagate = False
    x = torch.randn(3, requires_grad=True)
    y = torch.randn(3, requires_grad=True)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            try:
                result = space[name]()(x, y, flag=bool(seed % 2))
            except RuntimeError as problem:  # in-place writes to a leaf: the program's own mistake
                result = (torch.zeros(3), torch.zeros(3), [type(problem).__name__])
        loss = (result[0].sum() + result[1].sum()) if result[0].requires_grad else result[0].sum()
        if loss.requires_grad:
            # A program may write in place to what its own backward pass needs: it has no gradients.
            with contextlib.suppress(RuntimeError):
                loss.backward()
        return (*result[:2], result[2], x.grad, y.grad), printed.getvalue(), heard
    finally:
        log.removeHandler(handler)


def _executed(text: str) -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": "generated"}
    exec(compile(text, "generated", "exec"), space)
    return space


@pytest.mark.parametrize("number", range(max(1, PROGRAMS // EACH)))
@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
def test_fixed_programs_compute_the_same(number: int, unsafe: bool) -> None:
    torch = pytest.importorskip("torch")
    chance = random.Random(f"{number} {unsafe}")
    text = module(EACH, chance.randrange)
    done = _repaired(text, unsafe)
    (fixed,) = done.texts.values()
    assert done.refused == [] and done.fixed and not done.report.errors
    assert fixed.count("# kept") == text.count("# kept")
    ast.parse(fixed)
    assert not _repaired(fixed, unsafe).texts
    before, after = _executed(text), _executed(fixed)
    for one in range(EACH):
        for seed in range(3):
            left, right = (_outcome(space, f"N{one}", seed) for space in (before, after))
            if unsafe and left[0][2] == ["RuntimeError"]:
                continue
            assert left[1:] == right[1:], (one, seed)
            assert left[0][2] == right[0][2]
            exact = 0.0 if not unsafe else 1e-5
            if left[0][3] is None and left[0][4] is None:
                left, right = (_without_gradients(side) for side in (left, right))
            torch.testing.assert_close(
                _grads(left[0]), _grads(right[0]), rtol=exact, atol=exact, msg=lambda m, n=one: f"N{n}: {m}"
            )


def _without_gradients(outcome: Any) -> Any:
    return ((*outcome[0][:3], None, None), *outcome[1:])


def _grads(result: Any) -> list[Any]:
    """Outputs and gradients; one that is None is all zeros."""
    import torch

    tensors = [result[0], result[1], result[3], result[4]]
    return [torch.zeros(3) if t is None else t.detach() for t in tensors]
