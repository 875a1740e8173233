"""Claims against observations: a pure function from findings and what was seen to verdicts and misses.

A finding is confirmed only by an event that Dynamo itself placed at the finding's statement, refuted
only where that statement was executed under tracing and nothing happened, in every variant. Counting
graphs decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch_compile_lint.model import Effect, Finding, Verdict
from torch_compile_lint.records import dataclass, replace
from torch_compile_lint.verify.statements import Statements

Event = dict[str, Any]

CONFIRMED, REFUTED, NOT_REACHED, COULD_NOT_RUN = "confirmed", "refuted", "not-reached", "could-not-run"
_CUTS = ("break", "skip", "error")
_RANK = ("call", "example", "synthesized", "isolated")


@dataclass(frozen=True, slots=True)
class Seen:
    """One variant of one probe that ran."""

    title: str
    evidence: str
    events: tuple[Event, ...]
    traced: dict[str, frozenset[int]]
    ran: dict[str, frozenset[int]]
    differences: tuple[str, ...] = ()
    isolated: str = ""  # path of the only function this run can speak for, where one was run alone
    changed: frozenset[str] = frozenset()  # plain state that changed from the first call to the last


@dataclass(frozen=True, slots=True)
class Failed:
    """One probe that told nothing, and the lines it was meant to reach."""

    title: str
    reason: str
    wanted: frozenset[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Observations:
    """All that the probes of a run showed. Paths are absolute."""

    seen: tuple[Seen, ...]
    failed: tuple[Failed, ...]
    torch: str
    device: str = "cpu"


@dataclass(frozen=True, slots=True)
class Judged:
    """Verdicts in the order of the findings, and what no finding foresaw."""

    verdicts: tuple[Verdict, ...]
    missed: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class _Place:
    path: str
    first: int
    last: int


def judge(
    findings: Sequence[Finding],
    observations: Observations,
    absolute: Callable[[str], str],
    statements: Callable[[str], Statements],
    watched: frozenset[str],
) -> Judged:
    """A verdict for every finding, and every event in ``watched`` files that none of them explains."""
    places = []
    for finding in findings:
        path = absolute(finding.path)
        first, last = statements(path).around(finding.line, finding.end_line)
        places.append(_Place(path, first, last))
    explained: set[int] = set()
    matches: list[list[tuple[Seen, Event]]] = [[] for _ in findings]
    for seen in observations.seen:
        for event in seen.events:
            hits = _explainers(event, findings, places, watched)
            if hits:
                explained.add(id(event))
            for hit in hits:
                matches[hit].append((seen, event))
    verdicts = [
        _verdict(finding, place, match, observations, statements)
        for finding, place, match in zip(findings, places, matches, strict=True)
    ]
    missed = _missed(observations, explained, watched, findings, places, verdicts)
    return Judged(tuple(verdicts), tuple(missed))


def _explainers(
    event: Event,
    findings: Sequence[Finding],
    places: Sequence[_Place],
    watched: frozenset[str],
) -> list[int]:
    """The findings that foresaw this event: at its statement, and best by columns and by GB id."""
    path, line, exact = site(event, watched)
    scored: list[tuple[int, int]] = []
    for number, (finding, place) in enumerate(zip(findings, places, strict=True)):
        if not _fits(event["kind"], finding.effect):
            continue
        if place.path != path or not place.first <= line <= place.last:
            continue
        score = _agreement(event, finding) if exact else 1
        if score > 0:
            scored.append((score, number))
    best = max((score for score, _ in scored), default=0)
    return [number for score, number in scored if score == best]


def site(event: Event, watched: frozenset[str]) -> tuple[str, int, bool]:
    """The user's line an event belongs to, and whether it happened there or below, in a library it calls."""
    if event["path"] in watched:
        return event["path"], event["line"], True
    for path, line, _ in reversed(event["stack"]):
        if path in watched:
            return path, line, False
    return event["path"], event["line"], True


