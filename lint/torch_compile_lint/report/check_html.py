"""A check as one self-contained page: what was found, by effect, by rule, and on the source.

No script is needed to read it and nothing is fetched; files fold open where there are many.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from html import escape

from torch_compile_lint import __version__
from torch_compile_lint.documents import in_text
from torch_compile_lint.model import Effect, Finding, Report
from torch_compile_lint.report import Style
from torch_compile_lint.report.html import Mark, annotated, document
from torch_compile_lint.report.text import EFFECTS, NOUNS, counted, effect_text, path_text

_MANY = 12  # files above which they start folded


def render(report: Report, style: Style) -> str:
    """The whole page."""
    shown = [f for f in report.findings if not f.suppressed]
    hidden = len(report.findings) - len(shown)
    files = [(path, list(group)) for path, group in itertools.groupby(shown, lambda f: f.path)]
    facts = [
        counted(report.stats.files, "file", "files"),
        f"judged by torch {report.target_torch}",
        f"roots: {report.roots}",
        *([f"{hidden} suppressed"] if hidden else []),
        f"tclint {__version__}",
    ]
    body = [
        "<header><h1>What torch.compile will stumble over</h1>"
        f"<p class=facts>{escape(' · '.join(facts))}</p></header>",
        _tiles(shown),
        _rules(shown),
        _contents(files),
    ]
    body += [_file(path, group, style, len(files) <= _MANY) for path, group in files]
    if not shown:
        body.append("<p class=empty>Nothing found.</p>")
    if report.errors:
        rows = "".join(f"<li>{escape(e.path)} {escape(e.message)}</li>" for e in report.errors)
        body.append(f"<section><h2>What could not be done</h2><ul>{rows}</ul></section>")
    return document("tclint", body, _STYLE)


def _tiles(findings: Sequence[Finding]) -> str:
    counts = Counter(f.effect for f in findings)
    tiles = "".join(
        f"<li class={_kind(effect)}><b>{counts[effect]}</b> {NOUNS[effect][counts[effect] != 1]}"
        f"<small>torch.compile {escape(EFFECTS[effect].format(function='the function'))}</small></li>"
        for effect in Effect
        if counts[effect]
    )
    return f"<ul class=tiles>{tiles}</ul>" if tiles else ""


def _rules(findings: Sequence[Finding]) -> str:
    counts = Counter((f.code, f.name) for f in findings)
    if not counts:
        return ""
    most = max(counts.values())
    rows = "".join(
        f"<tr><td><code>{escape(code)}</code></td><td>{escape(name)}</td><td class=n>{number}</td>"
        f"<td class=bar><i style='width:{100 * number // most}%'></i></td></tr>"
        for (code, name), number in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )
    return (
        "<section><h2>By rule</h2><div class=wide><table><thead><tr><th>code</th><th>rule</th>"
        f"<th>findings</th><th></th></tr></thead><tbody>{rows}</tbody></table></div></section>"
    )


def _contents(files: Sequence[tuple[str, list[Finding]]]) -> str:
    if len(files) < 2:
        return ""
    ordered = sorted(files, key=lambda item: (-len(item[1]), item[0]))
    rows = "".join(
        f'<tr><td><a href="#{escape(path)}"><code>{escape(path)}</code></a></td>'
        f"<td class=n>{len(group)}</td></tr>"
        for path, group in ordered
    )
    return (
        "<section><h2>By file</h2><div class=wide><table><thead><tr><th>file</th><th>findings</th></tr>"
        f"</thead><tbody>{rows}</tbody></table></div></section>"
    )


def _file(path: str, findings: Sequence[Finding], style: Style, opened: bool) -> str:
    text = style.read(path) if any(f.cell is not None for f in findings) else ""
    marks = [(f.line, _mark(f)) for f in (in_text(f, text) for f in findings)]
    return (
        f'<section id="{escape(path)}"><details{" open" if opened else ""}>'
        f"<summary><h2 class=path>{escape(path)}</h2> <small>{counted(len(marks), 'finding', 'findings')}"
        f"</small></summary>{annotated(path, marks, style.read)}</details></section>"
    )


def _mark(finding: Finding) -> Mark:
    notes = [f"why: {reason}" for reason in finding.why]
    if len(finding.witness) > 1 or (finding.witness and finding.witness[0].function != finding.function):
        notes.append(f"reached: {path_text(finding)}")
    notes.append(effect_text(finding))
    if finding.fix is not None:
        notes.append(f"fix: {finding.fix.title} ({finding.fix.safety.value})")
    if finding.remedy:
        notes.append(f"instead: {finding.remedy}")
    if finding.gb:
        notes.append(f"torch: {', '.join(finding.gb)}")
    columns = (finding.column, finding.end_column) if finding.end_line == finding.line else None
    text = f"{finding.code} {finding.name} [{finding.confidence.label}] {finding.message}"
    return Mark(_kind(finding.effect), text, "\n".join(notes), columns)


def _kind(effect: Effect) -> str:
    """The class of a mark: how loud it is, in one word that is also shown."""
    return effect.value


_STYLE = """
.tiles .error,.tiles .wrong{border-color:var(--red)}
.tiles .skip,.tiles .break{border-color:var(--purple)}
.tiles .recompile,.tiles .misuse{border-color:var(--amber)}
.code tr.error>td,.code tr.wrong>td{background:var(--redbg)}
.code tr.skip>td,.code tr.break>td{background:var(--purplebg)}
.code tr.recompile>td,.code tr.slow>td,.code tr.misuse>td{background:var(--greybg)}
aside .error b,aside .wrong b{color:var(--red)}
aside .skip b,aside .break b{color:var(--purple)}
aside .recompile b,aside .misuse b,aside .slow b{color:var(--amber)}
summary{cursor:pointer}
summary h2,summary small{display:inline-block;margin:0 8px 10px 0}
a{color:inherit}
"""
