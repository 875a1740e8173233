"""What torch.compile is given and refuses: keywords, modes, options, backends that do not exist."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torch_compile_lint.rule import Confidence, Hit, Rule, Script, ir, option_type, settings

# Built in once, and gone from every release measured; other unknown names may be a plugin's.
GONE_BACKENDS = frozenset(("nvfuser", "aot_nvfuser", "nvprims_nvfuser", "nvprims_aten", "ansor", "ofi"))
# They take no mode and no options, and say so only in a log line.
IGNORING = frozenset(("eager", "aot_eager"))


def check(script: Script, _: None) -> Iterator[Hit]:
    for call in script.nodes(ir.Call):
        if script.name(call.func) == "torch.compile":
            yield from _call(call, script)


def _call(call: ir.Call, script: Script) -> Iterator[Hit]:
    given = {a.keyword: a.value for a in call.args if a.keyword is not None and not a.star}
    positional = [a for a in call.args if a.keyword is None and not a.star]
    parameters = settings("parameters", script.target)
    unknown = [name for name in given if parameters and name not in parameters]
    if unknown:
        yield Hit(call, "keyword", {"name": unknown[0]})
        return
    if len(positional) > 1:
        yield Hit(call, "positional", {"value": script.source(positional[1].value)})
        return
    mode, options, backend = (_constant(given.get(name)) for name in ("mode", "options", "backend"))
    if isinstance(backend, str) and backend != "inductor":
        yield from _backend(call, backend, given, script)
    elif isinstance(mode, str) and "options" in given and options is not None:
        yield Hit(call, "both")
    elif isinstance(mode, str):
        modes = settings("modes", script.target)
        if modes and mode not in modes and backend in (None, "inductor"):
            yield Hit(call, "mode", {"name": mode})
    elif isinstance(table := given.get("options"), ir.Dict) and backend in (None, "inductor"):
        yield from _options(table, script)
    if isinstance(_constant(given.get("dynamic")), str):
        yield Hit(call, "dynamic", {"value": script.source(given["dynamic"])})


def _constant(expr: ir.Expr | None) -> object:
    """A constant's value; None where nothing or None is given, ... for any other expression."""
    return None if expr is None else expr.value if isinstance(expr, ir.Const) else ...


def _resembles(name: str, known: Iterable[str]) -> bool:
    """True for what looks like a misspelt one."""
    from difflib import get_close_matches  # every run loads this module, hardly any asks this

    return bool(get_close_matches(name, list(known), 1, 0.85))


def _backend(call: ir.Call, name: str, given: dict[str, ir.Expr], script: Script) -> Iterator[Hit]:
    known = settings("backends", script.target)
    if known and name not in known and "register_backend" not in script.file_text:
        if name in GONE_BACKENDS:
            yield Hit(call, "backend", {"name": name})
        elif _resembles(name, known):
            yield Hit(call, "backend", {"name": name}, confidence=Confidence.LIKELY)
    if name in IGNORING:
        for keyword in ("mode", "options"):
            if keyword in given and _constant(given[keyword]) is not None:
                yield Hit(call, "ignored", {"keyword": keyword, "backend": name})
                return


def _options(options: ir.Dict, script: Script) -> Iterator[Hit]:
    known = settings("options", script.target)
    for key, value in zip(options.keys, options.values, strict=True):
        if not known or not isinstance(key, ir.Const) or not isinstance(key.value, str):
            continue
        name = key.value.replace("-", "_")
        if name not in known:
            yield Hit(key, "option", {"name": key.value})
        elif isinstance(value, ir.Const) and value.value is not None:
            wanted, got = option_type(name, script.target), type(value.value).__name__
            if wanted and got != wanted:
                yield Hit(key, "type", {"name": key.value, "wanted": wanted, "got": got})


RULE = Rule(on=(Script,), check=check)
