"""Hits on their way from a worker to the report: plain, small, relative to their function.

A raw finding names its place by file, unit and offsets within the unit, so that it stays true
when the function only moves; lines and columns are computed when the report is made. The
codec is JSON, for the cache; nothing else is ever stored.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from torch_compile_lint.model import Confidence, Edit, Effect, Fix, Outside, Safety, Span
from torch_compile_lint.records import dataclass, field


class Place(NamedTuple):
    """An offset relative to a unit of a file; ``unit`` None: to the file."""

    path: str
    unit: str | None
    offset: int
    function: str


class Raw(NamedTuple):
    """One hit of one rule, reached from one file's roots."""

    path: str
    unit: str | None
    start: int
    end: int
    code: str
    name: str
    form: str
    function: str
    message: str
    remedy: str
    effect: str
    confidence: int
    gb: tuple[str, ...]
    position: tuple[str, ...]
    why: tuple[str, ...]
    steps: tuple[Place, ...]
    kinds: tuple[str, ...] = ()  # of the function's parameters, as parameter_kinds writes them
    traced_if: str = (
        ""  # the setting of Dynamo with which it is none ('|' between two); with '!' in front, raises
    )
    fix: Fix | None = None

    @property
    def key(self) -> tuple[Any, ...]:
        """What makes two hits the same finding."""
        return (self.path, self.unit or "", self.start, self.end, self.code, self.form)

    @property
    def preference(self) -> tuple[Any, ...]:
        """Smaller is shown: surest, worst, nearest to a root; then anything that is stable."""
        rank = Effect(self.effect).rank
        steps = [(s.path, s.unit or "", s.offset, s.function) for s in self.steps]
        return (-self.confidence, rank, len(steps), steps, self.message, self.why, self.kinds)


@dataclass(slots=True)
class UnitResult:
    """What the roots of one file gave, and everything that answer rests on."""

    path: str
    raws: list[Raw] = field(default_factory=list)
    facts: list[tuple[str, str]] = field(default_factory=list)  # units read: (path, qualname)
    external: dict[str, str] = field(default_factory=dict)  # files of other packages: digests
    errors: list[tuple[str, str]] = field(default_factory=list)
    reached: list[tuple[str, str]] = field(default_factory=list)
    lowered: int = 0
    # For the parent's cache only: facts and indexes that were made on the way.
    made: dict[str, dict[bytes, bytes]] = field(default_factory=dict)


def merge(raws: Iterable[Raw]) -> list[Raw]:
    """One for each place, code and form, whatever the order they come in.

    Its fix is one that every context offers: what is right where ``x`` is a vector may be
    wrong where a caller passes a number.
    """
    best: dict[tuple[Any, ...], Raw] = {}
    for raw in raws:
        known = best.get(raw.key)
        if known is None:
            best[raw.key] = raw
            continue
        fix = common_fix(known.fix, raw.fix)
        first = raw if raw.preference < known.preference else known
        best[raw.key] = first if first.fix == fix else first._replace(fix=fix)
    return list(best.values())


def common_fix(one: Fix | None, other: Fix | None) -> Fix | None:
    """The fix that both offer, as unsafe as the less safe of them; None where they differ."""
    if one is None or other is None or (one.edits, one.outside) != (other.edits, other.outside):
        return None
    order = (Safety.SAFE, Safety.UNSAFE, Safety.DISPLAY)
    return max(one, other, key=lambda fix: order.index(fix.safety))


# ---------------------------------------------------------------- codec


def encode(result: UnitResult, digests: Iterable[tuple[str, str, str]]) -> bytes:
    """A result without what it made; ``digests`` are (path, unit, digest) of its facts."""
    rows = {
        "raws": [_row(r) for r in result.raws],
        "facts": list(digests),
        "external": result.external,
        "errors": result.errors,
        "reached": result.reached,
    }
    return json.dumps(rows, separators=(",", ":")).encode("utf-8", "surrogatepass")


def decode(path: str, data: bytes) -> tuple[UnitResult, list[tuple[str, str, str]]] | None:
    """The result and the digests it needs; None for anything that is not what ``encode`` wrote."""
    try:
        rows = json.loads(data)
        result = UnitResult(
            path,
            [_raw(r) for r in rows["raws"]],
            external=dict(rows["external"]),
            facts=[(str(p), str(u)) for p, u, _ in rows["facts"]],
            errors=[(str(p), str(m)) for p, m in rows["errors"]],
            reached=[(str(p), str(q)) for p, q in rows["reached"]],
        )
        digests = [(str(p), str(u), str(d)) for p, u, d in rows["facts"]]
        return result, digests
    except (ValueError, KeyError, TypeError, IndexError):
        return None


def _row(raw: Raw) -> list[Any]:
    fix = raw.fix
    return [
        *raw[:-1],
        None
        if fix is None
        else [
            fix.title,
            fix.safety.value,
            [[e.path, e.span.start, e.span.end, e.text] for e in fix.edits],
            fix.imports,
            [[o.place, o.names, o.text] for o in fix.outside],
        ],
    ]


def _raw(row: list[Any]) -> Raw:
    *plain, fix = row
    plain[11] = int(Confidence(plain[11]))
    Effect(plain[10])
    for at in (12, 13, 14):
        plain[at] = tuple(plain[at])
    plain[15] = tuple(Place(*step) for step in plain[15])
    plain[16] = tuple(plain[16])
    if fix is not None:
        title, safety, edits, imports, outside = fix
        changes = tuple(Edit(p, Span(s, e), t) for p, s, e, t in edits)
        beyond = tuple(Outside(place, tuple(names), text) for place, names, text in outside)
        fix = Fix(title, Safety(safety), changes, tuple(imports), beyond)
    return Raw._make([*plain, fix])
