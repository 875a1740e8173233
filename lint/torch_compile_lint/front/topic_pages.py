"""`tclint rule closures`: what people say of torch.compile, and what was measured instead.

A topic is no rule: it names the rules that do find something nearby. Rows come from the measured
hazards (``fixtures/hazards``); a test holds ``torchdb/topics.json`` to them.
"""

from __future__ import annotations

import json

from torch_compile_lint.front.rule_pages import markdown
from torch_compile_lint.report.paint import Paint
from torch_compile_lint.torchdb import db


def find(name: str) -> db.Topic | None:
    """The topic of a name or one of its aliases, in any case, singular or plural."""
    wanted = name.lower().replace(" ", "-").replace("_", "-")
    known = {key.replace("_", "-"): topic for topic in db.topics() for key in (topic.name, *topic.aliases)}
    for form in (wanted, wanted + "s", wanted.removesuffix("s"), wanted.removesuffix("()")):
        if form in known:
            return known[form]
    return None


def page(topic: db.Topic, form: str, width: int, paint: Paint) -> str:
    """The page as text, or as JSON."""
    if form == "json":
        data = {
            "topic": topic.name,
            "aliases": list(topic.aliases),
            "saying": topic.saying,
            "answer": topic.answer,
            "rules": list(topic.rules),
            "measured": [
                {"case": row.case, "construct": row.construct, "releases": dict(row.verdicts)}
                for row in topic.measured
            ],
        }
        return json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    parts = [f"# {topic.name}", "", f"It is said: {topic.saying}.", "", "## Measured", "", topic.answer, ""]
    for row in topic.measured:
        verdicts = dict.fromkeys(verdict for _, verdict in row.verdicts)
        if len(verdicts) == 1:
            seen = f"{next(iter(verdicts))} on {', '.join(release for release, _ in row.verdicts)}"
        else:
            seen = ", ".join(f"{release} {verdict}" for release, verdict in row.verdicts)
        parts.append(f"- {row.construct}: {seen}")
    if topic.rules:
        parts += ["", "## Rules nearby", "", *(f"- {code}" for code in topic.rules)]
    return markdown("\n".join(parts) + "\n", width, paint)
