"""The pre-commit hooks: a manifest that holds, and, if asked for, the real program on a real repository.

The long test makes a hook environment from this checkout (it needs a package index); run it with
``TCLINT_TEST_PRE_COMMIT=1 pytest tests/test_pre_commit.py``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MANIFEST = ROOT / ".pre-commit-hooks.yaml"
NET = """\
import torch
from torch import nn


class Net{number}(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            x = x + 1
        return x
"""


def hooks() -> list[dict[str, object]]:
    clientlib = pytest.importorskip("pre_commit.clientlib")
    loaded: list[dict[str, object]] = clientlib.load_manifest(MANIFEST)
    return loaded


def test_the_manifest_is_valid_and_its_commands_exist() -> None:
    from torch_compile_lint.front.options import check_parser

    scripts = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert [hook["id"] for hook in hooks()] == ["tclint", "tclint-fix"]
    for hook in hooks():
        command, check, *arguments = str(hook["entry"]).split()
        assert f'{command} = "torch_compile_lint.__main__:main"' in scripts
        assert check == "check"
        assert check_parser().parse_args([*arguments, "a.py"]).paths == ["a.py"]
        assert hook["require_serial"] is True


def test_the_environment_of_a_hook_says_nothing_of_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pre-commit activates the hook's own environment, which never has torch."""
    from torch_compile_lint import config

    for name, release in (("hook", ""), (".venv", "2.9.1")):
        folder = tmp_path / name / "lib" / "python3.11" / "site-packages"
        folder.mkdir(parents=True)
        if release:
            (folder / f"torch-{release}.dist-info").mkdir()
    (tmp_path / "tclint.toml").write_text("")
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "hook"))
    settings = config.load([str(tmp_path)])
    assert config.installed(settings).torch is None
    monkeypatch.setenv("PRE_COMMIT", "1")
    assert config.installed(settings).torch == "2.9"


@pytest.mark.skipif(not os.environ.get("TCLINT_TEST_PRE_COMMIT"), reason="set TCLINT_TEST_PRE_COMMIT=1")
@pytest.mark.parametrize("count", [1, 30, 500])
def test_pre_commit_itself(count: int, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A cold cache of pre-commit, a repository with so many changed files, no torch in the hook."""
    pytest.importorskip("pre_commit")
    home = tmp_path_factory.getbasetemp() / "pre-commit-home"  # one environment for all counts
    env = {**os.environ, "PRE_COMMIT_HOME": str(home), "GIT_CONFIG_GLOBAL": os.devnull}
    env.pop("PYTHONPATH", None)

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)

    source = tmp_path_factory.mktemp("checkout") / "tclint"
    shutil.copytree(
        ROOT,
        source,
        ignore=shutil.ignore_patterns(".git", "__pycache__", ".*cache*", "fixtures", "benchmarks"),
    )
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for arguments in (["init", "-q"], ["add", "-A", "-f"], [*author, "commit", "-q", "-m", "x"]):
        subprocess.run(["git", "-C", str(source), *arguments], check=True, env=env)
    revision = subprocess.run(
        ["git", "-C", str(source), "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    (tmp_path / ".pre-commit-config.yaml").write_text(
        f"repos:\n  - repo: {source}\n    rev: {revision}\n    hooks:\n      - id: tclint\n"
        "        args: [--format=concise]\n"
    )
    for number in range(count):
        (tmp_path / f"net_{number}.py").write_text(NET.replace("{number}", str(number)))
    assert run("git", "init", "-q").returncode == 0
    assert run("git", "add", "-A").returncode == 0
    program = [sys.executable, "-m", "pre_commit"]
    assert run(*program, "install").returncode == 0
    commit = run("git", *author, "commit", "-m", "models")
    said = commit.stdout + commit.stderr
    assert commit.returncode == 1, said
    assert said.count(": TCD101 [proved]") == count
    assert "hook id: tclint" in said
    (folder,) = [p for p in home.glob("repo*") if (p / "lint").is_dir() and revision_of(p) == revision]
    (packages,) = folder.glob("py_env*/lib/python*/site-packages")
    assert not list(packages.glob("torch-*")) and not (packages / "torch").exists()
    for path in tmp_path.glob("net_*.py"):
        path.write_text(path.read_text().replace("x.sum() > 0", "x.ndim > 0"))
    assert run("git", "add", "-A").returncode == 0
    again = run("git", *author, "commit", "-m", "models")
    assert again.returncode == 0, again.stdout + again.stderr


def revision_of(folder: Path) -> str:
    command = ["git", "-C", str(folder), "rev-parse", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
