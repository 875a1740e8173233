"""The engine end to end on small programs: what is reported, and that nothing ever stops it."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from torch_compile_lint.engine import Engine
from torch_compile_lint.model import Finding, Report, Request

QUICKSTART = Path(__file__).parent.parent / "fixtures" / "quickstart"
NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            x = x + 1
        return x
"""


def check(*paths: Path | str, **overrides: Any) -> Report:
    overlays = overrides.pop("overlays", {})
    values = {"cache": False, "jobs": 1, **{k.replace("_", "-"): v for k, v in overrides.items()}}
    return Engine().check(Request(tuple(map(str, paths)), overlays=overlays, overrides=values))


def places(report: Report) -> list[tuple[str, int, str]]:
    return [(os.path.basename(f.path), f.line, f.code) for f in report.findings if not f.suppressed]


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


# ---------------------------------------------------------------- what is reported


def test_the_example_program() -> None:
    report = check(QUICKSTART)
    assert report.errors == ()
    found = places(report)
    for expected in [
        ("layers.py", 7, "TCD101"),
        ("layers.py", 19, "TCD206"),
        ("model.py", 22, "TCD101"),
        ("model.py", 24, "TCD201"),
        ("model.py", 32, "TCD101"),
    ]:
        assert expected in found
    helper = next(f for f in report.findings if f.line == 7)
    assert [h.function for h in helper.witness] == ["Detector.forward", "Detector.forward"]
    assert [h.line for h in helper.witness] == [16, 17]
    assert "helper" in helper.position
    assert report.stats.files == 4
    guess = next(f for f in report.findings if f.path.endswith("tracker.py"))
    assert (guess.line, guess.code, guess.confidence.label) == (18, "TCD101", "likely")  # verify refutes it
    assert not [f for f in report.findings if f.path.endswith("stages.py")]  # verify tells what is missed


def test_findings_are_for_what_was_asked_for_but_the_program_is_read(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"net.py": NET.replace("nn.Module", "Base").replace("from torch import nn", "from base import Base")},
    )
    write(
        tmp_path,
        {
            "base.py": "from torch import nn\n\n\nclass Base(nn.Module):\n"
            "    def forward(self, x):\n        print(x)\n"
        },
    )
    report = check(tmp_path / "net.py")
    assert places(report) == [("net.py", 7, "TCD101")]


def test_order_of_paths_changes_nothing(tmp_path: Path) -> None:
    files = {f"net{n}.py": NET.replace("Net", f"Net{n}") for n in range(5)}
    files["shared.py"] = "def helper(x):\n    return x.item()\n"
    files["net0.py"] = (
        files["net0.py"]
        .replace("x + 1", "helper(x)")
        .replace("import torch\n", "import torch\nfrom shared import helper\n")
    )
    write(tmp_path, files)
    names = [str(tmp_path / n) for n in files]
    first = check(*names)
    random.Random(1).shuffle(names)
    assert check(*names).findings == first.findings
    assert check(tmp_path).findings == first.findings


def test_workers_change_nothing(tmp_path: Path) -> None:
    write(tmp_path, {f"net{n}.py": NET.replace("Net", f"Net{n}") for n in range(6)})
    assert check(tmp_path, jobs=2).findings == check(tmp_path, jobs=1).findings


def test_unsaved_text_wins_over_the_disk(tmp_path: Path) -> None:
    path = write(tmp_path, {"net.py": NET}) / "net.py"
    assert places(check(path, overlays={str(path): NET.replace("x.sum() > 0", "True")})) == []
    assert places(check(path, overlays={str(path): "\n" + NET})) == [("net.py", 8, "TCD101")]


def test_fingerprints_survive_moved_lines_and_tell_twins_apart(tmp_path: Path) -> None:
    twice = NET.replace(
        "        return x\n", "        if x.sum() > 0:\n            x = x - 1\n        return x\n"
    )
    path = write(tmp_path, {"net.py": twice}) / "net.py"
    before = [f.fingerprint for f in check(path).findings]
    assert len(before) == 2 == len(set(before))
    path.write_text("# a comment\n\n" + twice)
    assert [f.fingerprint for f in check(path).findings] == before


