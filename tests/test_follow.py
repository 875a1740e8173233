"""Imports lead to files that were not asked for: at the top of a file, inside functions, in a circle."""

from __future__ import annotations

import os
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
        "        from helpers import some\n\n"
        "        if some(x):\n            return x + 1\n        return x\n"
    )
    write(tmp_path, {"model.py": model, "helpers.py": MASK})
    assert ("TCD101", "model.py", 8) in found(check(tmp_path, "model.py", cache=True))
    (tmp_path / "helpers.py").write_text("def some(x):\n    return x.shape[0] > 2\n")
    assert ("TCD101", "model.py", 8) not in found(check(tmp_path, "model.py", cache=True))
    (tmp_path / "helpers.py").write_text(MASK)
    assert ("TCD101", "model.py", 8) in found(check(tmp_path, "model.py", cache=True))


# ---------------------------------------------------------------- who imports what was named

HELPERS = "def clean(x):\n    if x.isnan().any():\n        return x * 0\n    return x\n"
MODEL = (
    "from torch import nn\nfrom {module} import clean\n\n\nclass Net(nn.Module):\n"
    "    def forward(self, x):\n        return clean(x + 1.0)\n"
)
HIT = [("TCD101", "helpers.py", 2)]


@pytest.mark.parametrize(
    "files",
    [
        {"helpers.py": HELPERS, "model.py": MODEL.format(module="helpers")},
        {
            "pkg/__init__.py": "",
            "pkg/helpers.py": HELPERS,
            "pkg/model.py": MODEL.format(module="pkg.helpers"),
        },
        {
            "pkg/__init__.py": "",
            "pkg/ops/__init__.py": "from .helpers import clean\n",
            "pkg/ops/helpers.py": HELPERS,
            "pkg/model.py": MODEL.format(module=".ops"),
        },
        {
            "pyproject.toml": "[project]\nname = 'a'\n",
            "src/pkg/__init__.py": "",
            "src/pkg/helpers.py": HELPERS,
            "scripts/model.py": "import sys\nsys.path.append('src')\n" + MODEL.format(module="pkg.helpers"),
        },
        {
            "helpers.py": HELPERS,
            "glue.py": "from helpers import (\n    clean,\n)\n\n\ndef clean_all(x):\n    return clean(x)\n",
            "model.py": MODEL.format(module="glue").replace("clean", "clean_all"),
        },
        {
            "helpers.py": HELPERS,
            "glue.py": "def clean_all(x):\n    import helpers\n    return helpers.clean(x)\n",
            "model.py": MODEL.format(module="glue").replace("clean", "clean_all"),
        },
    ],
    ids=["beside", "package", "re-export", "scripts", "through another", "inside a function"],
)
def test_a_helper_named_alone_shows_what_its_callers_reveal(tmp_path: Path, files: dict[str, str]) -> None:
    write(tmp_path, files)
    (helper,) = [name for name in files if name.endswith("helpers.py")]
    report = check(tmp_path, helper)
    assert found(report) == HIT
    assert report.stats.files == 1
    model = next(name for name in files if name.endswith("model.py"))
    assert report.findings[0].witness[0].path.endswith(model)
    assert found(check(tmp_path, helper, model)) == HIT


def test_a_helper_nobody_imports_shows_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"helpers.py": HELPERS, "model.py": "import torch\n# helpers are not imported\n"})
    assert found(check(tmp_path, "helpers.py")) == []


def test_importers_are_read_again_when_they_change(tmp_path: Path) -> None:
    write(tmp_path, {"helpers.py": HELPERS, "model.py": "import torch\n"})
    assert found(check(tmp_path, "helpers.py", cache=True)) == []
    (tmp_path / "model.py").write_text(MODEL.format(module="helpers"))
    assert found(check(tmp_path, "helpers.py", cache=True)) == HIT
    write(tmp_path, {"another.py": MODEL.format(module="helpers")})
    (tmp_path / "model.py").unlink()
    assert found(check(tmp_path, "helpers.py", cache=True)) == HIT
    (tmp_path / "another.py").unlink()
    assert found(check(tmp_path, "helpers.py", cache=True)) == []


