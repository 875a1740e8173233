"""Models of transformers: a small configuration of each model's own class, inputs by parameter name.

Each model class of the file is a subject: the base model first, then those with heads. What is
accepted is found by calling the model eagerly, at most a handful of times.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any, Iterator

from .inputs_held import behind_dispatch, holds
from .inputs_multimodal import BATCH, LENGTH, in_rows, number, with_placeholders
from .inputs_shrink import DEGREES, small_config
from .target import Target, repeat

MOST_PARAMETERS = 200_000_000
_CLASSES = 14
_EAGER = 4
_SAMPLES = 7680  # a multiple of the hops and strides that models ask for


def models(module: Any, request: dict[str, Any]) -> Iterator[Any]:
    """One maker for each model class of the module, each giving a list of targets: those that hold wanted
    lines first.
    """
    import transformers  # type: ignore[import-not-found,unused-ignore]

    classes = [
        item
        for item in vars(module).values()
        if isinstance(item, type)
        and issubclass(item, transformers.PreTrainedModel)
        and item.__module__ == module.__name__
        and not item.__name__.endswith("PreTrainedModel")
        and getattr(item, "config_class", None) is not None
    ]
    order = sorted(set(classes), key=lambda item: (not item.__name__.endswith("Model"), len(item.__name__)))
    later: list[Any] = []
    plain = [functools.partial(_make, cls, "", request, later) for cls in order[:_CLASSES]]
    eager = [functools.partial(_make, cls, "eager", request, later) for cls in order[:_EAGER]]
    yield from eager + plain if behind_dispatch(module, request.get("rest", ())) else plain + eager
    yield from later


def _make(cls: Any, chosen: str, request: dict[str, Any], later: list[Any] | None = None) -> list[Target]:
    """Evaluation and training of a model; put off, where ``later`` is given, if it holds nothing wanted."""
    model, kwargs = build(cls, chosen)
    rest = request.get("rest", ())
    if later is not None and rest and not holds(model, rest):
        later.append(functools.partial(_make, cls, chosen, request))
        return []
    name = cls.__name__ + (" with eager attention and experts" if chosen else "")
    source = "%s of a small %s" % (cls.__name__, type(model.config).__name__)
    found = []
    labels = _labels(model, kwargs)
    for mode, given in (("eval", kwargs), ("train", dict(kwargs, **labels))):
        target = Target(model, repeat((), given, 3), name="%s, %s" % (name, mode), source=source)
        target.mode = mode
        found.append(target)
    return found


def build(cls: Any, attention: str = "") -> tuple[Any, dict[str, Any]]:
    """A model small enough to run, and arguments it accepts; the first error where there is none."""
    problem: Any = None
    for degree in DEGREES:
        try:
            config = small_config(cls.config_class, degree)
            if attention:
                config._attn_implementation = attention
            model = _sized(cls, config)
            if attention:
                _eager_experts(model)
            return model, hugging_inputs(model, config)
        except Exception as error:
            problem = problem or error
    raise problem


def _eager_experts(model: Any) -> None:
    """What the experts' own ``forward`` says, in place of the library's kernels for them."""
    for part in model.modules():
        config: Any = getattr(part, "config", None)
        if isinstance(getattr(config, "_experts_implementation", None), str):
            config._experts_implementation = "eager"


def _sized(cls: Any, config: Any) -> Any:
    """The model, built on no memory first where that works, so that a giant is refused and not built."""
    import torch

    if torch.empty(0).device.type == "meta":  # it does not have to fit
        return cls(config).eval()
    try:
        with torch.device("meta"):
            count = sum(item.numel() for item in cls(config).parameters())
    except Exception:
        count = 0
    if count > MOST_PARAMETERS:
        raise MemoryError("%.1f billion parameters after shrinking" % (count / 1e9))
    return cls(config).eval()


def hugging_inputs(model: Any, config: Any) -> dict[str, Any]:
    """Arguments with which the model returns: required ones and its main input, then likely companions."""
    import torch

    parameters = inspect.signature(model.forward).parameters
    required = [
        name
        for name, item in parameters.items()
        if item.default is inspect.Parameter.empty and item.kind is item.POSITIONAL_OR_KEYWORD
    ]
    main = getattr(model, "main_input_name", "input_ids")
    main = main if isinstance(main, str) else main[0]
    problem: Any = None
    tried: list[Any] = []
    usual = _pool(model, config)
    usual.update(_named_like(usual, required))
    unusual = {name: value for name, value in _other(usual).items() if name in (main, *required)}
    pools = [dict(usual, **pool) for pool in in_rows(model, config, parameters)]
    attempts = [(pool, extra) for pool in pools for extra in _with_pictures(main, parameters)]
    attempts += [(usual, extra) for extra in _attempts(main, parameters)]
    attempts += [(dict(usual, **{name: value}), [main]) for name, value in unusual.items()]
    for pool, extra in attempts:
        names = [name for name in dict.fromkeys([*required, *extra]) if name in parameters and name in pool]
        if not names or ((id(pool), names) in tried):
            continue
        tried.append((id(pool), names))
        kwargs = {name: pool[name] for name in names}
        if "input_ids" in names and len(names) > 1:
            kwargs = with_placeholders(model, config, kwargs)
        try:
            with torch.no_grad():
                model(**kwargs)
            return kwargs
        except Exception as error:
            problem = problem or error
    raise problem if problem is not None else ValueError("no inputs for %s" % type(model).__name__)


def _named_like(pool: dict[str, Any], required: list[str]) -> dict[str, Any]:
    """Values for required names that end as a known one does (``qformer_input_ids``)."""
    found = {}
    for name in required:
        known = [end for end in pool if name.endswith("_" + end)]
        if name not in pool and known:
            found[name] = pool[max(known, key=len)]
    return found


def _with_pictures(main: str, parameters: Any) -> Iterator[list[str]]:
    """Sets of arguments around pictures in rows: with clips as well, pictures alone."""
    text = [name for name in ("input_ids", "attention_mask") if name in parameters]
    beside = ["image_grid_thw", "image_grid_hw", "image_grid_hws", "grid_hws", "spatial_shapes"]
    beside += ["image_position_ids", "pixel_attention_mask", "target_sizes"]
    clips = ["pixel_values_videos", "video_grid_thw", "video_position_ids"]
    if text and any(name in parameters for name in clips):
        yield [*text, "pixel_values", *beside, *clips]
    yield [*text, "pixel_values", *beside]
    yield [main, *beside]


def _attempts(main: str, parameters: Any) -> Iterator[list[str]]:
    """Sets of arguments, richest first where it is likely to work."""
    text = [name for name in ("input_ids", "attention_mask") if name in parameters]
    if main == "input_ids" and "pixel_values" in parameters:
        yield [*text, "pixel_values", "image_grid_thw", "image_sizes", "pixel_attention_mask"]
        yield [*text, "pixel_values"]
    yield [main, "attention_mask"] if main == "input_ids" else [main]
    yield [main]
    yield [main, "decoder_input_ids"]
    yield [main, *text, "decoder_input_ids"]
    yield [main, *text]
    yield text
    for name in ("pixel_values", "input_values", "input_features", "inputs_embeds", "hidden_states"):
        yield [name]
    yield [*text, "input_values"]
    yield [*text, "input_features"]
    yield [*text, "bbox"]
    yield [*text, "bbox", "pixel_values"]
    yield ["pixel_values", "decoder_input_ids"]
    yield ["flattened_patches", "decoder_input_ids"]


def _pool(model: Any, config: Any) -> dict[str, Any]:
    """A value for each parameter name that models of this library share."""
    import torch

    vision = getattr(config, "vision_config", None) or config
    vocabulary = min(number(config, ("vocab_size",), 100), 100)
    ids = torch.randint(min(13, vocabulary - 1), vocabulary, (BATCH, LENGTH))
    size = number(vision, ("image_size", "img_size", "input_size"), 64)
    channels = number(vision, ("num_channels", "in_channels", "in_chans"), 3)
    width = number(config, ("hidden_size", "d_model", "n_embd", "dim"), 64)
    bins = number(config, ("num_mel_bins", "feature_size", "input_feat_per_channel", "num_mel_bins"), 80)
    frames = 2 * number(config, ("max_source_positions",), 50)
    image = torch.randn(BATCH, channels, size, size)
    ones = torch.ones(BATCH, LENGTH, dtype=torch.long)
    frame_count = number(vision, ("num_frames",), 4)
    video = torch.randn(BATCH, frame_count, channels, size, size)
    clips = ("VideoMAE", "Timesformer", "Vivit", "VJEPA")
    return {
        "input_ids": ids,
        "attention_mask": ones,
        "decoder_input_ids": ids,
        "decoder_attention_mask": ones,
        "token_type_ids": torch.zeros_like(ids),
        "position_ids": torch.arange(LENGTH).expand(BATCH, -1),
        "inputs_embeds": torch.randn(BATCH, LENGTH, width),
        "hidden_states": torch.randn(BATCH, LENGTH, width),
        "encoder_hidden_states": torch.randn(BATCH, LENGTH, width),
        "bbox": torch.zeros(BATCH, LENGTH, 4, dtype=torch.long),
        "pixel_values": video if any(part in type(model).__name__ for part in clips) else image,
        "pixel_values_images": image,
        "pixel_values_videos": video,
        "pixel_mask": torch.ones(BATCH, size, size, dtype=torch.long),
        "bool_masked_pos": None,
        "image_sizes": torch.tensor([[size, size]] * BATCH),
        "input_values": torch.randn(BATCH, _SAMPLES),
        "input_features": _features(model, bins, frames),
        "audio_values": torch.randn(BATCH, _SAMPLES),
        "flattened_patches": torch.rand(BATCH, 16, 2 + channels * number(vision, ("patch_size",), 16) ** 2),
        "input_points": torch.tensor([[[[5.0, 5.0]]]] * BATCH),
        "past_values": torch.randn(BATCH, number(config, ("context_length", "seq_length"), 64), 1),
        "past_observed_mask": torch.ones(BATCH, number(config, ("context_length",), 64), 1),
        "num_logits_to_keep": 0,
        "return_loss": False,
        "labels": ids,
        "task_inputs": ids,
        "codes": ids[:, None, :].expand(-1, number(config, ("num_quantizers", "num_codebooks"), 4), -1),
    }


def _other(pool: dict[str, Any]) -> dict[str, Any]:
    """Other shapes that the same names have in some models."""
    return {
        "input_values": pool["input_values"][:, None],
        "input_features": pool["input_features"].mT,
        "pixel_values": pool["pixel_values_videos"],
        "hidden_states": pool["hidden_states"][:, None],
    }


def _features(model: Any, bins: int, frames: int) -> Any:
    """Spectrograms: bins before frames for models that convolve over time, after them elsewhere."""
    import torch

    convolves = any("conv1" in name for name, _ in model.named_modules())
    return torch.randn(BATCH, bins, frames) if convolves else torch.randn(BATCH, frames, bins)


def _labels(model: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Labels with which the model computes its loss, or nothing."""
    import torch

    parameters = inspect.signature(model.forward).parameters
    if "labels" not in parameters or "labels" in kwargs:
        return {}
    ids = kwargs.get("decoder_input_ids", kwargs.get("input_ids"))
    tries = [torch.zeros(BATCH, dtype=torch.long)]
    if ids is not None:
        tries.insert(0, torch.zeros_like(ids))
    tries.append(torch.zeros(BATCH, LENGTH, dtype=torch.long))
    for labels in tries:
        try:
            with torch.no_grad():
                model(**kwargs, labels=labels)
            return {"labels": labels}
        except Exception:
            continue
    return {}
