"""The doctor: verdicts from measurements (pure), and real walks over programs with one planted reason."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from torch_compile_lint.doctor import ablation, advice, reasons, repro
from torch_compile_lint.doctor.measured import Configuration, Measured, configuration
from torch_compile_lint.doctor.report_text import bar, render, to_json
from torch_compile_lint.doctor.times import Run, Times, among_processes
from torch_compile_lint.verify.run import installed_torch
from torch_compile_lint.worker import doctor_time

PYTHON = os.environ.get("TCLINT_TORCH_PYTHON", sys.executable)
needs_torch = pytest.mark.skipif(not installed_torch(PYTHON), reason="needs torch")
ROOT = Path(__file__).resolve().parent.parent
PLANTED = ROOT / "fixtures" / "doctor" / "planted.py"


def event(kind: str, line: int, call: int = 0, **more: Any) -> dict[str, Any]:
    known = {"path": "pkg/net.py", "function": "Net.forward", "gb": None, "text": "why", "detail": "why"}
    return {"kind": kind, "line": line, "call": call, **known, **more}


def seen(*events: dict[str, Any], graphs: int = 1, **more: Any) -> dict[str, Any]:
    return {"events": list(events), "graphs": graphs, "operations": 100, "calls": 5, "failed": "", **more}


def timed(eager: float, compiled: float, spread: float = 0.01, name: str = "compiled") -> Configuration:
    def around(median: float) -> Times:
        return Times(median, median * (1 - spread), median * (1 + spread), 20)

    run = Run(around(eager), around(compiled), 10.0)
    return Configuration(
        name, "torch.compile(model)", "", run.eager, run.compiled, 10.0, 0, 0.0, True, (run,)
    )


def walked(**more: Any) -> Measured:
    return Measured("net.py:Net", **more)


def split(total: float, inside: float, launches: int = 1) -> dict[str, Any]:
    return {"total": total, "inside": inside, "launches": launches, "graphs": []}


CASES = {
    "nothing was measured": (walked(), "unknown"),
    "faster and whole": (walked(observed=seen(), main=timed(0.02, 0.01)), "healthy"),
    "faster, with a break": (
        walked(observed=seen(event("break", 3)), main=timed(0.02, 0.01)),
        "faster-with-breaks",
    ),
    "faster, with most of it in a disabled function": (
        walked(
            observed=seen(event("break", 3, detail="torch.compiler.disable")),
            main=timed(0.02, 0.018),
            split=split(0.018, 0.004),
        ),
        "disabled-hot-function",
    ),
    "faster, with little of it in a disabled function": (
        walked(
            observed=seen(event("break", 3, detail="torch.compiler.disable")),
            main=timed(0.02, 0.01),
            split=split(0.01, 0.008),
        ),
        "faster-with-breaks",
    ),
    "raises": (walked(observed=seen(event("error", 3), failed="TypeError: no")), "does-not-compile"),
    "raises in the backend": (
        walked(observed=seen(), main=Configuration("compiled", "", "BackendCompilerFailed: no")),
        "does-not-compile",
    ),
    "no graph at all": (walked(observed=seen(event("skip", 3), graphs=0)), "falls-back"),
    "graphs without time in them": (
        walked(observed=seen(event("skip", 3)), main=timed(0.01, 0.012), split=split(0.012, 0.0001)),
        "falls-back",
    ),
    "graphs without time in them, since the rest is disabled": (
        walked(
            observed=seen(event("break", 3, detail="Skip calling `torch.compiler.disable()`d function")),
            split=split(0.012, 0.0001),
        ),
        "disabled-hot-function",
    ),
    "one recompile, as for a shape": (
        walked(observed=seen(event("recompile", 3, call=1)), main=timed(0.02, 0.01)),
        "healthy",
    ),
    "a recompile every call": (
        walked(observed=seen(*(event("recompile", 3, call=n) for n in (1, 2, 3)))),
        "recompiles",
    ),
    "the limit": (walked(observed=seen(event("recompile", 3, call=1, limit=True))), "recompiles"),
    "another result": (
        walked(
            observed=seen(),
            main=Configuration("compiled", "", "", None, None, None, 0, relative_difference=0.5, same=False),
        ),
        "wrong",
    ),
    "rounding only": (
        walked(
            observed=seen(),
            main=replace(timed(2.0, 1.0), relative_difference=1e-6, same=False),
        ),
        "healthy",
    ),
    "tiny": (walked(observed=seen(), main=timed(3e-5, 9e-5), split=split(9e-5, 3e-5)), "too-small"),
    "hot break": (
        walked(observed=seen(event("break", 3)), main=timed(0.01, 0.02), split=split(0.02, 0.01, 32)),
        "breaks-in-hot-code",
    ),
    "disabled": (
        walked(
            observed=seen(event("break", 3, detail="Skip calling `torch.compiler.disable()`d function")),
            main=timed(0.01, 0.0101),
            split=split(0.01, 0.004, 2),
        ),
        "disabled-hot-function",
    ),
    "data decides the shape": (
        walked(
            observed=seen(event("break", 3, gb="GB0036")),
            main=timed(0.01, 0.011),
            split=split(0.01, 0.005, 2),
        ),
        "data-dependent-shape",
    ),
    "library kernels": (
        walked(observed=seen(), main=timed(0.1, 0.1), split=split(0.1, 0.099)),
        "compute-bound",
    ),
    "time outside": (
        walked(observed=seen(event("break", 3)), main=timed(0.01, 0.012), split=split(0.012, 0.004, 2)),
        "time-outside-graphs",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_verdict(name: str) -> None:
    found, wanted = CASES[name]
    assert reasons.verdict(found).name == wanted


@pytest.mark.parametrize("name", CASES)
def test_every_walk_can_be_told(name: str) -> None:
    found, wanted = CASES[name]
    text = render(found)
    assert f"[{wanted}]" in text
    assert json.loads(json.dumps(to_json(found)))["verdict"]["name"] == wanted


def test_a_gain_within_the_spread_is_none() -> None:
    found = walked(observed=seen(), main=timed(0.0101, 0.01, spread=0.05), split=split(0.01, 0.0099))
    assert "no difference beyond the spread" in reasons.verdict(found).text
    assert ablation.best(found) is None
    assert reasons.payback(found)["cold_calls"] is None


def test_rounds_far_apart_say_that_the_machine_was_busy() -> None:
    # half a second in one round, ten milliseconds in another: no claim about the model's operations
    found = walked(observed=seen(), main=timed(0.1, 0.1, spread=0.4), split=split(0.1, 0.099))
    told = reasons.verdict(found)
    assert told.name == "unsteady" and len(told.evidence) == 2
    assert "compute-bound" not in render(found)


def test_one_unsteady_process_of_three_does_not_spoil_the_walk() -> None:
    shaky = steady_run(0.1, 0.1)
    shaky["eager"] = {"median": 0.1, "low": 0.05, "high": 0.2, "samples": 20}
    calm = steady_run(0.1, 0.1)
    one = configuration("compiled", "", calm, [calm, shaky])
    assert one.unsteady("eager") is None
    told = configuration("compiled", "", shaky, [calm, shaky]).unsteady("eager")
    assert told is not None and told.high == 0.2


def test_a_difference_larger_than_the_unsteadiness_still_counts() -> None:
    found = walked(observed=seen(), main=timed(0.5, 0.1, spread=0.3))
    assert reasons.verdict(found).name == "healthy"
    assert [one.name for one in reasons.remarks(found)] == ["unsteady"]


def test_the_spread_is_that_of_the_rounds() -> None:
    class Block:
        def __init__(self, *times: float) -> None:
            self.times = list(times)

    found = doctor_time.summary([Block(1.0, 1.0, 1.0), Block(3.0, 3.0, 3.0, 3.0)])
    assert (found["low"], found["median"], found["high"], found["samples"]) == (1.0, 3.0, 3.0, 7)
    # one long round of four does not widen it, two do
    quiet = doctor_time.summary(
        [Block(1.0, 1.0, 1.0), Block(1.0, 1.0, 1.0), Block(1.0, 1.0, 1.0), Block(9.0)]
    )
    assert (quiet["low"], quiet["high"]) == (1.0, 3.0)


def steady_run(eager: float, compiled: float) -> dict[str, Any]:
    """What a worker's `time` step gives, with a spread of one percent."""

    def around(median: float) -> dict[str, Any]:
        return {"median": median, "low": 0.99 * median, "high": 1.01 * median, "samples": 20}

    return {"eager": around(eager), "compiled": around(compiled), "compile": 5.0}


