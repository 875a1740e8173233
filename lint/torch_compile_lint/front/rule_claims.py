"""The parts of a rule's page that its claims tell: what it costs where, release by release, and ids.

What position does to a break was measured on all releases (fixtures/hazards: ``*_in_loop``,
``break_try``, ``break_cm``, ``print_nested`` and their like); it holds for every rule alike.
"""

from __future__ import annotations

from collections.abc import Iterable

from torch_compile_lint.model import Effect
from torch_compile_lint.registry import MEASURED, claims_for
from torch_compile_lint.rule import Claim, RuleMeta
from torch_compile_lint.torchdb import db

_STAYS = {
    Effect.SKIP: "the whole frame runs eagerly, wherever in it this stands; its callers are compiled",
    Effect.ERROR: "the call raises, wherever this stands",
    Effect.WRONG: "the result is wrong, wherever this stands",
    Effect.RECOMPILE: "another compilation, wherever it stands; after 8 of them the frame runs eagerly",
    Effect.SLOW: "costs time, wherever it stands",
    Effect.MISUSE: "is about the call itself, not about where it stands",
}


def cost(meta: RuleMeta) -> list[str]:
    """What the newest measured release makes of each form, by position, as lines of Markdown."""
    held = claims_for(meta, MEASURED[-1])
    if not held:  # fixed since: the last release that had it
        held = next((found for r in reversed(MEASURED) if (found := claims_for(meta, r))), {})
    groups: dict[tuple[Effect, bool], list[str]] = {}
    for form in meta.messages:
        claim = held.get(form)
        if claim is not None:
            groups.setdefault((claim.effect, claim.fixed), []).append(form)
    several = len(groups) > 1
    rows: list[str] = []
    for (effect, fixed), forms in groups.items():
        name = f" ({', '.join(forms)})" if several else ""
        if effect is Effect.BREAK and not fixed:
            rows += _breaks(name)
        elif effect is Effect.BREAK:
            rows.append(f"- anywhere{name}: a graph break")
        else:
            rows.append(f"- anywhere{name}: {_STAYS[effect]}")
    return [*rows, *_strict(held, meta.messages)]


def _breaks(name: str) -> list[str]:
    return [
        f"- straight-line code{name}: one graph becomes two, with Python between them",
        f"- in a function n calls below the compiled one{name}: n + 1 breaks, since every caller breaks too",
        f"- directly in a `for`, `while`, `try` or a context manager of your own{name}: the whole frame runs"
        " eagerly",
        f"- under `torch.no_grad()` or `torch.autocast()`{name}: one break, as in straight-line code",
    ]


def _strict(held: dict[str, Claim], forms: Iterable[str]) -> list[str]:
    """What fullgraph=True changes."""
    raising, running = [], []
    for form in forms:
        claim = held.get(form)
        if claim is None:
            continue
        if claim.fullgraph == "runs":
            running.append(form)
        elif claim.fullgraph == "raises" or claim.effect in (Effect.BREAK, Effect.SKIP):
            raising.append(form)
    rows = []
    if raising:
        name = f" ({', '.join(raising)})" if len(raising) < len(held) else ""
        rows.append(f"- under `fullgraph=True`{name}: the call raises")
    if running:
        name = f" ({', '.join(running)})" if len(running) < len(held) else ""
        since = min((held[form].since for form in running), key=_order)
        rows.append(
            f"- under `fullgraph=True`{name}: {since} and later do not raise: the unknown number or size is"
            " part of the graph; code that must know it raises (a jump, a `range`, a list index). Before, the"
            " call raises"
        )
    return rows


def _order(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


def versions(claims: tuple[Claim, ...]) -> list[str]:
    """One line for each claim: releases, forms, effect, ids, and where it was seen."""
    rows: dict[tuple[object, ...], list[str]] = {}
    for claim in claims:
        key = (claim.since, claim.until, claim.effect, claim.gb, claim.verified)
        rows.setdefault(key, []).append(claim.form)
    out = []
    for (since, until, effect, gb, verified), forms in rows.items():
        assert isinstance(effect, Effect) and isinstance(gb, tuple) and isinstance(verified, tuple)
        span = f"{since} and later" if not until else since if since == until else f"{since} to {until}"
        named = f" ({', '.join(f for f in forms if f)})" if any(forms) else ""
        ids = f", {', '.join(gb)}" if gb else ""
        seen = f"; seen on {', '.join(verified)}" if verified else ""
        out.append(f"- torch {span}{named}: {effect.value}{ids}{seen}")
    return out


def ids(claims: tuple[Claim, ...]) -> list[str]:
    """PyTorch's graph-break ids that the claims name, with their titles."""
    out = []
    for gb in dict.fromkeys(gb for claim in claims for gb in claim.gb):
        known = db.graph_break(gb)
        title = list(known.values())[-1].title if known else ""
        out.append(f"- {gb}: {title} (`tclint rule {gb}`)")
    return out
