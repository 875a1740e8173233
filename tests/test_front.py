"""The command line: options, output, exit status and one-line errors."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from torch_compile_lint.__main__ import main
from torch_compile_lint.front import add_noqa, quick

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            x = x + 1
        return x
"""
HEADLINE = re.compile(r"^(\S+):(\d+):(\d+): (TCD\d{3}) \[(proved|likely|possible)\] (.+)$")


@pytest.fixture
def net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "net.py").write_text(NET)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main([*arguments])
    out = capsys.readouterr()
    return status, out.out, out.err


def test_check_is_the_default_command(net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = run(capsys, "net.py", "--no-cache")
    assert first == run(capsys, "check", "net.py", "--no-cache")
    status, out, err = first
    assert (status, err) == (1, "")
    assert out.startswith("net.py:7:12: TCD101 [proved] ")
    assert "  7 │         if x.sum() > 0:\n    │            ^^^^^^^^^^^\n" in out
    assert out.splitlines()[-1].startswith("1 finding in 1 of 1 file: 1 graph break; judged by torch ")
    assert not (net / ".torch_compile_lint_cache").exists()


def test_concise_is_headlines_only(net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--format", "concise")
    assert [bool(HEADLINE.match(line)) for line in out.splitlines()] == [True]


def test_json_has_the_promised_keys(net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--format", "json")
    data = json.loads(out)
    assert list(data) == [
        "tool", "version", "target_torch", "roots", "findings", "missed", "errors", "stats",
    ]  # fmt: skip
    one = data["findings"][0]
    assert list(one) == [
        "code", "name", "path", "line", "column", "end_line", "end_column", "message", "effect",
        "severity", "confidence", "function", "gb", "in", "why", "witness", "fix", "fingerprint",
        "suppressed", "verdict",
    ]  # fmt: skip
    assert (one["line"], one["column"], one["end_line"], one["end_column"]) == (7, 12, 7, 23)
    assert one["witness"] == [{"path": "net.py", "line": 6, "function": "Net.forward"}]
    assert set(data["stats"]) == {"files", "lowered", "cached", "functions", "reachable", "seconds"}


def test_exit_status(net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "net.py")[0] == 1
    assert run(capsys, "net.py", "--exit-zero")[0] == 0
    assert run(capsys, "net.py", "--ignore", "TCD1")[0] == 0
    (net / "net.py").write_text("x = (\n")
    status, out, _ = run(capsys, "net.py", "--format", "concise")
    assert status == 1
    assert "TCD000" in out
    (net / "net.py").write_text("x = 1\n")
    assert run(capsys, "net.py")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--frmat", "json"], "unrecognized arguments: --frmat"),
        (["--format", "yaml"], "--format must be one of text, concise, json"),
        (["--select", "XYZ"], "'XYZ' selects no rule"),
        (["--min-confidence", "sure"], "`min-confidence` must be one of proved, likely, possible"),
        (["--target-torch", "1.13"], "torch.compile came with torch 2.0"),
        (["--roots", "x"], "`roots` must be one of modules, marked, all"),
        (["-j", "x"], "argument -j/--jobs: invalid int value"),
        (["--config", "absent.toml"], "absent.toml: cannot be read"),
        (["--baseline", "absent.json"], "--baseline absent.json: No such file"),
        (["--output", "absent/x.txt"], "--output absent/x.txt: No such file"),
        (["absent.py"], "absent.py: no such file or folder"),
        (["rule", "no-such-rule"], "no rule is called `no-such-rule`"),
        (["rule", "GB9999999"], "has a graph break GB9999999"),
    ],
)
def test_a_mistake_is_one_line(
    net: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    status, _, err = run(capsys, *arguments)
    assert status == 2
    assert said in err
    assert err.startswith("tclint: error: ")
    assert err.count("\n") == 1


def test_standard_input(
    net: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(("\n" + NET).encode())))
    _, out, _ = run(capsys, "-", "--stdin-filename", "net.py", "--format", "concise")
    assert out.startswith("net.py:8:12: TCD101")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(NET.encode())))
    _, out, _ = run(capsys, "-")
    assert out.startswith("<stdin>:7:12: TCD101")
    assert "if x.sum() > 0:" in out


