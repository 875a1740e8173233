"""The full report for people: where, what, why it is so, how it is reached, what to do.

Each finding is its headline, the source with the guilty expression underlined, and a short
table of reasons, wrapped to the width of the terminal. The last line counts.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence

from torch_compile_lint.documents import Cells, place_text
from torch_compile_lint.model import Effect, Finding, Report, Severity
from torch_compile_lint.report import Style
from torch_compile_lint.report.paint import Paint, cells, fit
from torch_compile_lint.source import LineIndex

# What torch.compile does, as a clause that completes "torch.compile ...".
EFFECTS = {
    Effect.ERROR: "raises an error here that eager mode does not",
    Effect.WRONG: "gives a result or side effect that differs from eager mode, without a word",
    Effect.SKIP: "gives up on {function}: the whole function runs eagerly, with no graph at all",
    Effect.BREAK: "breaks the graph here: what ran as one graph becomes two, with Python between them",
    Effect.RECOMPILE: "compiles {function} again whenever this value changes",
    Effect.SLOW: "keeps working here, but slower than it need be",
    Effect.MISUSE: "does not do what this call looks as if it asked for",
}
NOUNS = {
    Effect.ERROR: ("error", "errors"),
    Effect.WRONG: ("wrong result", "wrong results"),
    Effect.SKIP: ("skipped function", "skipped functions"),
    Effect.BREAK: ("graph break", "graph breaks"),
    Effect.RECOMPILE: ("recompilation", "recompilations"),
    Effect.SLOW: ("slow spot", "slow spots"),
    Effect.MISUSE: ("misuse", "misuses"),
}
_PLACES = {"loop": "a loop", "try": "a `try` block", "with": "a context manager of yours"}
_COLORS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "blue"}
_LABEL = 9  # columns of the label column, its gap included
_LONGEST = 3  # source lines shown of one finding


def render(report: Report, style: Style) -> str:
    """All findings that are not suppressed, then the summary."""
    paint = Paint(style.color, style.links)
    pages = _pages(style.plugins) if style.links else {}
    blocks: list[str] = []
    lines: dict[str, LineIndex] = {}
    for finding in report.findings:
        if finding.suppressed:
            continue
        if finding.path not in lines:
            lines = {finding.path: LineIndex(style.read(finding.path))}  # findings come by path
        page = pages.get(finding.code, "")
        blocks.append(_block(finding, lines[finding.path], style.width, paint, page))
    parts = ["\n".join([*blocks, ""])] if blocks else []
    if report.unused_suppressions:
        parts.append(_unused(report.unused_suppressions, paint))
    if style.statistics:
        parts.append(statistics(report))
    parts.append(summary(report, paint) + "\n")
    return "".join(parts)


def _pages(plugins: tuple[str, ...]) -> dict[str, str]:
    """The address of each rule's page, as installed."""
    from torch_compile_lint import registry
    from torch_compile_lint.report.paths import uri

    rules = registry.load(plugins, extend_select=("ALL",))
    return {r.meta.code: uri(f"{r.meta.folder}/rule.md", r.meta.code) for r in rules}


def _block(finding: Finding, lines: LineIndex, width: int, paint: Paint, page: str) -> str:
    color = _COLORS[finding.severity]
    place = paint(finding.path, "bold") + paint(f":{place_text(finding)}:", "dim")
    tag = paint(f"[{finding.confidence.label}]", "dim")
    code = paint.link(paint(finding.code, color, "bold"), page)
    out = [f"{place} {code} {tag} {_ticks(finding.message, paint)}"]
    before = Cells(lines.whole).start(finding.cell) if finding.cell is not None else 0
    gutter = max(len(str(min(finding.end_line, finding.line + _LONGEST - 1))), 3) + 1
    out.extend(_source(finding, before, lines, width, gutter, paint, color))
    for label, text in _rows(finding):
        out.extend(_row(label, text, width, gutter, paint))
    return "\n".join(out) + "\n"


def _source(
    finding: Finding, before: int, lines: LineIndex, width: int, gutter: int, paint: Paint, color: str
) -> list[str]:
    """The guilty lines under a bar, each with its carets; ``before`` lines of other cells come first."""
    bar = paint("│", "dim")
    room = max(width - gutter - 3, 20)
    out: list[str] = []
    last = min(finding.end_line, lines.count - before)
    shown = [n for n in range(finding.line, last + 1) if lines.text(n + before).strip()][:_LONGEST]
    for number in shown:
        raw = lines.text(number + before)
        start = finding.column - 1 if number == finding.line else len(raw) - len(raw.lstrip())
        end = finding.end_column - 1 if number == finding.end_line else len(raw.rstrip())
        text, left, right = fit(raw, start, max(end, start + 1), room)
        out.append(f"{paint(str(number).rjust(gutter - 1), 'dim')} {bar} {text}".rstrip())
        caret = " " * cells(text[:left]) + paint("^" * max(cells(text[left:right]), 1), color, "bold")
        out.append(f"{' ' * gutter}{bar} {caret}")
    if last - finding.line + 1 > len(shown) and len(shown) == _LONGEST:
        out.append(f"{' ' * gutter}{bar} {paint(f'(to line {last})', 'dim')}")
    return out


