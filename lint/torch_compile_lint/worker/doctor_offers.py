"""Models of known libraries by name: random weights, nothing downloaded.

timm and torchvision models come in the size their name says; transformers classes are built from their
configuration class, as it is or made small.
"""

from __future__ import annotations

import contextlib
import inspect
from typing import Any

from . import protocol
from .build import NoInputs
from .target import Target, repeat

CALLS = 3


def build(library: str, name: str, tiny: bool) -> Target:
    """The model and one input of the size it is made for. Raises NoInputs for a name that is none."""
    makers = {"timm": _timm, "torchvision": _torchvision, "transformers": _transformers}
    if library not in makers:
        raise NoInputs("unknown library %r: timm, torchvision or transformers" % library)
    target = makers[library](name, tiny)
    target.mode = "eval"
    target.evidence = protocol.EXAMPLE
    return target


def _timm(name: str, tiny: bool) -> Target:
    import timm  # type: ignore[import-not-found,unused-ignore]
    import torch

    if not timm.is_model(name):
        raise NoInputs("timm has no model %r" % name)
    model = timm.create_model(name, pretrained=False).eval()
    size = list(model.default_cfg.get("input_size", (3, 224, 224)))
    if tiny and not model.default_cfg.get("fixed_input_size"):
        size = [size[0], 64, 64]
    args = (torch.randn(2, *size),)
    return Target(model, repeat(args, {}, CALLS), name=name, source="timm.create_model(%r)" % name)


def _torchvision(name: str, tiny: bool) -> Target:
    import torch
    import torchvision  # type: ignore[import-not-found,unused-ignore]

    models = torchvision.models
    if name not in models.list_models():
        raise NoInputs("torchvision has no model %r" % name)
    options: dict[str, Any] = {"weights": None}
    builder = models.get_model_builder(name)
    if "weights_backbone" in inspect.signature(builder).parameters:
        options["weights_backbone"] = None
    model = models.get_model(name, **options).eval()
    place = builder.__module__
    side = 96 if tiny else 224
    args: Any = (torch.randn(2, 3, side, side),)
    if ".detection" in place:
        args = ([torch.rand(3, 96, 128), torch.rand(3, 80, 96)],)
    elif ".video" in place:
        args = (torch.randn(1, 3, 16, 112, 112),)
    elif ".optical_flow" in place:
        args = (torch.randn(1, 3, 128, 128), torch.randn(1, 3, 128, 128))
    elif name.startswith("inception"):
        args = (torch.randn(2, 3, 299, 299),)
    elif name.startswith(("vit_", "maxvit")):
        args = (torch.randn(2, 3, model.image_size if hasattr(model, "image_size") else 224, 224),)
    source = "torchvision.models.get_model(%r)" % name
    return Target(model, repeat(args, {}, CALLS), name=name, source=source)


def _transformers(name: str, tiny: bool) -> Target:
    import transformers  # type: ignore[import-not-found,unused-ignore]

    from .inputs_shrink import small_config
    from .inputs_transformers import hugging_inputs

    cls = getattr(transformers, name, None)
    config_class: Any = getattr(cls, "config_class", None)
    if not isinstance(cls, type) or config_class is None:
        raise NoInputs("transformers has no model class %r" % name)
    config = small_config(config_class) if tiny else config_class()
    with contextlib.suppress(Exception):
        config._attn_implementation = "eager"
    model = cls(config).eval()
    kwargs = hugging_inputs(model, config)
    source = "%s(%s)" % (name, ("a small " if tiny else "") + type(config).__name__)
    return Target(model, repeat((), kwargs, CALLS), name=name, source=source)