def test_one_process_keeps_its_own_spread() -> None:
    one = Times(1.0, 0.9, 1.2, 20)
    assert among_processes([one]) is one


@given(st.lists(st.floats(1e-5, 10.0), min_size=2, max_size=8))
def test_the_spread_among_processes_holds_their_middle_and_grows_with_them(medians: list[float]) -> None:
    found = among_processes([Times(m, 0.99 * m, 1.01 * m, 20) for m in medians])
    assert min(medians) * 0.999 <= found.median <= max(medians) * 1.001
    assert 0 < found.low < found.median < found.high
    wider = among_processes([Times(m, 0.99 * m, 1.01 * m, 20) for m in [m**2 for m in medians]])
    assert wider.high / wider.low >= 0.97 * found.high / found.low


def test_the_spread_among_three_processes_is_a_prediction_interval() -> None:
    # medians e^-1, 1, e: logarithms with a deviation of 1, so t(2) * sqrt(4 / 3) on either side
    found = among_processes([Times(math.exp(n), math.exp(n), math.exp(n), 10) for n in (-1, 0, 1)])
    half = 1.886 * math.sqrt(4 / 3)
    assert (found.low, found.high) == (pytest.approx(math.exp(-half)), pytest.approx(math.exp(half)))


def test_a_gain_counts_where_most_processes_show_it_and_none_the_opposite() -> None:
    # the machine was twice as fast for the second process: spreads overlap, the ratio is the same
    one = configuration("compiled", "", steady_run(0.02, 0.012), [steady_run(0.01, 0.006)])
    assert one.certain and one.gain == pytest.approx(5 / 3)
    other = configuration("compiled", "", steady_run(0.02, 0.012), [steady_run(0.01, 0.011)])
    assert not other.certain
    shows, nothing, slower = steady_run(0.012, 0.01), steady_run(0.0101, 0.01), steady_run(0.008, 0.01)
    assert configuration("compiled", "", shows, [shows, nothing]).certain
    assert configuration("compiled", "", slower, [nothing, slower]).certain
    for uncertain in ([shows, nothing, nothing], [shows, shows, slower], [shows, nothing]):
        assert not configuration("compiled", "", uncertain[0], uncertain[1:]).certain
    # of three processes the ratio in the middle, though the medians come from different processes
    mixed = configuration("compiled", "", steady_run(0.04, 0.02), [steady_run(0.01, 0.008), nothing])
    assert mixed.gain == pytest.approx(1.25)
    assert configuration("compiled", "", {"failed": "no"}).certain is False


