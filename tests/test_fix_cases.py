"""Golden fixed files of all rules: what the fixes give, clean, and computing the same."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from torch_compile_lint import registry, testing, testing_fixes

RULES = [rule for rule in registry.load(extend_select=("ALL",)) if rule.meta.fix != "none"]
BAD = [(rule, case) for rule in RULES for case in testing.cases_of(rule) if case.bad]
FIXED = [(rule, case) for rule, case in BAD if testing_fixes.golden_path(case).is_file()]
# A page says so where a fix draws other numbers or reads a clock, or recompiles what was silently wrong.
DRAWS = {"TCD405", "TCD406"}
# An old spelling does the same as the new one: no run can tell them apart, and the probe says what it shows.
EFFECTS = {"TCD801": "recompile", "TCD903": "misuse"}


def _ids(pairs: list[tuple[registry.LoadedRule, testing.Case]]) -> list[str]:
    return [f"{rule.meta.code}-{case.path.stem}" for rule, case in pairs]


@pytest.mark.parametrize(("rule", "case"), BAD, ids=_ids(BAD))
def test_golden(rule: registry.LoadedRule, case: testing.Case) -> None:
    assert testing_fixes.check_golden(rule, case) == []


def test_every_rule_that_promises_a_fix_has_a_golden_file() -> None:
    shown = {rule.meta.code for rule, _ in FIXED}
    promised = {rule.meta.code for rule in RULES if rule.meta.fix != "display"}
    assert promised - shown == set()


def _load(path: Path) -> ModuleType:
    name = "fixed_" + "".join(c if c.isalnum() else "_" for c in str(path)[-60:])
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _eager(path: Path, probe: str) -> list[Any]:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    found = getattr(_load(path), probe)()
    if isinstance(found, str):
        pytest.skip("this probe judges itself: the compiled test runs it")
    function, args = found
    function = getattr(function, "_torchdynamo_orig_callable", None) or getattr(
        function, "_orig_mod", function
    )
    calls = args if isinstance(args, list) else [args, args]
    out = []
    for call in calls:
        call = call() if callable(call) else call
        try:
            out.append(function(*call))
        except Exception as problem:
            out.append(isinstance(problem, (AssertionError, ValueError, RuntimeError)))
    return out


PROBES = [(rule, case, probe) for rule, case in FIXED for probe in case.probes if rule.meta.code not in DRAWS]


@pytest.mark.parametrize(
    ("rule", "case", "probe"), PROBES, ids=[f"{r.meta.code}-{c.path.stem}-{p}" for r, c, p in PROBES]
)
def test_eager_results_are_equal(rule: registry.LoadedRule, case: testing.Case, probe: str) -> None:
    """Outputs of the bad and of the fixed probe, the same inputs and seed: equal bit for bit."""
    torch = pytest.importorskip("torch")
    before = _eager(case.path, probe)
    after = _eager(testing_fixes.golden_path(case), probe)
    texts = [[x for x in _flat(side) if isinstance(x, str)] for side in (before, after)]
    assert texts[0] == texts[1]
    torch.testing.assert_close(_numbers(before), _numbers(after), rtol=0, atol=0, check_dtype=True)


def _flat(value: Any) -> list[Any]:
    return [x for item in value for x in _flat(item)] if isinstance(value, (list, tuple)) else [value]


def _numbers(value: Any) -> Any:
    """0-d tensors as numbers: where a number becomes a tensor, the pages say so."""
    if isinstance(value, str):
        return 0  # compared as they are
    if isinstance(value, (list, tuple)):
        return [_numbers(item) for item in value]
    return value.item() if hasattr(value, "item") and value.ndim == 0 else value


def test_fixed_probes_compile_without_the_break() -> None:
    pytest.importorskip("torch")
    pairs = [(rule, testing_fixes.fixed_case(rule, case)) for rule, case in FIXED]
    cases = {str(case.path): (rule, case) for rule, case in pairs if case is not None}
    release, seen = testing.observe([case for _, case in cases.values()], sys.executable)
    assert release and len(seen) == sum(len(case.probes) for _, case in cases.values())
    wrong = [one for one in seen if one.effect != EFFECTS.get(cases[one.path][0].meta.code, "ok")]
    assert wrong == []
