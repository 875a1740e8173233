"""Scores as Markdown, and where in a page they stand."""

from __future__ import annotations

from pathlib import Path

from score import Score, by_graph_break, by_rule, ratio

BEGIN, END = "<!-- accuracy: begin -->", "<!-- accuracy: end -->"
_HEAD = [
    "| library | models | traced lines | breaking statements | found | recall "
    "| judged findings | true | precision | never traced |",
    "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
]


def markdown(scores: dict[str, Score]) -> str:
    """By library, by rule and by graph-break id."""
    return "\n".join([by_library(scores), "", *_rules(scores), "", *_graph_breaks(scores)])


def by_library(scores: dict[str, Score]) -> str:
    rows = list(_HEAD)
    for group in ("known", "unseen"):
        members = {name: score for name, score in scores.items() if score.group == group}
        rows += [_row(name, [score]) for name, score in members.items()]
        if len(members) > 1:
            rows.append(_row(f"**{'all of these' if group == 'known' else 'all unseen'}**", members.values()))
    return "\n".join(rows)


def _row(name: str, scores: object) -> str:
    several: list[Score] = list(scores)  # type: ignore[call-overload]
    count = {k: sum(len(getattr(s, k)) for s in several) for k in ("found", "missed", "true", "false")}
    never = sum(len(s.unjudged) for s in several)
    return (
        f"| {name} | {sum(s.models for s in several)} | {sum(s.lines for s in several):,} "
        f"| {count['found'] + count['missed']} | {count['found']} "
        f"| {percent(ratio(count['found'], count['missed']))} "
        f"| {count['true'] + count['false']} | {count['true']} "
        f"| {percent(ratio(count['true'], count['false']))} | {never} |"
    )


def _rules(scores: dict[str, Score]) -> list[str]:
    rows = ["| rule | true | false | precision | never traced |", "|---|---:|---:|---:|---:|"]
    for code, counts in sorted(by_rule(scores).items()):
        shown = percent(ratio(counts["true"], counts["false"]))
        rows.append(f"| {code} | {counts['true']} | {counts['false']} | {shown} | {counts['unjudged']} |")
    return rows


def _graph_breaks(scores: dict[str, Score]) -> list[str]:
    rows = ["| graph break | statements | found | recall |", "|---|---:|---:|---:|"]
    for gb, (total, found) in sorted(by_graph_break(scores).items(), key=lambda item: -item[1][0]):
        rows.append(f"| {gb} | {total} | {found} | {percent(ratio(found, total - found))} |")
    return rows


def details(scores: dict[str, Score]) -> str:
    """Every miss and every false alarm."""
    out: list[str] = []
    for name, score in scores.items():
        out.append(f"\n## {name}: missed ({len(score.missed)})")
        for site in score.missed:
            ids = ",".join(site["gb"]) or "-"
            out.append(f"{site['path']}:{site['line']}  {ids}  {site['code'][:100]}")
            out.append(f"    {site['reason'][:150]}  [{', '.join(site['models'])}]")
        out.append(f"\n## {name}: false alarms ({len(score.false)})")
        for finding in score.false:
            out.append(f"{finding['path']}:{finding['line']}  {finding['code']} [{finding['confidence']}]")
            out.append(f"    {finding['text'][:110]}\n    {finding['message'][:150]}")
    return "\n".join(out)


def write_into(page: Path, scores: dict[str, Score]) -> None:
    """Renew what stands between the two marks of a page."""
    text = page.read_text()
    before, _, rest = text.partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise SystemExit(f"{page} has no {BEGIN} ... {END}")
    page.write_text(f"{before}{BEGIN}\n{markdown(scores)}\n{END}{after}")


def percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"
