"""The user's own marks (``@torch.compile``, ``model = torch.compile(model)``) while their code is built.

A probe compiles for itself, with hooks in place; code that came compiled already would be observed by
nobody. So while a file is imported or a slice is run, ``torch.compile`` hands back what it was given and
notes the options that change what is traced.
"""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator

_KEPT = ("fullgraph", "dynamic")
_NOTE = "__tclint_options__"


@contextlib.contextmanager
def noted() -> Iterator[None]:
    """While it lasts, ``torch.compile`` compiles nothing."""
    import torch

    original = torch.compile
    building = [True]

    def compile_later(model: Any = None, **options: Any) -> Any:
        if not building:  # a name that the file imported: `from torch import compile`
            return original(model, **options)
        if model is None:
            return lambda given: compile_later(given, **options)
        kept = {name: options[name] for name in _KEPT if options.get(name) is not None}
        if kept:
            with contextlib.suppress(AttributeError, TypeError):  # a builtin takes no note
                setattr(model, _NOTE, kept)
        return model

    setattr(torch, "compile", compile_later)  # noqa: B010
    try:
        yield
    finally:
        building.clear()
        setattr(torch, "compile", original)  # noqa: B010


def options_of(fn: Any) -> dict[str, Any]:
    """The options that the user's mark gave, for ``fn`` or for the forward of a module."""
    for holder in (fn, getattr(fn, "forward", None)):
        found = getattr(holder, _NOTE, None)
        if isinstance(found, dict):
            return dict(found)
    return {}


def unwrapped(fn: Callable[..., Any]) -> Any:
    """What was given to ``torch.compile``, where something compiled slipped through."""
    fn = getattr(fn, "_orig_mod", fn)
    fn = getattr(fn, "_torchdynamo_orig_callable", fn)
    if getattr(fn, "_compiled_call_impl", None) is not None:
        setattr(fn, "_compiled_call_impl", None)  # noqa: B010
    return fn
