"""A verification as one self-contained page: verdicts on the source, modules, breaks by cause.

Confirmed lines are red, refuted ones grey, lines never traced hatched, misses purple. No script is needed
to read it, nothing is fetched; colours follow the reader's light or dark setting.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from torch_compile_lint import __version__
from torch_compile_lint.model import Finding, Report
from torch_compile_lint.records import dataclass
from torch_compile_lint.source import LineIndex

AROUND = 4  # lines of source shown on either side of a marked one
_ORDER = ("confirmed", "missed", "refuted", "not-reached", "could-not-run")
_MEANING = {
    "confirmed": "torch did at this statement what the finding claims",
    "missed": "torch stumbled here and no rule foresaw it",
    "refuted": "traced, and nothing happened",
    "not-reached": "never traced in what could be run",
    "could-not-run": "nothing could be run that would tell",
}


@dataclass(frozen=True, slots=True)
class Facts:
    """What was used, and the rows of the modules' table."""

    torch: str
    device: str
    backend: str = "eager"
    table: Sequence[dict[str, Any]] = ()


@dataclass(slots=True)
class Mark:
    """What stands beside one line; each line of ``note`` is a paragraph of its own."""

    kind: str
    text: str
    note: str
    columns: tuple[int, int] | None = None


def render(report: Report, facts: Facts, read: Callable[[str], str]) -> str:
    """The whole page."""
    marks = _marks(report)
    counts = Counter(mark.kind for rows in marks.values() for _, mark in rows)
    body = [
        "<header><h1>torch.compile, verified</h1>",
        f"<p class=facts>torch {escape(facts.torch or '?')} · {escape(facts.device)} · backend "
        f"{escape(facts.backend)} · tclint {escape(__version__)}</p></header>",
        _tiles(counts),
        _modules(facts.table),
        _causes(report, facts.table),
    ]
    body += [file_section(path, marks[path], read) for path in sorted(marks)]
    if not marks:
        body.append("<p class=empty>No findings, and nothing that torch stumbled over.</p>")
    if report.errors:
        rows = "".join(f"<li>{escape(e.path)} {escape(e.message)}</li>" for e in report.errors)
        body.append(f"<section><h2>What could not be done</h2><ul>{rows}</ul></section>")
    return document("tclint verify", body)


def document(title: str, body: Sequence[str], style: str = "") -> str:
    """The page around the parts that are not empty."""
    return (
        "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width, initial-scale=1'>"
        f"<title>{escape(title)}</title><style>{_STYLE}{style}</style></head>\n<body><main>\n"
        + "\n".join(part for part in body if part)
        + "\n</main></body></html>\n"
    )


def _marks(report: Report) -> dict[str, list[tuple[int, Mark]]]:
    found: dict[str, list[tuple[int, Mark]]] = defaultdict(list)
    for finding in report.findings:
        found[finding.path].append((finding.line, _mark(finding)))
    for row in report.missed:
        note = " ".join(part for part in (row["effect"], row["gb"] or "", row["detail"]) if part)
        found[row["path"]].append((row["line"], Mark("missed", "no rule foresaw this", note)))
    for rows in found.values():
        rows.sort(key=lambda item: (item[0], _ORDER.index(item[1].kind)))
    return found


def _mark(finding: Finding) -> Mark:
    verdict = finding.verdict
    columns = (finding.column, finding.end_column) if finding.end_line == finding.line else None
    text = f"{finding.code} {finding.message}"
    if verdict is None:
        return Mark("could-not-run", text, "not verified", columns)
    note = " ".join(part for part in (verdict.effect or "", verdict.gb or "", verdict.detail) if part)
    if verdict.evidence:
        note += f" (evidence: {verdict.evidence})"
    return Mark(verdict.outcome, text, note, columns)


def _tiles(counts: Counter[str]) -> str:
    tiles = "".join(
        f"<li class={kind}><b>{counts[kind]}</b> {kind}<small>{_MEANING[kind]}</small></li>"
        for kind in _ORDER
    )
    return f"<ul class=tiles>{tiles}</ul>"