def test_target_release_decides(tmp_path: Path) -> None:
    path = write(tmp_path, {"net.py": NET}) / "net.py"
    old, new = check(path, target_torch="2.3").findings[0], check(path, target_torch="2.14").findings[0]
    assert (old.gb, new.gb) == ((), ("GB0170",))


def test_selection(tmp_path: Path) -> None:
    path = write(tmp_path, {"net.py": NET}) / "net.py"
    assert places(check(path, select=["TCD2"])) == []
    assert places(check(path, ignore=["tensor-branch"])) == []
    assert places(check(path, select=["tensor-branch"])) == [("net.py", 7, "TCD101")]
    assert places(check(path, per_file_ignores={"net.py": ["TCD1"]})) == []


def test_ignore_comments(tmp_path: Path) -> None:
    for comment in ("# noqa", "# noqa: TCD101", "# tclint: ignore[tensor-branch] cold"):
        text = NET.replace("> 0:", f"> 0:  {comment}")
        path = write(tmp_path, {"net.py": text}) / "net.py"
        report = check(path)
        assert [f.suppressed for f in report.findings] == [True]
        assert report.unused_suppressions == ()
    path = write(tmp_path, {"net.py": NET.replace("return x\n", "return x  # noqa: TCD201\n")}) / "net.py"
    report = check(path)
    assert [(f.line, f.column) for f in report.unused_suppressions] == [(9, 19)]


# ---------------------------------------------------------------- the cache


def test_a_warm_run_says_the_same(tmp_path: Path) -> None:
    write(tmp_path, {"net.py": NET, "tclint.toml": ""})
    cold = check(tmp_path, cache=True)
    warm = check(tmp_path, cache=True)
    assert (warm.findings, warm.errors, warm.target_torch) == (cold.findings, cold.errors, cold.target_torch)
    (tmp_path / ".torch_compile_lint_cache" / "v1.sqlite").write_bytes(b"garbage")
    assert check(tmp_path, cache=True).findings == cold.findings


def test_edits_are_seen_through_the_cache(tmp_path: Path) -> None:
    """A chain of edits, each checked warm and from nothing: both must always agree."""
    helper = "import torch\n\n\ndef flag(x: torch.Tensor):\n    return {}\n"
    files = {
        "net.py": NET.replace("x.sum() > 0", "flag(x)").replace(
            "import torch\n", "import torch\nfrom lib import flag\n"
        )
    }
    write(tmp_path, {**files, "lib.py": helper.format("True"), "tclint.toml": ""})
    steps = [
        ("lib.py", helper.format("x.sum() > 0")),  # a helper's body: its result is a tensor now
        ("lib.py", "# moved\n\n" + helper.format("x.sum() > 0")),
        ("lib.py", helper.format("x.dim() > 1")),
        ("lib.py", "from other import flag\n"),  # an import of a file that is not there yet
        ("other.py", helper.format("x.any()")),
        ("net.py", NET),
        ("lib.py", helper.format("True") + "\n\nbroken(\n"),
    ]
    check(tmp_path, cache=True)
    for name, text in steps:
        (tmp_path / name).write_text(text)
        warm, cold = check(tmp_path, cache=True), check(tmp_path)
        assert warm.findings == cold.findings, name
        assert check(tmp_path, cache=True).findings == cold.findings


def run_python(code: str, cwd: Path) -> Any:
    paths = [p for p in sys.path if p]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=cwd, env=env, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


LOADED = (
    "import json, sys; from torch_compile_lint.__main__ import main; main({!r}); "
    "print(json.dumps(sorted(sys.modules)))"
)


def test_a_warm_run_imports_neither_libcst_nor_rules(tmp_path: Path) -> None:
    write(tmp_path, {"net.py": NET, "tclint.toml": ""})
    run_python(LOADED.format(["."]), tmp_path)
    loaded = set(run_python(LOADED.format([".", "--format", "concise"]), tmp_path))
    heavy = {
        "libcst",
        "torch",
        "numpy",
        "torch_compile_lint.registry",
        "torch_compile_lint.program.infer",
    }
    assert loaded & heavy == set()
    assert not [m for m in loaded if m.startswith("torch_compile_lint_rules.")]


