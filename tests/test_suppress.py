"""Ignore comments, per-file ignores, and comments that do nothing."""

from __future__ import annotations

import pytest
from torch_compile_lint import suppress
from torch_compile_lint.facts.index_ir import Suppression
from torch_compile_lint.index_comments import find_suppressions
from torch_compile_lint.model import Confidence, Effect, Finding
from torch_compile_lint.source import LineIndex


def finding(line: int, code: str = "TCD101", name: str = "tensor-branch", path: str = "a.py") -> Finding:
    return Finding(code, name, path, line, 1, line, 5, "m", Effect.BREAK, Confidence.PROVED)


def comment(line: int, *codes: str, kind: str = "noqa", end: int | None = None) -> Suppression:
    return Suppression(line, end or line, codes, kind, 0, 1)


def hidden(one: Finding, *comments: Suppression) -> bool:
    return suppress.apply([one], {"a.py": comments})[0][0].suppressed


def test_what_a_comment_covers() -> None:
    assert hidden(finding(3), comment(3))
    assert hidden(finding(3), comment(3, "TCD101"))
    assert hidden(finding(3), comment(3, "TCD1"))
    assert hidden(finding(3), comment(3, "E501", "TCD101"))
    assert hidden(finding(4), comment(3, "TCD101", end=5))
    assert not hidden(finding(3), comment(3, "TCD102"))
    assert not hidden(finding(3), comment(2, "TCD101"))


def test_ours_take_rule_names_and_whole_files() -> None:
    assert hidden(finding(3), comment(3, "tensor-branch", kind="ignore"))
    assert hidden(finding(3), comment(90, kind="file"))
    assert not hidden(finding(3), comment(1, "TCD4", kind="file"))


def test_noqa_can_be_left_to_flake8() -> None:
    comments = {"a.py": [comment(3), comment(4, kind="ignore")]}
    marked, _ = suppress.apply([finding(3), finding(4)], comments, suppress.OURS)
    assert [f.suppressed for f in marked] == [False, True]


def test_only_comments_that_name_our_codes_are_called_unused() -> None:
    comments = [
        comment(1),
        comment(2, "E501"),
        comment(3, "TCD101"),
        comment(4, kind="ignore"),
        comment(5, "TCD2"),
    ]
    _, unused = suppress.apply([finding(3)], {"a.py": comments})
    assert [one.comment.line for one in unused] == [4, 5]


def cleaned(text: str, *findings: Finding) -> tuple[list[str], str]:
    """What is said about the comments of a text, and the text without what they hide nothing with."""
    lines = LineIndex(text)
    comments = find_suppressions(text, lines)
    _, unused = suppress.apply(findings, {"a.py": comments})
    said = [suppress.unused_finding(one, text, lines, "a.py") for one in unused]
    for one in reversed(said):
        assert one.fix is not None
        (edit,) = one.fix.edits
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return [one.message for one in said], text


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("x = 1  # noqa: TCD2\n", "x = 1\n", "`noqa: TCD2` hides nothing here: remove the comment"),
        ("x = 1  # noqa: TCD101, TCD2\n", "x = 1  # noqa: TCD101\n",
         "`noqa: TCD2` hides nothing here: remove TCD2 from the comment"),
        ("x = 1  # noqa: E501, TCD2\r\n", "x = 1  # noqa: E501\r\n",
         "`noqa: TCD2` hides nothing here: remove TCD2 from the comment"),
        ("x = 1  # noqa: TCD2 since old\n", "x = 1  # since old\n", None),
        ("x = 1  # noqa: TCD2  # type: ignore\n", "x = 1  # type: ignore\n", None),
        ("x = 1  # type: ignore  # tclint: ignore[TCD2] why\n", "x = 1  # type: ignore\n",
         "`tclint: ignore[TCD2]` hides nothing here: remove the comment"),
        ("# tclint: ignore-file[TCD2]\nx = 1\n", "x = 1\n",
         "`tclint: ignore-file[TCD2]` hides nothing here: remove the comment"),
        ("x = 1\n\n    # tclint: ignore\r\n", "x = 1\n\n",
         "`tclint: ignore` hides nothing here: remove the comment"),
        ("x = 1  # tclint: ignore[tensor-branch, TCD2] why\n", "x = 1  # tclint: ignore[tensor-branch] why\n",
         "`tclint: ignore[TCD2]` hides nothing here: remove TCD2 from the comment"),
        ("x = 1  # noqa: TCD1\n", "x = 1  # noqa: TCD1\n", None),
        ("x = 1  # noqa\n", "x = 1  # noqa\n", None),
    ],
)  # fmt: skip
def test_what_hides_nothing_is_named_and_removed(before: str, after: str, said: str | None) -> None:
    messages, text = cleaned(before, finding(1))
    assert text == after
    if said is not None:
        assert messages == [said]
    assert cleaned(after, finding(1)) == ([], after)


def test_patterns_of_per_file_ignores() -> None:
    def ignored(path: str, pattern: str) -> bool:
        return bool(suppress.ignored_in_file(f"/r/{path}", "/r", [(pattern, ("TCD1",))]))

    assert ignored("tests/a.py", "tests/*")
    assert ignored("tests/deep/a.py", "tests")
    assert ignored("src/tests/a.py", "tests")
    assert ignored("a_test.py", "*_test.py")
    assert ignored("x/y/a.py", "**/y/*.py")
    assert not ignored("src/a.py", "tests/*")
    assert not ignored("src/a.py", "!src/*")
    assert ignored("lib/a.py", "!src/*")
