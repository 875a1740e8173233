"""Verdicts from hand-made findings and observations: no torch, no worker."""

from __future__ import annotations

from typing import Any

from torch_compile_lint.model import Confidence, Effect, Finding
from torch_compile_lint.verify.judge import Failed, Judged, Observations, Seen, judge
from torch_compile_lint.verify.statements import statements

PATH = "/p/net.py"
TEXT = """\
class Net:
    def forward(self, x, mask=None):
        if x.sum() > 0:
            x = x * 2
        if mask is not None:
            x = (x
                 * mask.item())
        return f(x.item(), str(x))

def f(a, b):
    return a
"""


def finding(line: int, column: int = 9, end_column: int = 40, **more: Any) -> Finding:
    values: dict[str, Any] = {"effect": Effect.BREAK, "gb": ("GB0124",), "end_line": line, **more}
    return Finding(
        code="TCD201",
        name="tensor-item",
        path="net.py",
        line=line,
        column=column,
        end_column=end_column,
        message="",
        confidence=Confidence.PROVED,
        function="Net.forward",
        **values,
    )


def event(line: int, gb: str | None = "GB0124", kind: str = "break", **more: Any) -> dict[str, Any]:
    return {
        "kind": kind,
        "path": PATH,
        "line": line,
        "function": "forward",
        "gb": gb,
        "text": "why",
        "detail": "why",
        "frame": {"path": PATH, "line": 2, "function": "Net.forward"},
        "stack": [[PATH, line, "forward"]],
        "columns": None,
        "call": 0,
        **more,
    }


def seen(
    *events: dict[str, Any], traced: tuple[int, ...] = (), ran: tuple[int, ...] = (), **more: Any
) -> Seen:
    values: dict[str, Any] = {"evidence": "call", **more}
    return Seen(
        "Net",
        events=tuple(events),
        traced={PATH: frozenset(traced)},
        ran={PATH: frozenset(ran)},
        **values,
    )


def judged(findings: list[Finding], *observed: Seen, failed: tuple[Failed, ...] = ()) -> Judged:
    return judge(
        findings,
        Observations(observed, failed, "2.13.0"),
        lambda path: "/p/" + path,
        lambda path: statements(TEXT),
        frozenset({PATH}),
    )


def test_confirmed_by_an_event_at_the_statement() -> None:
    result = judged([finding(3)], seen(event(3), traced=(2, 3)))
    (verdict,) = result.verdicts
    assert (verdict.outcome, verdict.gb, verdict.effect, verdict.evidence) == (
        "confirmed",
        "GB0124",
        "break",
        "call",
    )
    assert verdict.torch == "2.13.0"
    assert not result.missed


def test_any_line_of_a_statement_counts_but_not_its_neighbours() -> None:
    assert judged([finding(6)], seen(event(7), traced=(6, 7))).verdicts[0].outcome == "confirmed"
    assert judged([finding(3)], seen(event(4), traced=(3, 4))).verdicts[0].outcome == "refuted"


def test_refuted_only_where_traced() -> None:
    (verdict,) = judged([finding(3)], seen(traced=(2, 3, 8), ran=(2, 3, 8))).verdicts
    assert verdict.outcome == "refuted"
    (verdict,) = judged([finding(6)], seen(traced=(2, 3, 5, 8), ran=(2, 3, 5, 8))).verdicts
    assert verdict.outcome == "not-reached"
    assert verdict.detail == "the branch at line 5 was not taken"


def test_one_variant_with_the_effect_is_enough() -> None:
    verdicts = judged(
        [finding(3)], seen(traced=(3,)), seen(event(3), traced=(3,), evidence="synthesized")
    ).verdicts
    assert (verdicts[0].outcome, verdicts[0].evidence) == ("confirmed", "synthesized")


def test_two_hazards_of_one_statement_are_told_apart_by_columns_and_by_id() -> None:
    item = finding(8, 18, 26)
    text = finding(8, 28, 34, gb=("GB0569",))
    at_text = event(8, "GB0569", columns=[8, 27, 8, 33])
    verdicts = judged([item, text], seen(at_text, traced=(8,))).verdicts
    assert [verdict.outcome for verdict in verdicts] == ["refuted", "confirmed"]
    verdicts = judged([item, text], seen(event(8, "GB0569"), traced=(8,))).verdicts
    assert [verdict.outcome for verdict in verdicts] == ["refuted", "confirmed"]