def test_one_changed_function_lowers_nothing_else(tmp_path: Path) -> None:
    write(tmp_path, {f"net{n}.py": NET.replace("Net", f"Net{n}") for n in range(4)})
    write(tmp_path, {"tclint.toml": ""})
    assert check(tmp_path, cache=True).stats.lowered == 4
    (tmp_path / "net2.py").write_text(NET.replace("Net", "Net2").replace("x + 1", "x + 2"))
    assert check(tmp_path, cache=True).stats.lowered == 1


def test_version_imports_nothing(tmp_path: Path) -> None:
    loaded = set(run_python(LOADED.format(["--version"]), tmp_path))
    ours = {m for m in loaded if m.startswith("torch_compile_lint")}
    assert ours == {"torch_compile_lint", "torch_compile_lint.__main__"}
    assert not loaded & {"argparse", "dataclasses", "sqlite3", "libcst"}


# ---------------------------------------------------------------- bad input


def syntax(report: Report) -> list[Finding]:
    return [f for f in report.findings if f.code == "TCD000"]


@pytest.mark.parametrize(
    ("name", "data", "line"),
    [
        ("broken", b"def f(:\n    pass\n", 1),
        ("python2", b"x = 1\nprint 'hello'\n", 2),
        ("nul", b"x = 1\ny = '\0'\n", 2),
        ("latin", b"x = 1\ny = '\xe9'\n", 2),
        ("cookie", b"# coding: no-such-codec\n", 1),
        ("utf16", "x = 1\n".encode("utf-16"), 1),
        ("tabs", b"if 1:\n\tx = 1\n        y = 2\n", 3),
        ("open", b"x = (\n", 1),
        ("indent", b"  x = 1\n", 1),
    ],
)
def test_what_does_not_parse_is_one_finding(tmp_path: Path, name: str, data: bytes, line: int) -> None:
    write(tmp_path, {f"{name}.py": data, "net.py": NET})
    report = check(tmp_path)
    assert report.errors == ()
    assert [(os.path.basename(f.path), f.line) for f in syntax(report)] == [(f"{name}.py", line)]
    assert "\n" not in syntax(report)[0].message
    assert ("net.py", 7, "TCD101") in places(report)


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + NET.encode(),
        NET.replace("\n", "\r\n").encode(),
        NET.replace("    ", "\t").encode(),
        ("# coding: latin-1\n# \xe9\n" + NET[NET.index("\n") :])
        .replace("\n\n", "\nimport torch\n", 1)
        .encode("latin-1"),
    ],
    ids=["bom", "crlf", "tabs", "latin-1"],
)
def test_odd_but_valid_files(tmp_path: Path, data: bytes) -> None:
    path = write(tmp_path, {"net.py": data}) / "net.py"
    report = check(path)
    assert report.errors == ()
    assert [f.code for f in report.findings] == ["TCD101"]
    source = data.decode("latin-1").splitlines()[report.findings[0].line - 1]
    one = report.findings[0]
    assert source[one.column - 1 : one.end_column - 1] == "x.sum() > 0"


def test_deep_nesting_is_one_finding(tmp_path: Path) -> None:
    write(tmp_path, {"parens.py": "x = " + "(" * 5000 + ")" * 5000 + "\n", "net.py": NET})
    write(tmp_path, {"chain.py": "import torch\nx = " + "-" * 5000 + "1\n"})
    report = check(tmp_path)
    assert report.errors == ()
    assert ("net.py", 7, "TCD101") in places(report)
    assert {os.path.basename(f.path) for f in syntax(report)} <= {"parens.py", "chain.py"}


def test_a_long_file(tmp_path: Path) -> None:
    text = NET + "".join(f"def f{n}(x):\n    return x + {n}\n" for n in range(50_000))
    report = check(write(tmp_path, {"long.py": text}) / "long.py")
    assert places(report) == [("long.py", 7, "TCD101")]


