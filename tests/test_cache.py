"""The cache: what is put is found, and whatever happens to the file is a miss, never an error."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
from torch_compile_lint.cache import FILE, Cache, tool_salt


def stored(folder: Path, salt: str = "s") -> bytes | None:
    cache = Cache(str(folder), salt)
    found = cache.get("index", cache.key("a"))
    cache.close()
    return found


def keep(folder: Path, value: bytes = b"value", salt: str = "s") -> None:
    cache = Cache(str(folder), salt)
    cache.put("index", {cache.key("a"): value})
    cache.close()


def test_what_is_put_is_found_by_another_run(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    assert stored(folder) is None
    assert not folder.exists()  # reading makes nothing
    keep(folder)
    assert stored(folder) == b"value"
    assert stored(folder, salt="other") is None
    assert (folder / ".gitignore").read_text() == "*\n"


def test_no_folder_keeps_nothing() -> None:
    cache = Cache(None, "s")
    cache.put("index", {cache.key("a"): b"x"})
    cache.flush()
    assert cache.get("index", cache.key("a")) is None
    cache.close()


@pytest.mark.parametrize("damage", [b"", b"no database at all" * 100, None])
def test_a_damaged_file_is_a_miss_and_is_replaced(tmp_path: Path, damage: bytes | None) -> None:
    keep(tmp_path)
    file = tmp_path / FILE
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2] + b"\xff" * 512 if damage is None else damage)
    assert stored(tmp_path) in (None, b"value")
    keep(tmp_path)
    keep(tmp_path)
    assert stored(tmp_path) == b"value"


def test_a_damaged_value_is_a_miss(tmp_path: Path) -> None:
    keep(tmp_path)
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute("UPDATE entry SET value = ?", [b"\x00garbage"])
    db.close()
    assert stored(tmp_path) is None


def test_another_table_is_a_miss(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute("CREATE TABLE other(x)")
    db.close()
    assert stored(tmp_path) is None
    keep(tmp_path)
    assert stored(tmp_path) == b"value"


def test_a_locked_file_is_a_miss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(tmp_path)
    real = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: real(*a, **{**k, "timeout": 0.01}))
    other = real(tmp_path / FILE)
    other.execute("BEGIN EXCLUSIVE")
    assert stored(tmp_path) is None
    keep(tmp_path, b"later")
    other.rollback()
    other.close()
    assert stored(tmp_path) == b"value"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    keep(tmp_path / "cache")
    assert stored(tmp_path / "cache") is None
    tmp_path.chmod(0o700)


def test_a_file_in_the_folders_place_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    keep(tmp_path / "cache")
    assert stored(tmp_path / "cache") is None


def test_two_runs_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    first, second = Cache(str(tmp_path), "s"), Cache(str(tmp_path), "s")
    first.put("index", {first.key("a"): b"value"})
    second.put("index", {second.key("b"): b"other"})
    first.flush()
    second.flush()
    assert first.get("index", first.key("b")) == b"other"
    first.close()
    second.close()
    assert stored(tmp_path) == b"value"


def test_the_salt_follows_the_files_of_the_tool(tmp_path: Path) -> None:
    (tmp_path / "rule.toml").write_text("a")
    before = tool_salt([str(tmp_path)], ("1",))
    assert before == tool_salt([str(tmp_path)], ("1",))
    assert before != tool_salt([str(tmp_path)], ("2",))
    (tmp_path / "rule.toml").write_text("ab")
    assert before != tool_salt([str(tmp_path)], ("1",))
