"""PyTorch's graph-break ids: who finds each, and that what we say of them is so."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from torch_compile_lint import registry
from torch_compile_lint.config import DEFAULT_PLUGINS
from torch_compile_lint.engine import Engine
from torch_compile_lint.front.break_pages import graph_break
from torch_compile_lint.model import Request
from torch_compile_lint.report.paint import Paint
from torch_compile_lint.torchdb import db
from torch_compile_lint.worker import try_breaks

IDS = sorted({name for release in db.break_releases() for name in db.breaks(release)})


@pytest.fixture(scope="module")
def claimed() -> dict[str, set[str]]:
    """id -> rules whose claims name it."""
    out: dict[str, set[str]] = defaultdict(set)
    for rule in registry.load(extend_select=("ALL",)):
        for claim in rule.meta.claims:
            for gb in claim.gb:
                out[gb].add(rule.meta.code)
    return out


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """id -> rules that report something in its example."""
    folder = tmp_path_factory.mktemp("breaks")
    for name, one in db.break_hints().items():
        source = one.example.replace("def f(x):", "@torch.compile\ndef f(x: torch.Tensor):")
        (folder / f"{name}.py").write_text(f"{try_breaks.PRELUDE}{source}\n")
    overrides = {"cache": False, "jobs": 1, "target-torch": "2.14"}
    report = Engine().check(Request(paths=(str(folder),), overrides=overrides, isolated=True))
    assert report.errors == ()
    out: dict[str, set[str]] = defaultdict(set)
    for finding in report.findings:
        out[Path(finding.path).stem].add(finding.code)
    return out


def test_what_claims_name_is_classified_as_found(claimed: dict[str, set[str]]) -> None:
    for gb, codes in claimed.items():
        found = db.classification(gb)
        assert found is not None and codes <= set(found.codes), f"{gb}: {codes} in classes.json"


def test_rules_named_for_an_id_can_report_it(
    claimed: dict[str, set[str]], reported: dict[str, set[str]]
) -> None:
    for gb in IDS:
        found = db.classification(gb)
        assert found is not None
        for code in found.codes:
            assert code in claimed[gb] or code in reported[gb], f"{gb}: {code} never reports it"


def test_every_id_says_what_to_do() -> None:
    for gb in IDS:
        newest = list(db.graph_break(gb).values())[-1]
        found = db.classification(gb)
        assert found is not None
        assert newest.hints or db.break_hint(gb) or found.advice, gb


def test_hints_are_sentences_of_known_ids() -> None:
    for gb, one in db.break_hints().items():
        assert gb in IDS and one.seen and one.hint.endswith("."), gb
        assert "\n" not in one.hint and "def f(" in one.example and "def f(" in one.instead, gb


@pytest.mark.parametrize("gb", ["GB0170", "GB0141", "GB0200", "GB0124", "GB0025", *IDS[::50]])
def test_pages(gb: str) -> None:
    text = graph_break(gb, "text", DEFAULT_PLUGINS, 100, Paint(False))
    for heading in ("Rules that find it", "Example", "What to do"):
        assert f"\n{heading}\n" in text, text
    data = json.loads(graph_break(gb, "json", DEFAULT_PLUGINS, 100, Paint(False)))
    assert data["gb"] == gb and data["kind"] in ("rule", "source", "runtime", "internal", "asked")


def test_a_page_shows_example_and_remedy() -> None:
    text = graph_break("GB0170", "text", DEFAULT_PLUGINS, 100, Paint(False))
    assert "if x.sum() > 0" in text and "torch.where" in text and "TCD101" in text
    assert "did not bring it about" in graph_break("GB0200", "text", DEFAULT_PLUGINS, 100, Paint(False))


@pytest.mark.torch
def test_examples_show_their_id() -> None:
    """A tenth of them; `tclint dev verify-breaks` compiles all."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("numpy")
    release = torch.__version__.split("+")[0]
    some = [n for n, one in db.break_hints().items() if release in one.seen][::10]
    work = {f"{n} bad": db.break_hints()[n].example for n in some}
    work.update({f"{n} good": db.break_hints()[n].instead for n in some})
    script = Path(try_breaks.__file__)
    done = subprocess.run(
        [sys.executable, str(script)], input=json.dumps(work), capture_output=True, text=True, timeout=300
    )
    rows = {row["name"]: row for row in map(json.loads, done.stdout.splitlines()[1:])}
    for name in some:
        assert name in rows[f"{name} bad"]["ids"], rows[f"{name} bad"]
        assert not rows[f"{name} good"]["ids"], rows[f"{name} good"]
