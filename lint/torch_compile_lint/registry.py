"""Rule folders to rules: reads every ``rule.toml``, validates it hard, imports ``rule.py`` late.

In: names of plugin packages and selectors. Out: ``LoadedRule`` values, sorted by code. A rule
that breaks a promise is refused with one line that names its file, because a wrong rule that
loads is worse than a tool that stops. Which claim holds for a release is data (``MEASURED``
and the claims); nothing here or in a rule compares versions in code.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.util
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from torch_compile_lint import rule_file
from torch_compile_lint.model import Effect, Fix
from torch_compile_lint.records import dataclass
from torch_compile_lint.rule import Claim, Hit, Rule, RuleMeta
from torch_compile_lint.rule_file import MEASURED, RuleError

__all__ = ["MEASURED", "LoadedRule", "RuleError", "claims_for", "digest", "load", "measured", "message"]

DEFAULT_PLUGINS = ("torch_compile_lint_rules",)

EFFECT_WORDS: Mapping[Effect, str] = MappingProxyType(
    {
        Effect.ERROR: "raises under torch.compile",
        Effect.WRONG: "silently wrong",
        Effect.SKIP: "the whole frame runs eagerly",
        Effect.BREAK: "graph break",
        Effect.RECOMPILE: "recompilation",
        Effect.SLOW: "slow",
        Effect.MISUSE: "misuse",
    }
)


@functools.cache
def _parts(release: str) -> tuple[int, int]:
    numbers = [int("".join(c for c in part if c.isdigit()) or 0) for part in release.split(".")[:2]]
    return numbers[0], numbers[1] if len(numbers) > 1 else 0


def measured(target: str) -> str:
    """The measured release that speaks for ``target``: the nearest at or below, else the oldest."""
    wanted = _parts(target)
    below = [release for release in MEASURED if _parts(release) <= wanted]
    return below[-1] if below else MEASURED[0]


def is_at_least(target: str, since: str) -> bool:
    """Whether release ``target`` is ``since`` or a later one."""
    return _parts(since) <= _parts(target)


def claims_for(meta: RuleMeta, target: str) -> dict[str, Claim]:
    """The claim of each form that holds for ``target``; a form without one is no hazard there.

    Claims that name a form speak for it alone; those with form '' speak for all other forms.
    """
    release = _parts(measured(target))
    holding = [
        claim
        for claim in meta.claims
        if _parts(claim.since) <= release and (not claim.until or release <= _parts(claim.until))
    ]
    named = {claim.form for claim in meta.claims if claim.form}
    out: dict[str, Claim] = {}
    for claim in holding:
        for form in (claim.form,) if claim.form else tuple(meta.messages):
            if claim.form or form not in named:
                out.setdefault(form, claim)
    return out


def message(meta: RuleMeta, hit: Hit, effect: Effect, words: str = "") -> str:
    """The one line a person reads: value and construct from the template, then the effect."""
    return f"{meta.messages[hit.form].format_map(hit.slots)}: {words or EFFECT_WORDS[effect]}"


def remedy(meta: RuleMeta, hit: Hit) -> str:
    """What to do instead, one line; '' where the rule has no advice."""
    template = meta.remedies.get(hit.form, meta.remedies.get("", ""))
    return template.format_map(hit.slots)


@dataclass(frozen=True)
class LoadedRule:
    """A validated rule. ``check`` imports ``rule.py`` on first use, never before."""

    meta: RuleMeta
    package: str

    @functools.cached_property
    def rule(self) -> Rule | None:
        """``RULE`` of ``rule.py``; None where ``[[calls]]`` rows are all there is."""
        folder = Path(self.meta.folder)
        if not (folder / "rule.py").is_file():
            return None
        found = importlib.import_module(f"{self.package}.{folder.name}.rule").RULE
        if not isinstance(found, Rule):
            raise RuleError(f"{folder / 'rule.py'}: RULE is a {type(found).__name__}, not a Rule")
        return found

    @functools.cached_property
    def fixer(self) -> Callable[..., Fix | None] | None:
        """``fix`` of ``fix.py``: (hit, view) -> Fix, or None where it is not legal there.

        For hits on a ``CompileCall`` it is given (hit, call, text of the file) instead.
        """
        folder = Path(self.meta.folder)
        if self.meta.fix == "none" or not (folder / "fix.py").is_file():
            return None
        found: Callable[..., Fix | None] = importlib.import_module(f"{self.package}.{folder.name}.fix").fix
        return found

    def claims_for(self, target: str) -> dict[str, Claim]:
        """See ``claims_for`` of this module."""
        return claims_for(self.meta, target)

    def fixes(self, target: str) -> bool:
        """Whether a release has what the rule's fix writes."""
        since = self.meta.fix_since
        return self.meta.fix != "none" and (not since or _parts(since) <= _parts(target))


