"""From measurements to a verdict: pure functions, each naming the numbers it rests on.

The walk people do by hand, in its order: does it compile, does it fall back, does it recompile, is it
faster, and if not, what eats the time. The first step that explains the result is the verdict; the others
are kept as remarks. No speed-up is promised: what was measured is said, with its spread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from torch_compile_lint.doctor.measured import Measured, Message
from torch_compile_lint.records import dataclass

# Shares of a compiled call. Above LARGE, a cost explains a missing gain by itself.
LARGE = 0.30
_MOST = 0.50
_SLOWER = 0.9  # gain below which graphs that take all the time are slower themselves, not just no faster
_TINY = 1e-3  # seconds of an eager call below which overhead of some tens of microseconds counts
_FEW_OPERATIONS = 30
_TORCH = re.compile(r"[/\\](?:site|dist)-packages[/\\]torch[/\\]")
_DISABLED = re.compile(r"Skip calling function `<(?:function|bound method) ([\w.<>]+)")


@dataclass(frozen=True, slots=True)
class Reason:
    """A cause, in a word and in a sentence, and the evidence for it."""

    name: str
    text: str
    evidence: tuple[str, ...] = ()


def verdict(found: Measured) -> Reason:
    """The first thing that explains how compiling this went."""
    for check in (not_compiled, nothing_in_graphs, recompiles, wrong, slower, healthy):
        reason = check(found)
        if reason is not None:
            return reason
    return Reason("unknown", "not enough was measured to say", tuple(found.skipped))


def remarks(found: Measured) -> list[Reason]:
    """Everything else worth knowing, beside the verdict."""
    first = verdict(found).name
    others = [*_side_causes(found), shape_recompiles(found), unsteady_times(found)]
    return [one for one in others if one is not None and one.name != first]


# ---------------------------------------------------------------- the steps


def not_compiled(found: Measured) -> Reason | None:
    """Compiling raises where eager does not."""
    failed = (found.observed or {}).get("failed") or (found.main.failed if found.main else "")
    if not failed:
        return None
    errors = found.events("error")
    where = [said(event) for event in errors[:3]]
    small = found.minimised or {}
    if small.get("name"):
        where.append(f"smallest part that fails alone: `{small['name']}` ({small['class']})")
    return Reason("does-not-compile", f"it does not compile: {failed}", tuple(where))


def nothing_in_graphs(found: Measured) -> Reason | None:
    """Nearly nothing runs in graphs: a silent fall back to the interpreter."""
    if found.observed is None:
        return None
    share = graph_share(found)
    skips = found.events("skip")
    if found.observed.get("graphs", 0) and (share is None or share >= 0.05):
        return None
    text = "nothing is compiled: every frame runs in the interpreter"
    if found.observed.get("graphs", 0) and share is not None:
        text = f"only {share:.0%} of a call's time is spent in graphs: it falls back to the interpreter"
        for cause in (disabled(found), data_dependent(found), many_launches(found)):
            if cause is not None:  # says why, not just that
                return Reason(cause.name, f"{text}; {cause.text}", cause.evidence)
    evidence = tuple(f"{said(event)} ({event['gb'] or 'no id'})" for event in skips[:5])
    return Reason("falls-back", text, evidence)


def recompiles(found: Measured) -> Reason | None:
    """Equal calls are compiled again and again."""
    events = found.events("recompile")
    again = max((one["call"] for one in events), default=0)
    limit = any(event.get("limit") for event in events)
    if again < 2 and not limit:
        return None
    calls = int((found.observed or {}).get("calls", 0))
    counts: dict[str, int] = {}
    for event in events:
        counts[said(event)] = counts.get(said(event), 0) + 1
    text = f"it recompiles on equal calls: {len(events)} times in {calls} calls"
    if limit:
        text += ", up to the limit, after which it runs eagerly for good"
    return Reason("recompiles", text, tuple(f"{line} (x{n})" for line, n in counts.items()))


def wrong(found: Measured) -> Reason | None:
    """Results differ by more than rounding."""
    main = found.main
    if main is None or main.same is not False:
        return None
    if main.relative_difference is None:
        return Reason("wrong", "the compiled result has another structure or shape than the eager one")
    if main.relative_difference > 2e-2:
        return Reason("wrong", f"results differ by {main.relative_difference:.1%} of their largest value")
    return None


def slower(found: Measured) -> Reason | None:
    """Not faster than eager, or not certainly so: the cause with the largest measured share."""
    main = found.main
    if main is None or main.gain is None:
        return None
    if main.gain > 1.0 and main.certain:
        return None
    causes = _causes(found)
    head = (
        f"compiled is {_compared(main.gain)} than eager"
        if main.certain
        else "no difference beyond the spread"
    )
    if not causes and not main.certain and (unsteady := unsteady_times(found)) is not None:
        return unsteady
    if not causes:
        return _in_graphs(found, head)
    first = causes[0]
    return Reason(first.name, f"{head}: {first.text}", first.evidence)


def _in_graphs(found: Measured, head: str) -> Reason:
    """No gain, and none of the costs around graphs explains it."""
    main, evidence = found.main, _split_evidence(found)
    if inside_share(found, 0) <= 1 - LARGE:
        return Reason("not-faster", f"{head}, and no single cause stands out", evidence)
    if main is None or main.gain is None or main.gain >= _SLOWER or not main.certain:
        text = f"{head}: the time goes into the operations themselves, which compiling does not speed up"
        return Reason("compute-bound", text, evidence)
    text = (
        f"{head}: the graphs are slower than the eager operations they replace; nothing is lost around them"
    )
    others = tuple(
        f"{one.name}: {ms(one.compiled.median)}" for one in found.others if one.compiled is not None
    )
    return Reason("slower-graphs", text, (*evidence, *others))


def healthy(found: Measured) -> Reason | None:
    """Faster, certainly, and stable."""
    main = found.main
    if main is None or main.gain is None or main.eager is None or main.compiled is None:
        return None
    breaks = found.events("break", "skip")
    evidence = [f"eager {ms(main.eager.median)}, compiled {ms(main.compiled.median)}: {main.gain:.2f}x"]
    causes = _causes(found) if breaks and outside_share(found) > _MOST else []
    if causes:  # what it gains is little beside what is left outside
        first = causes[0]
        text = f"faster ({main.gain:.2f}x), but most of a call is left outside: {first.text}"
        return Reason(first.name, text, (*evidence, *first.evidence))
    if breaks:
        evidence += [said(event) for event in breaks[:5]]
        return Reason(
            "faster-with-breaks",
            f"faster ({main.gain:.2f}x), with {len(breaks)} breaks left",
            tuple(evidence),
        )
    return Reason("healthy", f"healthy: one graph a call, faster ({main.gain:.2f}x)", tuple(evidence))


# ---------------------------------------------------------------- causes of a missing gain


def _causes(found: Measured) -> list[Reason]:
    return [one for one in _side_causes(found) if one is not None]


def _side_causes(found: Measured) -> Iterator[Reason | None]:
    yield data_dependent(found)
    yield disabled(found)
    yield many_launches(found)
    yield outside_graphs(found)
    yield tiny(found)


def many_launches(found: Measured) -> Reason | None:
    """Many small graphs a call: a break in a loop, or in a layer that is called often."""
    split = found.split or {}
    launches = int(split.get("launches", 0))
    breaks = found.events("break")
    if launches < 8 or not breaks:
        return None
    hot: dict[str, int] = {}
    for event in breaks:
        hot[said(event)] = hot.get(said(event), 0) + 1
    worst = sorted(hot.items(), key=lambda item: -item[1])[:3]
    text = f"{launches} graphs are launched in one call: the code breaks where it is executed often"
    return Reason("breaks-in-hot-code", text, tuple(line for line, _ in worst))


def data_dependent(found: Measured) -> Reason | None:
    """Breaks whose cause is a shape or value only known at run time."""
    ids = {"GB0036", "GB0037", "GB0033"}
    events = [e for e in found.events("break", "skip") if e.get("gb") in ids]
    if not events or outside_share(found) < LARGE / 3:
        return None
    return Reason(
        "data-dependent-shape",
        "shapes depend on data there, and the graph ends",
        tuple(said(event) for event in events[:3]),
    )


def disabled(found: Measured) -> Reason | None:
    """Time in functions that are marked not to be compiled."""
    events = [e for e in found.events("break", "skip") if "disable" in (e.get("detail") or "").lower()]
    if not events or outside_share(found) < LARGE / 3:
        return None
    share = f"{outside_share(found):.0%}"
    text = f"{share} of the time is outside graphs, in functions marked `torch.compiler.disable`"
    return Reason("disabled-hot-function", text, tuple(said(e) for e in events[:3]))


def outside_graphs(found: Measured) -> Reason | None:
    """Time outside graphs that is neither launches nor a tiny model."""
    if not found.events("break", "skip") or outside_share(found) < LARGE:
        return None
    text = f"{outside_share(found):.0%} of a compiled call is spent outside graphs"
    events = found.events("break", "skip")
    return Reason("time-outside-graphs", text, tuple(said(e) for e in events[:5]))


def tiny(found: Measured) -> Reason | None:
    """A model so small that checking guards and launching the graph costs what compiling saves."""
    main, split = found.main, found.split or {}
    if main is None or main.eager is None or found.events("break", "skip"):
        return None
    operations = int((found.observed or {}).get("operations", 0))
    share = outside_share(found)
    if main.eager.median > _TINY or (share < LARGE and operations > _FEW_OPERATIONS):
        return None
    text = f"the model is too small: an eager call takes {ms(main.eager.median)}"
    if split.get("total"):
        text += f", and {share:.0%} of a compiled one is guards and launching"
    return Reason("too-small", text, _split_evidence(found))


def shape_recompiles(found: Measured) -> Reason | None:
    """What a growing first dimension costs, by setting."""
    rows = []
    for setting, one in found.shapes.items():
        if one.get("failed"):
            continue
        rows.append(
            f"{setting}: compiled in calls {[n + 1 for n in one['calls_that_compiled']]} of {one['calls']}"
        )
    if not rows:
        return None
    default = found.shapes.get("default", {})
    count = len(default.get("calls_that_compiled", [1])) - 1
    guards = tuple(said(e) for e in default.get("recompiles", [])[:3])
    text = (
        f"calls with another first dimension recompile {count} times, then no more"
        if count
        else "a changing first dimension costs no recompilation"
    )
    return Reason("shapes", text, (*rows, *guards))


def unsteady_times(found: Measured) -> Reason | None:
    """Rounds of the same call that took very different times: no number of this walk can be trusted far."""
    main = found.main
    if main is None:
        return None
    lines = [
        f"{name}: the same call took {ms(times.low)} in one round and {ms(times.high)} in another"
        for name in ("eager", "compiled")
        if (times := main.unsteady(name)) is not None
    ]
    if not lines:
        return None
    text = "timings are not steady: is something else running on this machine? Repeat when it is quiet"
    return Reason("unsteady", text, tuple(lines))


# ---------------------------------------------------------------- numbers


def graph_share(found: Measured) -> float | None:
    """Share of a compiled call that is spent inside graphs; None where it was not measured."""
    split = found.split or {}
    total = split.get("total")
    return None if not total else min(1.0, split["inside"] / total)


def inside_share(found: Measured, default: float) -> float:
    share = graph_share(found)
    return default if share is None else share


def outside_share(found: Measured) -> float:
    """Share of a compiled call outside graphs; 0 where it was not measured."""
    share = graph_share(found)
    return 0.0 if share is None else 1.0 - share


def payback(found: Measured) -> Message:
    """Calls until the time spent compiling is won back, cold and with a warm cache; None is never."""
    main = found.main
    if main is None or main.eager is None or main.compiled is None or main.compile_seconds is None:
        return {}
    saved = main.eager.median - main.compiled.median
    sure = main.certain and saved > 0

    def calls(seconds: float | None) -> float | None:
        return seconds / saved if sure and seconds is not None else None

    return {
        "saved": saved if sure else 0.0,
        "cold_seconds": main.compile_seconds,
        "warm_seconds": found.warm_cache_seconds,
        "cold_calls": calls(main.compile_seconds),
        "warm_calls": calls(found.warm_cache_seconds),
    }


def said(event: Message) -> str:
    """What happened where, in a line; a disabled function by its name."""
    disabled_function = _DISABLED.search(event.get("detail") or "")
    name = f" `{disabled_function[1]}`" if disabled_function else ""
    return f"{place(event)}: {event['text']}{name}"


def place(event: Message) -> str:
    """``file:line`` of an event, the file by its last two parts; of the code that led into torch's own."""
    path, line = str(event.get("path", "")), event.get("line", 0)
    if _TORCH.search(path):
        outside = [frame for frame in event.get("stack") or [] if not _TORCH.search(frame[0])]
        if outside:
            path, line = outside[-1][0], outside[-1][1]
    return f"{'/'.join(path.replace(chr(92), '/').split('/')[-2:])}:{line}"


def ms(seconds: float) -> str:
    """Seconds as text with three digits and a fitting unit."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def _compared(gain: float) -> str:
    return f"{gain:.2f}x faster" if gain >= 1 else f"{1 / gain:.2f}x slower"


def _split_evidence(found: Measured) -> tuple[str, ...]:
    split = found.split or {}
    if not split.get("total"):
        return ()
    lines = [
        f"one compiled call: {ms(split['total'])}, "
        f"of it {ms(split['inside'])} in {split['launches']} graph launches"
    ]
    if split.get("guards"):
        lines.append(f"checking guards: {ms(split['guards'])} (as Dynamo measures it)")
    return tuple(lines)