def test_links_cycles_duplicates_and_notebooks(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.py": "from b import *\nfrom b import f\nimport torch\n\n\n@torch.compile\n"
            "def g(x: torch.Tensor):\n    return f(x)\n",
            "b.py": "from a import *\n\n\ndef f(x):\n    return x.item()\n",
            "one/net.py": NET,
            "two/net.py": NET,
            "note.ipynb": '{"cells": []}',
        },
    )
    os.symlink(tmp_path, tmp_path / "one" / "loop")
    os.symlink(tmp_path / "self.py", tmp_path / "self.py")
    report = check(tmp_path)
    assert report.errors == ()
    assert places(report) == [("b.py", 5, "TCD201"), ("net.py", 7, "TCD101"), ("net.py", 7, "TCD101")]
    assert report.stats.files == 5


def test_paths_that_are_not_there(tmp_path: Path) -> None:
    write(tmp_path, {"net.py": NET})
    report = check(tmp_path / "net.py", tmp_path / "absent.py")
    assert [e.message for e in report.errors] == ["no such file or folder"]
    assert places(report) == [("net.py", 7, "TCD101")]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read anything")
def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    write(tmp_path, {"net.py": NET, "secret.py": NET})
    (tmp_path / "secret.py").chmod(0)
    report = check(tmp_path)
    assert [e.message for e in report.errors] == ["cannot be read: Permission denied"]


BROKEN_TOML = """\
code = "TCD999"
name = "broken"
summary = "s"
category = "graph-break"
fix = "none"
[messages]
any = "m"
[[claims]]
since = "2.3"
effect = "break"
evidence = "none"
"""
BROKEN_RULE = """\
from torch_compile_lint.rule import Rule, ir


def check(node, view):
    raise KeyError("oops")
    yield


RULE = Rule(on=(ir.Branch,), check=check)
"""


def test_a_rule_that_crashes_is_an_error_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = write(
        tmp_path / "plug" / "broken_rules",
        {
            "__init__.py": "",
            "tcd999_broken/rule.toml": BROKEN_TOML,
            "tcd999_broken/rule.py": BROKEN_RULE,
        },
    )
    monkeypatch.syspath_prepend(str(rule.parent))
    path = write(tmp_path, {"net.py": NET}) / "net.py"
    report = check(path, plugins=["torch_compile_lint_rules", "broken_rules"])
    assert places(report) == [("net.py", 7, "TCD101")]
    assert [e.message for e in report.errors] == ["rule TCD999 (broken) failed: KeyError: 'oops' (rule.py:5)"]


def test_a_module_that_appears_beside_what_was_asked_for_is_seen(tmp_path: Path) -> None:
    net = NET.replace("x.sum() > 0", "flag(x)").replace(
        "import torch\n", "import torch\nfrom lib import flag\n"
    )
    path = write(tmp_path, {"net.py": net, "tclint.toml": ""}) / "net.py"
    assert places(check(path, cache=True)) == []
    write(tmp_path, {"lib.py": "def flag(x):\n    return x.sum() > 0\n"})
    assert places(check(path, cache=True)) == [("net.py", 8, "TCD101")]


def test_imports_are_followed_by_name(tmp_path: Path) -> None:
    """A version read from a package does not read the package's other hundred modules."""
    files: dict[str, str | bytes] = {f"pkg/m{n}.py": NET.replace("Net", f"Net{n}") for n in range(5)}
    files["pkg/__init__.py"] = "from .version import version\nfrom .m0 import *\n" + "".join(
        f"from .m{n} import Net{n}\n" for n in range(1, 5)
    )
    files["pkg/version.py"] = "version = '1'\n"
    files["pkg/core.py"] = "from pkg import version, Net3\n" + NET
    report = check(write(tmp_path, files) / "pkg" / "core.py")
    assert places(report) == [("core.py", 8, "TCD101")]
    assert report.stats.functions == 2  # core and m3, not m0, m1, m2, m4
