"""The walk as one self-contained page: verdict, plots, annotated source. Plots are drawn by matplotlib.

Nothing is loaded from elsewhere; the page reads on a narrow screen too.
"""

from __future__ import annotations

import html
import io
from collections.abc import Callable, Sequence
from typing import Any

from torch_compile_lint.config import ConfigError
from torch_compile_lint.doctor import ablation, reasons
from torch_compile_lint.doctor.measured import Configuration, Measured
from torch_compile_lint.doctor.reasons import ms

_EAGER, _COMPILED, _OUTSIDE, _BREAK = "#8a8f98", "#2f6fde", "#e0a030", "#c8403a"
_STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:0 auto;padding:1rem}
h1{font-size:1.4rem;overflow-wrap:anywhere}h2{font-size:1.1rem;margin-top:2rem}
.verdict{border-left:6px solid #2f6fde;padding:.5rem 1rem;background:#2f6fde18}
.verdict.bad{border-color:#c8403a;background:#c8403a18}code,pre{font:14px/1.45 ui-monospace,monospace}
pre{overflow-x:auto;padding:.6rem;background:#8882;margin:.5rem 0}table{border-collapse:collapse;width:100%}
td,th{text-align:left;padding:.25rem .6rem;border-bottom:1px solid #8884;vertical-align:top}
.scroll{overflow-x:auto}figure{margin:1rem 0}
figure svg{max-width:100%;height:auto;background:#fff;border-radius:4px}
figcaption{font-size:.9rem;opacity:.8}.hit{background:#c8403a30}.why{color:#c8403a}
"""


def require_plots() -> None:
    """Raises ConfigError where matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise ConfigError(
            '--format html draws with matplotlib: pip install "torch-compile-lint[doctor]"'
        ) from None


def render(found: Measured, read: Callable[[str], str]) -> str:
    """The page."""
    require_plots()
    first = reasons.verdict(found)
    good = first.name in ("healthy", "faster-with-breaks")
    body = [
        f"<h1>{_text(found.target)}</h1>",
        f"<p>{_text(_conditions(found))}</p>",
        f'<div class="verdict{"" if good else " bad"}"><strong>{_text(first.text)}</strong>',
        *(f"<br><code>{_text(line)}</code>" for line in first.evidence),
        "</div>",
        _recommended(found),
    ]
    plots = (
        ("Time line: the first calls, then the steady state", _timeline),
        ("Eager and compiled, a call", _configurations),
        ("Where a compiled call goes", _inside),
        ("Eager time by submodule", _modules),
        ("When compiling pays back", _break_even),
        ("Compilations while the first dimension grows", _history),
    )
    for title, draw in plots:
        figure = _figure(draw, found)
        if figure:
            body.append(f"<h2>{_text(title)}</h2><figure>{figure}</figure>")
    body += [_events(found), _source(found, read), _prices(found), _advice(found), _skipped(found)]
    viewport = "<meta name=viewport content='width=device-width'>"
    head = f"<meta charset=utf-8>{viewport}<title>{_text(found.target)}</title><style>{_STYLE}</style>"
    return f"<!doctype html><html lang=en><head>{head}</head><body>{''.join(body)}</body></html>\n"


def _text(value: object) -> str:
    return html.escape(str(value))


def _conditions(found: Measured) -> str:
    hello, prepared = found.hello, found.prepared
    kind = "forward, backward and optimizer step" if found.train else "forward without gradients"
    inputs = ", ".join(prepared.get("inputs", [])[:4])
    where = f"{found.device}, {hello.get('threads', '?')} threads, {hello.get('machine', '')}"
    torch = f"torch {hello.get('torch', '?')}"
    return f"{torch}; {where}; {kind}; inputs {inputs}. Measured there, no promise elsewhere."


def _recommended(found: Measured) -> str:
    best = ablation.best(found)
    if best is None:
        if found.main is None:
            return ""
        return "<p>Leave it uncompiled: nothing that was tried is certainly faster than eager.</p>"
    told = f"{_text(best.name)}, {best.gain or 0:.2f}x of eager"
    return f"<p>Fastest of what was tried ({told}):</p><pre>{_text(best.code)}</pre>"


# ---------------------------------------------------------------- plots


def _figure(draw: Callable[[Any, Measured], bool], found: Measured) -> str:
    """An SVG, or '' where there is nothing to draw."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.2, 2.8), layout="constrained")
    FigureCanvasSVG(figure)
    axes = figure.add_subplot()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if not draw(axes, found):
        return ""
    stream = io.StringIO()
    figure.savefig(stream, format="svg", metadata={"Date": None})
    text = stream.getvalue()
    return text[text.index("<svg") :]


def _timeline(axes: Any, found: Measured) -> bool:
    main = found.main
    if main is None or main.compile_seconds is None or main.eager is None or main.compiled is None:
        return False
    calls = max(3, min(200, int(main.compile_seconds / max(main.eager.median, 1e-9))))
    axes.barh(1, calls * main.eager.median, color=_EAGER, height=0.5)
    axes.barh(0, main.compile_seconds, color=_OUTSIDE, height=0.5)
    axes.barh(0, calls * main.compiled.median, left=main.compile_seconds, color=_COMPILED, height=0.5)
    axes.set_yticks([0, 1], [f"compile, then {calls} calls", f"eager, {calls} calls"])
    axes.set_xlabel("seconds")
    return True


def _rows(found: Measured) -> list[Configuration]:
    everything = [found.main, *found.others, *found.ablations]
    return [one for one in everything if one is not None and one.gain is not None]


def _configurations(axes: Any, found: Measured) -> bool:
    rows = _rows(found)[::-1]
    if not rows:
        return False
    axes.figure.set_size_inches(8.2, 0.9 + 0.42 * len(rows))
    for number, one in enumerate(rows):
        assert one.eager is not None and one.compiled is not None
        for times, shift, color in ((one.eager, 0.18, _EAGER), (one.compiled, -0.18, _COMPILED)):
            errors = [[times.median - times.low], [times.high - times.median]]
            axes.barh(
                number + shift,
                times.median * 1e3,
                xerr=[[e * 1e3 for e in part] for part in errors],
                height=0.34,
                color=color,
            )
    axes.set_yticks(range(len(rows)), [f"{one.name} ({one.gain:.2f}x)" for one in rows])
    axes.set_xlabel("milliseconds a call: eager grey, compiled blue, whiskers the spread of the rounds")
    return True


def _inside(axes: Any, found: Measured) -> bool:
    split = found.split or {}
    if not split.get("total"):
        return False
    guards = min(split.get("guards") or 0.0, split["total"] - split["inside"]) if split.get("guards") else 0.0
    parts = [("in graphs", split["inside"], _COMPILED), ("guards", max(0.0, guards), _BREAK)]
    parts.append(("outside", max(0.0, split["total"] - split["inside"] - max(0.0, guards)), _OUTSIDE))
    left = 0.0
    for name, seconds, color in parts:
        axes.barh(
            0, seconds * 1e3, left=left * 1e3, color=color, label=f"{name} {seconds / split['total']:.0%}"
        )
        left += seconds
    axes.set_yticks([])
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.3), ncols=3, frameon=False)
    axes.set_xlabel(f"milliseconds of one compiled call, {split['launches']} graph launches")
    axes.figure.set_size_inches(8.2, 1.7)
    return True


def _modules(axes: Any, found: Measured) -> bool:
    rows = [row for row in (found.profile or {}).get("modules", []) if row["name"]]
    rows = sorted(rows, key=lambda row: -row["own"])[:12][::-1]
    if not rows:
        return False
    axes.figure.set_size_inches(8.2, 0.9 + 0.3 * len(rows))
    axes.barh(range(len(rows)), [row["own"] * 1e3 for row in rows], color=_EAGER)
    axes.set_yticks(range(len(rows)), [f"{row['name']} ({row['class']})" for row in rows])
    axes.set_xlabel("milliseconds of its own a call, eager, with hooks")
    return True


def _break_even(axes: Any, found: Measured) -> bool:
    told, main = reasons.payback(found), found.main
    if not told or main is None or main.eager is None or main.compiled is None:
        return False
    most = 2 * (told["cold_calls"] or 0) or max(10.0, 2 * told["cold_seconds"] / max(main.eager.median, 1e-9))
    calls = [0.0, most]
    axes.plot(calls, [n * main.eager.median for n in calls], color=_EAGER, label="eager")
    starts = [("cold", told["cold_seconds"], "-")]
    if told["warm_seconds"] is not None:
        starts.append(("warm cache", told["warm_seconds"], "--"))
    for name, start, style in starts:
        axes.plot(
            calls,
            [start + n * main.compiled.median for n in calls],
            style,
            color=_COMPILED,
            label=f"compiled, {name}",
        )
    axes.set_xlabel("calls")
    axes.set_ylabel("seconds in all")
    axes.legend(frameon=False)
    return True


def _history(axes: Any, found: Measured) -> bool:
    rows = [(name, one) for name, one in found.shapes.items() if "calls_that_compiled" in one]
    if not rows:
        return False
    for number, (_, one) in enumerate(rows):
        for call in range(one["calls"]):
            compiled = call in one["calls_that_compiled"]
            axes.scatter(
                call + 1,
                number,
                s=150,
                color=_BREAK if compiled else _COMPILED,
                marker="s" if compiled else "o",
            )
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    axes.set_xticks(range(1, rows[0][1]["calls"] + 1))
    axes.set_xlabel("call (red square: compiles, blue dot: runs)")
    axes.margins(y=0.3)
    return True


# ---------------------------------------------------------------- tables and source


def _events(found: Measured) -> str:
    events = found.events("error", "skip", "break", "recompile")
    if not events:
        return ""
    counts: dict[tuple[str, ...], int] = {}
    for event in events:
        key = (event["kind"], reasons.place(event), event["gb"] or "", event["text"])
        counts[key] = counts.get(key, 0) + 1
    rows = [(*key, f"{count}") for key, count in counts.items()]
    return "<h2>What Dynamo did</h2>" + _table(("", "where", "id", "what", "times"), rows)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    cells = "".join("<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    heads = "".join(f"<th>{_text(h)}</th>" for h in head)
    return f"<div class=scroll><table><tr>{heads}</tr>{cells}</table></div>"


def _source(found: Measured, read: Callable[[str], str]) -> str:
    """Five lines around each place that broke, marked."""
    places: dict[tuple[str, int], list[str]] = {}
    for event in found.events("error", "skip", "break", "recompile"):
        places.setdefault((event["path"], event["line"]), []).append(f"{event['kind']}: {event['text']}")
    blocks = []
    for (path, number), texts in list(places.items())[:12]:
        lines = read(path).splitlines()
        if not 0 < number <= len(lines):
            continue
        shown = []
        for n in range(max(1, number - 3), min(len(lines), number + 2) + 1):
            line = f"{n:5} {_text(lines[n - 1])}"
            shown.append(f"<span class=hit>{line}</span>" if n == number else line)
        why = "; ".join(dict.fromkeys(texts))
        blocks.append(
            f"<p>{_text(path)}<br><span class=why>{_text(why)}</span></p><pre>{chr(10).join(shown)}</pre>"
        )
    return "<h2>Source</h2>" + "".join(blocks) if blocks else ""


def _prices(found: Measured) -> str:
    if not found.prices:
        return ""
    rows = [
        (
            ms(abs(row["seconds"])) + (" saved" if row["seconds"] > 0 else " lost"),
            row["place"],
            row["function"],
            ", ".join([*row.get("codes", []), *row["gb"]]),
        )
        for row in found.prices
    ]
    return "<h2>Price of each break, a call</h2>" + _table(
        ("leaving it uncompiled", "where", "function", "finding"), rows
    )


def _advice(found: Measured) -> str:
    rows = [(row["name"], row["code"], row["effect"]) for row in found.advice]
    return "<h2>Advice, tried</h2>" + _table(("advice", "code", "effect here"), rows) if rows else ""


def _skipped(found: Measured) -> str:
    items = "".join(f"<li>{_text(text)}</li>" for text in found.skipped)
    return f"<h2>Left out</h2><ul>{items}</ul>" if items else ""
