"""transformers: one model per family from a to m, with a configuration shrunk without knowing it.

A family is a folder of ``transformers/models``. Of its classes the one with the most code above
the base model is taken. The configuration class is called with small numbers for every field
whose name says width, depth, heads or vocabulary; several degrees of shrinking and several sets of
inputs are tried until one runs in eager mode. What never runs is recorded with its last reason.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from subject import Call, Subject, Variant
from tiny_config import tiny_config

FIRST, LAST = "a", "n"  # half-open
MOST_PARAMETERS = 400_000_000
_SEQUENCE = 16
_TASKS = [
    "CAUSAL_LM",
    "SEQ_TO_SEQ_CAUSAL_LM",
    "IMAGE_TEXT_TO_TEXT",
    "SPEECH_SEQ_2_SEQ",
    "OBJECT_DETECTION",
    "UNIVERSAL_SEGMENTATION",
    "ZERO_SHOT_OBJECT_DETECTION",
    "INSTANCE_SEGMENTATION",
    "SEMANTIC_SEGMENTATION",
    "DEPTH_ESTIMATION",
    "KEYPOINT_MATCHING",
    "CTC",
    "TEXT_TO_WAVEFORM",
    "MASK_GENERATION",
    "TIME_SERIES_PREDICTION",
    "MASKED_LM",
    "PRETRAINING",
    "IMAGE_CLASSIFICATION",
    "AUDIO_CLASSIFICATION",
    "QUESTION_ANSWERING",
]


def subjects() -> Iterator[Subject]:
    import transformers
    from transformers.models.auto import modeling_auto
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES, model_type_to_module_name

    root = Path(transformers.__file__).parent / "models"
    tables = [getattr(modeling_auto, f"MODEL_FOR_{task}_MAPPING_NAMES", {}) for task in _TASKS]
    tables.append(modeling_auto.MODEL_MAPPING_NAMES)
    first: list[tuple[bool, Subject]] = []
    later: list[tuple[bool, Subject]] = []
    seen: set[str] = set()
    for model_type in sorted(CONFIG_MAPPING_NAMES):
        folder = model_type_to_module_name(model_type)
        classes = [n for table in tables for n in _names(table.get(model_type))]
        if not FIRST <= folder < LAST or not classes or not (root / folder).is_dir():
            continue
        # Families written by hand come before those generated from another family's code.
        generated = any((root / folder).glob("modular_*.py"))
        home = f"transformers/models/{folder}/modeling_{folder}.py"
        variants = tuple(_variants(model_type, list(dict.fromkeys(classes))))
        subject = Subject(model_type, home, variants, rank=int(generated))
        (later if folder in seen else first).append((generated, subject))
        seen.add(folder)
    for _, subject in sorted(first, key=lambda pair: pair[0]) + sorted(later, key=lambda pair: pair[0]):
        yield subject


def _names(value: Any) -> tuple[str, ...]:
    return () if value is None else (value,) if isinstance(value, str) else tuple(value)


def _variants(model_type: str, classes: list[str]) -> Iterator[Variant]:
    picked = list(dict.fromkeys([classes[0], classes[-1]]))
    for name in picked:
        for shrink in ("all", "depth", "most"):
            for style in ("rich", "main", "both"):
                yield _variant(model_type, name, shrink, style)


def _variant(model_type: str, class_name: str, shrink: str, style: str) -> Variant:
    def build() -> Any:
        import torch
        import transformers

        model_class = getattr(transformers, class_name)
        config = tiny_config(model_class.config_class, shrink)
        with torch.device("meta"):
            size = sum(p.numel() for p in model_class(config).parameters())
        if size > MOST_PARAMETERS:
            raise ValueError(f"{size / 1e6:.0f} million parameters after shrinking")
        return model_class(config)

    def inputs(mode: str, batch: int) -> Call:
        import transformers

        model_class = getattr(transformers, class_name)
        config = tiny_config(model_class.config_class, shrink)
        return (), make_inputs(model_class, config, style, mode, batch)

    return Variant(build, inputs)


def make_inputs(model_class: Any, config: Any, style: str, mode: str, batch: int) -> dict[str, Any]:
    """Arguments by name, from the signature of forward. Styles: rich (text, image and audio that the
    model requires), main (only its main input), both (everything it can take)."""
    import torch

    parameters = inspect.signature(model_class.forward).parameters
    main = getattr(model_class, "main_input_name", "input_ids")
    required = {
        n for n, p in parameters.items() if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
    }
    wanted = (required | {main}) - {"self"}
    if style == "both":
        wanted |= {"input_ids", "pixel_values", "input_values", "input_features"}
    wanted &= set(parameters)
    made: dict[str, Any] = {}
    for name in sorted(wanted):
        made[name] = _input(name, config, batch)
    if style != "main" and "input_ids" in made and "attention_mask" in parameters:
        mask = torch.ones(batch, _SEQUENCE, dtype=torch.long)
        mask[0, -2:] = 0
        made["attention_mask"] = mask
    if style != "main" and getattr(config, "is_encoder_decoder", False) and "decoder_input_ids" in parameters:
        made["decoder_input_ids"] = _input("decoder_input_ids", config, batch)
    labelled = ("CausalLM", "ConditionalGeneration", "MaskedLM", "LMHeadModel")
    if (
        mode == "train"
        and "labels" in parameters
        and model_class.__name__.endswith(labelled)
        and "input_ids" in made
    ):
        made["labels"] = made.get("decoder_input_ids", made["input_ids"]).clone()
    return made


def _input(name: str, config: Any, batch: int) -> Any:
    import torch

    if name in ("input_ids", "decoder_input_ids"):
        return torch.randint(10, _text_vocabulary(config) - 1, (batch, _SEQUENCE))
    if name == "attention_mask":
        return torch.ones(batch, _SEQUENCE, dtype=torch.long)
    if name in ("pixel_values", "pixel_values_videos"):
        side = _field(config, "image_size", 64)
        height, width = side if isinstance(side, (tuple, list)) else (side, side)
        channels = _field(config, "num_channels", 3)
        if not isinstance(channels, int):
            channels = 3
        if name.endswith("videos"):
            return torch.randn(batch, _field(config, "num_frames", 4), channels, height, width)
        return torch.randn(batch, channels, height, width)
    if name == "input_values":
        bins = _field(config, "num_mel_bins", 0)
        length = _field(config, "max_length", 1024)
        return torch.randn(batch, length, bins) if bins else torch.randn(batch, 4000)
    if name in ("input_features", "audio_features"):
        bins = _field(config, "num_mel_bins", 80)
        return torch.randn(batch, bins, 2 * _field(config, "max_source_positions", 100))
    if name == "bbox":
        return torch.zeros(batch, _SEQUENCE, 4, dtype=torch.long)
    if name in (
        "past_values",
        "past_time_features",
        "past_observed_mask",
        "future_values",
        "future_time_features",
    ):
        return _series(name, config, batch)
    raise ValueError(f"no rule makes the required input {name!r}")


def _series(name: str, config: Any, batch: int) -> Any:
    import torch

    history = config.context_length + max(config.lags_sequence or [0])
    length = config.prediction_length if name.startswith("future") else history
    if name.endswith("time_features"):
        return torch.randn(batch, length, config.num_time_features)
    made = torch.ones if name.endswith("mask") else torch.randn
    return made(batch, length)


def _text_vocabulary(config: Any) -> int:
    for owner in (config, *_parts(config)):
        size = getattr(owner, "vocab_size", None)
        if isinstance(size, int) and size > 20:
            return size
    return 100


def _field(config: Any, name: str, otherwise: Any) -> Any:
    for owner in (config, *_parts(config)):
        value = getattr(owner, name, None)
        if value is not None:
            return value
    return otherwise


def _parts(config: Any) -> list[Any]:
    from transformers import PretrainedConfig

    return [v for v in vars(config).values() if isinstance(v, PretrainedConfig)]