def _modules(table: Sequence[dict[str, Any]]) -> str:
    if not table:
        return ""
    rows = []
    for row in table:
        name = f"<td><code>{escape(str(row['module']))}</code><small>{escape(str(row['file']))}</small></td>"
        if row["problem"]:
            rows.append(f"<tr>{name}<td colspan=6 class=problem>{escape(str(row['problem']))}</td></tr>")
            continue
        cells = "".join(
            f"<td class={'n' if row[key] else 'zero'}>{row[key]}</td>"
            for key in ("graphs", "breaks", "skips", "errors", "recompiles")
        )
        source = escape(str(row["source"]))
        told = f'<td title="{source}">{escape(str(row["evidence"]))}<small>{source}</small></td>'
        rows.append(f"<tr>{name}{cells}{told}</tr>")
    head = "".join(
        f"<th>{h}</th>" for h in ("module", "graphs", "breaks", "skips", "errors", "recompiles", "inputs")
    )
    return (
        f"<section><h2>Modules</h2><div class=wide><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div></section>"
    )


def _causes(report: Report, table: Sequence[dict[str, Any]]) -> str:
    """How often each kind of break was seen, over all sites."""
    sites = {}
    for row in table:
        for site in row.get("sites", ()):
            sites[site["path"], site["line"], site["gb"] or site["text"]] = site
    counts = Counter((site["gb"] or "", site["text"]) for site in sites.values())
    if not counts:
        return ""
    most = max(counts.values())
    rows = "".join(
        f"<tr><td><code>{escape(gb)}</code></td><td>{escape(text)}</td><td class=n>{number}</td>"
        f"<td class=bar><i style='width:{100 * number // most}%'></i></td></tr>"
        for (gb, text), number in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )
    return (
        "<section><h2>Breaks by cause</h2><div class=wide><table><thead><tr><th>id</th><th>cause</th>"
        f"<th>places</th><th></th></tr></thead><tbody>{rows}</tbody></table></div></section>"
    )


def file_section(path: str, marks: list[tuple[int, Mark]], read: Callable[[str], str]) -> str:
    """A file's marked lines with some around them."""
    return f"<section><h2 class=path>{escape(path)}</h2>{annotated(path, marks, read)}</section>"


def annotated(path: str, marks: list[tuple[int, Mark]], read: Callable[[str], str]) -> str:
    """The table of source lines, notes below those that are marked."""
    lines = LineIndex(read(path))
    count = lines.count - (lines.count > 1 and not lines.text(lines.count))  # the line after the last newline
    by_line: dict[int, list[Mark]] = defaultdict(list)
    for number, mark in marks:
        by_line[number].append(mark)
    shown = sorted(
        {n for line in by_line for n in range(line - AROUND, line + AROUND + 1) if 0 < n <= count}
        | set(by_line)
    )
    rows: list[str] = []
    before = 0
    for number in shown:
        if before and number != before + 1:
            rows.append("<tr class=gap><td></td><td>⋯</td></tr>")
        before = number
        rows.append(
            _source_line(number, lines.text(number) if number <= lines.count else "", by_line.get(number, []))
        )
    return f"<div class=wide><table class=code>{''.join(rows)}</table></div>"


def _source_line(number: int, text: str, marks: Sequence[Mark]) -> str:
    kind = f" class={marks[0].kind}" if marks else ""
    source = _underlined(text, marks)
    notes = "".join(
        f"<p class={mark.kind}><b>{mark.kind}</b> {escape(mark.text)}"
        + "".join(f"<small>{escape(line)}</small>" for line in mark.note.split("\n"))
        + "</p>"
        for mark in marks
    )
    aside = f"<aside>{notes}</aside>" if notes else ""
    return f"<tr{kind}><td class=no>{number}</td><td><pre>{source or ' '}</pre>{aside}</td></tr>"


def _underlined(text: str, marks: Sequence[Mark]) -> str:
    spans = sorted({mark.columns for mark in marks if mark.columns})
    out: list[str] = []
    at = 0
    for first, last in spans:
        begin, end = max(first - 1, at), max(last - 1, at)
        out += [escape(text[at:begin]), "<u>", escape(text[begin:end]), "</u>"]
        at = end
    return "".join([*out, escape(text[at:])]).replace("<u></u>", "")


