"""Imports lead to files that were not asked for: at the top of a file, inside functions, in a circle."""

from __future__ import annotations

from pathlib import Path

import pytest
from torch_compile_lint.engine import Engine
from torch_compile_lint.model import Report, Request


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def check(folder: Path, *names: str, cache: bool = False) -> Report:
    overrides = {"cache": cache, "jobs": 1, "target-torch": "2.13"}
    paths = tuple(str(folder / name) for name in names)
    return Engine().check(Request(paths=paths, overrides=overrides, isolated=True))


def found(report: Report) -> list[tuple[str, str, int]]:
    assert report.errors == ()
    return [(f.code, Path(f.path).name, f.line) for f in report.findings]


MASK = "def some(x):\n    return (x > 0).any()\n"
IMPORTS = {
    "from": ("from helpers import some", "some(x)"),
    "import": ("import helpers", "helpers.some(x)"),
    "as": ("from helpers import some as any_of", "any_of(x)"),
    "module as": ("import helpers as h", "h.some(x)"),
}


@pytest.mark.parametrize("spelling", list(IMPORTS))
def test_imports_inside_functions_are_followed(tmp_path: Path, spelling: str) -> None:
    statement, call = IMPORTS[spelling]
    model = (
        "from torch import nn, Tensor\n\n\nclass Net(nn.Module):\n    def forward(self, x: Tensor):\n"
        f"        {statement}\n\n        if {call}:\n            return x + 1\n        return x\n"
    )
    write(tmp_path, {"model.py": model, "helpers.py": MASK})
    assert ("TCD101", "model.py", 8) in found(check(tmp_path, "model.py"))


def test_relative_imports_inside_functions_are_followed(tmp_path: Path) -> None:
    model = (
        "from torch import nn, Tensor\n\n\nclass Net(nn.Module):\n    def forward(self, x: Tensor):\n"
        "        from .ops.masks import some\n\n        return x if some(x) else x + 1\n"
    )
    files = {
        "pkg/__init__.py": "",
        "pkg/model.py": model,
        "pkg/ops/__init__.py": "",
        "pkg/ops/masks.py": MASK,
    }
    write(tmp_path, files)
    assert ("TCD104", "model.py", 8) in found(check(tmp_path, "pkg/model.py"))


def test_imports_inside_a_helper_that_was_not_asked_for(tmp_path: Path) -> None:
    model = (
        "from torch import nn, Tensor\nfrom glue import test\n\n\nclass Net(nn.Module):\n"
        "    def forward(self, x: Tensor):\n        if test(x):\n            return x + 1\n        return x\n"
    )
    glue = "def test(x):\n    from helpers import some\n\n    return some(x)\n"
    write(tmp_path, {"model.py": model, "glue.py": glue, "helpers.py": MASK})
    assert ("TCD101", "model.py", 7) in found(check(tmp_path, "model.py"))


def test_a_helper_behind_an_inner_import_is_part_of_the_answer(tmp_path: Path) -> None:
    """What is cached notices an edit of a file that only a function imports."""
    model = (
        "from torch import nn, Tensor\n\n\nclass Net(nn.Module):\n    def forward(self, x: Tensor):\n"
        "        from helpers import some\n\n        if some(x):\n            return x + 1\n        return x\n"
    )
    write(tmp_path, {"model.py": model, "helpers.py": MASK})
    assert ("TCD101", "model.py", 8) in found(check(tmp_path, "model.py", cache=True))
    (tmp_path / "helpers.py").write_text("def some(x):\n    return x.shape[0] > 2\n")
    assert ("TCD101", "model.py", 8) not in found(check(tmp_path, "model.py", cache=True))
    (tmp_path / "helpers.py").write_text(MASK)
    assert ("TCD101", "model.py", 8) in found(check(tmp_path, "model.py", cache=True))
