"""Run the rules over one analysed function, and turn their hits into raw findings.

Which claim holds at the target release decides whether a hit is a finding and what it costs;
where it stands (a loop, a ``try``, a context manager) can make a break lose the whole frame.
A rule that raises is reported once for each function and never stops the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from torch_compile_lint import registry
from torch_compile_lint.facts import ir
from torch_compile_lint.model import Confidence, Edit, Effect, Fix, Span
from torch_compile_lint.needs_number import needs_number
from torch_compile_lint.parameter_kinds import parameter_kinds
from torch_compile_lint.pool import failure
from torch_compile_lint.program.compile_calls import CompileCall
from torch_compile_lint.program.script import Script
from torch_compile_lint.program.values import Tensor
from torch_compile_lint.raw import Raw
from torch_compile_lint.rewrite.purity import only
from torch_compile_lint.rule import Claim, Hit, RuleMeta
from torch_compile_lint.screen import Entry, Screen

if TYPE_CHECKING:
    from torch_compile_lint.facts.index_ir import FileIndex
    from torch_compile_lint.program.function_view import AnalyzedFunction
    from torch_compile_lint.registry import LoadedRule

# What a break is under fullgraph=True, as the end of a message.
FORBIDDEN = "raises, since fullgraph=True allows no graph break"
NEEDED = "raises under fullgraph=True, since Python has to know it"

# The first release that resumes behind a break in a loop where a return comes first (measured).
_RESUMES_SINCE = "2.6"


class Judge:
    """All rules, by the node types they want."""

    def __init__(
        self,
        rules: Sequence[LoadedRule],
        target: str,
        text_of: Callable[[str, str | None], str],
        screen: bool = True,
    ) -> None:
        """``text_of(path, unit)`` is the source that spans of a function are relative to."""
        self._text_of = text_of
        self._target = target
        self._resumes = registry.is_at_least(target, _RESUMES_SINCE)
        self._by_type: dict[type, list[Entry]] = {}
        self._loaded = {loaded.meta.code: loaded for loaded in rules}
        self._screen = Screen(screen)
        self.errors: list[tuple[str, str]] = []
        for loaded in rules:
            claims = loaded.claims_for(target)
            if not claims:
                continue
            if loaded.meta.calls:
                self._screen.add_rows(loaded.meta, claims, loaded.meta.calls)
            try:
                rule = loaded.rule
            except Exception as problem:
                self._failed("", loaded.meta, problem)
                continue
            if rule is None:
                continue
            for kind in rule.on:
                self._by_type.setdefault(kind, []).append((loaded.meta, claims, rule.check))
            self._screen.add_rule(loaded.meta, claims, rule)

    def visit(self, view: AnalyzedFunction) -> tuple[Raw, ...]:
        """Raw findings of one function in one context; ``steps`` are filled in by the caller."""
        view.source = self._text_of(view.path, view.unit)
        found: list[Raw] = []
        for node, checks in self._screen.work(view):
            self._run(checks, node, view, found)
        return tuple(self._first_things_first(found) if len(found) > 1 else found)

    def _first_things_first(self, found: list[Raw]) -> list[Raw]:
        """`print(t.item())`: what is inside says that the call around it is to be fixed first."""
        outer = [raw for raw in found if self._loaded[raw.code].meta.takes_along]
        out = []
        for raw in found:
            around = [o for o in outer if o.start <= raw.start and raw.end <= o.end and o is not raw]
            if around and not any(raw is o for o in outer):
                call = self._loaded[around[0].code].meta
                first = f"fix {call.code} ({call.name}) around it first, which takes this along"
                raw = raw._replace(remedy=first)
            out.append(raw)
        return out

    def _run(self, checks: list[Entry], node: Any, view: AnalyzedFunction, found: list[Raw]) -> None:
        for meta, claims, check in checks:
            try:
                for hit in check(node, view):
                    raw = self._raw(meta, claims, hit, view)
                    if raw is not None:
                        found.append(raw)
            except Exception as problem:
                self._failed(view.path, meta, problem)

    def _raw(self, meta: RuleMeta, claims: dict[str, Claim], hit: Hit, view: AnalyzedFunction) -> Raw | None:
        claim = claims.get(hit.form)
        if claim is None:
            return None
        node = hit.node
        position = view.position(node) if not isinstance(node, ir.FunctionFacts) else ()
        if "loop" in position and self._resumes and view.returns_first(node):
            position = tuple(around for around in position if around != "loop")
        effect = claim.effect
        if effect is Effect.BREAK and position and not claim.fixed:
            effect = Effect.SKIP
        gb, words = claim.gb, ""
        if view.fullgraph and (claim.fullgraph == "raises" or effect in (Effect.BREAK, Effect.SKIP)):
            effect, words = Effect.ERROR, FORBIDDEN
            if claim.fullgraph == "runs":
                if not needs_number(node, view):
                    return None
                gb, words = (), NEEDED
        confidence = Confidence(hit.confidence)
        if view.rescues(node):
            confidence = Confidence.POSSIBLE
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
            message=registry.message(meta, hit, effect, words),
            remedy=registry.remedy(meta, hit),
            effect=effect.value,
            confidence=int(confidence),
            gb=gb,
            position=tuple(dict.fromkeys(position)),
            why=why,
            steps=(),
            kinds=parameter_kinds(view),
            traced_if=claim.traced_if and _mark(claim.traced_if, node, view),
            fix=hit.fix or self._fix(meta, hit, view),
        )

    def _fix(self, meta: RuleMeta, hit: Hit, *given: Any) -> Fix | None:
        """What the rule's ``fix.py`` offers for a hit; imported at the first one."""
        if not self._loaded[meta.code].fixes(self._target):
            return None
        fixer = self._loaded[meta.code].fixer
        return None if fixer is None else fixer(hit, *given)

    def compile_calls(self, calls: Iterable[CompileCall], path: str, index: FileIndex) -> list[Raw]:
        """What rules say of calls that compile something; no root leads there, so no steps."""
        found: list[Raw] = []
        for call in calls:
            one = index.functions.get(call.scope) or index.classes.get(call.scope)
            origin = one.start if one is not None else 0
            for meta, claims, check in self._by_type.get(CompileCall, ()):
                try:
                    for hit in check(call, None):
                        claim = claims.get(hit.form)
                        if claim is not None:
                            found.append(
                                Raw(
                                    path=path,
                                    unit=call.scope if one is not None else None,
                                    start=call.node.start - origin,
                                    end=call.node.end - origin,
                                    code=meta.code,
                                    name=meta.name,
                                    form=hit.form,
                                    function=call.scope,
                                    message=registry.message(meta, hit, claim.effect),
                                    remedy=registry.remedy(meta, hit),
                                    effect=claim.effect.value,
                                    confidence=int(hit.confidence),
                                    gb=claim.gb,
                                    position=(),
                                    why=(),
                                    steps=(),
                                    fix=self._call_fix(meta, hit, call, path, origin),
                                )
                            )
                except Exception as problem:
                    self._failed(path, meta, problem)
        return found

    def _call_fix(self, meta: RuleMeta, hit: Hit, call: CompileCall, path: str, origin: int) -> Fix | None:
        """As ``_fix``, from offsets into the file to offsets into the unit at ``origin``."""
        fix = self._fix(meta, hit, call, self._text_of(path, None)) if meta.fix != "none" else None
        if fix is None or not origin:
            return fix
        edits = tuple(
            Edit(e.path, Span(e.span.start - origin, e.span.end - origin), e.text) for e in fix.edits
        )
        return Fix(fix.title, fix.safety, edits, fix.imports, fix.outside)

    def scripts(self, found: Iterable[tuple[Script, str | None]]) -> list[Raw]:
        """What rules say of the code around a model, which no compile root reaches."""
        out: list[Raw] = []
        for script, unit in found:
            for meta, claims, check in self._by_type.get(Script, ()):
                try:
                    for hit in check(script, None):
                        claim = claims.get(hit.form)
                        if claim is not None:
                            place = (script.path, unit, script.facts.qualname)
                            out.append(_unreached(meta, claim, hit, place, 0))
                except Exception as problem:
                    self._failed(script.path, meta, problem)
        return out

    def _failed(self, path: str, meta: RuleMeta, problem: Exception) -> None:
        failed = failure(problem)
        text = f"rule {meta.code} ({meta.name}) failed: {failed.message} ({failed.place})"
        if (path, text) not in self.errors:
            self.errors.append((path, text))


