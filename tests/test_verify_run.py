"""Verification without torch: a stand-in for the workers, and what is kept from one run to the next."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torch_compile_lint.engine import Engine
from torch_compile_lint.model import Report, Request
from torch_compile_lint.verify import contract
from torch_compile_lint.verify.plan import Target
from torch_compile_lint.verify.run import Scope, Verified, verify
from torch_compile_lint.verify.workers import Batch, OnResult, Options

NET = """\
import torch
from torch import nn

from helper import scale


class Net(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            x = scale(x)
        return x
"""
HELPER = "def scale(x):\n    return x * 2\n"


class Fake:
    """Answers every probe with the same variant, and counts."""

    def __init__(self, *events: dict[str, Any], loaded: Sequence[Path] = (), **more: Any) -> None:
        self.events = list(events)
        self.loaded = [str(path) for path in loaded]
        self.more = more
        self.asked = 0

    def run(self, batches: Sequence[Batch], on_result: OnResult) -> None:
        for number, batch in enumerate(batches):
            for probe in batch.probes:
                self.asked += 1
                on_result(number, probe["id"], self.result(batch.setup["file"]))

    def result(self, path: str) -> dict[str, Any]:
        variant = {
            "name": "Net",
            "evidence": "synthesized",
            "source": "Net()",
            "events": self.events,
            "lines": {path: [8, 9, 10]},
            "ran": {path: [8, 9, 10]},
            "differences": [],
            "graphs_after_call": [2, 2, 2],
            "seconds": {"eager": 0.1, "compiled": 0.2},
        }
        done = {"outcome": "ran", "stage": "", "reason": "", "error": "", "variants": [variant]}
        return {**done, "loaded": self.loaded, **self.more}


def event(path: Path, line: int, gb: str = "GB0170", kind: str = "break") -> dict[str, Any]:
    row = {"kind": kind, "path": str(path), "line": line, "function": "forward", "gb": gb, "text": "a branch"}
    frame = {"path": str(path), "line": 8, "function": "Net.forward"}
    return {**row, "frame": frame, "stack": [[str(path), line, "forward"]], "columns": None, "call": 0}


def program(folder: Path) -> Path:
    (folder / "net.py").write_text(NET)
    (folder / "helper.py").write_text(HELPER)
    return folder / "net.py"


def checked(path: Path) -> Report:
    return Engine().check(Request((str(path),), overrides={"cache": False}, cwd=str(path.parent)))


def run(path: Path, executor: Fake, name: str = "") -> Verified:
    scope = Scope(
        read=lambda name: Path(name).read_text(),
        project=(str(path.parent.resolve()),),
        cwd=str(path.parent.resolve()),
        cache_folder=str(path.parent / ".cache"),
    )
    options = Options(python=sys.executable)
    return verify(checked(path), [Target(str(path), name)], options, scope, executor=executor)


def test_a_second_run_asks_nobody_until_something_it_rests_on_changes(tmp_path: Path) -> None:
    path = program(tmp_path)
    fake = Fake(event(path, 9), loaded=[path, tmp_path / "helper.py"])
    first = run(path, fake)
    assert [f.verdict.outcome for f in first.report.findings if f.verdict] == ["confirmed"]
    asked = fake.asked
    again = run(path, fake)
    assert fake.asked == asked
    assert again.report.findings == first.report.findings
    (tmp_path / "helper.py").write_text(HELPER.replace("2", "x.sum().item()"))  # no finding stands there
    run(path, fake)
    assert fake.asked == 2 * asked
    path.write_text(NET + "\n")
    run(path, fake)
    assert fake.asked == 3 * asked
    (tmp_path / "helper.py").unlink()
    run(path, fake)
    assert fake.asked == 4 * asked


def test_what_hung_on_the_moment_is_tried_again(tmp_path: Path) -> None:
    path = program(tmp_path)
    for reason in ("time-out", "memory", "crash", "import"):
        fake = Fake(outcome="could-not-run", reason=reason, variants=[])
        run(path, fake)
        asked = fake.asked
        run(path, fake)
        assert fake.asked == 2 * asked, reason


def test_a_contract_names_what_got_worse(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    path = program(tmp_path)
    contract.write("agreed.json", run(path, Fake(event(path, 9))))
    assert contract.compare("agreed.json", run(path, Fake(event(path, 9)))) == []
    moved = run(path, Fake(event(path, 10)))  # the same break on another line is no new one
    assert contract.compare("agreed.json", moved) == []
    path.write_text(NET + "# changed\n")
    worse = run(path, Fake(event(path, 9), event(path, 10, "GB0124")))
    (line,) = contract.compare("agreed.json", worse)
    assert line.startswith("net.py:Net: 2 breaks, the contract allows 1: net.py:10 GB0124")
    path.write_text(NET + "# changed again\n")
    skipped = run(path, Fake(event(path, 9, kind="skip")))
    (line,) = contract.compare("agreed.json", skipped)
    assert line == "net.py:Net: 1 skipped frame, the contract allows 0: net.py:9 GB0170 TCD101 a branch"
    gone = run(path, Fake(outcome="could-not-run", reason="crash", error="killed", variants=[]))
    gone.probes.clear()
    assert contract.compare("agreed.json", gone) == ["net.py:Net: in the contract, but it could not be run"]


def test_a_module_without_a_contract_must_be_clean(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    path = program(tmp_path)
    Path("agreed.json").write_text(json.dumps({"modules": {}}))
    (line,) = contract.compare("agreed.json", run(path, Fake(event(path, 9))))
    assert (
        line == "net.py:Net: 1 break, and the module is not in the contract: net.py:9 GB0170 TCD101 a branch"
    )


NESTED = """\
import torch
from torch import nn


class Block(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            x = x * 2
        return x


class Other(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            x = x + 1
        return x


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.block = Block()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 9:
            return x
        return self.block(x)
"""


class Recording(Fake):
    """Says what it was asked to reach."""

    def __init__(self, *events: dict[str, Any], ran: Sequence[int]) -> None:
        super().__init__(*events)
        self.ran = list(ran)
        self.wanted: dict[str, list[int]] = {}

    def run(self, batches: Sequence[Batch], on_result: OnResult) -> None:
        for batch in batches:
            for probe in batch.probes:
                self.wanted[probe["title"]] = [line for _, line in probe["wanted"]]
        super().run(batches, on_result)

    def result(self, path: str) -> dict[str, Any]:
        answer = super().result(path)
        answer["variants"][0].update(lines={path: self.ran}, ran={path: self.ran})
        return answer


def test_a_named_class_answers_for_the_modules_it_is_built_of(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(NESTED)
    asked = Recording(event(path, 7), ran=[6, 7, 8, 9, 25, 27])
    done = run(path, asked, "Net")
    assert asked.wanted == {"Net": [7, 25]}
    verdicts = {f.line: f.verdict.outcome for f in done.report.findings if f.verdict}
    assert verdicts == {7: "confirmed", 25: "refuted"}
    assert done.report.missed == ()


def test_a_finding_counts_for_a_named_class_where_its_run_came_by(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(NESTED.replace("self.block = Block()", "self.block = globals()['Block']()"))
    done = run(path, Recording(event(path, 7), ran=[6, 7, 8, 9, 25, 27]), "Net")
    verdicts = {f.line: f.verdict.outcome for f in done.report.findings if f.verdict}
    assert verdicts == {7: "confirmed", 25: "refuted"}
    assert done.report.missed == ()


def test_a_named_method_is_verified_without_its_neighbours(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(NESTED)
    done = run(path, Recording(event(path, 7), ran=[6, 7, 8, 9]), "Block.forward")
    assert [f.line for f in done.report.findings] == [7]
