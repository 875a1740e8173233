"""Models of timm: by name, at the smallest input that the model accepts."""

from __future__ import annotations

import functools
from typing import Any, Iterator

from .target import both_modes, cheapest

_MODELS = 10
_LEAST = 96


def models(module: Any, request: dict[str, Any]) -> Iterator[Any]:
    """One maker for each registered model of the module, cheapest first, each giving a list of targets."""
    import timm  # type: ignore[import-not-found,unused-ignore]

    stem = module.__name__.rsplit(".", 1)[-1]
    for name in sorted(timm.list_models(module=stem), key=cheapest)[:_MODELS]:
        yield functools.partial(_make, name)


def cheapest_model() -> Any:
    """One of the registered models, with random weights: the one whose name says that it is the smallest."""
    import timm

    return timm.create_model(min(timm.list_models(), key=cheapest), pretrained=False)


def _make(name: str) -> Any:
    import timm
    import torch

    source = "timm.create_model(%r)" % name
    problem: Any = None
    for options, size in _attempts(name):
        try:
            model = timm.create_model(name, pretrained=False, **options)
            given = size or list(model.default_cfg.get("input_size", (3, 224, 224)))
            image = torch.randn(2, *given)
            with torch.no_grad():
                model.eval()(image)
        except Exception as error:
            problem = problem or error
            continue
        return both_modes(model, (image,), {}, name, source)
    raise problem


def _attempts(name: str) -> Iterator[Any]:
    """Constructor options and image sizes: a small image where it need not be large."""
    import timm

    cfg = timm.get_pretrained_cfg(name)
    size = list(getattr(cfg, "input_size", None) or (3, 224, 224))
    small = [size[0], _LEAST, _LEAST]
    if size[-1] > _LEAST:
        if getattr(cfg, "fixed_input_size", False):
            yield {"img_size": _LEAST}, small
        else:
            yield {}, small
    yield {}, size
    yield {}, []
