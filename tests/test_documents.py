"""Notebooks, Markdown and reStructuredText: what is read, where findings stand, what a fix leaves alone."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from torch_compile_lint.documents import Cells, DocumentError, python_text, rewritten
from torch_compile_lint.front.cli import run

CELLS = (
    ("markdown", "# Title"),
    ("code", "import torch\nfrom torch import nn\n%matplotlib inline\n!pip list \\\n  --outdated"),
    ("code", "def helper(x):\n    if x.sum() > 0:\n        return x + 1\n    return x"),
    (
        "code",
        'class Net(nn.Module):\n    def forward(self, x: torch.Tensor):\n        s = "é😀"\n'
        "        print(x)\n        return helper(x)\n\n%time y = Net()(torch.ones(3))\nNet?",
    ),
    ("code", "%%bash\necho $HOME"),
    ("code", "files = !ls\nfor f in files:\n    %timeit len(f)\n    !echo {f}"),
)


def notebook(cells: tuple[tuple[str, str], ...] = CELLS, lines: bool = True, **layout: Any) -> str:
    rows = [
        {
            "cell_type": kind,
            "metadata": {},
            **({"execution_count": None, "outputs": []} if kind == "code" else {}),
            "source": source.splitlines(keepends=True) if lines else source,
        }
        for kind, source in cells
    ]
    content = {
        "cells": rows,
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, **layout)


def tclint(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    run([*arguments, "--no-cache", "--target-torch", "2.14"])
    return capsys.readouterr().out


def test_findings_of_a_notebook_stand_in_their_cells(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "n.ipynb").write_text(notebook(indent=1), encoding="utf-8")
    out = tclint(capsys, ".", "--format", "concise")
    assert [line.split(" [")[0] for line in out.splitlines()] == [
        "n.ipynb:cell 3:2:8: TCD101",
        "n.ipynb:cell 4:4:9: TCD401",
    ]
    text = tclint(capsys, "n.ipynb")
    assert "  2 │     if x.sum() > 0:\n    │        ^^^^^^^^^^^" in text
    assert "reached  `Net.forward` (cell 4 line 5) → `helper`" in text
    found = json.loads(tclint(capsys, "n.ipynb", "--format", "json"))["findings"][0]
    assert (found["path"], found["cell"], found["line"], found["end_line"]) == ("n.ipynb", 3, 2, 2)
    assert found["witness"][0] == {"path": "n.ipynb", "cell": 4, "line": 2, "function": "Net.forward"}
    assert (found["fix"]["edits"][0]["cell"], found["fix"]["edits"][0]["line"]) == (3, 2)
    github = tclint(capsys, "n.ipynb", "--format", "github")
    assert "file=n.ipynb,line=1" in github and "cell 3, line 2" in github
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(notebook().encode())))
    assert tclint(capsys, "-", "--stdin-filename", "n.ipynb", "--format", "concise") == out


@pytest.mark.parametrize(
    "layout", [{"indent": 1}, {"indent": 4}, {}, {"indent": 1, "ensure_ascii": False}, {"indent": "\t"}]
)
@pytest.mark.parametrize("lines", [True, False])
def test_a_fix_changes_nothing_but_its_lines(
    layout: dict[str, Any],
    lines: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "n.ipynb"
    before = notebook(lines=lines, **layout) + "\n"
    path.write_text(before, encoding="utf-8")
    tclint(capsys, "n.ipynb", "--add-noqa")
    edited = list(CELLS)
    edited[2] = ("code", CELLS[2][1].replace("> 0:", "> 0:  # noqa: TCD101"))
    edited[3] = ("code", CELLS[3][1].replace("print(x)", "print(x)  # noqa: TCD401"))
    assert path.read_text(encoding="utf-8") == notebook(tuple(edited), lines, **layout) + "\n"
    assert "Nothing found" in tclint(capsys, "n.ipynb")
    path.write_text(before, encoding="utf-8")
    tclint(capsys, "n.ipynb", "--fix", "--unsafe-fixes", "--select", "TCD401")
    now = json.loads(path.read_text(encoding="utf-8"))
    source = "".join(now["cells"][3]["source"])
    assert "if not torch.compiler.is_compiling():\n            print(x)" in source
    assert "%time y = Net()(torch.ones(3))\nNet?" in source
    assert now["cells"][1] == json.loads(before)["cells"][1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not valid JSON"),
        ('{"cells": [}', "not valid JSON"),
        ("[]", "no list of cells"),
        ('{"worksheets": []}', "format 3"),
        ('{"cells": [{"cell_type": "code", "source": 3}]}', "source of cell 1"),
    ],
)
def test_what_is_no_notebook(text: str, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        python_text("n.ipynb", text)


def test_notebooks_in_other_languages_are_left_alone() -> None:
    text = notebook().replace('"python"', '"julia"')
    assert python_text("n.ipynb", text) == ""


def test_cells_know_their_lines() -> None:
    cells = Cells(python_text("n.ipynb", notebook()))
    assert cells.place(1) == (2, 1) and cells.place(2) == (2, 1) and cells.place(4) == (2, 3)
    assert cells.place(9) == (3, 2) and cells.start(3) == 7


@given(
    st.lists(
        st.sampled_from(["x = 1", "é = '😀'", "%magic", "!ls \\", "  more", "", "x?", "%%time", "\t"]),
        max_size=9,
    )
)
def test_reading_and_writing_back_unchanged_is_the_same(lines: list[str]) -> None:
    original = notebook((("code", "\n".join(lines)), ("code", "y = 2")), indent=1)
    text = python_text("n.ipynb", original)
    assert rewritten("n.ipynb", original, text, text) == original
    changed = json.loads(rewritten("n.ipynb", original, text, text.replace("y = 2", "y = 3")))
    assert "".join(changed["cells"][0]["source"]) == "\n".join(lines)
    assert changed["cells"][1]["source"] == ["y = 3"]


MARKDOWN = """\
# Model é

```python
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor):
        print(x)
        return x
```

1. again:

   ```py title="two"
   class Net(nn.Module):
       def forward(self, x: torch.Tensor):
           return x.item()
   ```

```console
print(x)
```

```python
>>> Net()
```
"""
RST = """\
Model
=====

.. code-block:: python
   :linenos:

   import torch
   from torch import nn

   class Net(nn.Module):
       def forward(self, x: torch.Tensor):
           return x.item()

Text::

   print(1)
"""


def test_markdown_and_rst(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.md").write_text(MARKDOWN, encoding="utf-8")
    (tmp_path / "d.rst").write_text(RST, encoding="utf-8")
    assert "0 files" in tclint(capsys, ".")  # only where they are asked for
    (tmp_path / "tclint.toml").write_text('extend-include = ["*.md", "*.rst"]\n')
    out = tclint(capsys, ".", "--format", "concise")
    assert [line.split(" [")[0] for line in out.splitlines()] == [
        "d.md:10:9: TCD401",
        "d.md:19:19: TCD201",
        "d.rst:12:19: TCD201",
    ]
    tclint(capsys, "d.md", "--fix", "--unsafe-fixes", "--select", "TCD401")
    new = "        if not torch.compiler.is_compiling():\n            print(x)\n"
    assert (tmp_path / "d.md").read_text(encoding="utf-8") == MARKDOWN.replace("        print(x)\n", new)
    tclint(capsys, "d.rst", "--add-noqa")
    noqa = "x.item()  # noqa: TCD201"
    assert (tmp_path / "d.rst").read_text(encoding="utf-8") == RST.replace("x.item()", noqa)