_STYLE = """
:root{color-scheme:light dark;--ink:#1d2127;--soft:#5c6670;--paper:#fff;--panel:#f5f6f8;--line:#dfe3e8;
 --red:#b3261e;--redbg:#fde9e7;--grey:#6b7480;--greybg:#eceef1;--purple:#7b2d8e;--purplebg:#f5e8f9;
 --amber:#8a5a00;--bar:#9aa7b5}
@media(prefers-color-scheme:dark){:root{--ink:#e4e7eb;--soft:#9aa5b1;--paper:#15181c;--panel:#1d2126;
 --line:#30363d;--red:#ff8a80;--redbg:#3b1d1b;--grey:#9aa5b1;--greybg:#2a2f36;--purple:#d79be8;
 --purplebg:#35203c;--amber:#e0b060;--bar:#5c6a78}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1100px;margin:0 auto;padding:28px 20px 60px}
h1{font-size:24px;margin:0}
h2{font-size:17px;margin:0 0 10px}
h2.path{font-family:ui-monospace,monospace;font-size:15px;overflow-wrap:anywhere}
section{margin-top:34px}
.facts,small{color:var(--soft)}
.facts{margin:4px 0 0}
small{display:block;font-size:12.5px;line-height:1.4;overflow-wrap:anywhere}
.tiles{list-style:none;display:grid;grid-template-columns:repeat(auto-fit,minmax(170px,1fr));gap:10px;
 padding:0;margin:22px 0 0}
.tiles li{background:var(--panel);border-left:4px solid var(--grey);padding:10px 12px;border-radius:4px}
.tiles b{font-size:22px;margin-right:4px}
.tiles .confirmed{border-color:var(--red)}
.tiles .missed{border-color:var(--purple)}
.tiles .not-reached{border-left-style:dashed}
.tiles .could-not-run{border-left-style:dotted}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:6px 10px;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:600;font-size:13px;color:var(--soft)}
td[title]{min-width:220px}
td.n,td.zero{font-variant-numeric:tabular-nums}
td.n{font-weight:600}
td.zero,.problem{color:var(--soft)}
td.bar{width:30%;min-width:80px}
td.bar i{display:block;height:10px;margin-top:6px;border-radius:2px;background:var(--bar)}
.code{border:1px solid var(--line);font-size:13px}
.code td{border:0;padding:0 10px}
.code pre{margin:0;font:13px/1.6 ui-monospace,monospace;tab-size:4}
.code .no{color:var(--soft);text-align:right;user-select:none;width:1%;
 border-right:1px solid var(--line);font:13px/1.6 ui-monospace,monospace}
.code tr.gap td{color:var(--soft);background:var(--panel);line-height:1.2}
.code u{text-decoration-thickness:2px;text-underline-offset:3px}
.code tr.confirmed>td{background:var(--redbg)}
.code tr.confirmed u{text-decoration-color:var(--red)}
.code tr.refuted>td{background:var(--greybg);color:var(--grey)}
.code tr.missed>td{background:var(--purplebg)}
.code tr.not-reached>td,.code tr.could-not-run>td{background:repeating-linear-gradient(135deg,
 transparent 0 7px,var(--greybg) 7px 10px)}
aside{margin:2px 0 8px;padding:6px 10px;background:var(--paper);border-radius:4px;
 border:1px solid var(--line);font-family:system-ui,sans-serif;color:var(--ink);
 max-width:min(860px,calc(100vw - 110px));white-space:normal}
aside p{margin:0}
aside p+p{margin-top:6px}
aside b{font-weight:600}
aside .confirmed b{color:var(--red)}
aside .missed b{color:var(--purple)}
aside .refuted b{color:var(--grey)}
aside .not-reached b,aside .could-not-run b{color:var(--amber)}
@media(max-width:600px){main{padding:18px 12px 40px}th,td{padding:5px 6px}.code td{padding:0 6px}}
"""
