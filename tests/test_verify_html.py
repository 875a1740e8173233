"""The page of a verification: what is marked how, that nothing of the user's can break out of it, and that
no script or address is needed to read it."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

from torch_compile_lint.model import Confidence, Effect, Finding, Report, RunError, Stats, Verdict
from torch_compile_lint.report import html

TEXT = "\n".join(f"line_{number} = x.item()  # <b>" for number in range(1, 41)) + "\n"
VOID = {"meta", "br", "link", "hr", "img", "input"}


class Tree(HTMLParser):
    """Every element that opens closes, in order; paragraphs and cells are closed by hand here."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.problems: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.problems.append(tag)


def finding(line: int, outcome: str, **more: Any) -> Finding:
    verdict = Verdict(
        outcome, gb="GB0124", effect="break", evidence="call", detail="<script>alert(1)</script>"
    )
    made = Finding(
        code="TCD201",
        name="tensor-item",
        path="pkg/<net>.py",
        line=line,
        column=11,
        end_line=line,
        end_column=19,
        message="`x.item()` & more",
        effect=Effect.BREAK,
        confidence=Confidence.PROVED,
        verdict=verdict,
    )
    return replace(made, **more)


def row(**more: Any) -> dict[str, Any]:
    site = {"path": "/p/net.py", "line": 3, "gb": "GB0124", "effect": "break", "text": "Tensor.item <call>"}
    made = {"path": "/p/net.py", "file": "net.py", "module": "Net", "problem": "", "graphs": 3, "breaks": 1}
    made.update(skips=0, errors=0, recompiles=0, evidence="call", source="Net(a='<x>')", sites=[site])
    return {**made, **more}


def page() -> str:
    findings = (
        finding(3, "confirmed"),
        finding(4, "refuted"),
        finding(20, "not-reached"),
        finding(35, "could-not-run"),
    )
    missed = ({"path": "pkg/other.py", "line": 2, "gb": None, "effect": "skip", "detail": "why not"},)
    report = Report(findings, (RunError("x.py", "cannot <read>"),), Stats(), "2.13", "modules", missed=missed)
    table = (row(), row(module="Other", problem="no inputs were found: <T>"))
    return html.render(report, html.Facts("2.13.0", "cpu", "eager", table), lambda path: TEXT)


def test_the_page_is_well_formed_and_holds_nothing_of_the_user_as_markup() -> None:
    tree = Tree()
    tree.feed(page())
    assert tree.problems == []
    assert tree.open == []
    assert not [tag for tag, _ in tree.seen if tag in ("script", "b_", "t", "net", "link", "img", "iframe")]
    assert "<script>" not in page() and "<net>" not in page() and "<b>\n" not in page()


def test_nothing_is_fetched() -> None:
    assert not re.search(r"(src|href)\s*=|url\(|@import|https?://", page())


def test_each_verdict_has_its_mark_on_its_line() -> None:
    text = page()
    for line, kind in ((3, "confirmed"), (4, "refuted"), (20, "not-reached"), (35, "could-not-run")):
        assert f"<tr class={kind}><td class=no>{line}</td>" in text
    assert "<tr class=missed><td class=no>2</td>" in text
    assert "<u>x.item()</u>" in text
    for kind in ("confirmed", "missed", "refuted", "not-reached", "could-not-run"):
        assert f"<li class={kind}><b>1</b> {kind}" in text


def test_lines_far_from_any_mark_are_left_out() -> None:
    text = page()
    assert "<td class=no>8</td>" in text  # four lines below a mark
    assert "<td class=no>12</td>" not in text
    assert text.count("class=gap") == 2


def test_modules_and_causes() -> None:
    text = page()
    assert "no inputs were found: &lt;T&gt;" in text
    assert "<td class=n>3</td><td class=n>1</td><td class=zero>0</td>" in text
    assert "Tensor.item &lt;call&gt;" in text and "GB0124" in text
    assert "cannot &lt;read&gt;" in text


def test_a_clean_report_says_so() -> None:
    report = Report((), (), Stats(), "2.13", "modules")
    text = html.render(report, html.Facts("2.13.0", "cpu"), lambda path: TEXT)
    assert "No findings, and nothing that torch stumbled over." in text
