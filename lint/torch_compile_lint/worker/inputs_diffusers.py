"""Models of diffusers: constructor defaults made small, inputs by the names of ``forward``."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Iterator

from .inputs_search import search_call, widths
from .inputs_values import make as make_value
from .target import Target, repeat

_SMALL = {
    "sample_size": 16, "num_attention_heads": 2, "attention_head_dim": 16, "num_layers": 1,
    "num_single_layers": 1,
    "layers_per_block": 1, "cross_attention_dim": 32, "joint_attention_dim": 32,
    "caption_projection_dim": 32,
    "caption_channels": 32, "pooled_projection_dim": 32, "norm_num_groups": 4, "latent_channels": 4,
    "hidden_size": 32,
    "num_refiner_layers": 1, "text_embed_dim": 32, "ffn_dim": 48, "freq_dim": 32, "text_dim": 32,
    "num_blocks": 1,
}  # fmt: skip


def models(module: Any, request: dict[str, Any]) -> Iterator[Any]:
    """One maker for each model class of the module, each giving a list of targets."""
    from diffusers import ModelMixin  # type: ignore[import-not-found,unused-ignore]

    for item in list(vars(module).values()):
        if isinstance(item, type) and issubclass(item, ModelMixin) and item.__module__ == module.__name__:
            yield functools.partial(_make, item)


def _make(cls: Any) -> Any:
    model = _small(cls)
    import time

    model.eval()
    specs = search_call(model, _hints(model), time.time() + 30, widths(model))
    kwargs: dict[str, Any] = {name: make_value(spec) for name, spec in specs.items()}
    name = cls.__name__
    return [Target(model, repeat((), kwargs, 3), name=name, source="%s with a small configuration" % name)]


def _small(cls: Any) -> Any:
    parameters = inspect.signature(cls.__init__).parameters
    values: dict[str, Any] = {name: value for name, value in _SMALL.items() if name in parameters}
    for name, parameter in parameters.items():
        if name == "block_out_channels" and isinstance(parameter.default, tuple):
            values[name] = tuple([32] * len(parameter.default))
    problem: Any = None
    for attempt in (values, {"num_layers": 1} if "num_layers" in parameters else {}, {}):
        try:
            return cls(**attempt)
        except Exception as error:
            problem = problem or error
    raise problem


def _hints(model: Any) -> dict[str, Any]:
    config = getattr(model, "config", {})
    channels = config.get("in_channels", 4) or 4
    size = config.get("sample_size", 16) or 16
    size = size if isinstance(size, int) else size[0]
    text = (
        config.get("cross_attention_dim")
        or config.get("joint_attention_dim")
        or config.get("caption_channels")
        or 32
    )
    text = text if isinstance(text, int) else text[0]
    image: dict[str, Any] = {"dims": [2, channels, size, size]}
    found: dict[str, dict[str, Any]] = {
        "sample": image,
        "x": image,
        "hidden_states": image,
        "encoder_hidden_states": {"dims": [2, 7, text]},
        "timestep": {"dims": [2], "dtype": "int"},
        "pooled_projections": {"dims": [2, config.get("pooled_projection_dim") or 32]},
        "latents": image,
    }
    return {name: {"dims": hint["dims"], "dtype": hint.get("dtype", "float")} for name, hint in found.items()}