def _fits(kind: str, effect: Effect) -> bool:
    if effect in (Effect.BREAK, Effect.SKIP, Effect.SLOW):
        return kind in _CUTS
    if effect is Effect.RECOMPILE:
        return kind in ("recompile", *_CUTS)
    if effect in (Effect.ERROR, Effect.WRONG):
        return kind in ("error", "wrong", *_CUTS)
    return False


def _agreement(event: Event, finding: Finding) -> int:
    """How well an event at the finding's statement fits it: 0 not, 4 at its columns and with its id."""
    same_id = event["gb"] is not None and event["gb"] in finding.gb
    overlap = _overlap(event.get("columns"), finding)
    if overlap is False and not same_id:
        return 0  # another expression of the same statement
    return 1 + (2 if overlap else 0) + (1 if same_id else 0)


def _overlap(columns: Sequence[int] | None, finding: Finding) -> bool | None:
    """Whether the instruction's span and the finding's overlap; None where the release does not say.

    Columns of instructions are byte offsets from 0; a line with wide characters can only make them larger.
    """
    if not columns:
        return None
    begin = (columns[0], columns[1] + 1)
    end = (columns[2], columns[3] + 1)
    return begin < (finding.end_line, finding.end_column) and (finding.line, finding.column) < end


def _verdict(
    finding: Finding,
    place: _Place,
    matches: Sequence[tuple[Seen, Event]],
    observations: Observations,
    statements: Callable[[str], Statements],
) -> Verdict:
    base = Verdict(COULD_NOT_RUN, device=observations.device, torch=observations.torch or None)
    if finding.effect is Effect.MISUSE:
        return replace(base, detail="about the call of torch.compile itself, which is not run here")
    lines = range(place.first, place.last + 1)
    traced = [seen for seen in observations.seen if _any(seen.traced, place.path, lines)]
    strong = [(seen, event) for seen, event in matches if _strong(event["kind"], finding.effect)]
    if strong:
        seen, event = min(strong, key=lambda match: (_RANK.index(match[0].evidence), _worst(match[1])))
        detail = f"{event['text']}" + (f" in {seen.title}" if seen.title else "")
        return replace(
            base,
            outcome=CONFIRMED,
            gb=event["gb"],
            effect=event["kind"],
            evidence=seen.evidence,
            detail=detail,
        )
    wrong = next((seen for seen in traced if seen.differences), None)
    if finding.effect is Effect.WRONG and wrong is not None:
        return replace(
            base, outcome=CONFIRMED, effect="wrong", evidence=wrong.evidence, detail=wrong.differences[0]
        )
    if traced:
        best = min(traced, key=lambda seen: _RANK.index(seen.evidence))
        count = f"{len(traced)} variant{'s' if len(traced) > 1 else ''}"
        if finding.effect is Effect.RECOMPILE:
            return _no_recompile(base, place, traced, statements)
        detail = f"traced in {count}, nothing happened"
        return replace(base, outcome=REFUTED, evidence=best.evidence, detail=detail)
    return _untraced(base, finding, place, observations, statements)


def _no_recompile(
    base: Verdict, place: _Place, traced: Sequence[Seen], statements: Callable[[str], Statements]
) -> Verdict:
    """Traced without a recompile: that refutes the claim only where what it is about did change."""
    names = statements(place.path).names(place.first, place.last)
    for seen in traced:
        moved = sorted(seen.changed & names)
        if moved:
            detail = f"`{moved[0]}` changed from call to call, and nothing was compiled again"
            return replace(base, outcome=REFUTED, evidence=seen.evidence, detail=detail)
    best = min(traced, key=lambda seen: _RANK.index(seen.evidence))
    count = f"{len(traced)} variant{'s' if len(traced) > 1 else ''}"
    detail = f"traced in {count}, but the value it depends on did not change between the calls"
    return replace(base, outcome=NOT_REACHED, evidence=best.evidence, detail=detail)