def test_a_model_that_imports_is_not_reported(tmp_path: Path) -> None:
    """Findings of the named file only, errors of the others are nobody's business now."""
    write(
        tmp_path,
        {
            "helpers.py": HELPERS,
            "model.py": MODEL.format(module="helpers"),
            "broken.py": "import helpers\ndef",
        },
    )
    (tmp_path / "model.py").write_text(
        MODEL.format(module="helpers") + "\n    def other(self, x):\n        print(x)\n"
    )
    assert found(check(tmp_path, "helpers.py")) == HIT


def test_a_folder_is_what_was_asked_for(tmp_path: Path) -> None:
    """Who checks a folder gets what lies in it; nothing beside it is read but what it imports."""
    write(
        tmp_path,
        {"pkg/__init__.py": "", "pkg/helpers.py": HELPERS, "model.py": MODEL.format(module="pkg.helpers")},
    )
    assert found(check(tmp_path, "pkg")) == []
    assert found(check(tmp_path, ".")) == HIT


def test_only_so_many_importers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The nearest are taken; the answer does not depend on the order of the folder."""
    from torch_compile_lint import importers

    monkeypatch.setattr(importers, "MOST_FOUND", 1)
    write(
        tmp_path,
        {
            "setup.py": "",
            "a/near.py": "from helpers import clean\n",
            "far/off/model.py": MODEL.format(module="helpers"),
        },
    )
    write(tmp_path, {"a/helpers.py": HELPERS})
    assert found(check(tmp_path, "a/helpers.py")) == []


def test_what_is_around_a_file(tmp_path: Path) -> None:
    from torch_compile_lint.importers import Surroundings

    write(
        tmp_path,
        {
            "a.py": "",
            "b.py": "",
            "sub/c.py": "",
            "pkg/__init__.py": "",
            "pkg/deep/__init__.py": "",
            "pkg/deep/d.py": "",
        },
    )

    def names(path: str) -> set[str]:
        around = Surroundings([str(tmp_path / path)], (), False)
        return {str(Path(p).relative_to(tmp_path)) for p in around.files}

    assert names("a.py") == {"b.py"}
    assert names("pkg/deep/d.py") == {"pkg/__init__.py", "pkg/deep/__init__.py"}
    write(tmp_path, {"setup.cfg": ""})
    assert names("a.py") == {"b.py", "sub/c.py", "pkg/__init__.py", "pkg/deep/__init__.py", "pkg/deep/d.py"}


@pytest.mark.parametrize("answers", [True, False])
def test_the_quick_path_knows_of_callers(
    tmp_path: Path, answers: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file without a word of torch is answered at once only where nobody may call it."""
    from torch_compile_lint.front import quick

    files = {
        "setup.py": "",
        "sub/helpers.py": HELPERS,
        "model.py": "" if answers else MODEL.format(module="helpers"),
    }
    write(tmp_path, files)
    assert (quick.answer([str(tmp_path / "sub" / "helpers.py")]) is not None) == answers
    monkeypatch.setattr(quick, "_FEW_FILES", 1)
    assert quick.answer([str(tmp_path / "sub" / "helpers.py")]) is None


def test_names_in_import_statements() -> None:
    from torch_compile_lint.import_statements import imported
    from torch_compile_lint.importers import endings

    text = (
        b"import a.b as c, d\nfrom . import e\nfrom ..f.g import (\n    h,  # why\n    i as j,\n)\n"
        b"def k():\n    from l import m, \\\n        n\nfrom o import *\nx = 'import p'\nfromage = 1\n"
    )
    wanted = "a a.b d e f f.g f.g.h f.g.i l l.m l.n o o.*"
    assert imported(text) == {name.encode() for name in wanted.split()}
    path = os.path.join(os.sep, "my-work", "src", "pkg", "ops.py")
    assert endings(path) == [b"ops", b"pkg.ops", b"src.pkg.ops"]
    assert endings(path.replace("ops.py", "__init__.py")) == [b"pkg", b"src.pkg"]


AGGREGATOR = "from .helpers import *\nfrom .heavy import *\nfrom .named import made as made\n"