def _folders(package: str) -> list[Path]:
    """Folders of ``package`` that hold a ``rule.toml``; the package itself is not imported."""
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError) as problem:
        raise RuleError(f"plugin {package!r} cannot be found: {problem}") from None
    if spec is None or not spec.submodule_search_locations:
        raise RuleError(f"plugin {package!r} cannot be found: no package of that name is installed")
    return [
        folder
        for location in spec.submodule_search_locations
        for folder in sorted(Path(location).iterdir())
        if (folder / "rule.toml").is_file()
    ]


@functools.cache
def _all(plugins: tuple[str, ...]) -> tuple[LoadedRule, ...]:
    rules = [
        LoadedRule(rule_file.read(folder), package) for package in plugins for folder in _folders(package)
    ]
    seen: dict[str, RuleMeta] = {}
    for rule in rules:
        for key in (rule.meta.code, rule.meta.name, *rule.meta.aliases):
            other = seen.setdefault(key, rule.meta)
            if other is not rule.meta:
                raise RuleError(f"{rule.meta.folder}: {key} is already taken by {other.folder}")
    return tuple(sorted(rules, key=lambda rule: rule.meta.code))


def matches(meta: RuleMeta, selectors: Iterable[str]) -> bool:
    """Whether any selector is a prefix of the rule's code, its name or one of its former names."""
    names = {meta.name, *meta.aliases}
    return any(
        selector == "ALL" or selector in names or meta.code.startswith(selector.upper())
        for selector in selectors
        if selector
    )


def load(
    plugins: Sequence[str] = DEFAULT_PLUGINS,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    extend_select: Sequence[str] = (),
) -> tuple[LoadedRule, ...]:
    """The selected rules by code. No ``select``: all but category 'preview'.

    A selector that names no rule is an error: a misspelt one would silently check nothing.
    """
    rules = _all(tuple(plugins))
    for selector in (*select, *extend_select, *ignore):
        if not any(matches(rule.meta, (selector,)) for rule in rules):
            raise RuleError(f"{selector!r} selects no rule: give a code prefix such as TCD1 or a rule name")
    return tuple(
        rule
        for rule in rules
        if not matches(rule.meta, ignore)
        and (
            matches(rule.meta, extend_select)
            or (matches(rule.meta, select) if select else rule.meta.category != "preview")
        )
    )


def find(name: str, plugins: Sequence[str] = DEFAULT_PLUGINS) -> LoadedRule | None:
    """The rule of exactly this code or name (current or former)."""
    for rule in _all(tuple(plugins)):
        if name.upper() == rule.meta.code or name in (rule.meta.name, *rule.meta.aliases):
            return rule
    return None


def digest(plugins: Sequence[str] = DEFAULT_PLUGINS) -> str:
    """A digest of all that decides what the rules say, for cache keys."""
    total = hashlib.sha256()
    for package in plugins:
        for folder in _folders(package):
            for name in ("rule.toml", "rule.py", "fix.py"):
                file = folder / name
                if file.is_file():
                    total.update(f"{folder.name}/{name}\0".encode())
                    total.update(file.read_bytes())
    return total.hexdigest()[:32]
