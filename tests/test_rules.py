"""Every rule folder: its data, its page, its prose, and its cases through the real analyzer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from torch_compile_lint import dev, pages, registry, rule_file, testing
from torch_compile_lint.model import Effect
from torch_compile_lint.torchdb import db

RULES = registry.load(extend_select=("ALL",))
RUNS = [
    pytest.param(case, release, id=f"{rule.meta.code}-{case.path.stem}-{release}")
    for rule in RULES
    for case in testing.cases_of(rule)
    for release in case.releases
]
by_code = pytest.mark.parametrize("rule", RULES, ids=[rule.meta.code for rule in RULES])


@pytest.mark.parametrize(("case", "release"), RUNS)
def test_case(case: testing.Case, release: str) -> None:
    assert testing.check_case(case, release) == []


@by_code
def test_has_both_kinds_of_cases_and_a_page(rule: registry.LoadedRule) -> None:
    cases = {case.path.stem: case for case in testing.cases_of(rule)}
    assert "bad_example" in cases and "good_example" in cases
    assert pages.render(rule) == (Path(rule.meta.folder) / "rule.md").read_text(), "run `tclint dev sync`"
    assert rule.rule is not None or rule.meta.calls
    # What the page shows is what `tclint dev verify-rules` compiles.
    assert cases["bad_example"].probes and cases["good_example"].probes


@by_code
def test_messages_keep_the_style(rule: registry.LoadedRule) -> None:
    """One line, names a construct or a value in backquotes, no hedging, no full stop."""
    for form, text in rule.meta.messages.items():
        assert "`" in text or "{" in text, form
        assert not re.search(r"\b(possible|possibly|maybe|might|please|avoid|should)\b", text, re.I), text
        assert not text.endswith((".", ":", "!")), text
        assert len(text) <= 100, text
    for text in (rule.meta.summary, *rule.meta.remedies.values()):
        assert not text.endswith("."), text


@by_code
def test_graph_break_ids_exist_where_they_are_claimed(rule: registry.LoadedRule) -> None:
    for full in db.break_releases():
        release = ".".join(full.split(".")[:2])
        if release not in registry.MEASURED:
            continue
        known = db.breaks(full)
        for claim in registry.claims_for(rule.meta, release).values():
            for gb in claim.gb:
                assert gb in known, f"{gb} is not in the registry of {full}"


@by_code
def test_folder_is_named_after_the_rule(rule: registry.LoadedRule) -> None:
    name = f"{rule.meta.code.lower()}_{rule.meta.name.replace('-', '_')}"
    folder = Path(rule.meta.folder)
    assert folder.name == name
    assert {path.name for path in folder.iterdir()} <= {
        "rule.toml",
        "rule.md",
        "rule.py",
        "fix.py",
        "cases",
        "__pycache__",
    }


def test_every_rule_has_as_many_good_cases_as_it_needs() -> None:
    good = sum(not case.bad for rule in RULES for case in testing.cases_of(rule))
    assert good >= len(RULES)


def test_index_is_up_to_date() -> None:
    assert dev.sync(check=True) == 0


def test_selectors() -> None:
    assert {rule.meta.code[:4] for rule in registry.load(select=("TCD1",))} == {"TCD1"}
    assert [rule.meta.name for rule in registry.load(select=("tensor-branch",))] == ["tensor-branch"]
    assert "TCD101" not in {rule.meta.code for rule in registry.load(ignore=("TCD10",))}
    with pytest.raises(registry.RuleError, match="selects no rule"):
        registry.load(select=("TDC101",))
    with pytest.raises(registry.RuleError, match="no package of that name"):
        registry.load(("no_such_plugin",))


def test_a_release_between_two_measured_ones_is_judged_by_the_lower() -> None:
    assert registry.measured("2.10") == "2.9"
    assert registry.measured("2.2.1") == "2.3"
    assert registry.measured("2.14.1+cpu") == "2.14"
    assert registry.measured("3.0") == "2.14"


GOOD = """
code = "TCD999"
name = "some-rule"
summary = "x"
[messages]
a = "`{call}` a"
[[claims]]
since = "2.3"
effect = "break"
evidence = "measured"
[[calls]]
symbol = "x.y"
form = "a"
"""


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"TCD999"', '"X1"', "capitals"),
        ('"some-rule"', '"Some_rule"', "lower-case"),
        ('effect = "break"', 'effect = "brk"', "brk"),
        ('since = "2.3"', 'since = "new"', "release"),
        ('since = "2.3"', 'since = "2.9"\nuntil = "2.3"', "ends"),
        ('evidence = "measured"', "", "evidence"),
        ('form = "a"', 'form = "b"', "no message"),
        ('"`{call}` a"', '"two\\nlines"', "one line"),
        ('summary = "x"', 'summary = "x"\nsumary = "x"', "sumary"),
        ('effect = "break"', 'effect = "break"\ngb = ["GB1"]', "graph-break id"),
        ("[[calls]]", '[[claims]]\nsince = "2.6"\neffect = "skip"\nevidence = "m"\n[[calls]]', "overlap"),
    ],
)
def test_a_broken_rule_is_refused_in_one_line(tmp_path: Path, old: str, new: str, problem: str) -> None:
    (tmp_path / "rule.toml").write_text(GOOD)
    assert rule_file.read(tmp_path).claims[0].effect is Effect.BREAK
    (tmp_path / "rule.toml").write_text(GOOD.replace(old, new, 1))
    with pytest.raises(rule_file.RuleError) as refused:
        rule_file.read(tmp_path)
    assert problem in str(refused.value) and "\n" not in str(refused.value)


def test_new_rule_passes_as_it_stands(tmp_path: Path) -> None:
    plugin = tmp_path / "fresh_rules_plugin"
    plugin.mkdir()
    (plugin / "__init__.py").write_text("")
    assert dev.new_rule("my-own-rule", "TCD990", plugin) == 0
    folder = plugin / "tcd990_my_own_rule"
    loaded = registry.LoadedRule(rule_file.read(folder), plugin.name)
    cases = testing.cases_of(loaded)
    assert [case.bad for case in cases] == [True, False]
    assert "graph_break" in pages.render(loaded)


def test_a_third_party_ships_rules_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent.parent / "fixtures" / "plugins"))
    plugins = (*registry.DEFAULT_PLUGINS, "acme_compile_rules")
    (own,) = registry.load(plugins, select=("ACM",))
    assert own.meta.name == "acme-sync"
    for case in testing.cases_of(own):
        assert testing.check_case(case, "2.14", plugins=plugins) == []
    found = pages.render(own)
    assert "graph break" not in found and "| sync | break |" in found
