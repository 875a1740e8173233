"""One model to observe: how to build it, and what to call it with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Call = tuple[tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True)
class Variant:
    """A way to build and call a model; a later one is tried when an earlier one fails in eager mode."""

    build: Callable[[], Any]
    inputs: Callable[[str, int], Call]  # (mode, batch size) -> arguments


@dataclass(frozen=True)
class Subject:
    """``name`` is unique in its library; ``home`` is the file that defines the model."""

    name: str
    home: str
    variants: tuple[Variant, ...]
    modes: tuple[str, ...] = ("eval", "train")
    rank: int = 0  # lower ones are observed first


def shortened(model: Any, keep: int = 2) -> Any:
    """``model`` with long runs of equal layers cut to ``keep``: the same code is traced, sooner.

    Whether the rest still fits together is found out by running it; callers offer the full model
    as the next variant.
    """
    import torch.nn as nn

    for module in list(model.modules()):
        if isinstance(module, (nn.Sequential, nn.ModuleList)) and len(module) > keep:
            kinds = [type(child) for child in module]
            while len(kinds) > keep and len(set(kinds[keep - 1 :])) == 1:
                del module[len(kinds) - 1]
                kinds.pop()
    return model


def unique(subjects: Iterator[Subject]) -> list[Subject]:
    """The subjects in order, without repeated names."""
    return list({subject.name: subject for subject in subjects}.values())
