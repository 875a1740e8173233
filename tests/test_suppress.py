"""Ignore comments, per-file ignores, and comments that do nothing."""

from __future__ import annotations

from torch_compile_lint import suppress
from torch_compile_lint.facts.index_ir import Suppression
from torch_compile_lint.model import Confidence, Effect, Finding


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
    assert [one.line for _, one in unused] == [4, 5]
    said = suppress.unused_finding("a.py", comments[4], 5, 9, 20)
    assert said.message == "`noqa: TCD2` hides nothing here: remove the comment"


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