@pytest.mark.parametrize(
    "model",
    [
        MODEL.format(module="pkg"),
        MODEL.format(module="pkg.sub"),
        MODEL.format(module="pkg.helpers"),
        MODEL.format(module="pkg").replace("from pkg import clean", "import pkg\n\nclean = pkg.clean"),
    ],
)
def test_callers_behind_a_package_that_passes_names_on(tmp_path: Path, model: str) -> None:
    files = {
        "pkg/__init__.py": AGGREGATOR,
        "pkg/sub.py": "from pkg import clean\n",
        "pkg/helpers.py": HELPERS,
        "pkg/heavy.py": "def other(x):\n    return x\n",
        "pkg/named.py": "def made(x):\n    return x\n",
        "setup.py": "",
        "model.py": model,
    }
    write(tmp_path, files)
    assert found(check(tmp_path, "pkg/helpers.py")) == HIT


def test_what_a_package_passes_on_beside_a_file_is_not_read(tmp_path: Path) -> None:
    """A file of a large package is checked with those that use it, not with the whole package."""
    from torch_compile_lint import workspace
    from torch_compile_lint.cache import Cache
    from torch_compile_lint.importers import Surroundings

    files = {
        "setup.py": "",
        "pkg/__init__.py": AGGREGATOR,
        "pkg/helpers.py": HELPERS,
        "pkg/heavy.py": "def other(x):\n    return x\n",
        "pkg/named.py": "def made(x):\n    return x\n",
        "uses_named.py": "from pkg import made\n\n\ndef f(x):\n    return made(x)\n",
        "uses_helper.py": "from pkg.helpers import clean\n\n\ndef f(x):\n    return clean(x)\n",
    }
    write(tmp_path, files)
    named = str(tmp_path / "pkg" / "helpers.py")
    inputs = workspace.collect([named], {}, (), False, str(tmp_path))
    around = Surroundings([named], (), False)
    space = workspace.build(inputs, {}, Cache(None, ""), 1, None, None, around)
    read = {Path(path).name for path, _ in space.edges}
    assert "uses_helper.py" in read
    assert read.isdisjoint({"heavy.py", "named.py", "uses_named.py"})


def _chain(length: int) -> dict[str, str]:
    """A model that asks a helper, which asks the next, the last of which makes the tensor."""
    files = {
        "model.py": "from torch import nn, Tensor\nfrom h0 import some\n\n\nclass Net(nn.Module):\n"
        "    def forward(self, x: Tensor):\n        if some(x):\n            x = x + 1\n        return x\n",
        f"h{length - 1}.py": MASK,
    }
    for at in range(length - 1):
        files[f"h{at}.py"] = f"import h{at + 1}\n\n\ndef some(x):\n    return h{at + 1}.some(x)\n"
    return files


@pytest.mark.parametrize(("most", "told"), [(2, False), (3, True), (200, True)])
def test_the_nearest_files_are_followed_to_and_no_more_than_is_affordable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, told: bool
) -> None:
    from torch_compile_lint import workspace

    monkeypatch.setattr(workspace, "MOST_FOLLOWED", most)
    write(tmp_path, _chain(3))
    assert (("TCD101", "model.py", 7) in found(check(tmp_path, "model.py"))) is told
    # What is asked for is read, however much it is.
    assert ("TCD101", "model.py", 7) in found(check(tmp_path, "."))


def test_which_files_are_followed_to_does_not_depend_on_the_order_of_the_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from torch_compile_lint import workspace

    monkeypatch.setattr(workspace, "MOST_FOLLOWED", 1)
    model = _chain(1)["model.py"]
    files = {f"{name}.py": model.replace("h0", f"of_{name}") for name in "ab"}
    write(tmp_path, {**files, "of_a.py": MASK, "of_b.py": MASK})
    told = found(check(tmp_path, "a.py", "b.py"))
    assert [name for _, name, _ in told] == ["a.py"]
    assert found(check(tmp_path, "b.py", "a.py")) == told


def test_a_module_that_cannot_be_read_is_no_part_of_the_program(tmp_path: Path) -> None:
    write(tmp_path, _chain(2))
    (tmp_path / "h1.py").unlink()
    (tmp_path / "h1.py").symlink_to(tmp_path / "nowhere.py")
    assert found(check(tmp_path, "model.py")) == []
