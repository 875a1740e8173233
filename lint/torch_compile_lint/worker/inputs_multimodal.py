"""Pictures and clips for models that read text beside them: as patches in rows with the grid they came
from, and token ids with as many placeholders as the vision part gives features.
"""

from __future__ import annotations

import inspect
from typing import Any, Dict

BATCH, LENGTH = 2, 7
Pool = Dict[str, Any]

# What marks the place of a feature in the ids, and the method that says how many features there are.
_PARTS = (
    ("get_image_features", ("image_token_id", "image_token_index"), 1),
    ("get_video_features", ("video_token_id", "video_token_index"), 2),
    ("get_audio_features", ("audio_token_id", "audio_token_index"), 3),
)
_OWN = {
    "get_image_features": ("pixel_values", "pixel_values_images"),
    "get_video_features": ("pixel_values_videos",),
    "get_audio_features": ("input_features", "input_values", "audio_values", "audio_input_ids"),
}
_GRIDS = ("image_grid_thw", "grid_thw", "video_grid_thw", "image_grid_hw", "image_grid_hws", "grid_hws")


def number(config: Any, names: tuple[str, ...], default: int) -> int:
    """The first of these fields that is a positive number, in the configuration or one inside it."""
    parts = ("text_config", "vision_config", "audio_config", "thinker_config", "encoder")
    for holder in [config, *(getattr(config, part, None) for part in parts)]:
        for name in names:
            value = getattr(holder, name, None)
            if isinstance(value, (list, tuple)) and value and isinstance(value[0], int):
                value = max(value)
            if type(value) is int and value > 0:
                return value
    return default


def _row_width(model: Any, usual: int) -> int:
    """What the layer that embeds patches takes, where it is one that takes rows."""
    for name, part in model.named_modules():
        width = getattr(part, "in_features", None)
        if "patch" in name and isinstance(width, int):
            return width if width % usual == 0 else usual
    return usual


def in_rows(model: Any, config: Any, parameters: Any) -> list[Pool]:
    """Pictures as rows of patches, in the ways that the names of the other parameters ask for."""
    import torch

    vision = getattr(config, "vision_config", None) or config
    patch = number(vision, ("patch_size", "model_patch_size"), 14)
    channels = number(vision, ("in_channels", "num_channels", "in_chans"), 3)
    frames = number(vision, ("temporal_patch_size",), 1)
    merged = ("spatial_merge_size", "merge_size", "merge_kernel_size", "pooling_kernel_size")
    merge = number(vision, merged, 2)
    side = 2 * merge
    width = channels * patch * patch * frames
    width = _row_width(model, width)
    pools: list[Pool] = []
    if any(name in parameters for name in _GRIDS):
        for steps in (1, number(vision, ("temporal_merge_size",), 1)):
            rows = torch.randn(BATCH * steps * side * side, width)
            grid = torch.tensor([[steps, side, side]] * BATCH)
            pool = {name: grid if name.endswith("thw") else grid[:, 1:] for name in _GRIDS}
            pool.update(dict.fromkeys(("pixel_values", "pixel_values_videos", "hidden_states"), rows))
            pools.append(pool)
            if steps == number(vision, ("temporal_merge_size",), 1):
                break
        images = torch.randn(BATCH * side * side, channels, patch, patch)
        pools.append(dict(pools[0], pixel_values=images, hidden_states=images))
    if any(name in parameters for name in ("spatial_shapes", "image_position_ids", "pixel_position_ids")):
        rows = torch.rand(BATCH, side * side, width)
        places = torch.cartesian_prod(torch.arange(side), torch.arange(side)).expand(BATCH, -1, -1)
        pools.append(
            {
                "pixel_values": rows,
                "pixel_values_videos": rows[:, None].repeat(1, 2, 1, 1),
                "spatial_shapes": torch.tensor([[side, side]] * BATCH),
                "pixel_attention_mask": torch.ones(BATCH, side * side, dtype=torch.long),
                "image_position_ids": places,
                "pixel_position_ids": places,
                "video_position_ids": places[:, None].repeat(1, 2, 1, 1),
            }
        )
    if "target_sizes" in parameters:
        strips = torch.randn(BATCH, channels, patch, side * side * patch)
        sizes = torch.tensor([[side, side]] * BATCH, dtype=torch.int32)
        pools.append({"pixel_values": strips, "target_sizes": sizes})
        packed = torch.randn(1, channels, patch, BATCH * side * side * patch)
        pools.append({"pixel_values": packed, "target_sizes": sizes})
    return pools


def with_placeholders(model: Any, config: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    """``input_ids`` with as many image, video and audio tokens as those parts of the model give features,
    and the type of each token where the model takes it.
    """
    import torch

    if "input_ids" not in kwargs:
        return kwargs
    blocks, types = [], []
    text = kwargs["input_ids"]
    for method, names, kind in _PARTS:
        token = next((v for v in (getattr(config, name, None) for name in names) if type(v) is int), None)
        ask = _with_names(method, _OWN[method], model, getattr(model, "model", None))
        if token is None or ask is None or not any(name in kwargs for name in _OWN[method]):
            continue
        count = _asked(ask, kwargs)
        if not count or count % BATCH or count > 4096:
            continue
        block = torch.full((BATCH, count // BATCH), token)
        blocks += [block, text]
        types += [torch.full_like(block, kind), torch.zeros_like(text)]
    if not blocks:
        return kwargs
    ids = torch.cat(blocks, 1)
    found = dict(kwargs, input_ids=ids)
    if "attention_mask" in kwargs:
        found["attention_mask"] = torch.ones_like(ids)
    return dict(found, **_types(model, torch.cat(types, 1)))


def _with_names(method: str, names: tuple[str, ...], *owners: Any) -> Any:
    """The method of the first owner that names these arguments: an outer one may only pass them on."""
    for owner in owners:
        ask = getattr(owner, method, None)
        if ask is not None and any(name in inspect.signature(ask).parameters for name in names):
            return ask
    return None


def _types(model: Any, types: Any) -> dict[str, Any]:
    parameters = inspect.signature(model.forward).parameters
    found = {"mm_token_type_ids": types, "moe_mm_token_type_ids": (types > 0).int(), "token_type_ids": types}
    return {name: value for name, value in found.items() if name in parameters}


def _asked(ask: Any, kwargs: dict[str, Any]) -> int:
    """How many features a part gives for these arguments; 0 where it does not take them."""
    import torch

    known = inspect.signature(ask).parameters
    given = {name: value for name, value in kwargs.items() if name in known and name != "input_ids"}
    try:
        with torch.no_grad():
            return rows(ask(**given))
    except Exception:
        return 0


def rows(features: Any) -> int:
    """How many feature vectors there are in a tensor, a list of tensors, or an output that holds them."""
    import torch

    for name in ("pooler_output", "last_hidden_state"):
        inner = getattr(features, name, None)
        if inner is not None:
            features = inner
            break
    if isinstance(features, (list, tuple)):
        return sum(rows(item) for item in features)
    if isinstance(features, torch.Tensor):
        count = 1
        for size in features.shape[:-1]:
            count *= int(size)
        return count
    return 0
