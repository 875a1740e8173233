"""Bad input, kind by kind: one clear line each, the rest of the run unharmed, the exit status as promised.

All broken files of a kind are checked in one run, beside a good one: that run is what each test looks at.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from torch_compile_lint.engine import Engine
from torch_compile_lint.front import cli
from torch_compile_lint.model import Report, Request
from torch_compile_lint.report import Style, render

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        x = torch.relu(x)
        if x.sum() > 0:
            return x
        return x + 1
"""
GOOD = ("good.py", 8, "TCD101")
TOOL = [sys.executable, "-m", "torch_compile_lint"]
DEEP = 5000


def check(*paths: Path, progress: Any = None, **overrides: Any) -> Report:
    values = {"cache": False, "jobs": 1, "target-torch": "2.13"}
    values.update({key.replace("_", "-"): value for key, value in overrides.items()})
    return Engine().check(Request(tuple(map(str, paths)), overrides=values, isolated=True), progress)


def places(report: Report) -> list[tuple[str, int, str]]:
    return [(os.path.basename(f.path), f.line, f.code) for f in report.findings]


def write(folder: Path, files: dict[str, bytes | str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    return folder


# ---------------------------------------------------------------- text that is no Python

# name -> (bytes, the line of its TCD000, words of its message)
BROKEN: dict[str, tuple[bytes, int, str]] = {
    "syntax": (b"def f(:\n  pass\n", 1, "invalid syntax"),
    "print_statement": (b"x = 1\nprint 'hello'\n", 2, "print"),
    "except_comma": (b"try:\n    pass\nexcept E, e:\n    raise e, None\n", 3, "parenthesized"),
    "backquotes": (b"x = `1`\n", 1, ""),
    "octal": (b"x = 0777\n", 1, ""),
    "nul": (b"x = 1\n\0y = 2\n", 2, "NUL"),
    "utf16": (NET.encode("utf-16"), 1, "encoded in UTF-16"),
    "utf32": (NET.encode("utf-32"), 1, "encoded in UTF-32"),
    "utf16_without_mark": (NET.encode("utf-16-le"), 1, "NUL"),
    "latin_without_cookie": (b"x = 1\n# caf\xe9\n", 2, "0xe9 is not valid utf-8"),
    "unknown_cookie": (b"# -*- coding: klingon -*-\n" + NET.encode(), 1, "unknown encoding: klingon"),
    "wrong_cookie": (b"# -*- coding: ascii -*-\n# caf\xc3\xa9\n", 2, "0xc3 is not valid ascii"),
    "cookie_that_is_no_text": (b"# -*- coding: base64 -*-\n", 1, "unknown encoding: base64"),
    "mark_and_cookie": (b"\xef\xbb\xbf# -*- coding: latin-1 -*-\n", 1, "byte order mark"),
    "surrogate": (b"x = '\xed\xa0\x80'\n", 1, "not valid utf-8"),
    "mixed_tabs": (b"if 1:\n\tx = 1\n        y = 2\n", 3, "tabs"),
    "vertical_tab": (b"x = 1\n\x0by = 2\n", 2, ""),
    "backslash_at_the_end": (b"x = 1 \\", 1, "unexpected EOF"),
    "open_bracket": (b"x = (\n", 1, "never closed"),
    "open_string": (b"x = '''\n", 1, "unterminated"),
    "indent": (b"  x = 1\n", 1, "indent"),
    "conflict": (b"<<<<<<< HEAD\nx = 1\n=======\n", 1, "invalid syntax"),
    "binary": (bytes(range(256)), 3, ""),
}


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Report:
    files: dict[str, bytes | str] = {f"{name}.py": case[0] for name, case in BROKEN.items()}
    return check(write(tmp_path_factory.mktemp("broken"), {**files, "good.py": NET}))


@pytest.mark.parametrize("name", list(BROKEN))
def test_what_is_no_python_is_one_finding(broken: Report, name: str) -> None:
    _, line, words = BROKEN[name]
    (one,) = [f for f in broken.findings if os.path.basename(f.path) == f"{name}.py"]
    assert (one.code, one.line) == ("TCD000", line)
    assert words in one.message and "\n" not in one.message


def test_the_rest_is_unharmed_by_what_is_no_python(broken: Report) -> None:
    assert broken.errors == ()
    assert GOOD in places(broken) and len(broken.findings) == len(BROKEN) + 1


VALID: dict[str, tuple[bytes, int]] = {  # name -> bytes, the line of the hazard (0: none)
    "empty": (b"", 0),
    "blank": (b"\n\n  \n", 0),
    "only_a_mark": (b"\xef\xbb\xbf", 0),
    "mark": (b"\xef\xbb\xbf" + NET.encode(), 8),
    "crlf": (NET.replace("\n", "\r\n").encode(), 8),
    "cr": (NET.replace("\n", "\r").encode(), 8),
    "tabs": (NET.replace("    ", "\t").encode(), 8),
    "form_feeds": (NET.replace("\n\n\n", "\n\x0c\n\x0c").encode(), 7),
    "no_last_newline": (NET.rstrip().encode(), 8),
    "latin_cookie": (b"# coding: latin-1\n# caf\xe9\n" + NET.encode(), 10),
    "cookie_on_line_two": (b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n" + NET.encode(), 10),
    "line_separators": ("x = 'a\u2028b\u0085'\n".encode() + NET.encode(), 9),
    "wide_names": ("é = '𝒳' * 2\n".encode() + NET.encode(), 9),
    "continued": (NET.replace("x.sum() > 0", "x.sum() \\\n            > 0").encode(), 8),
}


@pytest.fixture(scope="module")
def valid(tmp_path_factory: pytest.TempPathFactory) -> Report:
    files: dict[str, bytes | str] = {f"{name}.py": case[0] for name, case in VALID.items()}
    return check(write(tmp_path_factory.mktemp("valid"), files))


@pytest.mark.parametrize("name", list(VALID))
def test_odd_but_valid_text(valid: Report, name: str) -> None:
    found = [(f.code, f.line) for f in valid.findings if os.path.basename(f.path) == f"{name}.py"]
    assert found == ([("TCD101", VALID[name][1])] if VALID[name][1] else [])
    assert valid.errors == ()


# ---------------------------------------------------------------- too deep, too long


def _nested(line: str) -> bytes:
    return "".join(" " * n + line for n in range(DEEP)).encode() + b" " * DEEP + b"pass\n"


NESTED: dict[str, bytes] = {
    "parentheses": b"x = " + b"(" * DEEP + b"1" + b")" * DEEP,
    "lists": b"x = " + b"[" * DEEP + b"]" * DEEP,
    "attributes": b"x = a" + b".b" * DEEP,
    "calls": b"x = a" + b"()" * DEEP,
    "subscripts": b"x = a" + b"[0]" * DEEP,
    "sums": b"x = " + b"1 + " * DEEP + b"1",
    "ands": b"x = " + b"a and " * DEEP + b"1",
    "nots": b"x = " + b"not " * DEEP + b"1",
    "minus": b"x = " + b"-" * DEEP + b"1",
    "ternaries": b"x = " + b"1 if a else " * DEEP + b"1",
    "lambdas": b"x = " + b"lambda: " * DEEP + b"1",
    "comparisons": b"x = " + b"a < " * DEEP + b"1",
    "strings": b"x = " + b"'a' " * DEEP,
    "elifs": b"if a:\n    pass\n" + b"elif b:\n    pass\n" * DEEP,
    "ifs": _nested("if a:\n"),
    "functions": _nested("def f():\n"),
    "classes": _nested("class C:\n"),
    "in_forward": NET.replace("torch.relu(x)", "x" + ".t()" * DEEP).encode(),
    "sums_in_forward": NET.replace("torch.relu(x)", "x" + " + x" * DEEP).encode(),
}


@pytest.fixture(scope="module")
def nested(tmp_path_factory: pytest.TempPathFactory) -> Report:
    files: dict[str, bytes | str] = {f"{name}.py": data + b"\n" for name, data in NESTED.items()}
    return check(write(tmp_path_factory.mktemp("nested"), {**files, "good.py": NET}))


@pytest.mark.parametrize("name", list(NESTED))
def test_five_thousand_levels_are_at_most_one_finding(nested: Report, name: str) -> None:
    found = [f for f in nested.findings if os.path.basename(f.path) == f"{name}.py"]
    assert [f.code for f in found if f.code == "TCD000"] in ([], ["TCD000"])
    for one in found:
        if one.code == "TCD000":
            assert any(word in one.message for word in ("nested", "indentation", "too many")), one.message
    assert GOOD in places(nested)


def test_what_parses_but_is_too_deep_to_follow_is_one_error_line(nested: Report) -> None:
    """How deep Python's own parser goes depends on its release; what it takes may be too deep for us."""
    for error in nested.errors:
        assert "nested too deeply" in error.message and "\n" not in error.message
        assert os.path.basename(error.path) in ("in_forward.py", "sums_in_forward.py")


def test_a_hundred_thousand_lines(tmp_path: Path) -> None:
    write(tmp_path, {"long.py": "x = 1\n# one\n\n\n" * 25_000 + NET, "good.py": NET})
    assert places(check(tmp_path)) == [GOOD, ("long.py", 100_008, "TCD101")]


def test_a_long_forward(tmp_path: Path) -> None:
    line = "        x = torch.relu(x)\n"
    write(tmp_path, {"good.py": NET.replace(line, line * 2000)})
    assert places(check(tmp_path)) == [("good.py", 2007, "TCD101")]


# ---------------------------------------------------------------- names, links, devices


def test_links_that_go_round(tmp_path: Path) -> None:
    folder = write(tmp_path / "a", {"good.py": NET})
    os.symlink(folder, folder / "again")
    os.symlink("two.py", folder / "one.py")
    os.symlink("one.py", folder / "two.py")
    report = check(tmp_path, folder / "one.py")
    assert places(report) == [GOOD]
    assert [e.message for e in report.errors] == ["neither a file nor a folder (a broken link, a device?)"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_never_opened(tmp_path: Path) -> None:
    write(tmp_path, {"good.py": NET})
    os.mkfifo(tmp_path / "pipe.py")
    assert places(check(tmp_path)) == [GOOD] and check(tmp_path).errors == ()
    report = check(tmp_path / "pipe.py", tmp_path / "good.py")
    assert places(report) == [GOOD] and len(report.errors) == 1


def test_a_folder_called_like_a_module(tmp_path: Path) -> None:
    write(tmp_path / "net.py", {"good.py": NET})
    write(tmp_path, {"user.py": "import net\n"})
    report = check(tmp_path)
    assert places(report) == [GOOD] and report.errors == ()


@pytest.mark.skipif(os.name == "nt" or sys.platform == "darwin", reason="names are text there")
def test_names_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.py")).write_text(NET)
    (tmp_path / "two\nlines.py").write_text(NET)
    report = check(tmp_path, cache=True)
    assert len(report.findings) == 2 and report.errors == ()
    assert check(tmp_path, cache=True).findings == report.findings
    for form in ("json", "sarif", "gitlab", "junit", "html", "github"):
        style = Style(read=lambda path: NET)
        text = render(report, form, style)
        if form != "github":
            text.encode("utf-8")
        if form in ("json", "sarif", "gitlab"):
            json.loads(text)
    done = tool(tmp_path)  # its bytes are what the folder holds
    assert done.returncode == 1 and os.fsencode("caf\udce9.py:8:12: TCD101") in os.fsencode(done.stdout)


def test_cycles_stars_and_duplicate_names(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(tmp_path / name, {"net.py": NET, "a.py": "from b import *\n", "b.py": "from a import *\n"})
    write(
        tmp_path,
        {"me.py": "import me\nfrom me import *\nfrom me import me as me\n", "good.py": NET},
    )
    report = check(tmp_path)
    assert report.errors == ()
    assert {place[:2] for place in places(report)} >= {("net.py", 8)}


# ---------------------------------------------------------------- what changes under our hands


def test_a_file_that_vanishes_before_it_is_indexed(tmp_path: Path) -> None:
    write(tmp_path, {"good.py": NET + "#" * 500, "gone.py": NET})

    def progress(stage: str, done: int, total: int) -> None:
        (tmp_path / "gone.py").unlink(missing_ok=True)

    report = check(tmp_path, progress=progress)
    assert places(report) == [GOOD]
    (error,) = report.errors
    assert error.path.endswith("gone.py") and error.message.endswith("No such file or directory")


def test_a_file_that_vanishes_before_it_is_analysed(tmp_path: Path) -> None:
    write(tmp_path, {"good.py": NET + "#" * 500, "gone.py": NET})

    def progress(stage: str, done: int, total: int) -> None:
        if stage == "reading" and done == total:
            (tmp_path / "gone.py").unlink()

    report = check(tmp_path, progress=progress)
    assert places(report) == [GOOD]
    (error,) = report.errors
    assert error.path.endswith("gone.py") and error.message.endswith("No such file or directory")


def test_a_full_disk_costs_the_cache_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"good.py": NET})

    class Full(sqlite3.Connection):
        def executemany(self, *args: Any) -> Any:
            raise sqlite3.OperationalError("database or disk is full")

    connect = sqlite3.connect
    monkeypatch.setattr(
        sqlite3, "connect", lambda *args, **kwargs: connect(*args, **{**kwargs, "factory": Full})
    )
    report = check(tmp_path, cache=True)
    assert places(report) == [GOOD] and report.errors == ()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device here")
def test_a_full_disk_for_the_report_is_one_line(tmp_path: Path) -> None:
    write(tmp_path, {"good.py": NET})
    with open("/dev/full", "w") as full:
        done = tool(tmp_path, stdout=full)
    assert (done.returncode, done.stderr) == (
        2,
        f"tclint: error: cannot write the report: {os.strerror(errno.ENOSPC)}\n",
    )
    done = tool(tmp_path, "--output", "/dev/full")
    assert done.returncode == 2 and done.stderr.count("\n") == 1


def test_a_read_only_or_damaged_cache_is_no_error(tmp_path: Path) -> None:
    write(tmp_path, {"good.py": NET})
    expected = places(check(tmp_path))
    store = tmp_path / "store"
    assert places(check(tmp_path, cache=True, cache_dir=str(store))) == expected
    for file in store.rglob("*.sqlite"):
        file.write_bytes(b"not a database" * 99)
    report = check(tmp_path, cache=True, cache_dir=str(store))
    assert places(report) == expected and report.errors == ()
    for place in (store / "below", "/proc/no/such/folder", tmp_path / "good.py"):
        store.chmod(0o500)
        report = check(tmp_path, cache=True, cache_dir=str(place))
        store.chmod(0o700)
        assert places(report) == expected and report.errors == ()


# ---------------------------------------------------------------- Ctrl-C


def tool(folder: Path, *options: str, stdout: Any = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    command = [*TOOL, ".", "--isolated", "--no-cache", *options]
    return subprocess.run(
        command,
        cwd=folder,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        errors="surrogateescape",
        env=environment(),
        timeout=120,
    )


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="looks for children in /proc")
def test_an_interrupt_leaves_one_line_and_no_child(tmp_path: Path) -> None:
    slow = NET.replace("        x = torch.relu(x)\n", "        x = torch.relu(x)\n" * 3000)
    write(tmp_path, {f"net{n}.py": slow for n in range(8)})
    command = [*TOOL, ".", "--isolated", "--no-cache", "-j", "2"]
    running = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        start_new_session=True,
    )
    end = time.monotonic() + 60
    while len(group(running.pid)) < 3 and time.monotonic() < end and running.poll() is None:
        time.sleep(0.02)
    assert running.poll() is None, "it was done before it could be interrupted"
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err) == (130, "", "tclint: interrupted\n")
    assert group(running.pid) == []


def group(leader: int) -> list[int]:
    """Living processes of a process group."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                fields = Path("/proc", name, "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == leader and fields[0] != "Z":
                found.append(int(name))
    return found


def test_an_interrupt_at_any_time_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    from torch_compile_lint import __main__ as entry
    from torch_compile_lint.front import quick

    monkeypatch.setattr(cli, "check", interrupt)
    assert cli.run([str(tmp_path)]) == 130
    monkeypatch.setattr(quick, "answer", interrupt)
    assert entry.main([str(tmp_path)]) == 130
    assert capsys.readouterr().err == "tclint: interrupted\n" * 2
