"""Settings of Dynamo that a project switches on: what is traced with them is no finding."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from torch_compile_lint.engine import Engine
from torch_compile_lint.index_settings import settings_on
from torch_compile_lint.model import Request

HEAD = "import torch\nimport torch._dynamo\nimport torch._dynamo.config as C\nimport warnings\n"


def codes_of(folder: Path) -> list[str]:
    """The codes of all findings below a folder, by line; the cache stays on between calls."""
    overrides = {"target-torch": "2.13", "cache-dir": str(folder / "cache")}
    report = Engine().check(Request((str(folder),), overrides=overrides, isolated=True))
    assert not report.errors
    return [f"{f.code} {f.effect.value}" for f in report.findings if f.code < "TCD9"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("torch._dynamo.config.allow_rnn = True", (":allow_rnn",)),
        ("C.allow_rnn = C.suppress_errors = True", (":allow_rnn", ":suppress_errors")),
        ("from torch._dynamo import config\nconfig.allow_rnn = True", (":allow_rnn",)),
        ("import torch._dynamo as dynamo\ndynamo.config.allow_rnn = True", (":allow_rnn",)),
        ("def main():\n    C.allow_rnn = True", (":allow_rnn",)),
        ("try:\n    C.allow_rnn = True\nexcept AttributeError:\n    pass", (":allow_rnn",)),
        ("setattr(C, 'allow_rnn', True)", (":allow_rnn",)),
        ("C.allow_rnn = False", ()),
        ("C.allow_rnn = flag", ()),
        ("C.cache_size_limit = 64", ()),
        ("settings.config.allow_rnn = True", ()),
        ("allow_rnn = True", ()),
        ("x = torch._dynamo.config.allow_rnn", ()),
        ("@C.patch(allow_rnn=True)\ndef f(): pass", ("f:allow_rnn",)),
        ("@torch._dynamo.config.patch({'allow_rnn': True})\nclass T:\n    pass", ("T:allow_rnn",)),
        ("class T:\n    @C.patch('allow_rnn', True)\n    def f(self): pass", ("T.f:allow_rnn",)),
        ("def f():\n    with C.patch(allow_rnn=True, a=False):\n        pass", ("f:allow_rnn",)),
        ("C.reorderable_logging_functions.add(print)", (":reorderable_logging_functions.print",)),
        (
            "C.reorderable_logging_functions.update({print, warnings.warn})",
            (":reorderable_logging_functions.print", ":reorderable_logging_functions.warnings.warn"),
        ),
        ("C.reorderable_logging_functions |= {print}", (":reorderable_logging_functions.print",)),
        ("C.allow_rnn = True\nif __name__ == '__main__':\n    pass", ("*:allow_rnn",)),
    ],
)
def test_how_a_setting_is_switched_on(text: str, expected: tuple[str, ...]) -> None:
    whole = HEAD + text
    assert settings_on(ast.parse(whole), whole) == expected


MODEL = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 4)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        print("sum", x.sum())
        h, _ = self.rnn(x)
        n = mask.sum().item()
        if x.max().item() > 3:
            h = h + 1
        return h * n + x[x > 0].sum()
"""
ALL = ["TCD401 break", "TCD601 skip", "TCD201 break", "TCD201 break", "TCD206 break"]
# The file sets: what is left of that.
CASES = {
    "torch._dynamo.config.allow_rnn = True": [ALL[0], *ALL[2:]],
    "torch._dynamo.config.capture_scalar_outputs = True": [*ALL[:2], "TCD201 error", ALL[4]],
    "torch._dynamo.config.capture_dynamic_output_shape_ops = True": ALL[:4],
    "torch._dynamo.config.reorderable_logging_functions.add(print)": ALL[1:],
    "torch._dynamo.config.suppress_errors = False": ALL,
}


@pytest.mark.parametrize("line", CASES)
def test_what_a_setting_makes_traced_is_no_finding(line: str, tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(MODEL.replace("from torch import nn", f"from torch import nn\n\n{line}"))
    assert codes_of(tmp_path) == CASES[line]


def test_it_holds_where_the_file_is_imported_in_its_package_and_in_what_a_script_imports(
    tmp_path: Path,
) -> None:
    line = "import torch._dynamo\ntorch._dynamo.config.allow_rnn = True\n"
    left = CASES["torch._dynamo.config.allow_rnn = True"]
    (tmp_path / "m.py").write_text(MODEL)
    other = tmp_path / "other.py"
    other.write_text(line + "import m\n")
    assert codes_of(tmp_path) == ALL  # a file that is not run as a script sets it for itself
    other.write_text(line + "import m\nif __name__ == '__main__':\n    m.Net()\n")
    assert codes_of(tmp_path) == left
    other.write_text(line)
    assert codes_of(tmp_path) == ALL
    (tmp_path / "m.py").write_text("import other\n" + MODEL)
    assert codes_of(tmp_path) == left
    package = tmp_path / "package"
    package.mkdir()
    (tmp_path / "m.py").replace(package / "m.py")
    other.replace(package / "__init__.py")
    (package / "m.py").write_text(MODEL)
    assert codes_of(tmp_path) == left
    (package / "__init__.py").write_text("")
    assert codes_of(tmp_path) == ALL  # the second run rests on nothing of the first


def test_a_patched_setting_holds_in_its_function_alone(tmp_path: Path) -> None:
    text = "import torch\nimport torch._dynamo\n\n"
    for name in "ab":
        text += f"\ndef {name}(x: torch.Tensor) -> torch.Tensor:\n    return x * x.sum().item()\n\n"
    text += "torch.compile(a)\ntorch.compile(b)\n"
    patched = text.replace("def a", "@torch._dynamo.config.patch(capture_scalar_outputs=True)\ndef a")
    (tmp_path / "m.py").write_text(text)
    assert codes_of(tmp_path) == ["TCD201 break", "TCD201 break"]
    (tmp_path / "m.py").write_text(patched)
    assert codes_of(tmp_path) == ["TCD201 break"]