@pytest.mark.parametrize(
    ("medians", "enough"),
    [
        ((1.0, 1.1, 1.05, 1.0), True),
        ((1.0, 1.0, 1.0, 1.0, 9.0), True),  # one round of five beside another job
        ((1.0, 1.0, 9.0, 9.0), False),
        ((1.0, 2.0, 3.0, 4.0), False),
    ],
)
def test_rounds_that_differ_are_followed_by_more(medians: tuple[float, ...], enough: bool) -> None:
    assert doctor_time.alike(list(medians)) is enough


def test_graphs_that_are_slower_themselves_are_not_called_compute_bound() -> None:
    found = walked(observed=seen(), main=timed(0.1, 0.2), split=split(0.2, 0.199))
    told = reasons.verdict(found)
    assert told.name == "slower-graphs" and told.text.startswith("compiled is 2.00x slower than eager")


def test_an_event_in_torch_is_told_at_the_line_that_led_there() -> None:
    inner = "/v/lib/python3.11/site-packages/torch/nn/modules/module.py"
    one = {
        "path": inner,
        "line": 1794,
        "text": "Skip calling `torch.compiler.disable()`d function",
        "detail": "Explanation: Skip calling function `<function Block.forward at 0x7f>` since",
        "stack": [["/home/me/net.py", 11, "forward"], [inner, 1794, "_call_impl"]],
    }
    assert reasons.place(one) == "me/net.py:11"
    assert reasons.said(one).endswith("disable()`d function `Block.forward`")
    assert reasons.place({**one, "stack": []}) == "modules/module.py:1794"


def test_payback_is_compile_time_over_time_saved() -> None:
    found = walked(main=timed(0.3, 0.1), warm_cache_seconds=2.0)
    told = reasons.payback(found)
    assert told["cold_calls"] == pytest.approx(50)
    assert told["warm_calls"] == pytest.approx(10)
    assert "won back after 50 calls (10 with a warm cache)" in render(found)


def test_best_is_the_fastest_of_the_certain() -> None:
    found = walked(main=timed(0.02, 0.015))
    found.ablations = [timed(0.02, 0.01, name="only `a`"), timed(0.02, 0.009, spread=2.0, name="only `b`")]
    best = ablation.best(found)
    assert best is not None and best.name == "only `a`"


def test_price_is_what_leaving_the_function_out_saves() -> None:
    found = walked(observed=seen(event("break", 7, gb="GB0170")), main=timed(0.02, 0.04))
    # the machine was half as fast while the other configuration was timed: only ratios count
    found.ablations = [timed(0.04, 0.04, name="without function `Net.forward`")]
    (row,) = ablation.prices(found)
    assert row["seconds"] == pytest.approx(0.02)
    assert (row["place"], row["lines"], row["gb"]) == ("pkg/net.py:7", [7], ["GB0170"])


