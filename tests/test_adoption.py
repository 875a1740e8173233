"""Starting on an old code base, and reporting only what is new: baselines, `--diff-base`, ignore comments."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from torch_compile_lint.__main__ import main

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            x = x + 1
        return x
"""
HELPER = """\
def clamp(x, limit):
    if x.max() > limit:
        x = x / 2
    return x


def plain(x):
    return x
"""
CALLER = """\
import torch
from torch import nn

from helper import clamp, plain


class Net(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return plain(x)
"""
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.py").write_text(NET)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str], str]:
    """(status, findings as 'path:line CODE', standard error)."""
    capsys.readouterr()
    status = main([*arguments, "--format", "concise"])
    out = capsys.readouterr()
    rows = [re.match(r"(\S+?:\d+):\d+: (TCD\d+)", line) for line in out.out.splitlines()]
    return status, [f"{m.group(1)} {m.group(2)}" for m in rows if m], out.err


# ---------------------------------------------------------------- baselines


def test_a_baseline_survives_moved_lines_renamed_files_and_another_folder(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "tclint.toml").write_text("")
    assert run(capsys, "--write-baseline", "known.json")[0] == 0
    (folder / "net.py").write_text("# a comment\n\n" + NET)
    assert run(capsys, "--baseline", "known.json")[:2] == (0, [])
    (folder / "models").mkdir()
    (folder / "net.py").rename(folder / "models" / "vision.py")
    assert run(capsys, "--baseline", "known.json")[:2] == (0, [])
    monkeypatch.chdir(folder / "models")
    assert run(capsys, "--baseline", "../known.json", ".")[:2] == (0, [])
    # The entry is used up: a second copy is new.
    shutil.copy(folder / "models" / "vision.py", folder / "models" / "copy.py")
    assert len(run(capsys, "--baseline", "../known.json", ".")[1]) == 1


def test_a_copy_is_new_while_the_original_is_there(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "--write-baseline", "known.json")
    shutil.copy(folder / "net.py", folder / "again.py")
    assert run(capsys, "--baseline", "known.json")[1] == ["again.py:7 TCD101"]


def test_a_file_that_is_no_baseline_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "known.json").write_text('{"baseline": 1, "findings": [3]}')
    status, _, err = run(capsys, "--baseline", "known.json")
    assert (status, err) == (
        2,
        "tclint: error: --baseline known.json: not a file that --write-baseline wrote\n",
    )


# ---------------------------------------------------------------- --diff-base


def git(folder: Path, *arguments: str) -> None:
    env = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
        "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
    }  # fmt: skip
    subprocess.run(["git", *arguments], cwd=folder, env=env, check=True, capture_output=True)