def test_an_event_of_another_expression_is_a_miss() -> None:
    result = judged([finding(8, 18, 26)], seen(event(8, "GB0569", columns=[8, 27, 8, 33]), traced=(8,)))
    assert result.verdicts[0].outcome == "refuted"
    assert [(row["line"], row["gb"]) for row in result.missed] == [(8, "GB0569")]


def test_a_break_below_in_a_library_belongs_to_the_line_that_calls_it() -> None:
    below = event(
        99, "GB0007", path="/lib/asyncio.py", stack=[[PATH, 8, "forward"], ["/lib/asyncio.py", 99, "run"]]
    )
    assert judged([finding(8)], seen(below, traced=(8,))).verdicts[0].outcome == "confirmed"


def test_skip_and_error_confirm_a_break() -> None:
    for kind in ("skip", "error"):
        (verdict,) = judged([finding(3)], seen(event(3, kind=kind), traced=(3,))).verdicts
        assert (verdict.outcome, verdict.effect) == ("confirmed", kind)


def test_a_break_does_not_confirm_a_recompile_or_a_wrong_result() -> None:
    (verdict,) = judged([finding(3, effect=Effect.RECOMPILE)], seen(event(3), traced=(3,))).verdicts
    assert verdict.outcome == "not-reached"
    (verdict,) = judged([finding(3, effect=Effect.WRONG)], seen(traced=(3,))).verdicts
    assert verdict.outcome == "refuted"
    (verdict,) = judged(
        [finding(3, effect=Effect.WRONG)], seen(traced=(3,), differences=("results: 1, 2",))
    ).verdicts
    assert (verdict.outcome, verdict.effect) == ("confirmed", "wrong")


def test_eager_below_a_skipped_frame_is_not_reached_and_says_why() -> None:
    (verdict,) = judged(
        [finding(8)], seen(event(3, "GB0170", kind="skip"), traced=(2, 3), ran=(2, 3, 8))
    ).verdicts
    assert verdict.outcome == "not-reached"
    assert "skipped `Net.forward` at line 3 (GB0170)" in verdict.detail


def test_what_could_not_run_says_why() -> None:
    failed = Failed("Net", "Net: no inputs were found: TypeError: x", frozenset({(PATH, 3)}))
    (verdict,) = judged([finding(3)], failed=(failed,)).verdicts
    assert (verdict.outcome, verdict.detail) == ("could-not-run", failed.reason)


def test_misses_are_told_once_and_usual_recompiles_are_not() -> None:
    recompile = event(8, None, kind="recompile", text="___check_obj_id(L['self'], 1)")
    result = judged([], seen(event(3), event(3), recompile, traced=(3,)), seen(event(3), traced=(3,)))
    assert [(row["path"], row["line"], row["effect"]) for row in result.missed] == [(PATH, 3, "break")]


def test_misuse_is_not_run() -> None:
    (verdict,) = judged([finding(3, effect=Effect.MISUSE)], seen(traced=(3,))).verdicts
    assert verdict.outcome == "could-not-run"


def test_a_recompile_is_refuted_where_the_value_changed_and_nothing_was_compiled_again() -> None:
    claim = finding(4, effect=Effect.RECOMPILE)
    (verdict,) = judged([claim], seen(traced=(4,), changed=frozenset({"other"}))).verdicts
    assert (verdict.outcome, verdict.evidence) == ("not-reached", "call")
    (verdict,) = judged([claim], seen(traced=(4,), changed=frozenset({"x"}))).verdicts
    assert (verdict.outcome, verdict.detail) == (
        "refuted",
        "`x` changed from call to call, and nothing was compiled again",
    )
    again = event(4, None, kind="recompile", text="L['x'] == 1")
    (verdict,) = judged([claim], seen(again, traced=(4,), changed=frozenset({"x"}))).verdicts
    assert (verdict.outcome, verdict.effect) == ("confirmed", "recompile")
