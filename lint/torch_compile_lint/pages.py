"""The parts of a rule's page and of the rules' index that are generated from data.

``rule.md`` has fixed headings in a fixed order. Its examples are the case files
``bad_example.py`` and ``good_example.py`` without their comments for the harness, and its
Versions table are the claims, so neither can drift from what is tested.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from pathlib import Path

from torch_compile_lint.pages_breaks import coverage
from torch_compile_lint.registry import MEASURED, LoadedRule, claims_for
from torch_compile_lint.rule import Claim, RuleMeta

HEADINGS = (
    "What it does",
    "Why torch.compile cares",
    "Example",
    "Use instead",
    "What does not help",
    "Fix safety",
    "Versions",
)
_EXPECT = re.compile(r"\s*# expect(\[[^\]]*\])?:.*$")


class PageError(Exception):
    """A page that does not keep the form; the text names file and heading."""


def example(case: Path) -> str:
    """A case as a reader sees it: without expectations, probes and what only probes use."""
    text = case.read_text(encoding="utf-8")
    hidden: set[int] = set()
    for node in ast.parse(text).body:
        name = getattr(node, "name", "")
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
        if re.fullmatch(r"_?probe(_\w+)?|_needs_\w+|_call|NONDETERMINISTIC", name):
            hidden.update(range(node.lineno - 1, node.end_lineno or node.lineno))
    lines = [
        _EXPECT.sub("", line)
        for number, line in enumerate(text.splitlines())
        if number not in hidden and not line.startswith("# torch:")
    ]
    return re.sub(r"\n{3,}", "\n\n\n", "\n".join(lines)).strip()


def _cell(meta: RuleMeta, form: str, release: str) -> str:
    if release not in meta.measured:
        return "not measured"
    claim: Claim | None = claims_for(meta, release).get(form)
    if claim is None:
        return "fine"
    return f"{claim.effect.value} ({', '.join(claim.gb)})" if claim.gb else claim.effect.value


def versions(meta: RuleMeta) -> str:
    """The table of what each form does on each measured release, and where that was seen."""
    forms = list(meta.messages)
    rows = {form: [_cell(meta, form, release) for release in MEASURED] for form in forms}
    lines = [
        "| form | " + " | ".join(MEASURED) + " |",
        "|---" * (len(MEASURED) + 1) + "|",
        *(f"| {form} | {' | '.join(cells)} |" for form, cells in rows.items()),
    ]
    captured = [claim for claim in meta.claims if claim.fullgraph == "runs"]
    evidence = list(dict.fromkeys(claim.evidence for claim in meta.claims if claim.evidence))
    verified = sorted({v for claim in meta.claims for v in claim.verified}, key=_release_key)
    lines += ["", "A release between two columns is judged by the one to its left."]
    for since in dict.fromkeys(claim.since for claim in captured):
        names = ", ".join(claim.form or "every form" for claim in captured if claim.since == since)
        lines += [
            f"Under `fullgraph=True`, {since} and later do not raise for {names}: the unknown number or size",
            "becomes part of the graph, and only code that must know it raises (a jump, a `range`, "
            "a list index).",
        ]
    lines += _settings(meta)
    if verified:
        lines.append(f"Measured on {', '.join(verified)} (CPU, Python 3.11).")
    if evidence:
        lines.append(f"Evidence: {'; '.join(evidence)}.")
    return "\n".join(lines)


def _settings(meta: RuleMeta) -> list[str]:
    """With which settings of Dynamo what is traced."""
    lines = []
    for name in dict.fromkeys(claim.traced_if for claim in meta.claims if claim.traced_if):
        claims = [claim for claim in meta.claims if claim.traced_if == name]
        forms = ", ".join(dict.fromkeys(claim.form or "every form" for claim in claims))
        full = f"torch._dynamo.config.{name}"
        how = f"the function in `{full}`" if name.endswith(("_functions", "_methods")) else f"`{full} = True`"
        since = f", {claims[0].since} and later" if claims[0].since != MEASURED[0] else ""
        left = (
            "; it raises where Python has to know the number or size" if name.startswith("capture_") else ""
        )
        if name == "reorderable_logging_functions":
            how += " a call with text and tensors alone:"
        lines.append(f"With {how} {forms}{since} is traced{left}. A project that sets it gets no finding.")
    return lines


def _release_key(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


def sections(text: str, where: str) -> tuple[str, dict[str, str]]:
    """Title and sections of a page; PageError where headings are missing, unknown or out of order."""
    head, *parts = re.split(r"^## (.+)$", text, flags=re.M)
    found = dict(zip(parts[::2], (part.strip() for part in parts[1::2]), strict=True))
    wanted = [heading for heading in HEADINGS if heading != "Fix safety" or heading in found]
    if list(found) != wanted:
        raise PageError(f"{where}: headings are {list(found)}, not {wanted}")
    return head.strip(), found


def render(rule: LoadedRule) -> str:
    """The page with its generated parts up to date; PageError where it lacks a written part."""
    folder = Path(rule.meta.folder)
    file = folder / "rule.md"
    head, found = sections(file.read_text(encoding="utf-8"), str(file))
    if ("Fix safety" in found) != (rule.meta.fix != "none"):
        raise PageError(f"{file}: the heading Fix safety belongs to rules with a fix, and only there")
    if head != f"# {rule.meta.name} ({rule.meta.code})":
        raise PageError(f"{file}: the title is not '# {rule.meta.name} ({rule.meta.code})'")
    for heading, case in (("Example", "bad_example.py"), ("Use instead", "good_example.py")):
        found[heading] = f"```python\n{example(folder / 'cases' / case)}\n```"
    found["Versions"] = versions(rule.meta)
    for heading, body in found.items():
        if not body:
            raise PageError(f"{file}: nothing under {heading!r}")
    return "\n\n".join([head, *(f"## {heading}\n\n{body}" for heading, body in found.items())]) + "\n"


def index(rules: Sequence[LoadedRule]) -> str:
    """README.md of the rules' folder: one row per rule."""
    lines = [
        "# Rules",
        "",
        "<!-- DO NOT EDIT: written by `tclint dev sync` from the rule.toml files. -->",
        "",
        f"{len(rules)} rules. Each is one folder: `rule.toml` says what, `rule.md` why, `rule.py` how,",
        "`cases/` proves it. Columns are the releases of torch that were measured; an empty cell means that",
        "the construct is fine there, `?` that this rule was not measured there.",
        "",
        "| code | name | finds | " + " | ".join(MEASURED) + " |",
        "|---" * (len(MEASURED) + 3) + "|",
    ]
    for rule in rules:
        meta = rule.meta
        cells = []
        for release in MEASURED:
            if release not in meta.measured:
                cells.append("?")
                continue
            effects = {claim.effect for claim in claims_for(meta, release).values()}
            cells.append(", ".join(effect.value for effect in sorted(effects, key=lambda e: e.rank)))
        link = f"[{meta.name}]({Path(meta.folder).name}/rule.md)"
        lines.append(f"| {meta.code} | {link} | {meta.summary} | {' | '.join(cells)} |")
    lines += ["", *coverage(rules)]
    return "\n".join(lines) + "\n"
