"""Discovery, decoding, and offsets against lines and columns."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from torch_compile_lint import source
from torch_compile_lint.discovery import Discovery, discover
from torch_compile_lint.source import LineIndex, decode, module_name, read_source


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    source.forget_folders()
    return root


def names(root: Path, found: Discovery) -> list[str]:
    return [Path(f).relative_to(root).as_posix() for f in found.files]


# ---------------------------------------------------------------- lines


def test_lines_end_where_python_ends_them() -> None:
    text = "a\r\nb\rc\nd\x0ce\u2028f"
    lines = LineIndex(text)
    assert lines.count == 4
    assert lines.position(text.index("f")) == (4, 5)
    assert lines.text(2) == "b"


def test_columns_in_three_encodings() -> None:
    text = "x\n\U0001f600é = 1\n"
    lines = LineIndex(text)
    at = text.index("=")
    assert lines.position(at) == (2, 4)
    assert lines.position(at, "utf-16") == (2, 5)
    assert lines.position(at, "utf-8") == (2, 8)
    for encoding, column in (("utf-32", 4), ("utf-16", 5), ("utf-8", 8)):
        assert lines.offset(2, column, encoding) == at
    assert lines.from_utf8(2, 7) == at


def test_every_offset_comes_back() -> None:
    text = "é\r\n\U0001f600x\ry\n\nz"
    lines = LineIndex(text)
    for offset in range(len(text) + 1):
        for encoding in ("utf-8", "utf-16", "utf-32"):
            assert lines.offset(*lines.position(offset, encoding), encoding) == offset


def test_offsets_outside_are_cut() -> None:
    lines = LineIndex("ab\ncd")
    assert lines.offset(0, 1) == 0
    assert lines.offset(9, 1) == 5
    assert lines.offset(1, 99) == 3
    assert lines.offset(2, -3) == 3


# ---------------------------------------------------------------- decoding


@pytest.mark.parametrize(
    ("data", "text", "error"),
    [
        (b"x = 1\r\n", "x = 1\r\n", None),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n", None),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "# -*- coding: latin-1 -*-\nx = 'é'\n", None),
        (b"\n# coding=cp1252\n'\x80'\n", "\n# coding=cp1252\n'€'\n", None),
        (b"x = 1\n'\xe9'\n", "", "2:2: byte 0xe9 is not valid utf-8"),
        (b"# coding: klingon\n", "", "1:1: unknown encoding: klingon"),
        (b"# coding: rot13\n", "", "1:1: unknown encoding: rot13"),
        (
            b"\xef\xbb\xbf# coding: latin-1\n",
            "",
            "1:1: a UTF-8 byte order mark, but a coding comment for latin-1",
        ),
        (b"\xff\xfex\x00", "", "1:1: encoded in UTF-16; Python reads UTF-8 or what a coding comment names"),
        (b"a\nb\0c", "a\nb\0c", "2:2: source code cannot contain a NUL byte"),
    ],
)
def test_decode(data: bytes, text: str, error: str | None) -> None:
    found, _, problem = decode(data)
    assert (found, problem) == (text, error)


def test_a_cookie_on_the_third_line_is_none() -> None:
    assert decode(b"x\ny\n# coding: klingon\n")[2] is None
    assert decode(b"x = 1\n# coding: klingon\n")[2] is None


def test_a_file_that_is_no_notebook_is_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    path.write_text('{"cells": 3}')
    assert read_source(str(path)).error == "1:1: not a notebook: it has no list of cells"


# ---------------------------------------------------------------- module names


def test_module_names(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "repo/pyproject.toml": "",
            "repo/src/pkg/__init__.py": "",
            "repo/src/pkg/sub/__init__.py": "",
            "repo/src/pkg/sub/a.py": "",
            "repo/src/names/part.py": "",
            "repo/tools/run.py": "",
            "repo/my-script.py": "",
            "loose/b.py": "",
        },
    )

    def name(path: str) -> str:
        return module_name(str(tmp_path / path))

    assert name("repo/src/pkg/__init__.py") == "pkg"
    assert name("repo/src/pkg/sub/__init__.py") == "pkg.sub"
    assert name("repo/src/pkg/sub/a.py") == "pkg.sub.a"
    assert name("repo/src/names/part.py") == "names.part"
    assert name("repo/tools/run.py") == "tools.run"
    assert name("repo/my-script.py") == ""
    assert name("loose/b.py") == "b"


# ---------------------------------------------------------------- discovery


def test_walk_skips_what_is_not_source(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.py": "",
            "a.txt": "",
            "b/c.py": "",
            ".venv/x.py": "",
            "node_modules/y.py": "",
            "__pycache__/z.py": "",
            "build/w.py": "",
        },
    )
    assert names(tmp_path, discover([str(tmp_path)])) == ["a.py", "b/c.py"]


def test_exclude_patterns(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "", "b/c.py": "", "b/d_test.py": "", "gen/e.py": ""})
    found = discover([str(tmp_path)], exclude=("*_test.py", "gen/"))
    assert names(tmp_path, found) == ["a.py", "b/c.py"]


def test_a_named_file_is_always_taken(tmp_path: Path) -> None:
    write(tmp_path, {"build/a.py": "", "script": "x = 1"})
    paths = [str(tmp_path / "build/a.py"), str(tmp_path / "script")]
    assert discover(paths).files == tuple(paths)


def test_missing_paths_are_errors(tmp_path: Path) -> None:
    os.symlink(tmp_path / "nowhere", tmp_path / "broken.py")
    found = discover([str(tmp_path / "absent"), str(tmp_path / "broken.py")])
    assert [e.message for e in found.errors] == [
        "no such file or folder",
        "neither a file nor a folder (a broken link, a device?)",
    ]


def test_links_do_not_loop_and_files_come_once(tmp_path: Path) -> None:
    write(tmp_path, {"a/b.py": ""})
    os.symlink(tmp_path, tmp_path / "a/loop")
    os.symlink("self", tmp_path / "a/self")
    os.symlink(tmp_path / "a/b.py", tmp_path / "a/c.py")
    found = discover([str(tmp_path), str(tmp_path / "a/b.py")])
    assert names(tmp_path, found) == ["a/b.py"]


def test_git_decides_in_a_repository(tmp_path: Path) -> None:
    write(
        tmp_path,
        {".gitignore": "ignored/\nout.py\n", "a.py": "", "ignored/b.py": "", "out.py": "", "new/c.py": ""},
    )
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    assert names(tmp_path, discover([str(tmp_path)])) == ["a.py", "new/c.py"]
    assert names(tmp_path, discover([str(tmp_path)], respect_gitignore=False)) == [
        "a.py",
        "ignored/b.py",
        "new/c.py",
        "out.py",
    ]
    # Who names an ignored folder wants it checked.
    assert names(tmp_path, discover([str(tmp_path / "ignored")])) == ["ignored/b.py"]


def test_a_deleted_tracked_file_is_not_found(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "", "b.py": ""})
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(["git", "-C", str(tmp_path), "add", "."], check=True)
    (tmp_path / "b.py").unlink()
    assert names(tmp_path, discover([str(tmp_path)])) == ["a.py"]
