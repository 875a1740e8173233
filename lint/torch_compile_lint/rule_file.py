"""One ``rule.toml`` to a ``RuleMeta``, or a ``RuleError`` that says what is wrong in one line.

The file is data, so what a type-checker does for code is done here: unknown keys, unknown
effects, forms without a message, claims out of order, templates of more than one line.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
import string
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from torch_compile_lint.model import Effect
from torch_compile_lint.rule import CallRow, Claim, RuleMeta

# The releases every claim was measured on; what lies between is judged by the one below it.
MEASURED = ("2.3", "2.6", "2.9", "2.13", "2.14")

CATEGORIES = ("graph-break", "wrong", "recompile", "misuse", "preview")
FIXES = ("none", "safe", "unsafe", "display")
FULLGRAPH = ("", "runs", "raises")  # under fullgraph=True, where it is not: a break raises, else as without
_KEYS = {
    *("code", "name", "summary", "category", "fix", "aliases", "messages", "remedies", "claims", "calls"),
    *("takes_along", "measured", "fix_since"),
}
_CLAIM_KEYS = {
    "since",
    "until",
    "effect",
    "forms",
    "gb",
    "evidence",
    "fixed",
    "fullgraph",
    "traced_if",
    "verified",
}
_CODE = re.compile(r"[A-Z]{1,3}[0-9]{3}")
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_RELEASE = re.compile(r"[0-9]+\.[0-9]+")
_SETTING = re.compile(r"[a-z_]*")
_GB = re.compile(r"GB[0-9]{4}")


class RuleError(Exception):
    """A rule or plugin that cannot be used; the text is one line that names the file."""


def _slots(template: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(template) if field}


def _claims(raw: Any, messages: Mapping[str, str]) -> tuple[Claim, ...]:
    out: list[Claim] = []
    for row in raw:
        if unknown := set(row) - _CLAIM_KEYS:
            raise ValueError(f"claim has unknown key {sorted(unknown)[0]!r}")
        since, until = str(row.get("since", "")), str(row.get("until", ""))
        for release in (since, until):
            if release and not _RELEASE.fullmatch(release):
                raise ValueError(f"claim has {release!r} where a release such as '2.9' belongs")
        if not since:
            raise ValueError("claim without since")
        if until and [int(p) for p in until.split(".")] < [int(p) for p in since.split(".")]:
            raise ValueError(f"claim ends ({until}) before it begins ({since})")
        if not row.get("evidence") and not row.get("verified"):
            raise ValueError(f"claim since {since} has neither evidence nor verified")
        if row.get("fullgraph", "") not in FULLGRAPH:
            raise ValueError(f"fullgraph is {row['fullgraph']!r}, not one of {', '.join(FULLGRAPH[1:])}")
        if not _SETTING.fullmatch(row.get("traced_if", "")):
            raise ValueError(f"traced_if is {row['traced_if']!r}, not the name of a setting of Dynamo")
        for gb in row.get("gb", ()):
            if not _GB.fullmatch(gb):
                raise ValueError(f"{gb!r} is no graph-break id")
        for form in row.get("forms", ("",)):
            if form and form not in messages:
                raise ValueError(f"claim speaks of form {form!r}, which has no message")
            out.append(
                Claim(
                    since=since,
                    until=until,
                    effect=Effect(row.get("effect")),
                    form=form,
                    gb=tuple(row.get("gb", ())),
                    evidence=str(row.get("evidence", "")),
                    fixed=bool(row.get("fixed", False)),
                    fullgraph=row.get("fullgraph", ""),
                    traced_if=str(row.get("traced_if", "")),
                    verified=tuple(row.get("verified", ())),
                )
            )
    if not out:
        raise ValueError("no claims")
    _check_order(out)
    return tuple(out)


def _check_order(claims: list[Claim]) -> None:
    """Claims of one form come oldest first and do not overlap."""
    last: dict[str, Claim] = {}
    for claim in claims:
        before = last.get(claim.form)
        if before is not None:
            end = [int(p) for p in (before.until or "999.0").split(".")]
            if end >= [int(p) for p in claim.since.split(".")]:
                raise ValueError(
                    f"claims of form {claim.form!r} overlap or are out of order at {claim.since}"
                )
        last[claim.form] = claim


def _measured(releases: Sequence[str]) -> tuple[str, ...]:
    for release in releases:
        if release not in MEASURED:
            raise ValueError(f"measured names {release!r}, not one of {', '.join(MEASURED)}")
    return tuple(releases)


def _texts(raw: Any, what: str) -> dict[str, str]:
    for form, text in raw.items():
        if not isinstance(text, str) or not text.strip() or "\n" in text or text != text.strip():
            raise ValueError(f"{what} {form!r} is not one line of text")
    return dict(raw)


def parse(raw: dict[str, Any], folder: str) -> RuleMeta:
    """A ``RuleMeta`` from the parsed file; ValueError where it breaks a promise."""
    if unknown := set(raw) - _KEYS:
        raise ValueError(f"unknown key {sorted(unknown)[0]!r}")
    for key in ("code", "name", "summary", "messages", "claims"):
        if not raw.get(key):
            raise ValueError(f"{key} is missing")
    if not _CODE.fullmatch(raw["code"]):
        raise ValueError(f"code {raw['code']!r} is not one to three capitals and three digits")
    for name in (raw["name"], *raw.get("aliases", ())):
        if not _NAME.fullmatch(name):
            raise ValueError(f"name {name!r} is not lower-case-with-dashes")
    if raw.get("category", "graph-break") not in CATEGORIES:
        raise ValueError(f"category {raw['category']!r} is not one of {', '.join(CATEGORIES)}")
    if raw.get("fix", "none") not in FIXES:
        raise ValueError(f"fix {raw['fix']!r} is not one of {', '.join(FIXES)}")
    if not _RELEASE.fullmatch(raw.get("fix_since", "2.0")):
        raise ValueError(f"fix_since {raw['fix_since']!r} is not a release like 2.4")
    messages = _texts(raw["messages"], "message")
    remedies = _texts(raw.get("remedies", {}), "remedy")
    for form in remedies:
        if form and form not in messages:
            raise ValueError(f"remedy for form {form!r}, which has no message")
        forms = (form,) if form else tuple(messages)
        allowed = set.union(*(_slots(messages[f]) for f in forms))
        if extra := _slots(remedies[form]) - allowed:
            raise ValueError(f"remedy {form!r} uses {{{sorted(extra)[0]}}}, which its message does not")
    calls = tuple(CallRow(row["symbol"], row["form"]) for row in raw.get("calls", ()))
    for row in calls:
        if row.form not in messages:
            raise ValueError(f"call {row.symbol} has form {row.form!r}, which has no message")
    return RuleMeta(
        code=raw["code"],
        name=raw["name"],
        summary=raw["summary"],
        category=raw.get("category", "graph-break"),
        fix=raw.get("fix", "none"),
        messages=messages,
        remedies=remedies,
        claims=_claims(raw["claims"], messages),
        calls=calls,
        aliases=tuple(raw.get("aliases", ())),
        folder=folder,
        fix_since=raw.get("fix_since", ""),
        takes_along=bool(raw.get("takes_along", False)),
        measured=_measured(raw.get("measured", MEASURED)),
    )


def _table(file: Path) -> Any:
    """The file as a table: as it was parsed when the wheel was built, if that was this file."""
    data = file.read_bytes()
    known = _built(file.parent.parent).get(file.parent.name)
    if known is not None and known[0] == hashlib.blake2b(data, digest_size=16).hexdigest():
        return known[1]
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(data.decode("utf-8"))


@functools.cache
def _built(package: Path) -> Mapping[str, Any]:
    """(digest, table) by folder, which the build put beside the rules; {} in a checkout."""
    try:
        tables = json.loads((package / "parsed.json").read_bytes())
    except (OSError, ValueError):
        return {}
    return tables if isinstance(tables, dict) else {}


def read(folder: Path) -> RuleMeta:
    """The rule in ``folder``."""
    file = folder / "rule.toml"
    try:
        meta = parse(_table(file), str(folder))
        if not meta.calls and not (folder / "rule.py").is_file():
            raise ValueError("neither [[calls]] rows nor a rule.py")
        return meta
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise RuleError(f"{file}: {problem}") from None
