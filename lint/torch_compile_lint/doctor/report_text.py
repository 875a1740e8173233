"""The walk for a terminal: verdict first, then the evidence step by step, bars drawn with characters."""

from __future__ import annotations

from torch_compile_lint.doctor import ablation, reasons
from torch_compile_lint.doctor.measured import Configuration, Measured, Message
from torch_compile_lint.doctor.reasons import ms

_BAR = "█"


def render(found: Measured, width: int = 100) -> str:
    """The whole report. Sections without measurements are left out; what was skipped is said at the end."""
    parts = [
        _head(found),
        _verdict(found),
        _frames(found),
        _times(found),
        _split(found),
        _profile(found, width),
    ]
    parts += [
        _ablations(found),
        _prices(found),
        _payback(found),
        _shapes(found),
        _advice(found),
        _skipped(found),
    ]
    return "\n".join(part for part in parts if part)


def _head(found: Measured) -> str:
    prepared, hello = found.prepared, found.hello
    kind = "forward, backward and optimizer step" if found.train else "forward, no_grad"
    lines = [
        f"{found.target}  (torch {hello.get('torch', '?')}, {found.device}, "
        f"{hello.get('threads', '?')} threads)"
    ]
    if prepared:
        inputs = ", ".join(prepared.get("inputs", [])[:4]) or "no tensors"
        source = f", from {prepared['source']}" if prepared.get("source") else ""
        lines.append(f"  {kind}; inputs {inputs} ({prepared.get('evidence', '')}{source})")
        if prepared.get("parameters"):
            lines.append(f"  {prepared['parameters']:,} parameters, {prepared['submodules']} submodules")
    return "\n".join(lines) + "\n"


def _verdict(found: Measured) -> str:
    first = reasons.verdict(found)
    lines = [f"VERDICT  {first.text} [{first.name}]", *(f"         {line}" for line in first.evidence)]
    best = ablation.best(found)
    main = found.main
    if best is not None and best is not main:
        gain = f"{best.gain:.2f}x" if best.gain else ""
        plain = f" (compiled whole: {main.gain:.2f}x)" if main is not None and main.gain else ""
        lines.append(f"DO       {best.code}    # {best.name}: {gain} of eager{plain}")
    elif best is main and best is not None:
        lines.append(f"DO       {best.code}    # the fastest of what was tried")
    elif main is not None and main.gain is not None:
        lines.append("DO       leave it uncompiled: nothing that was tried is certainly faster than eager")
    return "\n".join(lines) + "\n"


def _frames(found: Measured) -> str:
    seen = found.observed
    if not seen or "graphs" not in seen:
        return ""
    counts = {kind: len(found.events(kind)) for kind in ("break", "skip", "recompile", "error")}
    told = (
        ", ".join(f"{n} {kind}{'s' if n != 1 else ''}" for kind, n in counts.items() if n) or "nothing broke"
    )
    lines = [
        f"dynamo    {seen['graphs']} graphs, {seen['operations']} operations in {seen['calls']} calls: {told}"
    ]
    shown: dict[str, int] = {}
    for event in found.events("error", "skip", "break", "recompile"):
        line = f"{event['kind']:9} {reasons.place(event)} {event['gb'] or ''} {event['text']}"
        shown[line] = shown.get(line, 0) + 1
    for line, count in list(shown.items())[:12]:
        lines.append(f"          {line[:150]}" + (f"  x{count}" if count > 1 else ""))
    if len(shown) > 12:
        lines.append(f"          ... and {len(shown) - 12} more places")
    return "\n".join(lines) + "\n"


def _times(found: Measured) -> str:
    rows = [one for one in (found.main, *found.others) if one is not None]
    if not rows:
        return ""
    lines = ["time      a call, median and spread; eager and compiled in turn in one process"]
    if found.main is not None and len(found.main.runs) > 1:
        count = len(found.main.runs)
        lines.append(
            f"          `compiled` in {count} processes: another one falls within ± with 80 % probability"
        )
    for one in rows:
        lines.append(_configuration(one))
    return "\n".join(lines) + "\n"


def _configuration(one: Configuration) -> str:
    if one.failed:
        return f"          {one.name}: {one.failed[:140]}"
    if one.eager is None or one.compiled is None or one.gain is None:
        return f"          {one.name}: not measured to the end"
    word = "" if one.certain else "  (within the spread)"
    compiling = f", compiles in {ms(one.compile_seconds)}" if one.compile_seconds is not None else ""
    eager = f"eager {ms(one.eager.median)} ±{ms(one.eager.spread / 2)}"
    compiled = f"compiled {ms(one.compiled.median)} ±{ms(one.compiled.spread / 2)}"
    return f"          {one.name:28} {one.gain:5.2f}x  {eager}, {compiled}{compiling}{word}"


