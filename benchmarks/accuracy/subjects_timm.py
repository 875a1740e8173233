"""timm: the smallest model of each file first, then the smallest of each further name family."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from subject import Call, Subject, Variant, shortened

_SMALL_WORDS = (
    "test",
    "zepto",
    "atto",
    "femto",
    "pico",
    "nano",
    "micro",
    "xxsmall",
    "xxs",
    "xxt",
    "xs",
    "tiny",
)
_LARGE_WORDS = ("large", "huge", "giant", "xlarge", "xxlarge", "gigantic", "enormous", "so400m", "so150m")
_WORST_SIZE = 10**6


def subjects() -> Iterator[Subject]:
    import timm
    from timm.models import _registry

    del timm
    later: list[Subject] = []
    for module in sorted(_registry._module_to_models):
        names = [n for n in _registry._module_to_models[module] if n in _registry._model_entrypoints]
        families: dict[str, list[str]] = defaultdict(list)
        for name in names:
            families[_family(name)].append(name)
        picks = sorted((min(group, key=_size) for group in families.values()), key=_size)
        ordered = [_subject(name, f"timm/models/{module}.py") for name in picks]
        yield from ordered[:1]
        later.extend(ordered[1:])
    yield from later


def _family(name: str) -> str:
    """``efficientnet_b3`` and ``efficientnet_b0`` are one family, ``efficientnet_cc_b0`` another."""
    words = [w for w in name.split("_") if not re.search(r"\d", w)]
    return "_".join(
        w for w in words if w not in (*_SMALL_WORDS[1:], *_LARGE_WORDS, "small", "base", "medium")
    )


def _size(name: str) -> tuple[int, int, str]:
    """Smaller names first; only a guess, since building every model would take hours."""
    words = name.split("_")
    for rank, word in enumerate(_SMALL_WORDS):
        if word in words:
            return (rank, 0, name)
    if any(word in _LARGE_WORDS for word in words):
        return (90, 0, name)
    numbers = [int(n) for n in re.findall(r"\d+", name)]
    return (40 if "small" in words else 50, sum(numbers) or _WORST_SIZE, name)


def _subject(name: str, home: str) -> Subject:
    import timm
    import torch

    def build(short: bool, **options: Any) -> Any:
        model = timm.create_model(name, pretrained=False, **options)
        return shortened(model) if short else model

    def inputs(limit: int) -> Any:
        config = timm.get_pretrained_cfg(name, allow_unregistered=True)
        size = tuple(config.input_size) if config is not None else (3, 224, 224)
        size = (size[0], min(size[1], limit), min(size[2], limit))

        def call(mode: str, batch: int) -> Call:
            return (torch.randn(batch, *size),), {}

        return call

    variants = [
        Variant(lambda: build(True, drop_path_rate=0.1), inputs(128)),
        Variant(lambda: build(True, drop_path_rate=0.1), inputs(256)),
        Variant(lambda: build(True), inputs(256)),
        Variant(lambda: build(False), inputs(256)),
        Variant(lambda: build(False), inputs(10**4)),
    ]
    return Subject(name, home, tuple(variants))
