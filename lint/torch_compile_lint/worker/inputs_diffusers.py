"""Models of diffusers: constructor defaults made small, inputs as the documentation of ``forward`` has them.

A docstring says "`hidden_states` (`torch.Tensor` of shape `(batch_size, sequence_length, in_channels)`)": the
names of the axes are those of the model's configuration, which says how many there are of each.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import re
import time
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
_SHAPED = re.compile(
    r"^[ \t]*`?(\w+)`?[ \t]*\(([^\n]*?)(?:of shape|\n[^\n]*?following shape)[^\n(]*\(([^)`\n]+)[)`]",
    re.MULTILINE,
)
_TEXT = ("joint_attention_dim", "cross_attention_dim", "text_embed_dim", "text_dim", "caption_channels")
_SECONDS = 40.0  # for the inputs of one model


def models(module: Any, request: dict[str, Any]) -> Iterator[Any]:
    """One maker for each model class of the module, each giving a list of targets."""
    from diffusers import ModelMixin  # type: ignore[import-not-found,unused-ignore]

    for item in list(vars(module).values()):
        if isinstance(item, type) and issubclass(item, ModelMixin) and item.__module__ == module.__name__:
            yield functools.partial(_make, item)


def _make(cls: Any) -> Any:
    problem: Any = None
    for model in small_models(cls):
        model.eval()
        try:
            specs = search_call(model, hints(model), time.time() + _SECONDS, widths(model))
        except Exception as error:
            problem = problem or error
            continue
        kwargs: dict[str, Any] = {name: make_value(spec) for name, spec in specs.items()}
        name = cls.__name__
        source = "%s with a small configuration" % name
        return [Target(model, repeat((), kwargs, 3), name=name, source=source)]
    raise problem


def small_models(cls: Any) -> Iterator[Any]:
    """Instances with small configurations, at most two: with as many small values as the class accepts, and
    with few layers but its own widths. What none accepts raises.
    """
    values = small_values(cls)
    depth = {name: value for name, value in values.items() if "layers" in name or "blocks" in name}
    count = 0
    problem: Any = None
    for chosen in (values, depth):
        for attempt in _fewer(chosen):
            try:
                model = cls(**attempt)
            except Exception as error:
                problem = problem or error
                continue
            count += 1
            yield model
            break
    if not count:
        raise problem


def small_values(cls: Any) -> dict[str, Any]:
    """Small values for those parameters of the constructor whose meaning is read off their names."""
    values: dict[str, Any] = {}
    for name, parameter in inspect.signature(cls.__init__).parameters.items():
        default = parameter.default
        if name == "block_out_channels" and isinstance(default, (tuple, list)):
            values[name] = tuple([32] * len(default))
        elif name in _SMALL and not isinstance(default, (tuple, list)):
            small = _SMALL[name]
            values[name] = min(small, default) if type(default) is int and default > 0 else small
        elif "axes_dim" in name and isinstance(default, (tuple, list)):
            # Their sum is the width of one head.
            first = 16 - 4 * (len(default) - 1)
            values[name] = tuple([first] + [4] * (len(default) - 1))
    return values


def _fewer(values: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All the values, then without one of them, without two, and none."""
    yield values
    for name in values:
        yield {key: value for key, value in values.items() if key != name}
    for pair in itertools.islice(itertools.combinations(values, 2), 40):
        yield {key: value for key, value in values.items() if key not in pair}
    yield {}


def hints(model: Any) -> dict[str, Any]:
    """What is known of the arguments of ``forward``: the shapes that its docstring gives, else by name."""
    config = dict(getattr(model, "config", {}) or {})
    channels = _number(config.get("in_channels")) or 4
    size = _number(config.get("sample_size")) or 16
    image: dict[str, Any] = {"dims": [2, channels, *_frames(model), size, size]}
    text = next((_number(config[name]) for name in _TEXT if _number(config.get(name))), 0) or 32
    found: dict[str, dict[str, Any]] = {
        "sample": image,
        "x": image,
        "hidden_states": image,
        "encoder_hidden_states": {"dims": [2, 7, text]},
        "timestep": {"dims": [2]},
        "guidance": {"dims": [2]},
        "pooled_projections": {"dims": [2, _number(config.get("pooled_projection_dim")) or 32]},
        "latents": image,
        "encoder_attention_mask": {"dims": [2, 7], "dtype": "bool"},
        "encoder_hidden_states_mask": {"dims": [2, 7], "dtype": "bool"},
    }
    axes = next((v for k, v in config.items() if "axes_dim" in k and isinstance(v, (tuple, list))), ())
    for name in inspect.signature(model.forward).parameters:
        embedded = _number(config.get(name[:-1] + "_dim"))
        if name.endswith("_embeds") and embedded:
            found[name] = {"dims": [2, 7, embedded]}
        if name.endswith("_ids") and axes:  # positions along each axis of the rotary embedding
            found[name] = {"dims": [7, len(axes)]}
    for name, what, shape in _SHAPED.findall(inspect.getdoc(type(model).forward) or ""):
        dims = [_axis(part.strip(" `"), config, text, size) for part in shape.split(",") if part.strip(" `")]
        # A time is called whole in many places, and where it is embedded its type becomes that of the model.
        whole = "LongTensor" in what and not name.startswith("timestep")
        dtype = "int" if whole else "bool" if "mask" in name else "float"
        if dims and len(dims) < 7:
            found[name] = {"dims": dims, "dtype": dtype}
    return {name: {"dims": hint["dims"], "dtype": hint.get("dtype", "float")} for name, hint in found.items()}


def _frames(model: Any) -> list[int]:
    """One axis more where the first convolution is one of videos."""
    import torch

    kinds = (torch.nn.Conv2d, torch.nn.Conv3d)
    first = next((part for part in model.modules() if isinstance(part, kinds)), None)
    return [5] if isinstance(first, torch.nn.Conv3d) else []


def _axis(name: str, config: dict[str, Any], text: int, size: int) -> int:
    """The size of an axis by its name in the documentation."""
    low = name.lower().replace(" ", "_")
    known = _number(config.get(low))
    if known:
        return known
    if low.isdigit():
        return int(low)
    if "batch" in low or low in ("b", "n"):
        return 2
    if any(part in low for part in ("frame", "time", "depth")):
        return 4
    if any(part in low for part in ("height", "width")) or low in ("h", "w"):
        return size
    if "channel" in low:
        return _number(config.get("in_channels")) or 4
    if any(part in low for part in ("dim", "hidden", "embed")):
        return text
    return 7


def _number(value: Any) -> int:
    """A whole number of a configuration, of a list its first; 0 where it is none."""
    value = value[0] if isinstance(value, (tuple, list)) and value else value
    return value if type(value) is int and value > 0 else 0
