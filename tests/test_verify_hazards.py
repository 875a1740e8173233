"""The measured hazards through the whole of verification: what is observed must be what was measured.

By default a sample of the 400 cases runs (every seventh, and all that once told detectors apart);
with ``TCLINT_ALL_HAZARDS=1`` all of them, about two minutes of one idle core. Cells are those of the
installed torch; releases that were not measured are skipped. Needs torch, in this interpreter or in
``TCLINT_TORCH_PYTHON``.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from torch_compile_lint.verify.run import installed_torch
from torch_compile_lint.verify.workers import Batch, LocalWorkers, Options

HAZARDS = Path(__file__).resolve().parent.parent / "fixtures" / "hazards"
CELLS: dict[str, Any] = json.loads((HAZARDS / "cells.json").read_text("utf-8"))["cells"]
PYTHON = os.environ.get("TCLINT_TORCH_PYTHON", sys.executable)
TORCH = installed_torch(PYTHON)
EVERY = 1 if os.environ.get("TCLINT_ALL_HAZARDS") else 7
# No detector of torch's own says anything of these, or only some do, or observing them is delicate.
TELLING = {
    *(
        "acr",
        "asyncio_in",
        "async_await",
        "break_cm",
        "cuda_stream",
        "gen_self",
        "grad_fn",
        "if_in_loop",
        "if_item",
    ),
    *("in_tensor", "lstm", "nested_", "not_tensor", "print_const", "rnd_shuffle", "round_t2", "slice_tensor"),
    *("sparse_in", "try_runtime", "while_tensor", "while_true", "with_lock"),
}
NAMES = sorted(set(list(CELLS)[::EVERY]) | (TELLING & set(CELLS)))

pytestmark = pytest.mark.skipif(
    TORCH not in ("2.3.1", "2.6.0", "2.9.1", "2.13.0", "2.14.1"), reason="needs a torch that was measured"
)

# Where verification says more than the table's harness did, or the number depends on the seed.
RECOMPILES_BY_SEED = {"rnd_shuffle", "rnd_layerdrop", "rnd_choice", "rnd_randint"}

NO_INPUT = {"input_"}  # it was measured with lines to read; a probe's standard input is empty
IN_TORCH_ONLY = {"quant_dyn"}  # what breaks is called by a module of torch's, compiled as a root


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    """Result of every chosen case, from two workers."""
    halves = [NAMES[0::2], NAMES[1::2]]
    batches = [_batch(names) for names in halves]
    found: dict[str, Any] = {}

    def on_result(number: int, probe: int, result: dict[str, Any]) -> None:
        found[halves[number][probe]] = result

    LocalWorkers(Options(PYTHON, jobs=2)).run(batches, on_result)
    return found


def _batch(names: list[str]) -> Batch:
    setup = {
        "file": str(HAZARDS / "probes.py"),
        "search": [],
        "watch": [str(HAZARDS)],
        "memory": 4 << 30,
        "device": "cpu",
        "backend": "eager",
    }
    probes = [
        {"id": number, "title": name, "timeout": 240, "calls": 3, "steps": [_step(name)]}
        for number, name in enumerate(names)
    ]
    return Batch(setup, tuple(probes))


def _step(name: str) -> dict[str, Any]:
    return {"how": "factory", "function": "inputs", "args": [name]}


def observed(variant: dict[str, Any]) -> set[str]:
    """The verdict in the words of the table."""
    said = set()
    pairs = list(zip(variant["exceptions"], variant["eager_exceptions"], strict=True))
    if all(eager for _, eager in pairs):
        return {"raises as eager"} if all(a == b for a, b in pairs) else {"other exception"}
    if any(compiled and not eager for compiled, eager in pairs):
        said.add("ERROR")
    if variant["differing"]:
        said.add("WRONG")
    graphs = variant["graphs_after_call"]
    if graphs[-1] == 0:
        said.add("skip")
    elif any(event["kind"] in ("break", "skip") for event in variant["events"]):
        said.add("break")
    if graphs[-1] > graphs[0]:
        said.add(f"recompile {graphs[-1] - graphs[0]}")
    return said or {"ok"}


def measured(cell: str) -> set[str]:
    """A cell of the table as a set of words."""
    if cell.startswith("exc type"):
        return {"other exception"}
    if cell == "raises as eager":
        return {cell}
    head = cell.split(" (")[0].split(" [")[0]
    said = {word for word in ("ERROR", "WRONG", "skip", "break") if word in head}
    match = re.search(r"recompile \d+", cell)
    return (said | ({match.group()} if match else set())) or {"ok"}


def cases() -> Iterator[str]:
    for name in NAMES:
        if name not in NO_INPUT and CELLS[name]["verdict"].get(TORCH, "n/a") != "n/a":
            yield name


@pytest.mark.parametrize("name", list(cases()))
def test_case(name: str, results: dict[str, Any]) -> None:
    result = results[name]
    if "No module named" in result["error"]:
        pytest.skip(result["error"])
    cell = CELLS[name]["verdict"][TORCH]
    if cell.startswith("CRASH"):
        assert result["outcome"] == "could-not-run" or observed(result["variants"][0]) == {"ok"}
        return
    assert result["outcome"] == "ran", result
    (variant,) = result["variants"]
    assert variant["missing_hooks"] == []
    got, want = observed(variant), measured(cell)
    if name in RECOMPILES_BY_SEED:
        got, want = ({word.split()[0] for word in words} for words in (got, want))
    assert got == want, (cell, variant["events"], variant["differences"])
    ids = {event["gb"] for event in variant["events"] if event["gb"]}
    assert set(re.findall(r"GB\d{4}", cell)) <= ids
    for event in variant["events"]:
        if event["kind"] != "recompile":
            assert event["line"] > 0, event
    if {"break", "skip", "ERROR"} & want and name not in IN_TORCH_ONLY:
        own = [row for event in variant["events"] for row in event["stack"] if str(HAZARDS) in row[0]]
        assert own, "nothing is attributed to the case's own lines"
