"""The flake8 plugin, in flake8's own process: same findings, options, and whose comments count."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from torch_compile_lint.__main__ import main
from torch_compile_lint.front.flake8 import Checker

pytest.importorskip("flake8")

FIXTURES = Path(__file__).parent.parent / "fixtures"
PROGRAMS = [FIXTURES / "quickstart", *sorted(p for p in (FIXTURES / "programs").iterdir() if p.is_dir())]
NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            x = x + 1
        return x
"""
HEADLINE = re.compile(r"^(\S+:\d+:\d+): (TCD\d{3}) (\[\w+\] .+)$")
INSTALLED = any(
    point.name == "TCD" and point.value.startswith("torch_compile_lint.")
    for point in importlib.metadata.entry_points(group="flake8.extension")
)


def flake8(
    folder: Path, *arguments: str, typed: str | None = None, local: bool = not INSTALLED
) -> tuple[int, list[str], str]:
    """(status, lines, standard error) of flake8's own process in ``folder``."""
    command = [sys.executable, "-m", "flake8", *arguments]
    if local:  # a checkout that is not installed
        plugin = folder / ".plugin.cfg"
        plugin.write_text(
            "[flake8:local-plugins]\nextension =\n  TCD = torch_compile_lint.front.flake8:Checker\n"
        )
        command += ["--append-config", str(plugin)]
    env = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "NO_COLOR")}
    env["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=folder, check=False, env=env, input=typed
    )
    return done.returncode, done.stdout.splitlines(), done.stderr


@pytest.fixture
def net(tmp_path: Path) -> Path:
    (tmp_path / "net.py").write_text(NET)
    return tmp_path


def places(lines: list[str]) -> list[str]:
    return [line.split(" [")[0] for line in lines]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_the_same_findings_as_the_command_line(
    program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cache = str(tmp_path / "cache")
    main([str(program), "--format", "concise", "--no-cache", "--min-confidence", "possible"])
    ours = capsys.readouterr().out.splitlines()
    status, lines, err = flake8(
        tmp_path, "--select", "TCD", "-j", "2", "--tclint-min-confidence", "possible",
        "--tclint-cache-dir", cache, str(program),
    )  # fmt: skip
    assert err == ""
    assert ours
    assert sorted(lines) == sorted(ours)
    assert status == 1


def test_without_a_path_it_checks_the_folder(net: Path) -> None:
    (net / "quiet.py").write_text(NET.replace("> 0:", "> 0:  # noqa: TCD101"))
    (net / "other.py").write_text("x = 1\n")
    status, lines, err = flake8(net, "--select", "TCD", "-j", "2")
    assert (status, places(lines), err) == (1, ["./net.py:7:12: TCD101"], "")


def test_selection_is_flake8s(net: Path) -> None:
    def found(*arguments: str) -> list[str]:
        return places([line for line in flake8(net, *arguments)[1] if " TCD" in line])  # not other plugins

    assert found() == ["./net.py:7:12: TCD101"]
    assert found("--extend-ignore", "TCD1") == []
    assert found("--per-file-ignores", "net.py:TCD101") == []
    assert found("--disable-noqa") == ["./net.py:7:12: TCD101"]
    (net / "net.py").write_text(NET.replace("> 0:", "> 0:  # noqa: TCD101"))
    assert found() == []
    assert found("--disable-noqa") == ["./net.py:7:12: TCD101"]


def test_our_own_comments_count_in_flake8(net: Path) -> None:
    (net / "net.py").write_text(NET.replace("> 0:", "> 0:  # tclint: ignore[tensor-branch] cold"))
    assert flake8(net, "--select", "TCD")[1] == []


@pytest.mark.parametrize("name", ["setup.cfg", "tox.ini", ".flake8"])
def test_options_stand_in_flake8s_configuration(net: Path, name: str) -> None:
    (net / name).write_text("[flake8]\ntclint-roots = marked\n")
    assert flake8(net, "--select", "TCD")[1] == []


def test_our_configuration_is_read_and_flake8s_wins(net: Path) -> None:
    (net / "tclint.toml").write_text('roots = "marked"\n')
    assert flake8(net, "--select", "TCD")[1] == []
    assert places(flake8(net, "--select", "TCD", "--tclint-roots", "modules")[1]) == ["./net.py:7:12: TCD101"]
    assert places(flake8(net, "--select", "TCD", "--tclint-isolated")[1]) == ["./net.py:7:12: TCD101"]


def test_a_mistake_is_one_line(net: Path) -> None:
    status, lines, err = flake8(net, "--tclint-target-torch", "1.13")
    assert (status, lines) == (2, [])
    assert err == (
        "tclint: error: flake8's --tclint- options: `target-torch` is 1.13, "
        "but torch.compile came with torch 2.0\n"
    )


def test_standard_input_is_what_counts_not_the_file(net: Path) -> None:
    typed = "\n\n" + NET
    name = "--stdin-display-name=net.py"
    assert places(flake8(net, "--select", "TCD", name, "-", typed=typed)[1]) == ["net.py:9:12: TCD101"]
    assert places(flake8(net, "--select", "TCD", "-", typed=NET)[1]) == ["stdin:7:12: TCD101"]
    assert flake8(net, "--select", "TCD", name, "-", typed="x = 1\n")[1] == []


def test_standard_input_is_judged_within_its_program(tmp_path: Path) -> None:
    (tmp_path / "layers.py").write_text("def has_any(mask):\n    return mask.any()\n")
    typed = NET.replace("x.sum() > 0", "has_any(x)").replace(
        "import torch\n", "import torch\nfrom layers import has_any\n", 1
    )
    name = "--stdin-display-name=net.py"
    assert places(flake8(tmp_path, "--select", "TCD", name, "-", typed=typed)[1]) == ["net.py:8:12: TCD101"]


def test_a_file_without_torch_does_not_load_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Options:
        filenames = ("plain.py",)

    (tmp_path / "plain.py").write_text("import json\n\n\ndef f(x):\n    return json.dumps(x)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "torch_compile_lint.engine", None)  # importing it fails
    Checker.parse_options(Options())
    assert list(Checker(None, "plain.py", []).run()) == []