def _untraced(
    base: Verdict,
    finding: Finding,
    place: _Place,
    observations: Observations,
    statements: Callable[[str], Statements],
) -> Verdict:
    """Never traced: it ran eagerly below a skipped frame, it never ran, or nothing ran."""
    lines = range(place.first, place.last + 1)
    eager = [seen for seen in observations.seen if _any(seen.ran, place.path, lines)]
    if eager:
        return replace(
            base, outcome=NOT_REACHED, evidence=eager[0].evidence, detail=_why_eager(eager[0], place)
        )
    own = statements(place.path)
    function = own.function_at(place.first)
    span = next(((a, b) for a, b, name in own.functions if name == function), None)
    near = [s for s in observations.seen if span and _any(s.ran, place.path, range(span[0] + 1, span[1] + 1))]
    if near:
        arm = own.arm_at(place.first)
        why = (
            f"the branch at line {arm} was not taken" if arm else "the function returned or raised before it"
        )
        return replace(base, outcome=NOT_REACHED, evidence=near[0].evidence, detail=why)
    failed = [f for f in observations.failed if any((place.path, n) in f.wanted for n in lines)]
    if failed:
        return replace(base, detail=failed[0].reason)
    if observations.seen:
        name = f"`{function}`" if function else "the code"
        return replace(base, outcome=NOT_REACHED, detail=f"{name} was never called in what could be run")
    return replace(base, detail="nothing that calls it could be run")


def _why_eager(seen: Seen, place: _Place) -> str:
    for event in seen.events:
        if event["kind"] == "skip":
            told = f" ({event['gb']})" if event["gb"] else ""
            return (
                f"it ran eagerly: torch skipped `{event['frame']['function']}` at line {event['line']}{told}"
            )
    return "it ran eagerly, outside every compiled frame"


def _strong(kind: str, effect: Effect) -> bool:
    """Whether the event is the claimed effect, or a worse one of the same nature."""
    if effect in (Effect.BREAK, Effect.SKIP, Effect.SLOW):
        return kind in _CUTS
    if effect is Effect.RECOMPILE:
        return kind == "recompile"
    if effect is Effect.ERROR:
        return kind == "error"
    return kind in ("wrong", "error")


def _worst(event: Event) -> int:
    order = ("error", "wrong", "skip", "break", "recompile")
    return order.index(event["kind"]) if event["kind"] in order else len(order)


def _any(table: dict[str, frozenset[int]], path: str, lines: range) -> bool:
    known = table.get(path)
    return known is not None and any(line in known for line in lines)


def _missed(
    observations: Observations,
    explained: set[int],
    watched: frozenset[str],
    findings: Sequence[Finding],
    places: Sequence[_Place],
    verdicts: Sequence[Verdict],
) -> list[dict[str, Any]]:
    """Events in the user's files that no finding foresaw, once each, and differences nobody claimed."""
    rows: dict[tuple[str, int, str, str], dict[str, Any]] = {}
    told_wrong = any(
        f.effect is Effect.WRONG and v.outcome == CONFIRMED for f, v in zip(findings, verdicts, strict=True)
    )
    for seen in observations.seen:
        for event in seen.events:
            path, line, _ = site(event, watched)
            if id(event) in explained or path not in watched or not _worth_telling(event):
                continue
            key = (path, line, event["gb"] or event["text"], event["kind"])
            rows.setdefault(key, _row(path, line, event["gb"], event["kind"], event["text"], seen))
        if seen.differences and not told_wrong and not seen.isolated:
            path = next(iter(sorted(set(seen.traced) & watched)), "")
            if path:
                line = min(seen.traced[path])
                rows.setdefault(
                    (path, line, "", "wrong"), _row(path, line, None, "wrong", seen.differences[0], seen)
                )
    return [rows[key] for key in sorted(rows)]


def _worth_telling(event: Event) -> bool:
    """Recompiles of a helper for another module or type are how Dynamo works, not a fault of the line."""
    if event["kind"] != "recompile":
        return True
    usual = ("___check_obj_id", "___check_type_id", "___check_global_state", "Cache line invalidated")
    return bool(event.get("limit")) or (
        bool(event["stack"]) and not any(part in event["text"] for part in usual)
    )


def _row(path: str, line: int, gb: str | None, effect: str, detail: str, seen: Seen) -> dict[str, Any]:
    told = f"{detail} in {seen.title}" if seen.title else detail
    return {"path": path, "line": line, "gb": gb, "effect": effect, "detail": told}
