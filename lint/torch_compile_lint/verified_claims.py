"""Writes into a ``rule.toml`` on which torch release its probes confirmed it; touches nothing else."""

from __future__ import annotations

import re
from pathlib import Path

from torch_compile_lint.registry import claims_for, measured
from torch_compile_lint.rule import RuleMeta


def record(path: Path, meta: RuleMeta, torch: str) -> bool:
    """Add ``torch`` to ``verified`` of every claim that holds for it; True when the file changed."""
    holding = set(claims_for(meta, measured(torch)).values())
    before = path.read_text(encoding="utf-8")
    head, *tables = re.split(r"(?m)^(?=\[\[)", before)
    position = 0
    for number, table in enumerate(tables):
        if not table.startswith("[[claims]]"):
            continue
        forms = re.search(r"(?m)^forms = \[(.*)\]$", table)
        width = len(re.findall(r'"', forms[1])) // 2 if forms else 1
        claims = meta.claims[position : position + width]
        position += width
        if any(claim in holding and torch not in claim.verified for claim in claims):
            tables[number] = _with(table, torch)
    after = head + "".join(tables)
    if after != before:
        path.write_text(after, encoding="utf-8")
    return after != before


def _with(table: str, torch: str) -> str:
    known = re.search(r"(?m)^verified = \[(.*)\]$", table)
    if known is None:
        body = table.rstrip("\n")
        return f'{body}\nverified = ["{torch}"]\n{table[len(body) + 1 :]}'
    releases = {*re.findall(r'"([^"]+)"', known[1]), torch}
    ordered = sorted(releases, key=lambda r: [int(p) for p in r.split(".")])
    listed = ", ".join(f'"{release}"' for release in ordered)
    return table[: known.start()] + f"verified = [{listed}]" + table[known.end() :]
