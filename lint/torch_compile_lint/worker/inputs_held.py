"""Which of the wanted lines a model holds: those of the classes that its modules are of.

A file of a model library has a dozen models, and a compiled run of one takes seconds: those that hold
nothing wanted come last.
"""

from __future__ import annotations

import dis
import inspect
import os
import sys
from typing import Any, Dict, Iterable, List, Set, Tuple

Lines = Set[Tuple[str, int]]
Spans = Dict[str, List[Tuple[int, int]]]


def holds(model: Any, wanted: Iterable[tuple[str, int]]) -> bool:
    """Whether a wanted line stands in a class of one of the model's modules, or in no module class at all."""
    owned = _spans(cls for part in model.modules() for cls in type(part).__mro__)
    for path, line in wanted:
        if _within(owned, path, line) or not _within(_spans(_module_classes(path)), path, line):
            return True
    return False


def behind_dispatch(module: Any, wanted: Iterable[tuple[str, int]]) -> bool:
    """Whether a wanted line stands in a ``forward`` that a function of another file was put in front of:
    the library may choose another implementation than the one that is written there.
    """
    spans: Spans = {}
    for cls in vars(module).values():
        forward = vars(cls).get("forward") if isinstance(cls, type) else None
        inner: Any = inspect.unwrap(forward) if callable(forward) else None
        if inner is not forward and hasattr(inner, "__code__"):
            spans.setdefault(os.path.realpath(inner.__code__.co_filename), []).append(_span(inner.__code__))
    return any(_within(spans, path, line) for path, line in wanted)


def _module_classes(path: str) -> list[Any]:
    import torch

    found = []
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and os.path.realpath(file) == path:
            found += [
                item
                for item in vars(module).values()
                if isinstance(item, type) and issubclass(item, torch.nn.Module)
            ]
    return found


def _spans(classes: Iterable[Any]) -> Spans:
    spans: Spans = {}
    for cls in set(classes):
        if cls.__module__.partition(".")[0] in ("torch", "builtins"):
            continue
        for item in vars(cls).values():
            inner = inspect.unwrap(getattr(item, "__func__", item)) if callable(item) else item
            code = getattr(getattr(inner, "__func__", inner), "__code__", None)
            if code is not None:
                spans.setdefault(os.path.realpath(code.co_filename), []).append(_span(code))
    return spans


def _span(code: Any) -> tuple[int, int]:
    """First and last line of a function, those of functions in it included."""
    last = max((line for _, line in dis.findlinestarts(code) if line), default=code.co_firstlineno)
    inner = [_span(item)[1] for item in code.co_consts if hasattr(item, "co_firstlineno")]
    return code.co_firstlineno, max([last, *inner])


def _within(spans: Spans, path: str, line: int) -> bool:
    return any(first <= line <= last for first, last in spans.get(path, ()))
