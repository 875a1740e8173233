"""Run the rules over one analysed function, and turn their hits into raw findings.

Which claim holds at the target release decides whether a hit is a finding and what it costs;
where it stands (a loop, a ``try``, a context manager) can make a break lose the whole frame.
A rule that raises is reported once for each function and never stops the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from torch_compile_lint import registry
from torch_compile_lint.check_calls import rule_for
from torch_compile_lint.facts import ir
from torch_compile_lint.model import Confidence, Effect
from torch_compile_lint.pool import failure
from torch_compile_lint.raw import Raw
from torch_compile_lint.rule import Claim, Hit, RuleMeta

if TYPE_CHECKING:
    from torch_compile_lint.program.function_view import AnalyzedFunction
    from torch_compile_lint.registry import LoadedRule

Check = Callable[..., Iterator[Hit]]


class Judge:
    """All rules, by the node types they want."""

    def __init__(
        self, rules: Sequence[LoadedRule], target: str, text_of: Callable[[str, str | None], str]
    ) -> None:
        """``text_of(path, unit)`` is the source that spans of a function are relative to."""
        self._text_of = text_of
        self._by_type: dict[type, list[tuple[RuleMeta, dict[str, Claim], Check]]] = {}
        self.errors: list[tuple[str, str]] = []
        for loaded in rules:
            claims = loaded.claims_for(target)
            if not claims:
                continue
            try:
                checks = [loaded.rule] if loaded.rule is not None else []
            except Exception as problem:
                self._failed("", loaded.meta, problem)
                continue
            if loaded.meta.calls:
                checks.append(rule_for(loaded.meta.calls))
            for rule in checks:
                for kind in rule.on:
                    self._by_type.setdefault(kind, []).append((loaded.meta, claims, rule.check))

    def visit(self, view: AnalyzedFunction) -> tuple[Raw, ...]:
        """Raw findings of one function in one context; ``steps`` are filled in by the caller."""
        view.source = self._text_of(view.path, view.unit)
        found: list[Raw] = []
        for kind, checks in self._by_type.items():
            nodes: Any = (view.facts,) if kind is ir.FunctionFacts else view.nodes(kind)
            for node in nodes:
                for meta, claims, check in checks:
                    try:
                        for hit in check(node, view):
                            raw = self._raw(meta, claims, hit, view)
                            if raw is not None:
                                found.append(raw)
                    except Exception as problem:
                        self._failed(view.path, meta, problem)
        return tuple(found)

    def _raw(self, meta: RuleMeta, claims: dict[str, Claim], hit: Hit, view: AnalyzedFunction) -> Raw | None:
        claim = claims.get(hit.form)
        if claim is None:
            return None
        node = hit.node
        position = view.position(node) if not isinstance(node, ir.FunctionFacts) else ()
        effect = claim.effect
        if effect is Effect.BREAK and position and not claim.fixed:
            effect = Effect.SKIP
        if view.fullgraph and effect in (Effect.BREAK, Effect.SKIP):
            effect = Effect.ERROR
        confidence = Confidence(hit.confidence)
        why: tuple[str, ...] = ()
        if hit.subject is not None:
            confidence = min(confidence, view.value(hit.subject).confidence)
            why = view.why(hit.subject)
        return Raw(
            path=view.path,
            unit=view.unit,
            start=node.start,
            end=node.end,
            code=meta.code,
            name=meta.name,
            form=hit.form,
            function=view.facts.qualname,
            message=registry.message(meta, hit, effect),
            remedy=registry.remedy(meta, hit),
            effect=effect.value,
            confidence=int(confidence),
            gb=claim.gb,
            position=tuple(dict.fromkeys(position)),
            why=why,
            steps=(),
            fix=hit.fix,
        )

    def _failed(self, path: str, meta: RuleMeta, problem: Exception) -> None:
        failed = failure(problem)
        text = f"rule {meta.code} ({meta.name}) failed: {failed.message} ({failed.place})"
        if (path, text) not in self.errors:
            self.errors.append((path, text))