@pytest.fixture
def repository(folder: Path) -> Path:
    """helper.clamp has a finding as soon as something compiled calls it, which at first nothing does."""
    (folder / "helper.py").write_text(HELPER)
    (folder / "caller.py").write_text(CALLER)
    (folder / ".gitignore").write_text(".torch_compile_lint_cache\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "start")
    return folder


@needs_git
def test_only_changed_lines_are_reported(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys)[1] == ["net.py:7 TCD101"]
    assert run(capsys, "--diff-base", "HEAD")[:2] == (0, [])
    # Lines above it move the old finding; a new one is found on its own line.
    text = "import math\n" + NET.replace("return x", "return x * x.sum().item()")
    (repository / "net.py").write_text(text)
    assert run(capsys)[1] == ["net.py:8 TCD101", "net.py:10 TCD201"]
    assert run(capsys, "--diff-base", "HEAD")[:2] == (1, ["net.py:10 TCD201"])
    git(repository, "commit", "-q", "-a", "-m", "more")
    assert run(capsys, "--diff-base", "HEAD")[1] == []
    assert run(capsys, "--diff-base", "HEAD~1")[1] == ["net.py:10 TCD201"]


@needs_git
def test_what_is_newly_reached_is_reported_where_it_stands(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "caller.py").write_text(CALLER.replace("return plain(x)", "return plain(clamp(x, 3))"))
    assert run(capsys, "--diff-base", "HEAD")[1] == ["helper.py:2 TCD101"]
    # Once it is reached, another caller brings nothing new.
    git(repository, "commit", "-q", "-a", "-m", "reach")
    (repository / "second.py").write_text(
        CALLER.replace("class Net", "class Second").replace("return plain(x)", "return clamp(x, 4)")
    )
    assert run(capsys)[1] == ["helper.py:2 TCD101", "net.py:7 TCD101"]
    assert run(capsys, "--diff-base", "HEAD")[1] == []


@needs_git
def test_a_renamed_file_and_its_callers_bring_nothing_new(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "caller.py").write_text(CALLER.replace("return plain(x)", "return clamp(x, 3)"))
    git(repository, "commit", "-q", "-a", "-m", "reach")
    git(repository, "mv", "helper.py", "shapes.py")
    git(repository, "mv", "net.py", "first.py")
    text = (repository / "caller.py").read_text().replace("from helper", "from shapes")
    (repository / "caller.py").write_text(text)
    assert run(capsys)[1] == ["first.py:7 TCD101", "shapes.py:2 TCD101"]
    assert run(capsys, "--diff-base", "HEAD")[:2] == (0, [])


@needs_git
def test_the_base_is_where_the_branches_parted(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git(repository, "checkout", "-q", "-b", "topic")
    git(repository, "checkout", "-q", "main")
    (repository / "net.py").write_text(NET.replace("x.sum() > 0", "x.max() > 0"))
    git(repository, "commit", "-q", "-a", "-m", "meanwhile")
    git(repository, "checkout", "-q", "topic")
    assert run(capsys, "--diff-base", "main")[:2] == (0, [])


@needs_git
def test_odd_names_untracked_files_and_subfolders(
    repository: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sub = repository / "ünder score"
    sub.mkdir()
    (sub / 'a "b".py').write_text(NET)
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "odd")
    (sub / 'a "b".py').write_text(NET.replace("x + 1", "x + x.item()"))
    (sub / "new.py").write_text(NET)
    monkeypatch.chdir(sub)
    status = main([".", "--diff-base", "HEAD", "--format", "concise"])
    out = capsys.readouterr().out.splitlines()
    assert status == 1
    assert [line.split(" [")[0] for line in out] == ['a "b".py:8:21: TCD201', "new.py:7:12: TCD101"]


@needs_git
def test_notebooks_are_compared_by_what_they_held(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def write(*cells: str) -> None:
        rows = [
            {"cell_type": "code", "metadata": {}, "outputs": [], "source": c.splitlines(True)} for c in cells
        ]
        data = {"cells": rows, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        (repository / "a.ipynb").write_text(json.dumps(data, indent=1))

    head, body = NET.split("\n\n\n")
    write(head, body)
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "notebook")
    write(head, "y = 1\n", body, body.replace("Net", "Two"))
    main(["a.ipynb", "--diff-base", "HEAD", "--format", "concise"])
    out = capsys.readouterr().out.splitlines()
    assert [line.split(" [")[0] for line in out] == ["a.ipynb:cell 4:3:12: TCD101"]


@needs_git
def test_no_repository_and_no_revision_are_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(folder.parent))
    status, _, err = run(capsys, "--diff-base", "HEAD")
    assert status == 2
    assert err.startswith("tclint: error: --diff-base: fatal: not a git repository")
    assert err.count("\n") == 1
    git(folder, "init", "-q")
    status, _, err = run(capsys, "--diff-base", "nowhere")
    assert status == 2
    assert "--diff-base nowhere: git knows no such revision" in err
    assert "--diff-base : git knows no such revision" in run(capsys, "--diff-base", "")[2]
    monkeypatch.setenv("PATH", str(folder))
    assert run(capsys, "--diff-base", "HEAD")[2] == (
        "tclint: error: --diff-base needs git, which cannot be run here\n"
    )


# ---------------------------------------------------------------- comments


def test_unused_ignores_are_removed_and_nothing_else(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        NET.replace("> 0:", "> 0:  # noqa: TCD101, TCD201")
        .replace("x = x + 1", "x = x + 1  # noqa: E501")
        .replace("return x", "return x  # tclint: ignore[print-call] old")
    )
    (folder / "net.py").write_bytes(text.replace("\n", "\r\n").encode("utf-8-sig"))
    main(["net.py"])
    said = capsys.readouterr().out
    assert "net.py:7:26: `noqa: TCD201` hides nothing here: remove TCD201 from the comment\n" in said
    assert "(1 suppressed, 2 unused ignores)" in said
    status, _, err = run(capsys, "--remove-unused-ignores")
    assert (status, err) == (0, "tclint: removed 2 unused ignore comments\n")
    after = (folder / "net.py").read_bytes().decode("utf-8-sig")
    assert after == text.replace(", TCD201", "").replace("  # tclint: ignore[print-call] old", "").replace(
        "\n", "\r\n"
    )
    assert run(capsys, "--remove-unused-ignores")[2] == "tclint: removed 0 unused ignore comments\n"


# ---------------------------------------------------------------- what applies


def test_files_and_settings_are_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "vendored").mkdir()
    (folder / "vendored" / "v.py").write_text("")
    (folder / "build").mkdir()
    (folder / "build" / "b.py").write_text("")
    (folder / "tclint.toml").write_text('extend-exclude = ["vendored"]\nroots = "marked"\n')
    assert main(["--show-files"]) == 0
    assert capsys.readouterr().out == "net.py\n"
    assert main(["--show-files", "--extend-exclude", "n*.py", "--exclude", "x,y"]) == 0
    assert capsys.readouterr().out == "build/b.py\nvendored/v.py\n".replace("/", os.sep)
    assert main(["--show-settings", "--select", "TCD1"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r'^select = \["TCD1"\] +# command line$', shown, re.MULTILINE)
    assert re.search(rf'^roots = "marked" +# {re.escape(str(folder / "tclint.toml"))}$', shown, re.MULTILINE)
    assert re.search(r'^min-confidence = "likely" +# default$', shown, re.MULTILINE)


def test_config_lists_every_option_with_default_and_source(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from torch_compile_lint.config import KEYS
    from torch_compile_lint.front.options import check_parser

    (folder / "pyproject.toml").write_text('[tool.tclint]\nper-file-ignores = { "a" = ["TCD4"] }\njobs = 2\n')
    assert main(["config", "--format", "json", "--jobs", "3"]) == 0
    data = json.loads(capsys.readouterr().out)
    rows = {row["key"]: row for row in data["options"]}
    assert tuple(rows) == KEYS
    assert rows["jobs"] == {**rows["jobs"], "value": 3, "default": 0, "source": "command line"}
    assert rows["per-file-ignores"]["value"] == {"a": ["TCD4"]}
    assert rows["per-file-ignores"]["source"] == f"{folder / 'pyproject.toml'} [tool.tclint]"
    assert rows["roots"]["source"] == "default"
    known = {option for action in check_parser()._actions for option in action.option_strings}
    assert {row["flag"] for row in rows.values()} - {""} <= known
    assert main(["config"]) == 0
    text = capsys.readouterr().out
    assert "jobs = 2\n" in text
    assert "default: 0" in text
