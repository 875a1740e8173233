"""What people say of torch.compile: every name has its page, every row is what was measured."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from torch_compile_lint import registry
from torch_compile_lint.config import ConfigError
from torch_compile_lint.front import rule_pages, topic_pages
from torch_compile_lint.report.paint import Paint
from torch_compile_lint.torchdb import db

CELLS = json.loads((Path(__file__).parent.parent / "fixtures" / "hazards" / "cells.json").read_text())[
    "cells"
]
ASKED = (
    *("closure", "closures", "eval", "eval()", "exec", "thread", "Threads", "multi-threading", "lock"),
    *("async", "coroutines", "decorator", "metaclass", "dynamic=True", "fallback", "kv_cache", "start_pos"),
    *("train", "third-party", "load_inline", "strings", "growing-lists", "hooks", "numpy", "f-string"),
)


@pytest.mark.parametrize("name", ASKED)
def test_what_people_look_up_has_a_page(name: str) -> None:
    topic = topic_pages.find(name)
    assert topic is not None
    text = topic_pages.page(topic, "text", 100, Paint(False))
    assert text.startswith(f"{topic.name}\nIt is said: ") and "\nMeasured\n" in text
    assert json.loads(topic_pages.page(topic, "json", 100, Paint(False)))["topic"] == topic.name


@pytest.mark.parametrize("topic", db.topics(), ids=[topic.name for topic in db.topics()])
def test_rows_are_what_was_measured(topic: db.Topic) -> None:
    assert topic.measured and topic.answer.endswith(".") and not topic.saying.endswith(".")
    for row in topic.measured:
        cell = CELLS[row.case]
        assert row.construct == cell["desc"]
        for release, verdict in row.verdicts:
            assert verdict == re.sub(r" \(.*", "", cell["verdict"][release]), (row.case, release)
    codes = {rule.meta.code for rule in registry.load(extend_select=("ALL",))}
    assert set(topic.rules) <= codes


def test_names_are_unique_and_do_not_hide_rules() -> None:
    names = [name for topic in db.topics() for name in (topic.name, *topic.aliases)]
    assert len(names) == len(set(names))
    assert not set(names) & {rule.meta.name for rule in registry.load(extend_select=("ALL",))}


def test_the_list_names_topics_and_misspelt_ones_are_suggested() -> None:
    rules = registry.load(extend_select=("ALL",))
    assert "closures, decorators" in rule_pages.listing(rules, 100, Paint(False))
    with pytest.raises(ConfigError, match="did you mean `decorator`"):
        rule_pages._answer("decoratorz", "text", 100, Paint(False))
