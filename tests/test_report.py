"""What a person sees: places, carets, widths, colour."""

from __future__ import annotations

import itertools

import pytest
from torch_compile_lint.model import Confidence, Effect, Finding, Hop, Report, RunError, Stats
from torch_compile_lint.report import FORMATS, Style, render
from torch_compile_lint.report.paint import cells, fit

SOURCE = """\
class Net:
    def forward(self, x, mask):
\tif mask.any() and some_function_of_the_mask(mask, with_a_keyword=1, and_another_one=2) and more:
            x = x.a(
                1,
            )
        名前 = x[mask]
"""


def finding(line: int, column: int, end_line: int, end_column: int, **more: object) -> Finding:
    values = {
        "code": "TCD101", "name": "tensor-branch", "path": "net.py",
        "message": "`if` on `mask.any()`: graph break",
        "effect": Effect.BREAK, "confidence": Confidence.PROVED, "function": "Net.forward",
    }  # fmt: skip
    return Finding(line=line, column=column, end_line=end_line, end_column=end_column, **{**values, **more})  # type: ignore[arg-type]


def report(*findings: Finding, errors: tuple[RunError, ...] = ()) -> Report:
    return Report(findings, errors, Stats(files=3), "2.14", "modules")


def text(*findings: Finding, width: int = 100, color: bool = False) -> str:
    return render(report(*findings), "text", Style(lambda path: SOURCE, width, color))


def carets(output: str) -> list[tuple[str, str]]:
    """(source under the carets) of each caret line."""
    lines = output.splitlines()
    out = []
    for above, line in itertools.pairwise(lines):
        if "│" in line and set(line.split("│")[1].strip()) == {"^"}:
            marks = line.split("│")[1]
            source = above.split("│")[1]
            out.append((source[marks.index("^") : marks.rindex("^") + 1], marks.strip()))
    return out


@pytest.mark.parametrize("width", [60, 80, 120, 160])
def test_the_guilty_text_is_underlined_at_every_width(width: int) -> None:
    output = text(finding(3, 5, 3, 15), width=width)
    assert carets(output)[0][0] == "mask.any()"
    for line in output.splitlines()[1:-1]:
        assert cells(line) <= width


def test_what_stands_far_right_is_kept_in_sight() -> None:
    column = SOURCE.splitlines()[2].index("more") + 1
    output = text(finding(3, column, 3, column + 4), width=60)
    assert carets(output)[0][0] == "more"


def test_wide_characters_take_two_columns() -> None:
    assert cells("名前 = x") == 8
    line = fit("        名前 = x[mask]", 13, 20, 100)
    assert line[0][line[1] : line[2]] == "x[mask]"


def test_several_lines_each_get_their_carets() -> None:
    assert [c[0] for c in carets(text(finding(4, 17, 6, 14)))] == ["x.a(", "1,", ")"]


def test_tabs_and_control_characters_are_made_visible() -> None:
    assert fit("\tx\x07y", 1, 4, 50) == ("    x�y", 4, 7)


def test_what_it_says() -> None:
    one = finding(
        3, 5, 3, 15,
        effect=Effect.SKIP, position=("loop",), gb=("GB0170",), remedy="use torch.where",
        why=("`mask` is a parameter annotated Tensor",),
        witness=(
            Hop("net.py", 2, "Net.forward"), Hop("net.py", 4, "Net.forward"), Hop("lib.py", 9, "helper"),
        ),
    )  # fmt: skip
    output = text(one, width=200)
    assert "why      `mask` is a parameter annotated Tensor\n" in output
    assert "reached  `Net.forward` (line 4) → `helper` (lib.py:9) → `Net.forward`\n" in output
    assert "gives up on `Net.forward`" in output
    assert "because the break is inside a loop" in output
    assert "instead  use torch.where\n" in output
    assert "GB0170" in output
    assert output.endswith("1 finding in 1 of 3 files: 1 skipped function; judged by torch 2.14.\n")


def test_nothing_found_and_errors_are_said() -> None:
    assert text() == "Nothing found that torch.compile stumbles over in 3 files, judged by torch 2.14.\n"
    output = render(report(errors=(RunError("a.py", "m"),)), "text", Style(lambda path: ""))
    assert output.endswith("judged by torch 2.14 (1 error).\n")


def test_suppressed_findings_are_counted_only() -> None:
    assert "(1 suppressed)" in text(finding(3, 5, 3, 15, suppressed=True))
    assert "TCD101" not in text(finding(3, 5, 3, 15, suppressed=True))


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_takes_every_report(name: str) -> None:
    for one in (report(), report(finding(3, 5, 3, 15)), report(finding(99, 1, 99, 2))):
        assert isinstance(render(one, name, Style(lambda path: SOURCE)), str)
        assert isinstance(render(one, name, Style(lambda path: "")), str)


def test_colour_changes_nothing_but_colour() -> None:
    import re

    one = finding(3, 5, 3, 15, why=("a `b` c",), gb=("GB0170",))
    assert re.sub(r"\x1b\[[0-9;]*m", "", text(one, color=True)) == text(one)
    assert "\x1b[" in text(one, color=True)
