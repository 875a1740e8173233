"""What is shipped: two import names, their data, no test cases, and the hooks' files."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from torch_compile_lint import rule_file

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("needs hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def wheel(wheel_file: Path) -> list[str]:
    with zipfile.ZipFile(wheel_file) as archive:
        return archive.namelist()


def test_the_wheel_has_two_names_and_no_cases(wheel: list[str]) -> None:
    tops = {name.split("/")[0] for name in wheel if ".dist-info/" not in name}
    assert tops == {"torch_compile_lint", "torch_compile_lint_rules"}
    assert not [n for n in wheel if "/cases/" in n or "__pycache__" in n or n.endswith(".sqlite")]


def test_the_wheel_has_types_data_and_rules(wheel: list[str]) -> None:
    assert "torch_compile_lint/py.typed" in wheel
    assert "torch_compile_lint_rules/py.typed" in wheel
    assert any(n.startswith("torch_compile_lint/torchdb/") and n.endswith(".json") for n in wheel)
    folders = {p.parent.name for p in (ROOT / "rules" / "torch_compile_lint_rules").glob("*/rule.toml")}
    packed = {n.split("/")[1] for n in wheel if n.endswith("/rule.toml")}
    assert packed == folders
    assert {n.split("/")[1] for n in wheel if n.endswith("/rule.md")} == folders


def test_rules_are_parsed_when_the_wheel_is_built(wheel_file: Path, tmp_path: Path) -> None:
    """The tables in it are used instead of the files, unless a file is another."""
    rules = ROOT / "rules" / "torch_compile_lint_rules"
    with zipfile.ZipFile(wheel_file) as archive:
        tables = json.loads(archive.read("torch_compile_lint_rules/parsed.json"))
    assert set(tables) == {p.parent.name for p in rules.glob("*/rule.toml")}
    name = "tcd101_tensor_branch"
    shutil.copytree(rules / name, tmp_path / name)
    plain = rule_file.read(tmp_path / name)
    tables[name][1]["summary"] = "from the table"
    (tmp_path / "parsed.json").write_text(json.dumps(tables))
    rule_file._built.cache_clear()
    assert rule_file.read(tmp_path / name).summary == "from the table"
    with (tmp_path / name / "rule.toml").open("a") as stream:
        stream.write("# changed\n")
    assert rule_file.read(tmp_path / name) == plain


def test_neither_source_root_is_a_package() -> None:
    assert not (ROOT / "lint" / "__init__.py").exists()
    assert not (ROOT / "rules" / "__init__.py").exists()


def test_the_readme_has_the_two_commands_and_opens_with_the_name_clash() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 2
    assert "tclint verify fixtures/quickstart" in blocks[0]
    assert "pytest" in blocks[1]
    opening = text.split("\n\n")[1]
    assert "Tcl" in opening and "`torch-compile-lint`" in opening


def test_the_hook_calls_a_command_that_is_installed() -> None:
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    scripts = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for command in re.findall(r"entry: (\S+)", hooks):
        assert f'{command} = "torch_compile_lint.__main__:main"' in scripts
