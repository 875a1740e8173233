"""`tclint rule`: the list of rules, one rule's page, or one of PyTorch's graph-break ids."""

from __future__ import annotations

import argparse
import json
import re
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch_compile_lint import config, registry
from torch_compile_lint.config import ConfigError
from torch_compile_lint.front import rule_claims
from torch_compile_lint.front.options import OneLineParser
from torch_compile_lint.report.paint import Paint

if TYPE_CHECKING:
    from torch_compile_lint.registry import LoadedRule

_GB = re.compile(r"GB\d{4,}", re.IGNORECASE)


def run(arguments: list[str]) -> int:
    """Print what was asked for."""
    from torch_compile_lint.front import cli

    parser = OneLineParser(
        prog="tclint rule",
        usage="tclint rule [CODE|NAME|GBnnnn|TOPIC] [--format text|json]",
        description="The page of a rule, of one of PyTorch's graph-break ids, or of a thing people say.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("name", nargs="?", metavar="CODE|NAME|GBnnnn")
    parser.add_argument("--format", default="text", metavar="F", help="text (default) or json")
    options = parser.parse_args(arguments)
    if options.format not in ("text", "json"):
        raise ConfigError(f"--format must be text or json, not `{options.format}`")
    width = cli.terminal_width(sys.stdout)
    paint = Paint(cli.use_color(sys.stdout))
    try:
        cli.put(_answer(options.name, options.format, width, paint))
    except registry.RuleError as problem:
        raise ConfigError(str(problem)) from None
    return 0


def _answer(name: str | None, form: str, width: int, paint: Paint) -> str:
    plugins = config.load((".",)).plugins
    if name is None:
        rules = registry.load(plugins, extend_select=("ALL",))
        return _as_json([as_object(r) for r in rules]) if form == "json" else listing(rules, width, paint)
    if _GB.fullmatch(name):
        from torch_compile_lint.front.break_pages import graph_break

        return graph_break(name.upper(), form, plugins, width, paint)
    found = registry.find(name, plugins)
    if found is None:
        from torch_compile_lint.front import topic_pages

        topic = topic_pages.find(name)
        if topic is not None:
            return topic_pages.page(topic, form, width, paint)
        raise ConfigError(f"no rule is called `{name}`{_nearest(name, plugins)}")
    return _as_json([as_object(found)]) if form == "json" else page(found, width, paint)


def _as_json(rules: list[dict[str, Any]]) -> str:
    return json.dumps({"rules": rules}, indent=1, ensure_ascii=False) + "\n"


def _nearest(name: str, plugins: tuple[str, ...]) -> str:
    import difflib

    rules = registry.load(plugins, extend_select=("ALL",))
    from torch_compile_lint.torchdb import db

    names = [n for r in rules for n in (r.meta.name, r.meta.code)]
    names += [n for topic in db.topics() for n in (topic.name, *topic.aliases)]
    near = difflib.get_close_matches(name, names, n=1)
    return f", did you mean `{near[0]}`?" if near else "; `tclint rule` lists them"


def as_object(loaded: LoadedRule) -> dict[str, Any]:
    """A rule as the JSON list shows it."""
    meta = loaded.meta
    return {
        "code": meta.code,
        "name": meta.name,
        "summary": meta.summary,
        "category": meta.category,
        "fix": meta.fix,
        "aliases": list(meta.aliases),
        "forms": dict(meta.messages),
        "claims": [
            {
                "since": c.since,
                "until": c.until,
                "form": c.form,
                "effect": c.effect.value,
                "gb": list(c.gb),
                "fullgraph": c.fullgraph,
                "verified": list(c.verified),
            }
            for c in meta.claims
        ],
    }


def listing(rules: tuple[LoadedRule, ...], width: int, paint: Paint) -> str:
    """One line a rule: code, name, summary."""
    from torch_compile_lint.torchdb import db

    wide = max([len(r.meta.name) for r in rules], default=0)
    out = []
    for rule in rules:
        meta = rule.meta
        room = width - len(meta.code) - wide - 4
        note = " (preview)" if meta.category == "preview" else ""
        text = textwrap.shorten(meta.summary + note, max(room, 20), placeholder="…")
        out.append(
            f"{paint(meta.code, 'yellow')}  {paint(meta.name.ljust(wide), 'bold')}  {_inline(text, paint)}"
        )
    out.append("")
    out.append(f"{len(rules)} rules. `tclint rule CODE` shows one, `tclint rule GB0170` a graph break's id.")
    named = ", ".join(topic.name for topic in db.topics())
    said = f"What people say, and what was measured: `tclint rule NAME` of {named}."
    out.extend(textwrap.wrap(said, width, break_on_hyphens=False))
    return "\n".join(out) + "\n"


def page(loaded: LoadedRule, width: int, paint: Paint) -> str:
    """rule.md for a terminal, with what torch does in each release."""
    path = Path(loaded.meta.folder) / "rule.md"
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as problem:
        raise ConfigError(f"{path}: {problem.strerror}") from None
    meta = loaded.meta
    parts = [("Cost by position", rule_claims.cost(meta)), ("Versions", rule_claims.versions(meta.claims))]
    parts.append(("Graph-break ids", rule_claims.ids(meta.claims)))
    text = re.sub(r"(?ms)^## Versions$.*", "", text)
    for title, lines in parts:
        if lines:
            text += "\n".join([f"## {title}", "", *lines, "", ""])
    return markdown(text, width, paint)


def markdown(text: str, width: int, paint: Paint) -> str:
    """The little Markdown that pages use: headings, paragraphs, lists, fenced code.

    A section with nothing in it is left out.
    """
    sections: list[tuple[str, list[str]]] = [("", [])]
    fenced = False
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        if line.startswith("#") and not fenced:
            sections.append((line, []))
        else:
            sections[-1][1].append(line)
    out: list[str] = []
    for heading, body in sections:
        title = heading.lstrip("# ")
        lines = _body(body, width, paint)
        if not any(lines) and not heading.startswith("# "):
            continue
        if heading:
            styles = ("bold", "yellow") if heading.startswith("# ") else ("bold",)
            out.extend(["", paint(title, *styles)] if out else [paint(title, *styles)])
        out.extend(lines)
    return "\n".join(out).strip("\n") + "\n"


def _body(lines: list[str], width: int, paint: Paint) -> list[str]:
    out: list[str] = []
    paragraph: list[str] = []
    fenced = False

    def flush() -> None:
        if paragraph:
            text = " ".join(part.strip() for part in paragraph)
            indent = "  " if text.startswith("- ") else ""
            out.extend(
                _inline(one, paint)
                for one in textwrap.wrap(
                    text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
                )
            )
            paragraph.clear()

    for line in lines:
        if line.startswith("```"):
            flush()
            fenced = not fenced
        elif fenced:
            out.append("    " + paint(line, "cyan") if line.strip() else "")
        elif not line.strip():
            flush()
            if out and out[-1]:
                out.append("")
        elif line.lstrip().startswith(("- ", "* ")) or line.startswith("|"):
            flush()
            paragraph.append(line)
        else:
            paragraph.append(line)
    flush()
    while out and not out[-1]:
        out.pop()
    return out


def _inline(text: str, paint: Paint) -> str:
    if not paint.on:
        return text
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return text
    return "".join(paint(p, "bold") if i % 2 else p for i, p in enumerate(parts))
