"""Every probe of every case really compiled on the installed torch: claims against facts."""

from __future__ import annotations

import pytest
from torch_compile_lint import registry, testing

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


def test_installed_torch_contradicts_no_claim() -> None:
    rules = registry.load(extend_select=("ALL",))
    cases = {str(case.path): case for rule in rules for case in testing.cases_of(rule)}
    release, seen = testing.observe(list(cases.values()))
    said = testing.analyzer_says(list(cases.values()), registry.measured(release))
    problems = [testing.judge(rules, cases[one.path], one, release, said[one.path]) for one in seen]
    assert [problem for problem in problems if problem] == []
