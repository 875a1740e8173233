"""`tclint rule CODE`: every page is whole, from what the wheel ships alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from torch_compile_lint import registry
from torch_compile_lint.front import rule_pages
from torch_compile_lint.report.paint import Paint

RULES = registry.load(extend_select=("ALL",))
by_code = pytest.mark.parametrize("rule", RULES, ids=[rule.meta.code for rule in RULES])


def sections(page: str) -> dict[str, str]:
    """What stands under each heading; a page's headings are lines of their own at the margin."""
    found: dict[str, str] = {}
    title = ""
    known = {
        *("What it does", "Why torch.compile cares", "Example", "Use instead", "What does not help"),
        *("Fix safety", "Cost by position", "Versions", "Graph-break ids"),
    }
    for line in page.splitlines()[1:]:
        if line in known:
            title = line
            found[title] = ""
        elif title:
            found[title] += line + "\n"
    return found


@by_code
@pytest.mark.parametrize("width", [80, 160])
def test_page_is_whole(rule: registry.LoadedRule, width: int) -> None:
    meta = rule.meta
    page = rule_pages.page(rule, width, Paint(False))
    assert page.startswith(f"{meta.name} ({meta.code})\n")
    found = sections(page)
    wanted = ["What it does", "Why torch.compile cares", "Example", "Use instead", "What does not help"]
    wanted += ["Fix safety"] * (meta.fix != "none") + ["Cost by position", "Versions"]
    wanted += ["Graph-break ids"] * any(claim.gb for claim in meta.claims)
    assert list(found) == wanted
    for title, body in found.items():
        assert body.strip(), title
    for title in ("Example", "Use instead"):
        code = [line[4:] for line in found[title].splitlines() if line.strip()]
        assert all(line.startswith("    ") for line in found[title].splitlines() if line.strip())
        compile("\n".join(code), title, "exec")
    for claim in meta.claims:
        assert f"torch {claim.since}" in found["Versions"]
        for gb in claim.gb:
            assert re.search(rf"^- {gb}: \w", found["Graph-break ids"], re.MULTILINE), gb
    for line in page.splitlines():
        assert line == line.rstrip()
        assert len(line) <= width or line.startswith("    "), line


@by_code
def test_page_needs_no_cases(rule: registry.LoadedRule) -> None:
    """The wheel leaves cases out; the code blocks stand in rule.md."""
    text = (Path(rule.meta.folder) / "rule.md").read_text(encoding="utf-8")
    assert text.count("```python\n") >= 2


def test_cost_by_position_is_told_by_effect() -> None:
    def cost(code: str) -> str:
        rule = registry.find(code)
        assert rule is not None
        return sections(rule_pages.page(rule, 200, Paint(False)))["Cost by position"]

    assert "n + 1 breaks" in cost("TCD101") and "under `fullgraph=True`: the call raises" in cost("TCD101")
    assert "2.13 and later do not raise" in cost("TCD201")
    assert cost("TCD106").startswith("- anywhere: the whole frame runs eagerly")
    assert "wrong" in cost("TCD802") and "fullgraph" not in cost("TCD802")
    assert "(format): the call raises" in cost("TCD217")