def test_candidates_name_breaking_functions_repeated_blocks_and_hot_submodules() -> None:
    rows = [{"name": "", "class": "Net", "seconds": 1.0, "own": 0.0, "calls": 1}]
    rows += [
        {"name": f"blocks.{n}", "class": "Block", "seconds": 0.2, "own": 0.2, "calls": 1} for n in range(3)
    ]
    found = walked(observed=seen(event("break", 7)), profile={"modules": rows})
    made = {one.name: one for one in ablation.candidates(found)}
    assert made["without function `Net.forward`"].config == {"disable": [["pkg/net.py", "Net.forward"]]}
    assert made["only the 3 `Block` blocks"].code == "for block in model.blocks: block.compile()"
    assert made["all but `blocks.0`"].config == {"without": ["blocks.0"]}


def test_only_advice_that_could_concern_the_model_is_tried() -> None:
    asked: list[dict[str, Any]] = []

    def step(kind: str, **more: Any) -> dict[str, Any]:
        asked.append(more)
        return seen(event("break", 3)) if not more.get("fullgraph") else {"failed": "Unsupported: no"}

    found = walked(observed=seen(event("break", 3, text="Unsupported Tensor.item() call")))
    rows = {row["name"]: row["effect"] for row in advice.tried(found, step, lambda: 100.0)}
    assert rows == {
        "fullgraph=True": "Unsupported: no",
        "capture_scalar_outputs": "no effect: breaks 1, as before",
        "dynamic=True": "no effect: breaks 1, as before",
    }
    assert advice.tried(walked(observed=seen()), step, lambda: 100.0) == []


def test_repro_names_the_smallest_part() -> None:
    found = walked(observed=seen(failed="TypeError: no"))
    found.minimised = {"name": "bad", "class": "Bad", "inputs": ["torch.randn([2, 3]).to(torch.float32)"]}
    text = repro.render(found, "net.py:Net")
    assert text is not None
    compile(text, "repro.py", "exec")
    assert "model.get_submodule('bad')" in text
    assert repro.render(walked(observed=seen()), "net.py:Net") is None


def test_bars_fill_their_room() -> None:
    assert [bar(share, 1.0, 4) for share in (0.0, 0.5, 1.0, 2.0)] == ["····", "██··", "████", "████"]


# ---------------------------------------------------------------- real walks


def doctor(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in ("lint", "rules"))}
    command = [sys.executable, "-m", "torch_compile_lint", "doctor", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=env, timeout=600, check=False)


ALL = bool(os.environ.get("TCLINT_ALL_DOCTOR"))
WALKS = {
    "HotLoop": "breaks-in-hot-code",
    "Counter": "recompiles",
    "Tiny": "too-small",
    "Disabled": "disabled-hot-function",
    "DataShape": "data-dependent-shape",
    "Nothing": "falls-back",
    "Healthy": "healthy",
    "Broken": "does-not-compile",
}


@needs_torch
@pytest.mark.parametrize("name", WALKS if ALL else ["Counter", "Broken"])
def test_planted_reason_is_named(name: str) -> None:
    factory = "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")
    run = doctor(
        f"{PLANTED}:{name}",
        "--inputs",
        f"{PLANTED}:{factory}",
        "--python",
        PYTHON,
        "--format",
        "json",
        "--time",
        "0.5",
    )
    assert run.returncode in (0, 1), run.stderr
    assert json.loads(run.stdout)["verdict"]["name"] == WALKS[name]


@needs_torch
def test_a_script_is_watched(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import sys, torch\n"
        "@torch.compile(backend='eager')\n"
        "def f(x):\n"
        "    if x.sum() > 0:\n"
        "        x = x + 1\n"
        "    return x.sin()\n"
        "for _ in range(int(sys.argv[1])):\n"
        "    f(torch.ones(4))\n"
    )
    run = doctor("train.py", "--python", PYTHON, "--format", "json", "--", "4", cwd=tmp_path)
    assert run.returncode == 1, run.stderr
    told = json.loads(run.stdout)
    (row,) = told["compiled"]
    assert (row["name"], row["calls"]) == ("f", 4)
    assert [(e["kind"], e["line"]) for e in told["runs"]["compiled"]["events"]] == [("break", 4)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no_such.py:Net"], "no such file"),
        (["timm:"], "name a model: timm:NAME"),
        (["x.py:Net", "--budget", "0"], "--budget must be positive"),
        (["x.py:Net", "--skip", "all"], "unknown step `all`"),
        (["x.py:Net", "--backend", "magic"], "--backend must be"),
    ],
)
def test_wrong_use_is_one_line(arguments: list[str], message: str) -> None:
    run = doctor(*arguments)
    assert run.returncode == 2
    assert message in run.stderr and len(run.stderr.splitlines()) == 1