def _split(found: Measured) -> str:
    split = found.split or {}
    if not split.get("total"):
        return ""
    share = split["inside"] / split["total"]
    lines = [
        f"inside    {bar(share, 1.0, 30)} {share:.0%} of a compiled call is spent "
        f"in {split['launches']} graph launches"
    ]
    if split.get("guards"):
        lines.append(f"          guards {ms(split['guards'])} a call, {split['guards'] / split['total']:.0%}")
    for graph in sorted(split.get("graphs", []), key=lambda g: -g["seconds"])[:5]:
        where = "/".join(graph["place"].split("/")[-2:])
        lines.append(
            f"          graph {graph['number']}: {ms(graph['seconds'])} in {graph['launches']} launches, "
            f"{graph['operations']} operations {where}"
        )
    return "\n".join(lines) + "\n"


def _profile(found: Measured, width: int) -> str:
    rows = (found.profile or {}).get("modules", [])
    if not rows:
        return ""
    total = next((row["seconds"] for row in rows if row["name"] == ""), 0.0) or rows[0]["seconds"]
    lines = ["eager     by submodule (hooks slow small ones down: read the shares)"]
    own = sorted((row for row in rows if row["name"]), key=lambda row: -row["own"])[:8]
    for row in own:
        share = row["own"] / total if total else 0.0
        calls = f" x{row['calls']}" if row["calls"] > 1 else ""
        lines.append(
            f"          {bar(share, 1.0, 20)} {share:4.0%}  {row['name']} ({row['class']}){calls}"[:width]
        )
    return "\n".join(lines) + "\n"


def _ablations(found: Measured) -> str:
    if not found.ablations:
        return ""
    rows = sorted(found.ablations, key=lambda one: -(one.gain or 0))
    return (
        "\n".join(["ablation  parts left out, or compiled alone", *(_configuration(one) for one in rows)])
        + "\n"
    )


def _prices(found: Measured) -> str:
    if not found.prices:
        return ""
    lines = ["price     of each break a call: what leaving its function out saves (less than zero: it costs)"]
    for row in found.prices:
        codes = ", ".join([*row.get("codes", []), *row["gb"]]) or "no id"
        lines.append(
            f"          {_signed(row['seconds'])} ±{ms(row['spread'] / 2)}  "
            f"{row['place']} `{row['function']}` ({codes})"
        )
    return "\n".join(lines) + "\n"


def _signed(seconds: float) -> str:
    return f"-{ms(-seconds)}" if seconds < 0 else f"+{ms(seconds)}"


def _payback(found: Measured) -> str:
    told = reasons.payback(found)
    if not told:
        return ""
    warm = told["warm_seconds"]
    text = f"cold {ms(told['cold_seconds'])}" + (
        f", with a warm cache {ms(warm)}" if warm is not None else ""
    )
    if told["cold_calls"] is None:
        return f"pay-back  compiling takes {text}; it is never won back: no call is certainly faster\n"
    calls = f"{told['cold_calls']:,.0f} calls" + (
        f" ({told['warm_calls']:,.0f} with a warm cache)" if told["warm_calls"] is not None else ""
    )
    return f"pay-back  compiling takes {text}; each call saves {ms(told['saved'])}: won back after {calls}\n"


def _shapes(found: Measured) -> str:
    if not found.shapes:
        return ""
    lines = ["shapes    five calls whose first dimension grows"]
    for setting, one in found.shapes.items():
        if one.get("failed") and "calls_that_compiled" not in one:
            lines.append(f"          {setting}: {one['failed'][:120]}")
            continue
        marks = "".join("C" if n in one["calls_that_compiled"] else "·" for n in range(one["calls"]))
        why = f"  {one['recompiles'][0]['text'][:80]}" if one["recompiles"] else ""
        failed = f"  raises: {one['failed'][:80]}" if one.get("failed") else ""
        lines.append(f"          {setting:8} {marks}  (C: compiles){why}{failed}")
    return "\n".join(lines) + "\n"


def _advice(found: Measured) -> str:
    if not found.advice:
        return ""
    lines = ["advice    from the web, tried here"]
    lines += [f"          {row['name']}: {row['effect'][:160]}" for row in found.advice]
    return "\n".join(lines) + "\n"


def _skipped(found: Measured) -> str:
    lines = [f"          {text}" for text in found.skipped]
    return "\n".join(["left out", *lines]) + "\n" if lines else ""


def bar(value: float, most: float, room: int) -> str:
    """A bar of at most ``room`` characters."""
    full = round(room * min(1.0, value / most)) if most else 0
    return (_BAR * full).ljust(room, "·")


def to_json(found: Measured) -> Message:
    """The report as plain data: the verdict, what to do, and all measurements in seconds."""
    first, best = reasons.verdict(found), ablation.best(found)
    return {
        "tool": "torch-compile-lint",
        "verdict": {"name": first.name, "text": first.text, "evidence": list(first.evidence)},
        "remarks": [
            {"name": one.name, "text": one.text, "evidence": list(one.evidence)}
            for one in reasons.remarks(found)
        ],
        "recommendation": None if best is None else {"name": best.name, "code": best.code, "gain": best.gain},
        "payback": reasons.payback(found),
        "measured": found.plain(),
    }
