"""What a module offers of its own accord: example inputs on the class, and the model builders of known
libraries.

timm and torchvision build models by name; transformers and diffusers build them from configurations,
which are made small. Weights are random, nothing is downloaded.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from typing import Any, Iterator

from . import loading, protocol
from .inputs_shrink import small_config
from .observe import seed_everything
from .target import Target, from_factory, repeat

_CHEAP = (
    "test_",
    "pico",
    "femto",
    "atto",
    "nano",
    "tiny",
    "xxs",
    "xs",
    "mini",
    "small",
    "s0",
    "b0",
    "_s",
    "18",
    "_n_",
)
_SHOWN = ("example_input_array", "example_inputs", "dummy_inputs", "get_dummy_inputs")


class NothingOffered(Exception):
    """The module has no example of its own."""


def targets(module: Any, step: dict[str, Any], request: dict[str, Any], times: int) -> Iterator[Target]:
    """Targets of all the module can build, cheapest first; what cannot be built is passed over."""
    library = step["library"]
    makers = {
        "timm": _timm,
        "torchvision": _torchvision,
        "transformers": _transformers,
        "diffusers": _diffusers,
        "": _shown,
    }
    problems: list[str] = []
    count = 0
    for make in makers[library](module):
        try:
            seed_everything()
            made = make()
        except Exception as error:
            problems.append(loading.last_line(error))
            continue
        for target in made if isinstance(made, list) else [made]:
            count += 1
            target.evidence = protocol.EXAMPLE
            target.calls = target.calls[:times]
            yield target
    if not count:
        raise NothingOffered(problems[0] if problems else "the module offers no example of its own")


def _both_modes(fn: Any, args: Any, kwargs: Any, name: str, source: str) -> list[Target]:
    """Evaluation and training of the same model. The object is shared: phases run in forks of it."""

    found = []
    for mode in ("eval", "train"):
        target = Target(fn, repeat(args, kwargs, 3), name="%s, %s" % (name, mode), source=source)
        target.mode = mode
        found.append(target)
    return found


def _cost(name: str) -> Any:
    return (min((n for n, part in enumerate(_CHEAP) if part in name), default=len(_CHEAP)), len(name), name)


def _timm(module: Any) -> Iterator[Any]:
    import timm  # type: ignore[import-not-found,unused-ignore]
    import torch

    stem = module.__name__.rsplit(".", 1)[-1]
    names = sorted(timm.list_models(module=stem), key=_cost)

    def make(name: str) -> Any:
        model = timm.create_model(name, pretrained=False)
        size = list(model.default_cfg.get("input_size", (3, 224, 224)))
        if not model.default_cfg.get("fixed_input_size") and size[-1] > 96:
            size = [size[0], 96, 96]
        try:
            with torch.no_grad():
                model.eval()(torch.randn(2, *size))
        except Exception:
            size = list(model.default_cfg.get("input_size", (3, 224, 224)))
        return _both_modes(model, (torch.randn(2, *size),), {}, name, "timm.create_model(%r)" % name)

    for name in names[:10]:
        yield functools.partial(make, name)


def _torchvision(module: Any) -> Iterator[Any]:
    import torch
    import torchvision  # type: ignore[import-not-found,unused-ignore]

    models = torchvision.models
    holders = [
        models,
        models.detection,
        models.segmentation,
        models.quantization,
        models.video,
        models.optical_flow,
    ]
    names: list[str] = []
    for holder in holders:
        names += [
            name
            for name in models.list_models(module=holder)
            if getattr(models.get_model_builder(name), "__module__", "") == module.__name__
        ]

    if not names and ".detection" in module.__name__:  # a part of detectors: take some that have it
        names = ["fasterrcnn_resnet50_fpn", "maskrcnn_resnet50_fpn", "keypointrcnn_resnet50_fpn"]

    def make(name: str) -> Any:
        options: dict[str, Any] = {"weights": None}
        builder = models.get_model_builder(name)
        if "weights_backbone" in inspect.signature(builder).parameters:
            options["weights_backbone"] = None
        if ".detection" in module.__name__ and not name.startswith("ssd"):
            options.update(min_size=96, max_size=128)  # these resize their images, by default to 800 rows
        model = models.get_model(name, **options)
        if ".detection" in module.__name__:
            images = [torch.rand(3, 96, 128), torch.rand(3, 80, 96)]
            boxes = torch.tensor([[5.0, 5.0, 40.0, 50.0]])
            truth = {
                "boxes": boxes,
                "labels": torch.tensor([1]),
                "keypoints": torch.tensor([[[9.0, 9.0, 1.0]] * 17]),
            }
            truth["masks"] = torch.ones(1, 96, 128, dtype=torch.uint8)
            second = dict(truth, masks=torch.ones(1, 80, 96, dtype=torch.uint8))
            model.eval()
            evaluating = Target(model, repeat((images,), {}, 3), name=name + ", eval")
            other = models.get_model(name, **options).train()
            training = Target(other, repeat((images, [truth, second]), {}, 3), name=name + ", train")
            return [evaluating, training]
        inputs: Any = (torch.randn(2, 3, 224, 224),)
        if ".video" in module.__name__:
            inputs = (torch.randn(1, 3, 16, 112, 112),)
        elif ".optical_flow" in module.__name__:
            inputs = (torch.randn(1, 3, 128, 128), torch.randn(1, 3, 128, 128))
        elif name.startswith("inception"):
            inputs = (torch.randn(2, 3, 299, 299),)
        return _both_modes(model, inputs, {}, name, "torchvision.models.get_model(%r)" % name)

    for name in sorted(names, key=_cost)[:6]:
        yield functools.partial(make, name)


def _transformers(module: Any) -> Iterator[Any]:
    import transformers  # type: ignore[import-not-found,unused-ignore]

    classes = [
        item
        for item in vars(module).values()
        if isinstance(item, type)
        and issubclass(item, transformers.PreTrainedModel)
        and item.__module__ == module.__name__
    ]
    classes = [item for item in classes if item.__name__ and not item.__name__.endswith("PreTrainedModel")]
    order = sorted(classes, key=lambda item: (0 if item.__name__.endswith("Model") else 1, item.__name__))

    def make(cls: Any) -> Any:
        config = small_config(cls.config_class)
        with contextlib.suppress(Exception):
            config._attn_implementation = "eager"
        model = cls(config)
        kwargs = hugging_inputs(model, config)
        return _both_modes(
            model, (), kwargs, cls.__name__, "%s of a small %s" % (cls.__name__, type(config).__name__)
        )

    for cls in order[:14]:
        yield functools.partial(make, cls)


def hugging_inputs(model: Any, config: Any) -> dict[str, Any]:
    """Inputs by the model's main input, checked by calling it; more are added while it asks for them."""
    import torch

    parameters = inspect.signature(model.forward).parameters
    main = getattr(model, "main_input_name", "input_ids")
    text_config = config.get_text_config() if hasattr(config, "get_text_config") else config
    vocabulary = int(getattr(text_config, "vocab_size", 0) or getattr(config, "vocab_size", 0) or 100)
    size = (
        getattr(config, "image_size", None)
        or getattr(getattr(config, "vision_config", None), "image_size", None)
        or 32
    )
    size = size if isinstance(size, int) else next(iter(size))
    channels = getattr(config, "num_channels", 3)
    ids = torch.randint(3, max(4, min(vocabulary, 100)), (2, 7))
    frames = torch.randn(
        2,
        int(getattr(config, "num_mel_bins", 16) or 16),
        2 * int(getattr(config, "max_source_positions", 50) or 50),
    )
    pool = {
        "input_ids": ids,
        "pixel_values": torch.randn(2, channels if isinstance(channels, int) else 3, size, size),
        "input_values": torch.randn(2, 4000),
        "input_features": frames,
        "decoder_input_ids": ids,
        "inputs_embeds": torch.randn(2, 7, int(getattr(config, "hidden_size", 64) or 64)),
        "attention_mask": torch.ones(2, 7, dtype=torch.long),
        "bbox": torch.zeros(2, 7, 4, dtype=torch.long),
    }
    wanted = [main] if main in pool else ["input_ids"]
    with_text = [name for name in ("input_ids", "attention_mask", "decoder_input_ids") if name in parameters]
    attempts = [
        wanted,
        [*wanted, "decoder_input_ids"],
        [*wanted, *with_text],
        ["input_ids", "attention_mask"],
    ]
    attempts += [
        ["input_ids", "pixel_values"],
        ["input_ids", "pixel_values", "attention_mask"],
        ["inputs_embeds"],
    ]
    attempts += [["pixel_values"], ["input_values"], ["input_features"], ["input_ids", "bbox"]]
    problem: Any = None
    for names in attempts:
        kwargs = {name: pool[name] for name in dict.fromkeys(names) if name in parameters}
        if not kwargs:
            continue
        try:
            with torch.no_grad():
                model.eval()(**kwargs)
            return kwargs
        except Exception as error:
            problem = problem or error
    raise problem if problem is not None else NothingOffered("no inputs for %s" % type(model).__name__)


