"""The site: every made page is there, its links and anchors hold, and what it shows is what happens."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = found
    spec.loader.exec_module(found)
    return found


def test_every_rule_and_every_option_has_its_place() -> None:
    from torch_compile_lint import config, registry
    from torch_compile_lint.front import options

    pages = module("site_pages").made()
    index = pages["reference/rules.md"]
    for rule in registry.load(extend_select=("ALL",)):
        name = f"{rule.meta.code.lower()}-{rule.meta.name}.md"
        assert f"](rules/{name})" in index and f"reference/rules/{name}" in pages
    for key in config.KEYS:
        assert f"| `{key}` |" in pages["reference/options.md"]
    for action in options.check_parser()._actions:
        for flag in action.option_strings:
            assert f"`{flag}`" in pages["reference/options.md"]


def test_links_lead_to_pages_and_headings() -> None:
    """What mkdocs checks when it builds, for where it is not installed."""
    pages = {f"{p.relative_to(DOCS / 'pages')}": p.read_text() for p in (DOCS / "pages").rglob("*.md")}
    pages |= module("site_pages").made()
    for name, text in pages.items():
        prose = re.sub(r"^( *)```.*?^\1```", "", text, flags=re.S | re.M)
        for target, anchor in re.findall(r"(?<!!)\]\(([^)#\s]*)(#[^)\s]*)?\)", prose):
            if re.match(r"[a-z]+:", target):
                continue
            there = os.path.normpath(os.path.join(os.path.dirname(name), target)) if target else name
            assert there in pages, f"{name}: {target}"
            if anchor:
                heads = re.findall(r"^#+ (.+)$", pages[there], flags=re.M)
                assert anchor[1:] in {_slug(h) for h in heads}, f"{name}: {target}{anchor}"


def _slug(heading: str) -> str:
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())


def test_pictures_are_drawn_from_what_was_measured() -> None:
    figures = module("figures")
    observed, releases = figures.cells()
    position = figures.position()
    for _, cases in figures.POSITIONS:
        for case in cases.values():
            assert observed[case][releases[-1]]
    assert position.count("no graph") == 6 and position.count("1 break<") == 7
    bars = figures.releases()
    assert all(f">{name}<" in bars for name in releases)
    counts = [int(n) for n in re.findall(r"<title>(\d+) fine", bars)]
    assert counts == sorted(counts)  # each release traces more


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    pytest.importorskip("material")
    command = ["-m", "mkdocs", "build", "--strict", "-q", "-f", str(DOCS / "mkdocs.yml"), "-d", str(tmp_path)]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "reference" / "rules" / "tcd101-tensor-branch.html").is_file()
    assert "<svg" in (tmp_path / "dynamo.html").read_text(encoding="utf-8")


def test_what_the_recorder_lets_pass() -> None:
    agrees = module("record").agrees
    assert agrees("eager 3.2 ms: 1.5 times\n", "eager 4 ms: 2.5 times\n")
    assert not agrees("17 graphs\n", "1 graphs\n")
    assert agrees("a\n...\nc\n", "a\nb\nc\n") and not agrees("a\n...\nd\n", "a\nb\nc\n")


@pytest.mark.skipif("TUTORIAL" not in os.environ, reason="compiles for a minute; TUTORIAL=1 runs it")
def test_the_tutorial_is_true() -> None:
    pytest.importorskip("torch")
    if shutil.which("g++") is None:
        pytest.skip("inductor needs a C++ compiler")
    done = subprocess.run(
        [sys.executable, str(DOCS / "record.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
