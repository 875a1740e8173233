"""In a shell: completion, colour, links, and a report that keeps itself up to date."""

from __future__ import annotations

import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from torch_compile_lint.__main__ import main
from torch_compile_lint.front import terminal

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            x = x + 1
        return x
"""
LINK = re.compile(r"\x1b\]8;;([^\x1b]*)\x1b\\(.*?)\x1b\]8;;\x1b\\", re.DOTALL)


@pytest.fixture
def net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "net.py").write_text(NET)
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "FORCE_HYPERLINK"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def out(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    main([*arguments])
    return capsys.readouterr().out


def test_the_flag_wins_over_the_environment(
    net: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "\x1b[" not in out(capsys, "net.py")
    assert "\x1b[" in out(capsys, "net.py", "--color", "always")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" in out(capsys, "net.py", "--color", "always")
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in out(capsys, "net.py")
    assert "\x1b[" not in out(capsys, "net.py", "--color", "never")
    monkeypatch.setenv("FORCE_COLOR", "0")
    assert "\x1b[" not in out(capsys, "net.py")
    assert main(["--color", "sometimes"]) == 2
    assert "--color must be auto, always or never" in capsys.readouterr().err


def test_codes_link_to_their_pages(
    net: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = out(capsys, "net.py")
    monkeypatch.setenv("FORCE_HYPERLINK", "1")
    linked = out(capsys, "net.py")
    ((target, text),) = LINK.findall(linked)
    assert text == "TCD101"
    assert target.startswith("file:///")
    assert Path(target.removeprefix("file://")).read_text(encoding="utf-8").startswith("# tensor-branch")
    assert LINK.sub(r"\2", linked) == plain


class Terminal:
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "links"),
    [
        ({"TERM": "xterm"}, False),
        ({"TERM": "xterm", "VTE_VERSION": "7200"}, True),
        ({"TERM": "xterm", "VTE_VERSION": "4800"}, False),
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, True),
        ({"TERM": "dumb", "TERM_PROGRAM": "iTerm.app"}, False),
        ({"TERM": "xterm", "WT_SESSION": "x", "FORCE_HYPERLINK": "0"}, False),
    ],
)
def test_terminals_that_show_links(
    environment: dict[str, str], links: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [*os.environ]:
        monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert terminal.use_links(Terminal()) is links  # type: ignore[arg-type]


# ---------------------------------------------------------------- completion


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_commands_options_values_and_files(
    net: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("shtab")
    (net / "completion.bash").write_text(out(capsys, "completion", "bash"))

    def completed(*words: str) -> list[str]:
        script = (
            'source ./completion.bash\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()\n'
            '_shtab_tclint\nprintf "%s\\n" "${COMPREPLY[@]}"\n'
        )
        command = ["bash", "-c", script, "bash", "tclint", *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()

    assert completed("ver") == ["verify"]
    assert completed("check", "--form") == ["--format"]
    assert completed("check", "--format", "s") == ["sarif"]
    assert completed("--roots", "") == ["modules", "marked", "all"]
    assert completed("check", "net") == ["net.py"]
    assert completed("doctor", "--dev") == ["--device"]
    assert completed("completion", "") == ["bash", "zsh", "fish", "tcsh"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "tcsh"])
def test_there_is_a_script_for_each_shell(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    shtab = pytest.importorskip("shtab")
    if shell not in shtab.SUPPORTED_SHELLS:
        pytest.skip(f"this shtab knows no {shell}")
    text = out(capsys, "completion", shell, "--name", "torch-compile-lint")
    assert "torch-compile-lint" in text
    assert "min-confidence" in text


def test_a_shell_that_has_no_script_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "csh"]) == 2
    assert "no completion for `csh`; there is one for bash, zsh, fish, tcsh" in capsys.readouterr().err


# ---------------------------------------------------------------- --watch


def test_watch_prints_again_in_place_when_a_file_changes(net: Path) -> None:
    pytest.importorskip("watchfiles")
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "TERM": "xterm"}
    command = [sys.executable, "-m", "torch_compile_lint", "--watch", "--color", "never"]
    process = subprocess.Popen(command, stdout=theirs, stderr=theirs, env=env, cwd=net)
    os.close(theirs)

    def shown(until: str) -> str:
        text, deadline = "", time.monotonic() + 60
        while until not in text:
            assert time.monotonic() < deadline, text
            if select.select([ours], [], [], 1)[0]:
                text += os.read(ours, 65536).decode()
        return text

    try:
        first = shown("Ctrl-C ends.")
        assert first.count("\x1b[2J") == 1
        assert "net.py:7:12: TCD101" in first
        (net / "net.py").write_text(NET.replace("x.sum() > 0", "x.ndim > 0"))
        second = shown("Ctrl-C ends.")
        assert "Nothing found" in second
        (net / "tclint.toml").write_text("rots = 1\n")
        assert "unknown key `rots`, did you mean `roots`?" in shown("Ctrl-C ends.")
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def test_watch_refuses_what_cannot_be_watched(net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("watchfiles")
    assert main(["--watch", "-"]) == 2
    assert main(["--watch", "absent"]) == 2
    assert capsys.readouterr().err == (
        "tclint: error: --watch cannot watch standard input\ntclint: error: absent: no such file or folder\n"
    )