def _mark(setting: str, node: ir.Node, view: AnalyzedFunction) -> str:
    """A setting with '!' where Python has to know what it makes a symbol of the graph: then torch raises.

    A setting that is a set of functions comes with the one that is called; '|' stands between two.
    """
    if not setting.endswith(("_functions", "_methods")):
        return f"!{setting}" if setting.startswith("capture_") and needs_number(node, view) else setting
    called = view.callees(node) if isinstance(node, ir.Call) else ()
    if len(called) != 1:
        return ""
    settings = ["ignore_logging_functions"]  # since 2.13, for all of them
    if setting != "reorderable_logging_functions" or _can_be_reordered(node, view):
        settings.append(setting)
    return "|".join(f"{one}.{called[0].removeprefix('builtins.')}" for one in settings)


def _can_be_reordered(node: ir.Node, view: AnalyzedFunction) -> bool:
    """Whether a call writes text and tensors alone (measured: ``tests/test_message_settings.py``)."""
    if not isinstance(node, ir.Call) or any(a.keyword or a.star for a in node.args):
        return False
    return all(
        isinstance(a.value, ir.FormattedString)
        or (isinstance(a.value, ir.Const) and isinstance(a.value.value, str))
        or only(view.value(a.value), Tensor)
        for a in node.args
    )


def _unreached(
    meta: RuleMeta, claim: Claim, hit: Hit, place: tuple[str, str | None, str], origin: int
) -> Raw:
    """A hit in code that no compile root leads to: ``place`` is file, unit and function."""
    return Raw(
        path=place[0],
        unit=place[1],
        start=hit.node.start - origin,
        end=hit.node.end - origin,
        code=meta.code,
        name=meta.name,
        form=hit.form,
        function=place[2],
        message=registry.message(meta, hit, claim.effect),
        remedy=registry.remedy(meta, hit),
        effect=claim.effect.value,
        confidence=int(hit.confidence),
        gb=claim.gb,
        position=(),
        why=(),
        steps=(),
        fix=hit.fix,
    )
