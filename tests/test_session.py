"""An editor's session says what the engine says of the same texts, edit after edit."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest
from torch_compile_lint.engine import Engine
from torch_compile_lint.model import Finding, Request
from torch_compile_lint.session import Session

PROGRAMS = Path(__file__).parent.parent / "fixtures" / "programs"
SETTINGS = {"cache": False, "target-torch": "2.14", "jobs": 1}
MODEL = """\
import torch
from torch import nn


def helper(x):
    if x.sum() > 0:
        return x + 1
    return x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.flag = False

    def forward(self, x: torch.Tensor):
        y = helper(x)
        return y.relu()
"""


def session(folder: Path, *paths: str) -> Session:
    return Session(Request(paths=paths, cwd=str(folder), overrides=SETTINGS, isolated=True))


def settle(one: Session) -> None:
    for _ in one.work([]):
        pass


def told(one: Session, texts: dict[str, str], path: str) -> list[Finding]:
    one.sync(texts)
    settle(one)
    answer = one.answer(path)
    assert answer is not None and answer.syntax_error is None
    return list(answer.findings)


def engine(folder: Path, texts: dict[str, str], *paths: str) -> dict[str, list[Finding]]:
    request = Request(
        paths=(*paths, *texts), overlays=texts, cwd=str(folder), overrides=SETTINGS, isolated=True
    )
    found: dict[str, list[Finding]] = {}
    for one in Engine().check(request).findings:
        found.setdefault(os.path.join(folder, one.path), []).append(one)
    return found


INSERTED = (
    "if x.sum() > 0: print(x)",
    "n = int(x.mean())",
    "z = [float(v) for v in x]",
    "pass",
    "self.extra = x.item()",
    "import time; time.sleep(0)",
)


def _is_plain(function: str) -> bool:
    """True where the first line that ends in a colon is the function's whole header."""
    return function.lstrip().startswith("def ") and function.split("\n", 1)[0].endswith(":")


@pytest.mark.parametrize("program", ["vision", "language"])
def test_random_edits_give_what_the_engine_gives(program: str, tmp_path: Path) -> None:
    shutil.copytree(PROGRAMS / program, tmp_path / "p")
    folder = tmp_path / "p"
    files = sorted(str(p) for p in folder.rglob("*.py") if p.stat().st_size > 100)
    one = session(folder, str(folder))
    texts = {p: Path(p).read_text() for p in files[:2]}
    choose = random.Random(program)
    for turn in range(24):
        path = choose.choice(files)
        text = texts.get(path) or Path(path).read_text()
        one.sync({**texts, path: text})
        index = one.index(path)
        assert index is not None
        functions = [f for f in index.functions.values() if "\n" in text[f.start : f.end]]
        if functions and turn % 6:
            f = choose.choice(functions)
            at = text.index("\n", text.index(":\n", f.start)) if _is_plain(text[f.start : f.end]) else f.start
            new = f"\n{' ' * (f.indent + 4)}{choose.choice(INSERTED)}" if at > f.start else ""
        else:
            at, new = len(text), f"\n\ndef added_{turn}(x):\n    return x\n"
        texts[path] = text[:at] + new + text[at:]
        got = told(one, texts, path)
        if turn % 4 == 3:
            want = engine(folder, texts, str(folder))
            for open_path in texts:
                answer = one.answer(open_path)
                assert answer is not None
                shown = [(f.line, f.column, f.code, f.message, f.why, f.fingerprint) for f in answer.findings]
                expected = want.get(open_path, [])
                assert shown == [
                    (f.line, f.column, f.code, f.message, f.why, f.fingerprint) for f in expected
                ], (turn, open_path)
        assert got == list((one.answer(path) or pytest.fail("no answer")).findings)


def test_an_edit_inside_and_outside_of_functions_at_once(tmp_path: Path) -> None:
    """A paste, an undo, a switch of branches: what was lowered before is not what stands there now."""
    path = str(tmp_path / "a.py")
    one = session(tmp_path)
    texts = [
        MODEL,
        "FLAG = 1\n" + MODEL.replace("y.relu()", "y.item()"),
        "FLAG = 2\n" + MODEL.replace("y.relu()", "int(y.sum())").replace("x.sum() > 0", "x is None"),
        MODEL,
    ]
    said = []
    for text in texts:
        found = told(one, {path: text}, path)
        assert found == engine(tmp_path, {path: text})[path]
        said.append([f.code for f in found])
    assert said == [["TCD101"], ["TCD101", "TCD201"], ["TCD202"], ["TCD101"]]


def test_a_text_that_does_not_parse_leaves_what_was_known(tmp_path: Path) -> None:
    path = str(tmp_path / "model.py")
    one = session(tmp_path)
    assert [f.code for f in told(one, {path: MODEL}, path)] == ["TCD101"]
    broken = MODEL.replace("y = helper(x)", "y = helper(x")
    one.sync({path: broken})
    settle(one)
    answer = one.answer(path)
    assert answer is not None and answer.syntax_error is not None
    assert answer.syntax_error.code == "TCD000" and answer.syntax_error.line == 17
    assert [f.code for f in answer.findings] == ["TCD101"] and answer.text == MODEL
    assert [f.code for f in told(one, {path: MODEL}, path)] == ["TCD101"]


def test_a_file_that_never_parsed_has_its_syntax_error(tmp_path: Path) -> None:
    path = str(tmp_path / "model.py")
    one = session(tmp_path)
    assert [f.code for f in told(one, {path: "def f(:\n"}, path)] == ["TCD000"]
    assert [f.code for f in told(one, {path: MODEL}, path)] == ["TCD101"]


def test_unsaved_files_import_each_other(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    layers, model = str(tmp_path / "layers.py"), str(tmp_path / "model.py")
    split = MODEL.index("class Net")
    texts = {
        layers: MODEL[:split],
        model: "from layers import helper\nimport torch\nfrom torch import nn\n\n\n" + MODEL[split:],
    }
    one = session(tmp_path)
    one.sync(texts)
    settle(one)
    answer = one.answer(layers)
    assert answer is not None and [f.code for f in answer.findings] == ["TCD101"]
    assert answer.findings[0].witness[0].path == "model.py"
    # an edit of the helper alone is seen at once, and closing the caller takes its findings along
    texts[layers] = texts[layers].replace("x.sum() > 0", "x is None")
    assert told(one, texts, layers) == []


def test_a_helper_is_judged_by_callers_that_are_not_open(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    split = MODEL.index("class Net")
    layers = tmp_path / "layers.py"
    layers.write_text(MODEL[:split])
    (tmp_path / "model.py").write_text(
        "from layers import helper\nimport torch\nfrom torch import nn\n\n\n" + MODEL[split:]
    )
    alone = session(tmp_path)
    assert told(alone, {str(layers): MODEL[:split]}, str(layers)) == []
    alone.widen()
    settle(alone)
    answer = alone.answer(str(layers))
    assert answer is not None and [f.code for f in answer.findings] == ["TCD101"]
    (tmp_path / "model.py").unlink()
    alone.disk_changed(str(tmp_path / "model.py"))
    settle(alone)
    assert (alone.answer(str(layers)) or pytest.fail("no answer")).findings == ()


def test_excluded_files_have_no_answer(tmp_path: Path) -> None:
    path = str(tmp_path / ".venv" / "lib" / "site-packages" / "m.py")
    one = session(tmp_path)
    one.sync({path: MODEL})
    settle(one)
    assert one.answer(path) is None
