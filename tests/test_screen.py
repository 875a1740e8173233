"""The screen only saves time: what it keeps from a rule, the rule has nothing to say about."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import hazard_programs
import pytest
from torch_compile_lint import registry
from torch_compile_lint.engine import NO_SCREEN, Engine
from torch_compile_lint.facts import ir
from torch_compile_lint.judge import Judge
from torch_compile_lint.model import Request
from torch_compile_lint.rule import Rule
from torch_compile_lint.screen import Screen

ROOT = Path(__file__).parent.parent
PLUGIN = "torch_compile_lint_rules"
TARGETS = ("2.3.1", "2.13.0")


def findings(paths: list[str], target: str) -> list[tuple[object, ...]]:
    overrides = {
        "min-confidence": "possible",
        "cache": False,
        "jobs": 1,
        "target-torch": target,
        "roots": "all",
        "respect-gitignore": False,
    }
    report = Engine().check(Request(paths=tuple(paths), overrides=overrides, isolated=True, cwd=str(ROOT)))
    return [
        (f.path, f.line, f.column, f.code, f.message, f.effect, f.confidence, f.why) for f in report.findings
    ]


@pytest.mark.parametrize("target", TARGETS)
def test_findings_are_the_same_without_it(
    target: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Over the programs, the cases of every rule, which hold each form, and the measured hazards."""
    hazard_programs.write(tmp_path)
    folders = ["fixtures/programs", "fixtures/quickstart", "rules/torch_compile_lint_rules", str(tmp_path)]
    screened = findings(folders, target)
    monkeypatch.setenv(NO_SCREEN, "1")
    whole = findings(folders, target)
    assert len(whole) > 400
    assert screened == whole


def test_rules_declare_names_as_names() -> None:
    for loaded in registry.load((PLUGIN,), extend_select=("ALL",)):
        rule = loaded.rule
        if rule is None or rule.callees is None:
            continue
        assert ir.Call in rule.on, loaded.meta.code
        assert not isinstance(rule.callees, str), loaded.meta.code
        assert all("." in name and " " not in name for name in rule.callees), loaded.meta.code


class View:
    """As much of a view as the screen asks for."""

    def __init__(self, callees: tuple[str, ...]) -> None:
        self._callees = callees

    def callees(self, call: ir.Call) -> tuple[str, ...]:
        return self._callees


def served(rule: Rule, symbol: str) -> bool:
    screen = Screen()
    (loaded,) = registry.load((PLUGIN,), select=("TCD101",))
    screen.add_rule(loaded.meta, {}, rule)
    return bool(screen._for_symbol(symbol))


@pytest.mark.parametrize(
    ("declared", "symbol", "expected"),
    [
        ("builtins.range", "builtins.range", True),
        ("builtins.range", "builtins.ranges", False),
        ("math.*", "math.sqrt", True),
        ("math.*", "cmath.sqrt", False),
        ("numpy.*", "numpy.random.rand", True),
        ("*.requires_grad_", "torch.nn.Linear.requires_grad_", True),
        ("*.requires_grad_", "torch.requires_grad_.x", False),
    ],
)
def test_names_match_as_they_say(declared: str, symbol: str, expected: bool) -> None:
    check: Callable[..., object] = lambda node, view: iter(())  # noqa: E731
    assert served(Rule(on=(ir.Call,), check=check, callees=(declared,)), symbol) is expected  # type: ignore[arg-type]


def test_a_layer_has_the_methods_of_a_module() -> None:
    rules = registry.load((PLUGIN,), extend_select=("ALL",))
    judge = Judge(rules, "2.13.0", lambda path, unit: "")
    rows = {row.symbol for loaded in rules if loaded.claims_for("2.13.0") for row in loaded.meta.calls}
    for symbol in rows:
        if symbol.startswith("torch.nn.Module."):
            assert judge._screen._for_symbol("torch.nn.Linear." + symbol.rpartition(".")[2]), symbol
