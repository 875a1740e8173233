"""Configuration: where it is found, what wins, and what is said about mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest
from torch_compile_lint import config
from torch_compile_lint.config import ConfigError, load
from torch_compile_lint.model import Confidence


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_nearest_file_above_the_paths_is_read(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[tool.tclint]\nselect = ["TCD1"]\n')
    write(tmp_path / "a" / "tclint.toml", 'select = ["TCD2"]\n')
    write(tmp_path / "a" / "b" / "x.py", "")
    write(tmp_path / "c" / "x.py", "")
    assert load([str(tmp_path / "a" / "b" / "x.py")]).select == ("TCD2",)
    assert load([str(tmp_path / "c")]).select == ("TCD1",)
    both = load([str(tmp_path / "a"), str(tmp_path / "c")])
    assert both.select == ("TCD1",)
    assert both.root == str(tmp_path)


def test_a_pyproject_without_our_table_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[tool.tclint]\nroots = "all"\n')
    write(tmp_path / "sub" / "pyproject.toml", "[tool.other]\n")
    assert load([str(tmp_path / "sub")]).roots == "all"


def test_the_table_of_the_long_name_wins_over_the_tcl_linters(tmp_path: Path) -> None:
    text = '[tool.tclint]\nstyle = { indent = 2 }\n[tool.torch-compile-lint]\nignore = ["TCD401"]\n'
    write(tmp_path / "pyproject.toml", text)
    assert load([str(tmp_path)]).ignore == ("TCD401",)


def test_overrides_win_and_isolated_reads_nothing(tmp_path: Path) -> None:
    write(tmp_path / "tclint.toml", 'min-confidence = "proved"\nroots = "marked"\n')
    made = load([str(tmp_path)], overrides={"min-confidence": "possible"})
    assert (made.min_confidence, made.roots) == (Confidence.POSSIBLE, "marked")
    assert load([str(tmp_path)], isolated=True).roots == "modules"


def test_config_names_a_file(tmp_path: Path) -> None:
    write(tmp_path / "other.toml", 'target-torch = "2.9.1"\n')
    assert load([str(tmp_path)], config_file=str(tmp_path / "other.toml")).target_torch == "2.9"
    with pytest.raises(ConfigError, match=r"absent\.toml: cannot be read"):
        load([str(tmp_path)], config_file=str(tmp_path / "absent.toml"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('selct = ["TCD1"]', "unknown key `selct`, did you mean `select`?"),
        ("select = 3", "`select` must be a list of strings"),
        ('select = ["TCD1", 3]', "`select` must be a list of strings"),
        ('roots = "some"', "`roots` must be one of modules, marked, all, not `some`"),
        ('min-confidence = "sure"', "must be one of proved, likely, possible"),
        ('target-torch = "new"', "must be a torch release such as"),
        ('target-torch = "1.13"', "torch.compile came with torch 2.0"),
        ('cache = "no"', "`cache` must be true or false"),
        ("jobs = -1", "must be a number of processes"),
        ('per-file-ignores = ["a"]', "must be a table from file patterns to lists of codes"),
        ("select = [", "not valid TOML"),
    ],
)
def test_a_mistake_is_one_line_that_names_file_and_cure(tmp_path: Path, text: str, said: str) -> None:
    path = write(tmp_path / "tclint.toml", text + "\n")
    with pytest.raises(ConfigError) as caught:
        load([str(tmp_path)])
    message = str(caught.value)
    assert said in message
    assert str(path) in message
    assert "\n" not in message.strip()


def test_every_key_of_the_file_is_a_field() -> None:
    fields = set(config.Config.__dataclass_fields__)
    assert {key.replace("-", "_") for key in config.KEYS} <= fields


def test_the_installed_torch_is_read_from_its_folder_name(tmp_path: Path) -> None:
    site = tmp_path / "env" / "lib" / "python3.11" / "site-packages"
    (site / "torch-2.9.1+cu128.dist-info").mkdir(parents=True)
    (tmp_path / "env" / "bin").mkdir()
    write(tmp_path / "tclint.toml", 'python = "env/bin/python"\n')
    settings = load([str(tmp_path)])
    found = config.installed(settings)
    assert found.torch == "2.9"
    assert config.target_release(settings, found) == "2.9"


def test_without_torch_the_newest_known_release_is_meant(tmp_path: Path) -> None:
    from torch_compile_lint.torchdb import db

    settings = load([str(tmp_path)])
    assert config.target_release(settings, config.Installed()) == config.NEWEST_TORCH
    measured = [r.version for r in db.releases() if r.measured]
    assert measured[-1].startswith(config.NEWEST_TORCH + ".") or measured[-1] == config.NEWEST_TORCH
