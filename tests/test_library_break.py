"""TCD506: what the data of libraries holds, and that the rule says it once, at the user's call."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from torch_compile_lint import registry
from torch_compile_lint.engine import Engine
from torch_compile_lint.model import Finding, Request
from torch_compile_lint.torchdb import db

HEAD = """\
import timm
import torch
import torchvision
from timm.models.sequencer import Sequencer2d
from torch import nn
from torchvision import transforms
from torchvision.transforms import v2
"""
EFFECTS = {"break", "skip", "error"}


def check(folder: Path, files: dict[str, str], *paths: str) -> list[Finding]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    overrides = {"cache": False, "jobs": 1, "target-torch": "2.14"}
    checked = tuple(str(folder / name) for name in paths or files)
    report = Engine().check(Request(paths=checked, overrides=overrides, isolated=True))
    assert report.errors == ()
    return list(report.findings)


def module(made: str, called: str = "self.part(x)") -> str:
    return (
        f"{HEAD}\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        self.part = {made}\n\n    def forward(self, x: torch.Tensor):\n        return {called}\n"
    )


# ---------------------------------------------------------------- the data


@pytest.mark.parametrize("library", db.LIBRARIES)
def test_each_name_says_what_was_measured(library: str) -> None:
    data = json.loads((db.FOLDER / "libraries" / f"{library}.json").read_text())
    assert data["library"] == library and data["torch"] == "2.14.1" and data["version"]
    assert data["names"]
    for name, row in data["names"].items():
        assert row["kind"] in ("class", "function", "maker"), name
        assert row["effect"] in EFFECTS, name
        assert row["file"].startswith(f"{library}/") and row["file"].endswith(".py"), name
        assert row["line"] > 0 and row["function"], name
        assert row["gb"] and set(row["gb"]) <= set(db.breaks("2.14")), name
        assert all(one.startswith(f"{library}.") for one in (name, *row.get("also", ())))
    assert not set(data["clean"]) & set(data["names"])


def test_claims_name_the_ids_that_were_seen() -> None:
    rule = registry.find("TCD506")
    assert rule is not None
    for claim in rule.meta.claims:
        library, _, raises = claim.form.partition("-")
        rows = [row for row in db.library_breaks(library).values() if (row.effect == "error") == bool(raises)]
        seen = {gb for row in rows for gb in row.gb}
        assert set(claim.gb) == seen, claim.form


def test_aliases_are_one_entry() -> None:
    public = db.library_break("torchvision.transforms.ColorJitter")
    assert public is not None and public is db.library_break("torchvision.transforms.transforms.ColorJitter")
    assert (public.kind, public.library) == ("class", "torchvision")
    assert db.library_break("torchvision.transforms.v2.Normalize") is None
    assert db.library_break("torch.nn.Linear") is None


def test_what_breaks_and_what_does_not() -> None:
    vision = db.library_breaks("torchvision")
    assert {"torchvision.transforms.v2.ColorJitter", "torchvision.ops.nms"} <= set(vision)
    clean = json.loads((db.FOLDER / "libraries" / "torchvision.json").read_text())["clean"]
    assert {"torchvision.transforms.v2.Resize", "torchvision.ops.roi_align"} <= set(clean)


def test_code_without_the_libraries_reads_no_data(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(
        "import torch\n\n\n@torch.compile\ndef f(x):\n    return torch.relu(x)\n"
    )
    code = (
        "from torch_compile_lint.engine import Engine\n"
        "from torch_compile_lint.model import Request\n"
        "from torch_compile_lint.torchdb import db\n"
        f"Engine().check(Request(paths=({str(tmp_path)!r},), overrides={{'cache': False, 'jobs': 1}}))\n"
        "print(db.library_breaks.cache_info().misses)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"


# ---------------------------------------------------------------- the rule


@pytest.mark.parametrize(
    "made",
    [
        "v2.ColorJitter(0.5)",
        "transforms.ColorJitter(0.5)",
        "torchvision.transforms.RandomAffine(10.0)",
        "nn.Sequential(v2.Pad(2), v2.RandomRotation(20.0))",
        "v2.Compose([v2.Pad(2), v2.GaussianBlur(3)])",
        "transforms.Compose([transforms.Pad(2), transforms.GaussianBlur(3)])",
        "Sequencer2d()",
        "timm.create_model('sequencer2d_l')",
        "timm.create_model('sequencer2d_l.in1k', pretrained=True)",
    ],
)
def test_a_listed_name_is_told_once_at_the_call(tmp_path: Path, made: str) -> None:
    text = module(made)
    found = check(tmp_path, {"net.py": text})
    assert [(f.code, f.line) for f in found] == [("TCD506", len(text.splitlines()))]
    assert "\n" not in found[0].message and found[0].effect.value == "break"


@pytest.mark.parametrize(
    "made",
    [
        "v2.Normalize([0.5], [0.5])",
        "v2.Resize(16)",
        "nn.Sequential(v2.Pad(2), v2.CenterCrop(8))",
        "v2.Compose([v2.Resize(16), v2.Normalize([0.5], [0.5])])",
        "timm.create_model('resnet18')",
        "timm.create_model('sequencer2d_' + size)",
        "torchvision.models.resnet18()",
        "v2.RGB()",
    ],
)
def test_what_did_not_break_is_not_told(tmp_path: Path, made: str) -> None:
    assert check(tmp_path, {"net.py": module(made)}) == []


def test_only_a_call_is_told(tmp_path: Path) -> None:
    assert check(tmp_path, {"net.py": module("v2.ColorJitter(0.5)", "x + len(self.part.brightness)")}) == []


def test_what_may_be_something_else_is_not_told(tmp_path: Path) -> None:
    assert (
        check(tmp_path, {"net.py": module("v2.ColorJitter(0.5) if torch.rand(1) > 0 else v2.Pad(2)")}) == []
    )


def test_an_operator_of_another_rule_is_told_by_that_one(tmp_path: Path) -> None:
    text = module("None", "torchvision.ops.nms(x, x[:, 0], 0.5)")
    assert [f.code for f in check(tmp_path, {"net.py": text})] == ["TCD219"]


def test_a_library_that_is_checked_itself_is_told_at_its_own_lines(tmp_path: Path) -> None:
    """A program that holds the library: the finding is inside, and the call has none."""
    library = (
        "import torch\nfrom torch import nn\n\n\nclass ColorJitter(nn.Module):\n"
        "    def forward(self, x: torch.Tensor):\n        return x * x.sum().item()\n\n\n"
        "def remove_small_boxes(boxes: torch.Tensor, least: float):\n"
        "    return torch.nonzero(boxes > least)\n"
    )
    user = (
        "import torch\nfrom torch import nn\nfrom torchvision.ops import remove_small_boxes\n"
        "from torchvision.transforms.v2 import ColorJitter\n\n\nclass Net(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n        self.part = ColorJitter()\n\n"
        "    def forward(self, x: torch.Tensor):\n        return remove_small_boxes(self.part(x), 1.0)\n"
    )
    files = {
        "torchvision/__init__.py": "",
        "torchvision/transforms/__init__.py": "",
        "torchvision/transforms/v2/__init__.py": "from ._color import ColorJitter\n",
        "torchvision/transforms/v2/_color.py": library,
        "torchvision/ops/__init__.py": "from .boxes import remove_small_boxes\n",
        "torchvision/ops/boxes.py": library,
        "net.py": user,
    }
    found = check(tmp_path, files)
    assert {f.code for f in found} == {"TCD201", "TCD205"}
    assert {Path(f.path).name for f in found} == {"_color.py", "boxes.py"}
