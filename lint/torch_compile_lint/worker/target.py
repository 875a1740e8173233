"""What a probe calls: a function or module, its calls, and what to look at afterwards.

``tclint_inputs()`` in a user's file may return any of: ``fn``; ``(fn, args)``; ``(fn, args, kwargs)``;
a dict with ``fn`` and any of ``args, kwargs, calls, observe, state, raw, name``; or a list of these,
one a variant.
"""

from __future__ import annotations

import inspect
import os
from typing import Any, Callable

from . import marks, protocol

_CHEAP = (
    "test_",
    "pico",
    "femto",
    "atto",
    "nano",
    "tiny",
    "xxs",
    "xs",
    "mini",
    "small",
    "s0",
    "b0",
    "_s",
    "18",
)

Call = Any  # (args, kwargs), or a function without arguments that returns one or a plain tuple of arguments


class Target:
    """One variant: what to call, with what, and where that knowledge came from."""

    def __init__(
        self,
        fn: Any,
        calls: list[Call],
        name: str = "",
        evidence: str = protocol.EXAMPLE,
        source: str = "",
        observe: Callable[[list[Any]], Any] | None = None,
        state: Callable[[], Any] | None = None,
        raw: bool = False,
    ) -> None:
        self.fn = fn if raw else marks.unwrapped(fn)
        self.calls = calls
        self.name = name
        self.evidence = evidence
        self.source = source
        self.observe = observe
        self.state = state
        self.raw = raw  # fn calls torch.compile itself
        self.autocast = ""  # dtype name, or empty
        self.dtype = ""  # dtype of the module and of floating inputs, or empty: as they are
        self.always = False  # a variant that is run also where every wanted line was reached
        self.group = ""  # which of several subjects of one step it is a variant of
        self.fake = False  # built on the meta device: shapes and no values
        self.mode = ""  # train or eval, set in the child that makes the calls


class BadFactory(Exception):
    """A factory returned something that is no target; the message says what would be right."""


def repeat(args: tuple[Any, ...], kwargs: dict[str, Any], times: int) -> list[Call]:
    """The same call, several times, with the very same objects."""
    return [(tuple(args), dict(kwargs))] * times


def both_modes(fn: Any, args: Any, kwargs: dict[str, Any], name: str, source: str) -> list[Target]:
    """Evaluation and training of the same model. The object is shared: phases run in forks of it."""
    found = []
    for mode in ("eval", "train"):
        target = Target(fn, repeat(args, kwargs, 3), name="%s, %s" % (name, mode), source=source)
        target.mode = mode
        found.append(target)
    return found


def wanted_lines(request: dict[str, Any]) -> dict[str, list[int]]:
    """The lines that a probe is to reach, by file."""
    wanted: dict[str, list[int]] = {}
    for path, line in request.get("wanted", ()):
        wanted.setdefault(path, []).append(line)
    return wanted


def holds(cls: Any, wanted: dict[str, list[int]]) -> bool:
    """Whether something wanted stands in the lines of a class."""
    try:
        path = inspect.getsourcefile(cls) or ""
        lines = wanted.get(os.path.realpath(path), ())
        if not lines:
            return False
        source, first = inspect.getsourcelines(cls)
    except (OSError, TypeError):
        return False
    return any(first <= line < first + len(source) for line in lines)


def cheapest(name: str) -> tuple[int, int, str]:
    """Order of names of models: those that say they are small first."""
    return (min((n for n, part in enumerate(_CHEAP) if part in name), default=len(_CHEAP)), len(name), name)


def from_factory(value: Any, times: int, source: str) -> list[Target]:
    """The targets a factory returned."""
    if isinstance(value, list):
        return [target for item in value for target in from_factory(item, times, source)]
    if isinstance(value, dict):
        return [_from_dict(value, times, source)]
    if isinstance(value, tuple):
        if not value or not callable(value[0]):
            raise BadFactory(f"{source} returned a tuple that does not start with a module or function")
        args = value[1] if len(value) > 1 else ()
        kwargs = value[2] if len(value) > 2 else {}
        if isinstance(args, dict) and len(value) == 2:
            args, kwargs = (), args
        if not isinstance(args, (tuple, list)) or not isinstance(kwargs, dict):
            raise BadFactory(
                f"{source} must return (fn, args) or (fn, args, kwargs), args a tuple, kwargs a dict"
            )
        return [Target(value[0], repeat(tuple(args), kwargs, times), source=source)]
    if callable(value):
        return [Target(value, repeat((), {}, times), source=source)]
    raise BadFactory(f"{source} returned {type(value).__name__}, not a module or function with its arguments")


def _from_dict(value: dict[str, Any], times: int, source: str) -> Target:
    unknown = set(value) - {"fn", "args", "kwargs", "calls", "observe", "state", "raw", "name", "evidence"}
    if unknown:
        raise BadFactory(f"{source}: unknown key {sorted(unknown)[0]!r}")
    if not callable(value.get("fn")):
        raise BadFactory(f"{source}: 'fn' must be a module or function")
    calls = value.get("calls")
    if calls is None:
        calls = repeat(tuple(value.get("args", ())), value.get("kwargs", {}), times)
    return Target(
        value["fn"],
        list(calls),
        name=str(value.get("name", "")),
        evidence=str(value.get("evidence", protocol.EXAMPLE)),
        source=source,
        observe=value.get("observe"),
        state=value.get("state"),
        raw=bool(value.get("raw", False)),
    )


def resolve_call(call: Call) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments of one call, made now where the call is a function."""
    value = call() if callable(call) else call
    if (
        isinstance(value, tuple)
        and len(value) == 2
        and isinstance(value[0], tuple)
        and isinstance(value[1], dict)
    ):
        return value
    return tuple(value), {}
