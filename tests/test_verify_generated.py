"""Findings in a source that is never run: where they stand in the file that is generated from it."""

from __future__ import annotations

from pathlib import Path

import pytest
from torch_compile_lint.model import Confidence, Effect, Finding, Hop
from torch_compile_lint.verify.generated import Generated

SOURCE = """\
from other.modeling_base import Base


class Net(Base):
    def forward(self, x):
        if x.sum() > 0:
            x = x * 2
        y = super().forward(x)
        return y.item()
"""
HEAD = "#   This file was automatically generated from src/lib/modular_net.py.\n#\nimport torch\n\n"
GENERATED = HEAD + SOURCE.split("\n", 3)[3].replace("Base", "torch.nn.Module").replace(
    "super().forward(x)", "self.layer(x)"
)


def finding(path: Path, line: int, function: str = "Net.forward") -> Finding:
    hop = Hop(str(path), 5, "Net.forward")
    return Finding(
        code="TCD101",
        name="tensor-branch",
        path=str(path),
        line=line,
        column=9,
        end_line=line,
        end_column=20,
        message="",
        effect=Effect.BREAK,
        confidence=Confidence.PROVED,
        function=function,
        witness=(hop,),
    )


def generated() -> Generated:
    return Generated(lambda path: Path(path).read_text("utf-8"), lambda path: path)


@pytest.fixture
def modular(tmp_path: Path) -> Path:
    (tmp_path / "modeling_net.py").write_text(GENERATED, "utf-8")
    (tmp_path / "configuration_net.py").write_text("# about modular_net.py\n" + SOURCE, "utf-8")
    path = tmp_path / "modular_net.py"
    path.write_text(SOURCE, "utf-8")
    return path


def test_a_statement_that_was_copied_is_probed_where_it_runs(modular: Path) -> None:
    (moved,) = generated().stand_ins([finding(modular, 6)], frozenset())
    twin = str(modular.parent / "modeling_net.py")
    assert (moved.path, moved.line, moved.end_line) == (twin, 7, 7)
    assert GENERATED.splitlines()[moved.line - 1] == SOURCE.splitlines()[5]
    assert moved.witness[0].path == twin


def test_a_statement_that_the_generator_changed_stays(modular: Path) -> None:
    own = finding(modular, 8)
    assert generated().stand_ins([own], frozenset()) == (own,)


def test_only_a_file_that_says_so_is_a_stand_in(modular: Path) -> None:
    (modular.parent / "modeling_net.py").write_text(GENERATED.replace("generated", "copied"), "utf-8")
    own = finding(modular, 6)
    assert generated().stand_ins([own], frozenset()) == (own,)


def test_what_the_user_named_is_probed_as_it_is(modular: Path) -> None:
    own = finding(modular, 6)
    assert generated().stand_ins([own], frozenset({str(modular)})) == (own,)


def test_of_equal_statements_each_has_its_own(modular: Path) -> None:
    twice = SOURCE + "\n    def other(self, x):\n        x = x * 2\n        x = x + 1\n        x = x * 2\n"
    modular.write_text(twice, "utf-8")
    (modular.parent / "modeling_net.py").write_text(
        GENERATED + twice[len(SOURCE) :].replace("        x = x + 1\n", "        x = x + 1\n\n"), "utf-8"
    )
    second = finding(modular, 14, "Net.other")
    (moved,) = generated().stand_ins([second], frozenset())
    lines = (modular.parent / "modeling_net.py").read_text("utf-8").splitlines()
    assert lines[moved.line - 1] == "        x = x * 2"
    assert lines[moved.line - 2] == ""
