"""Compile all but a part, or only a part: which configurations are worth timing, and what they tell.

Candidates come from the profile (submodules with a share of eager time), from repeated blocks (regional
compilation) and from what broke (the function that holds the break is left out).
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from torch_compile_lint.doctor import reasons
from torch_compile_lint.doctor.measured import Configuration, Measured, Message
from torch_compile_lint.records import dataclass, field

_HOT = 0.15  # share of eager time that makes a submodule worth a try
_MOST = 3  # submodules tried
_FUNCTIONS = 4  # breaking functions tried
_REPEATED = 3  # blocks of a class that make a region


@dataclass(frozen=True, slots=True)
class Candidate:
    """A configuration to time: its name, what the worker is told, and what to write to get it."""

    name: str
    code: str
    config: Message = field(default_factory=dict)


def candidates(found: Measured) -> list[Candidate]:
    """What to time, the most promising first."""
    return [*_functions(found), *_regions(found), *_modules(found)]


def _functions(found: Measured) -> list[Candidate]:
    made: dict[tuple[str, str], Candidate] = {}
    counted = Counter((e["path"], e["function"]) for e in found.events("break", "skip"))
    for (path, function), _ in counted.most_common(_FUNCTIONS):
        if not function or "<" in function or "/torch/" in path.replace("\\", "/"):
            continue
        code = f"@torch.compiler.disable on `{function}` ({reasons.place({'path': path, 'line': ''})[:-1]})"
        made[path, function] = Candidate(
            f"without function `{function}`", code, {"disable": [[path, function]]}
        )
    return list(made.values())


def _regions(found: Measured) -> list[Candidate]:
    """Blocks of one class that stand side by side: compiled one by one, they share their code."""
    rows = (found.profile or {}).get("modules", [])
    groups: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        above, _, last = row["name"].rpartition(".")
        if last.isdigit():
            groups.setdefault((above, row["class"]), []).append(row["name"])
    total = _total(rows)
    made = []
    for (above, cls), names in groups.items():
        share = sum(row["seconds"] for row in rows if row["name"] in names) / total if total else 0
        if len(names) >= _REPEATED and share >= 0.4:
            code = (
                f"for block in model.{above}: block.compile()"
                if above
                else "for block in model: block.compile()"
            )
            made.append((share, Candidate(f"only the {len(names)} `{cls}` blocks", code, {"only": names})))
    made.sort(key=lambda item: -item[0])
    return [one for _, one in made[:1]]


def _modules(found: Measured) -> list[Candidate]:
    rows = (found.profile or {}).get("modules", [])
    total = _total(rows)
    made: list[Candidate] = []
    taken: list[str] = []
    for row in rows:
        share = row["seconds"] / total if total else 0
        if not row["name"] or not _HOT <= share <= 0.9 or len(taken) >= _MOST:
            continue
        if any(row["name"].startswith(name + ".") for name in taken):
            continue
        taken.append(row["name"])
        name = row["name"]
        disabled = f"model.{name}.forward = torch.compiler.disable(model.{name}.forward)"
        made.append(Candidate(f"all but `{name}`", disabled, {"without": [name]}))
        made.append(Candidate(f"only `{name}`", f"model.{name}.compile()", {"only": [name]}))
    return made


def _total(rows: list[Message]) -> float:
    return next((float(row["seconds"]) for row in rows if row["name"] == ""), 0.0)


# ---------------------------------------------------------------- what they tell


def best(found: Measured) -> Configuration | None:
    """The fastest configuration that is certainly faster than eager; None where eager is best."""
    everything = [found.main, *found.others, *found.ablations]
    sure = [one for one in everything if one is not None and one.certain and (one.gain or 0) > 1]
    return max(sure, key=lambda one: one.gain or 0, default=None)


def prices(found: Measured) -> list[Message]:
    """What each breaking function costs a call: how much faster it gets when the function is left out.

    Both configurations are compared with the eager time measured beside them, so that a machine whose
    speed drifts does not count. Sorted by milliseconds; a price below zero says the break is not the
    problem.
    """
    main = found.main
    if main is None or main.gain is None or main.eager is None:
        return []
    rows: list[Message] = []
    for one in found.ablations:
        if not one.name.startswith("without function") or one.gain is None:
            continue
        function = one.name.split("`")[1]
        events = [e for e in found.events("break", "skip") if e["function"] == function]
        rows.append(
            {
                "function": function,
                "place": reasons.place(events[0]) if events else "",
                "path": events[0]["path"] if events else "",
                "lines": sorted({e["line"] for e in events}),
                "gb": sorted({e["gb"] for e in events if e["gb"]}),
                "seconds": main.eager.median * (1 / main.gain - 1 / one.gain),
                "spread": _spread(main) + _spread(one),
            }
        )
    return sorted(rows, key=lambda row: -row["seconds"])


def _spread(one: Configuration) -> float:
    return one.compiled.spread if one.compiled is not None else 0.0


def joined(prices_found: list[Message], findings: list[Any], absolute: Any) -> list[Message]:
    """Each price with the codes of the findings that stand on its lines."""
    rows = []
    for row in prices_found:
        codes = sorted(
            {
                f.code
                for f in findings
                if absolute(f.path) == absolute(row["path"])
                and any(f.line <= n <= f.end_line for n in row["lines"])
            }
        )
        rows.append({**row, "codes": codes})
    return rows