def _diffusers(module: Any) -> Iterator[Any]:
    from .inputs_diffusers import models

    yield from models(module)


def _shown(module: Any) -> Iterator[Any]:
    """Classes that carry an example input, built without arguments."""
    import torch

    def make(cls: Any) -> Any:
        model = cls()
        shown: Any = None
        for name in _SHOWN:
            shown = getattr(model, name, None)
            if shown is not None:
                break
        if callable(shown) and not isinstance(shown, torch.Tensor):
            shown = shown()
        if shown is None:
            raise NothingOffered("%s carries no example" % cls.__name__)
        if isinstance(shown, dict):
            return from_factory((model, (), shown), 3, cls.__name__)
        args = tuple(shown) if isinstance(shown, (tuple, list)) else (shown,)
        found = _both_modes(model, args, {}, cls.__name__, "%s.%s" % (cls.__name__, name))
        return found

    for item in list(vars(module).values()):
        ours = isinstance(item, type) and item.__module__ == module.__name__
        if ours and issubclass(item, torch.nn.Module) and _shows_example(item):
            yield functools.partial(make, item)


def _shows_example(cls: Any) -> bool:
    return any(hasattr(cls, name) for name in _SHOWN) or _sets_example(cls)


def _sets_example(cls: Any) -> bool:
    with contextlib.suppress(OSError, TypeError):
        source = inspect.getsource(cls)
        return any("self.%s" % name in source for name in _SHOWN)
    return False