def test_a_baseline_hides_what_is_known(net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--write-baseline", "known.json")[0] == 0
    assert run(capsys, "--baseline", "known.json")[0] == 0
    (net / "net.py").write_text("\n\n" + NET.replace("return x", "return x.item()"))
    status, out, _ = run(capsys, "--baseline", "known.json", "--format", "concise")
    assert status == 1
    assert [HEADLINE.match(line).group(4) for line in out.splitlines()] == ["TCD201"]  # type: ignore[union-attr]


def test_output_goes_to_a_file_without_colour(
    net: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in run(capsys, "net.py")[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in run(capsys, "net.py")[1]
    monkeypatch.delenv("NO_COLOR")
    assert run(capsys, "net.py", "--output", "out.txt")[1] == ""
    text = (net / "out.txt").read_text(encoding="utf-8")
    assert text.startswith("net.py:7:12: TCD101")
    assert "\x1b[" not in text


def test_statistics(net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "\n1  TCD101  tensor-branch\n" in run(capsys, "--statistics")[1]


def test_added_comments_silence_and_change_nothing_else(
    net: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = NET.replace("x = x + 1", "x = x + torch.nonzero(  # note\n                x\n            )[0]")
    (net / "net.py").write_text(text)
    status, _, err = run(capsys, "--add-noqa")
    assert (status, err) == (0, "tclint: added 2 noqa comments\n")
    changed = (net / "net.py").read_text()
    assert re.sub(r"  # noqa: .*", "", changed) == text
    assert run(capsys, "net.py")[0] == 0
    assert run(capsys, "--add-noqa")[2] == "tclint: added 0 noqa comments\n"


def test_codes_join_a_comment_that_is_there() -> None:
    from torch_compile_lint.model import Confidence, Effect, Finding

    one = Finding("TCD101", "n", "p", 1, 1, 1, 2, "m", Effect.BREAK, Confidence.PROVED)
    assert add_noqa.with_comments("x = 1  # noqa: E501\n", [one]) == ("x = 1  # noqa: E501, TCD101\n", 1)
    assert add_noqa.with_comments("x = 1  # noqa\n", [one]) == ("x = 1  # noqa\n", 0)
    assert add_noqa.with_comments("x = [\r\n]\r\n", [one]) == ("x = [\r\n]  # noqa: TCD101\r\n", 1)


def test_rule_pages(net: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "rule")
    assert status == 0
    assert "TCD101  tensor-branch" in out
    by_code, by_name = run(capsys, "rule", "TCD101"), run(capsys, "rule", "tensor-branch")
    assert by_code == by_name
    assert "Why torch.compile cares" in by_code[1]
    rules = json.loads(run(capsys, "rule", "--format", "json")[1])["rules"]
    assert {"code": "TCD101", "name": "tensor-branch"}.items() <= rules[0].items()
    assert "GB0170" in run(capsys, "rule", "gb0170")[1]


def test_a_closed_pipe_is_no_crash(net: Path) -> None:
    code = "import sys; from torch_compile_lint.__main__ import main; sys.exit(main(['rule']))"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    err = process.stderr.read().decode()
    process.stderr.close()
    process.wait()
    assert "Traceback" not in err


# ---------------------------------------------------------------- the quick path


def test_the_quick_path_says_what_the_engine_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Over files of the standard library: the same, or no answer at all."""
    monkeypatch.chdir(tmp_path)
    quick_ones = []
    for original in sorted(Path(os.__file__).parent.glob("[a-f]*.py")):
        path = tmp_path / f"at_{original.stem}" / f"copy_{original.name}"
        path.parent.mkdir()
        path.write_bytes(original.read_bytes())
        text = quick.answer([str(path)])
        if text is not None:
            quick_ones.append(path)
            assert text.startswith("Nothing found that torch.compile stumbles over in 1 file")
    assert len(quick_ones) > 10
    from torch_compile_lint.front import cli

    assert cli.run([*map(str, quick_ones), "--no-cache"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[-1].startswith("Nothing found")
    single = str(quick_ones[0])
    assert quick.answer([single, "--no-cache"]) == quick.answer([single]) is not None
    assert cli.run([single, "--no-cache"]) == 0
    assert capsys.readouterr().out == quick.answer([single])


@pytest.mark.parametrize(
    "text",
    [
        "import torch\n",
        "x = (\n",
        "from .near import Base\n\n\nclass Net(Base):\n    pass\n",
        "import near\n",
        "import lightning\n\n\nclass Net(lightning.Module):\n    def forward(self, x): ...\n",
        "x = 1  # tclint: ignore\n",
        "import os; import near\n",
        "import os, near\n",
        "import os, \\\n    near\n",
        "from \\\n  near import x\n",
        "from.near import x\n",
        "from near import(x)\n",
        "if 1:import near\n",
        "x = 1;import near\n",
        "def f():\n    if 1: import near\n",
        "model.compile()\n",
        "x = '\0'\n",
    ],
)
def test_in_doubt_the_engine_decides(tmp_path: Path, text: str) -> None:
    (tmp_path / "near.py").write_text("")
    (tmp_path / "a.py").write_text(text)
    assert quick.answer([str(tmp_path / "a.py")]) is None


def test_many_files_are_quiet_together(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"a{number}.py").write_text(
            f"import sys\n\ndef f():\n    import a{number}_x\n    return sys\n"
        )
    paths = [str(p) for p in tmp_path.glob("*.py")]
    assert quick.nothing_in(paths)
    assert quick.nothing_in(paths[:1])
    (tmp_path / "net.py").write_text("import torch\nfrom a0 import f\n")
    assert not quick.nothing_in(paths)
    assert not quick.nothing_in([str(tmp_path / "a0.py")])
    assert quick.nothing_in([str(tmp_path / "a7.py")])


def test_the_quick_path_reads_no_configuration_and_so_gives_way_to_one(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import os\n")
    assert quick.answer([str(tmp_path / "a.py")]) is not None
    assert quick.answer(["--statistics", str(tmp_path / "a.py")]) is None
    (tmp_path / "tclint.toml").write_text("wrong = 1\n")
    assert quick.answer([str(tmp_path / "a.py")]) is None


@pytest.mark.parametrize(
    "flags", ["", "--exit-zero", "--isolated", "--format concise", "--format=concise", "--format text"]
)
def test_the_quick_path_knows_the_flags_that_leave_the_answer_as_it_is(
    tmp_path: Path, flags: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from torch_compile_lint.front import cli

    (tmp_path / "a.py").write_text("import os\n")
    arguments = [str(tmp_path / "a.py"), *flags.split()]
    assert cli.run([*arguments, "--no-cache"]) == 0
    assert capsys.readouterr().out == quick.answer(arguments)
    assert quick.answer(["--format", "json", str(tmp_path / "a.py")]) is None
    assert quick.answer([str(tmp_path / "a.py"), "--format"]) is None


def test_a_configuration_may_be_set_aside(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import os\n")
    (tmp_path / "tclint.toml").write_text("wrong = 1\n")
    assert quick.answer([str(tmp_path / "a.py"), "--isolated"]) is not None


@pytest.mark.parametrize(
    ("other", "called"),
    [
        ("from plain import f\n", True),
        ("from pkg import (\n    other,\n    plain,\n)\n", True),
        ("import pkg.plain as p\n", True),
        ("if x:\n    from . import plain\n", True),
        ("from pkg import \\\n    plain\n", True),
        ("explained = 'plain'  # plain\n", False),
        ("from plainly import f\n", False),
    ],
)
def test_only_what_imports_a_file_may_call_it(tmp_path: Path, other: str, called: bool) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "plain.py").write_text("def f():\n    return 1\n")
    (tmp_path / "other.py").write_text(other)
    assert (quick.answer([str(tmp_path / "plain.py")]) is None) == called
