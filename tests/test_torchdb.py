"""The data files: they load fast, are consistent, and hold what the rest relies on."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from torch_compile_lint.program.transfer_spec import parse
from torch_compile_lint.torchdb import db

TABLES = ("results", "layers", "attributes", "aliases", "dynamo")


def test_every_specification_parses() -> None:
    def visit(spec: object) -> None:
        assert spec.kind in "TBIFXPSNZYVLA([{<!?"  # type: ignore[attr-defined]
        for alternatives in spec.items:  # type: ignore[attr-defined]
            for inner in alternatives:
                visit(inner)

    results = json.loads((db.FOLDER / "apis" / "results.json").read_bytes())
    layers = json.loads((db.FOLDER / "apis" / "layers.json").read_bytes())
    texts = [*results.values(), *(row["call"] for row in layers.values() if "call" in row)]
    texts += [spec for row in layers.values() for spec in row.get("attributes", {}).values()]
    for text in texts:
        for spec in parse(text):
            visit(spec)


def test_tables_cover_torch() -> None:
    results = json.loads((db.FOLDER / "apis" / "results.json").read_bytes())
    assert len(results) > 1500
    assert sum(name.startswith("torch.Tensor.") for name in results) > 450
    assert sum(name.startswith("torch.nn.functional.") for name in results) > 100
    assert len(db.module_classes()) > 140


@pytest.mark.parametrize(
    ("symbol", "spec"),
    [
        ("torch.isnan", "T:b:="),
        ("torch.argmax", "T:i:r"),
        ("torch.Tensor.sum", "T:+=:r"),
        ("torch.Tensor.item", "Pt"),
        ("torch.Tensor.add_", "T:=:="),
        ("torch.topk", "(T:=:=,T:i:=)"),
    ],
)
def test_measured_rules(symbol: str, spec: str) -> None:
    assert db.result(symbol) == spec


def test_layers() -> None:
    assert db.is_module_class("torch.nn.Linear")
    assert not db.is_module_class("torch.nn.functional.relu")
    assert db.layer_call("torch.nn.LSTM") == "(T:f,(T:f,T:f))"
    assert db.layer_attribute("torch.nn.Conv2d", "weight") == "T:f:4"
    assert db.canonical("torch.nn.modules.linear.Linear") == "torch.nn.Linear"


def test_graph_break_registries() -> None:
    assert db.break_releases() == ("2.9.1", "2.13.0", "2.14.1")
    assert len(db.breaks("2.14.1")) == 561
    assert db.breaks("2.14") == db.breaks("2.14.1")
    assert db.breaks("2.3") == {}
    entry = db.graph_break("GB0170")["2.14.1"]
    assert entry.title == "Data-dependent branching"
    assert entry.explanation.startswith("Detected data-dependent branching")
    assert db.graph_break("GB0059")["2.13.0"].hints
    assert db.graph_break("GB9999999") == {}


@pytest.mark.parametrize("release", db.break_releases())
def test_every_graph_break_id_is_classified(release: str) -> None:
    unclassified = [name for name in db.breaks(release) if db.classification(name) is None]
    assert not unclassified, "say in torchdb/breaks/classes.json who can know of these"


def test_classifications_say_who_or_why() -> None:
    branching = db.classification("GB0170")
    assert branching is not None and "TCD101" in branching.codes
    for name in db.breaks("2.14.1"):
        found = db.classification(name)
        assert found is not None and bool(found.codes) != bool(found.reason), name


def test_dynamo_lists() -> None:
    assert "numpy.interp" in db.missing_numpy()
    assert {"numpy.trapz", "numpy.trapezoid", "numpy.linalg.matrix_norm"} < db.missing_numpy()
    # Another name of a function that torch's numpy has.
    assert "numpy.concat" not in db.missing_numpy()
    assert "torch.manual_seed" in db.skipped_by_dynamo("2.9")
    assert "torch.cuda.manual_seed" not in db.skipped_by_dynamo("2.9.1")
    assert "torch.cuda.manual_seed" in db.skipped_by_dynamo("2.14")


def test_numpy_functions_are_missing_in_every_release_or_in_none() -> None:
    """One list serves all releases: what 2.6 and later lack is the same, and 2.3 lacks of numpy 1.26."""
    lists = [set(db._dynamo(release)["missing_numpy"]) for release in db.dynamo_releases()]
    assert len(lists) == 5 and all(one == lists[1] for one in lists[1:])


def test_releases_are_ordered() -> None:
    versions = [tuple(map(int, r.version.split("."))) for r in db.releases()]
    assert versions == sorted(versions)
    held = {r.version for r in db.releases() if r.registry}
    assert held == set(db.break_releases())


def test_loading_is_fast() -> None:
    code = (
        "import time; from torch_compile_lint.torchdb import db\n"
        "start = time.perf_counter()\n"
        "db.result('x'); db.is_module_class('x'); db.canonical('x')\n"
        "db.attribute('x', 'y'); db.missing_numpy()\n"
        "print(time.perf_counter() - start)\n"
    )
    path = str(db.FOLDER.parent.parent)
    taken = []
    for _ in range(3):
        run = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": path}
        )
        taken.append(float(run.stdout))
    assert min(taken) < 0.03, taken


@pytest.mark.torch
def test_layer_classes_match_the_installed_torch() -> None:
    torch = pytest.importorskip("torch")
    for symbol in sorted(db.module_classes()):
        target = torch
        for part in symbol.split(".")[1:]:
            target = getattr(target, part, None)
            if target is None:
                break  # of another release
        assert target is None or issubclass(target, torch.nn.Module), symbol
