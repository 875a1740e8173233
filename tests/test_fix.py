"""Edits, imports, files and the command line of `--fix`, over real files and real processes."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from torch_compile_lint.fix.diff import unified
from torch_compile_lint.fix.edits import apply, compatible, edited
from torch_compile_lint.fix.files import WriteProblem, replace_file
from torch_compile_lint.model import Confidence, Edit, Effect, Finding, Fix, Request, Safety, Span
from torch_compile_lint.place_imports import import_place
from torch_compile_lint.repair import repair
from torch_compile_lint.source import read_source

ROOT = Path(__file__).parent.parent
ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{ROOT / 'lint'}{os.pathsep}{ROOT / 'rules'}"}

MODEL = """\
import os

import torch


class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1  # kept
        if y.sum() > 0:  # why
            y = y * 2
        print("done")
        return y * float(os.getenv("SCALE", "1"))
"""


def tclint(*arguments: str, cwd: Path, given: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "torch_compile_lint", *arguments, "--isolated", "--no-cache", "-j1"],
        cwd=cwd,
        env=ENVIRONMENT,
        input=given,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def finding(*edits: tuple[int, int, str], safety: Safety = Safety.SAFE) -> Finding:
    changes = tuple(Edit("m.py", Span(start, end), text) for start, end, text in edits)
    return Finding(
        "TCD101", "x", "m.py", 1, 1, 1, 2, "m", Effect.BREAK, Confidence.PROVED, fix=Fix("t", safety, changes)
    )


# ---------------------------------------------------------------- edits


def test_edits_that_overlap_wait() -> None:
    first, second, third = finding((0, 3, "a")), finding((2, 4, "b")), finding((3, 3, "c"))
    assert compatible([first, second, third]) == [first, third]


def test_the_same_import_is_inserted_once() -> None:
    one, other = (
        finding((0, 0, "import torch\n"), (20, 21, "x")),
        finding((0, 0, "import torch\n"), (30, 31, "y")),
    )
    assert compatible([one, other]) == [one, other]
    text = edited("." * 40, [*one.fix.edits, *other.fix.edits])  # type: ignore[union-attr]
    assert text.count("import torch") == 1


def test_two_insertions_at_one_place_do_not_mix() -> None:
    one, other = finding((5, 5, "a")), finding((5, 5, "b"))
    assert compatible([one, other]) == [one]


def test_a_fix_that_breaks_the_file_is_refused_and_the_others_are_kept() -> None:
    good, bad = finding((0, 1, "y")), finding((4, 5, "((("))
    done = apply([good, bad], lambda path: "x = 1\n")
    assert done.texts == {"m.py": "y = 1\n"} and done.fixed == [good]
    assert [r.finding for r in done.refused] == [bad]
    assert "would not parse" in done.refused[0].reason


# ---------------------------------------------------------------- imports


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 1\n", "import torch\n\nx = 1\n"),
        ('"""Doc."""\nx = 1\n', '"""Doc."""\n\nimport torch\nx = 1\n'),
        (
            "from __future__ import annotations\nx = 1\n",
            "from __future__ import annotations\n\nimport torch\nx = 1\n",
        ),
        ("import os\nfrom a import b\nx = 1\n", "import os\nimport torch\nfrom a import b\nx = 1\n"),
        ("# c\nfrom a import b\n", "# c\nimport torch\nfrom a import b\n"),
        ("import os", "import os\nimport torch"),
        ("import os\r\nx = 1\r\n", "import os\r\nimport torch\r\nx = 1\r\n"),
        ("@d\ndef f(): pass\n", "import torch\n\n@d\ndef f(): pass\n"),
        ("", "import torch\n"),
    ],
)
def test_import_place(before: str, after: str) -> None:
    place = import_place(before)
    assert place is not None
    offset, ahead, behind = place
    assert before[:offset] + f"{ahead}import torch{behind}" + before[offset:] == after
    compile(after, "m", "exec")


def test_an_import_beside_other_statements_is_left_alone() -> None:
    assert import_place("import os; x = 1\n") is None


def fixed(text: str, unsafe: bool = True, **overrides: object) -> str:
    path = os.path.abspath("given.py")
    request = Request((path,), {path: text}, {"cache": False, "jobs": 1, **overrides}, isolated=True)
    return repair(request, unsafe).texts.get(path, text)


def test_a_name_that_means_something_else_stops_the_fix() -> None:
    text = "from torch import Tensor, nn\n\n\nclass N(nn.Module):\n    def forward(self, x: Tensor):\n"
    body = "        return x if x.sum() > 0 else -x\n"
    assert "import torch\n" in fixed(text + body) and "torch.where" in fixed(text + body)
    assert "torch.where" not in fixed("torch = None\n" + text + body)
    assert "torch.where" not in fixed(text + "        torch = x\n" + body)


# ---------------------------------------------------------------- files


def test_a_file_keeps_mode_mark_line_ends_and_what_links_to_it(tmp_path: Path) -> None:
    real = tmp_path / "real.py"
    real.write_bytes("\ufeffx = 'é'\r\ny = 2\r\n".encode())
    real.chmod(0o750)
    link = tmp_path / "link.py"
    link.symlink_to(real)
    source = read_source(str(link), "")
    replace_file(source, source.text.replace("2", "3"))
    assert real.read_bytes() == "\ufeffx = 'é'\r\ny = 3\r\n".encode()
    assert stat.S_IMODE(real.stat().st_mode) == 0o750 and link.is_symlink()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.py", "real.py"]


def test_a_file_that_changed_meanwhile_or_cannot_hold_the_text_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_bytes(b"# -*- coding: latin-1 -*-\nx = 1\n")
    source = read_source(str(file), "")
    with pytest.raises(WriteProblem, match="cannot hold"):
        replace_file(source, source.text + "# €\n")
    file.write_bytes(b"x = 2\n")
    with pytest.raises(WriteProblem, match="changed"):
        replace_file(source, "x = 3\n")
    assert file.read_bytes() == b"x = 2\n"


def test_diff_says_where_the_last_line_has_no_end() -> None:
    assert "\\ No newline at end of file" in unified("m.py", "a\nb", "a\nc")
    assert unified("m.py", "a\n", "a\n") == ""


# ---------------------------------------------------------------- the command


def test_fix_applies_what_is_safe_and_says_what_more_there_is(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_text(MODEL)
    done = tclint("--fix", "m.py", cwd=tmp_path)
    assert done.returncode == 1 and "fixed 1, 2 more with --unsafe-fixes" in done.stderr
    assert file.read_text() == MODEL.replace("os.getenv", "os.environ.copy().get")
    done = tclint("--fix", "--unsafe-fixes", "m.py", "--ignore", "TCD407", cwd=tmp_path)
    assert done.returncode == 0 and "fixed 2\n" in done.stderr, done.stderr
    text = file.read_text()
    assert "# kept" in text and "# why" in text
    assert "y = torch.where(y.sum() > 0, y * 2, y)" in text
    assert 'if not torch.compiler.is_compiling():\n            print("done")' in text
    again = tclint("--fix", "--unsafe-fixes", "m.py", cwd=tmp_path)
    assert "fixed 0\n" in again.stderr and file.read_text() == text


def test_diff_writes_nothing_and_applies_with_patch(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_bytes(MODEL.replace("\n", "\r\n").encode())
    before = file.read_bytes()
    done = tclint("--diff", "--unsafe-fixes", "m.py", cwd=tmp_path)
    assert done.returncode == 1 and "would fix 3" in done.stderr
    assert file.read_bytes() == before
    assert done.stdout.startswith("--- a/m.py\n+++ b/m.py\n@@")


def test_standard_input_comes_out_fixed(tmp_path: Path) -> None:
    done = tclint("--fix", "--unsafe-fixes", "-", cwd=tmp_path, given=MODEL)
    assert "torch.where" in done.stdout and "<stdin>" not in done.stdout
    assert "fixed 3" in done.stderr
    clean = tclint("--fix", "-", cwd=tmp_path, given="x = 1\n")
    assert clean.stdout == "x = 1\n" and clean.returncode == 0


def test_interactive_asks_for_each_and_quit_undoes(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_text(MODEL)
    arguments = ("--fix", "--unsafe-fixes", "--interactive", "m.py")
    done = tclint(*arguments, cwd=tmp_path, given="y\nquit\n")
    assert done.returncode == 130 and "nothing was changed" in done.stderr and file.read_text() == MODEL
    done = tclint(*arguments, cwd=tmp_path, given="what\ny\nn\ny\n")
    assert "apply? [y]es" in done.stdout and "fixed 2" in done.stderr
    assert "os.environ.copy" in file.read_text() and "torch.where" not in file.read_text()
    done = tclint(*arguments, cwd=tmp_path, given="all\n")
    assert "torch.where" in file.read_text()


def test_plan_names_the_fewest_changes(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(MODEL)
    done = tclint("--plan", "m.py", cwd=tmp_path)
    assert "m.py: Net.forward: 2 changes give one graph" in done.stdout
    assert "1. m.py:12: silently wrong: TCD801" in done.stdout
    assert (tmp_path / "m.py").read_text() == MODEL


def test_json_carries_the_fix_where_the_interface_says(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(MODEL)
    done = tclint("m.py", "--format", "json", cwd=tmp_path)
    by_code = {f["code"]: f["fix"] for f in json.loads(done.stdout)["findings"]}
    assert by_code["TCD801"] == {
        "title": "Read a copy of os.environ",
        "safety": "safe",
        "edits": [
            {"line": 12, "column": 26, "end_line": 12, "end_column": 35, "text": "os.environ.copy().get"}
        ],
    }
    assert by_code["TCD101"]["safety"] == "unsafe"


@pytest.mark.parametrize(
    "arguments",
    [("--unsafe-fixes",), ("--fix", "--add-noqa"), ("--prove",), ("--interactive", "-")],
)
def test_what_does_not_go_together_is_one_line(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = tclint(*arguments, cwd=tmp_path, given="")
    assert done.returncode == 2 and done.stderr.count("\n") == 1


def test_a_suppressed_finding_is_not_fixed(tmp_path: Path) -> None:
    text = MODEL.replace('"1"))', '"1"))  # noqa: TCD801')
    (tmp_path / "m.py").write_text(text)
    assert "fixed 0" in tclint("--fix", "m.py", cwd=tmp_path).stderr


def test_what_is_only_guessed_to_be_a_tensor_is_not_fixed() -> None:
    text = (
        "import torch\nfrom torch import Tensor, nn\n\n\nclass N(nn.Module):\n"
        "    def __init__(self, clock: nn.Module) -> None:\n        super().__init__()\n"
        "        self.clock = clock\n\n    def forward(self, x: Tensor) -> Tensor:\n"
        "        if self.clock(x) > 2:\n            x = x * 2\n        return x\n"
    )
    path = os.path.abspath("given.py")
    done = repair(Request((path,), {path: text}, {"cache": False, "jobs": 1}, isolated=True), True)
    assert [f.code for f in done.report.findings] == ["TCD101"] and not done.texts