def _rows(finding: Finding) -> list[tuple[str, str]]:
    rows = [("why", reason) for reason in finding.why[:1]]
    rows += [("", reason) for reason in finding.why[1:]]
    if len(finding.witness) > 1 or (finding.witness and finding.witness[0].function != finding.function):
        rows.append(("reached", path_text(finding)))
    rows.append(("effect", effect_text(finding)))
    if finding.fix is not None:
        safety = finding.fix.safety.value
        rows.append(("fix", f"{finding.fix.title} ({safety})"))
    if finding.remedy:
        rows.append(("instead", finding.remedy))
    if finding.verdict is not None:
        detail = f": {finding.verdict.detail}" if finding.verdict.detail else ""
        rows.append(("verdict", f"{finding.verdict.outcome}{detail}"))
    if finding.gb:
        rows.append(("torch", f"{', '.join(finding.gb)} (see `tclint rule {finding.gb[0]}`)"))
    return rows


def path_text(finding: Finding) -> str:
    """The calls from the compile root to the finding, each with the line of the call."""
    calls = finding.witness[1:] or finding.witness  # the first hop is the root's own `def`
    hops = []
    for hop in calls:
        cell = f"cell {hop.cell} " if hop.cell is not None else ""
        where = f"{cell}line {hop.line}" if hop.path == finding.path else f"{hop.path}:{cell}{hop.line}"
        hops.append(f"`{hop.function}` ({where})" if hop.function else where)
    if finding.function and calls[-1].function != finding.function:
        hops.append(f"`{finding.function}`")
    return " → ".join(hops)


def effect_text(finding: Finding) -> str:
    """What torch.compile does here, and what the position adds to the price."""
    function = f"`{finding.function}`" if finding.function else "this code"
    text = "torch.compile " + EFFECTS[finding.effect].format(function=function)
    places = [_PLACES[p] for p in finding.position if p in _PLACES]
    if finding.effect is Effect.SKIP and places:
        text += f", because the break is inside {' in '.join(dict.fromkeys(reversed(places)))}"
    depth = len(finding.witness) - 1
    if finding.effect is Effect.BREAK and depth > 0:
        who = "the caller breaks" if depth == 1 else "all callers break"
        text += f"; {depth + 1} breaks in all, since {who} too"
    return text


def _row(label: str, text: str, width: int, gutter: int, paint: Paint) -> list[str]:
    indent = " " * (gutter + 2)
    room = max(width - len(indent) - _LABEL, 24)
    wrapped = textwrap.wrap(" ".join(text.split()), room, break_long_words=False, break_on_hyphens=False)
    out = []
    for at, line in enumerate(wrapped or [""]):
        head = label.ljust(_LABEL) if at == 0 else " " * _LABEL
        out.append(indent + paint(head, "cyan") + _ticks(line, paint))
    return out


def _ticks(text: str, paint: Paint) -> str:
    """Code between back ticks in bold, where there is colour."""
    if not paint.on or text.count("`") % 2:
        return text
    parts = text.split("`")
    return "".join(paint(f"`{p}`", "bold") if i % 2 else p for i, p in enumerate(parts))


def _unused(unused: Sequence[Finding], paint: Paint) -> str:
    rows = [f"{paint(f'{f.path}:{f.line}:{f.column}:', 'dim')} {f.message}" for f in unused]
    return "\n".join(rows) + "\n\n"


def statistics(report: Report) -> str:
    """Findings counted by rule, most frequent first."""
    counts = Counter((f.code, f.name) for f in report.findings if not f.suppressed)
    if not counts:
        return ""
    wide = max(len(str(n)) for n in counts.values())
    rows = [
        f"{n:>{wide}}  {code}  {name}"
        for (code, name), n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]
    return "\n".join(rows) + "\n\n"


def summary(report: Report, paint: Paint) -> str:
    """The last line: how much was found, of what, in how many files, judged by which torch."""
    shown = [f for f in report.findings if not f.suppressed]
    files = counted(report.stats.files, "file", "files")
    judged = f"judged by torch {report.target_torch}"
    notes = []
    hidden = len(report.findings) - len(shown)
    if hidden:
        notes.append(f"{hidden} suppressed")
    if report.unused_suppressions:
        notes.append(counted(len(report.unused_suppressions), "unused ignore", "unused ignores"))
    if report.errors:
        notes.append(counted(len(report.errors), "error", "errors"))
    tail = f" ({', '.join(notes)})" if notes else ""
    if not shown:
        text = f"Nothing found that torch.compile stumbles over in {files}, {judged}{tail}."
        return text if report.errors else paint(text, "green")
    by_effect = Counter(f.effect for f in shown)
    kinds = ", ".join(counted(by_effect[e], *NOUNS[e]) for e in Effect if by_effect[e])
    touched = len({f.path for f in shown})
    found = counted(len(shown), "finding", "findings")
    return paint(f"{found}", "bold") + f" in {touched} of {files}: {kinds}; {judged}{tail}."


def counted(number: int, one: str, many: str) -> str:
    """'1 file', '2 files'."""
    return f"{number} {one if number == 1 else many}"
