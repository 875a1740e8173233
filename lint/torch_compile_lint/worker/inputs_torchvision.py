"""Models of torchvision: built by name; detectors from their own classes over a small backbone.

What breaks in a detector is the code after its backbone (matching, selecting, suppressing), so a backbone
of five convolutions reaches the same lines in a fraction of the time of a ResNet.
"""

from __future__ import annotations

import collections
import functools
import inspect
from typing import Any, Iterator

from . import inputs_samples
from .target import Target, both_modes, cheapest, holds, repeat, wanted_lines

_DETECTORS = ("FasterRCNN", "MaskRCNN", "KeypointRCNN", "RetinaNet", "FCOS", "SSD")
_LEVELS = ("0", "1", "2", "3", "pool")


def models(module: Any, request: dict[str, Any]) -> Iterator[Any]:
    """One maker for each model that has code of this module in it, each giving a list of targets."""
    if ".transforms" in module.__name__:
        classes = list(inputs_samples.transforms(module))
        lines = wanted_lines(request)
        for cls in [cls for cls in classes if holds(cls, lines)] or classes:
            yield functools.partial(inputs_samples.targets, cls)
        return
    if ".detection" in module.__name__:
        own = [name for name in _DETECTORS if name in vars(module) and _defines(module, name)]
        for name in own or _DETECTORS:  # a part of detectors: all that may have it
            yield functools.partial(_detector, name)
        if own:
            return
    for name in _names(module)[:6]:
        yield functools.partial(_by_name, module.__name__, name)


def cheapest_model() -> Any:
    """One of the classifiers, with random weights: the one whose name says that it is the smallest."""
    from torchvision import models as known  # type: ignore[import-not-found,unused-ignore]

    return known.get_model(min(known.list_models(module=known), key=cheapest), weights=None)


def _defines(module: Any, name: str) -> bool:
    return bool(getattr(vars(module)[name], "__module__", "") == module.__name__)


def _names(module: Any) -> list[str]:
    from torchvision import models as known

    holders = [known, known.segmentation, known.quantization, known.video, known.optical_flow]
    names: list[str] = []
    for holder in holders:
        names += [
            name
            for name in known.list_models(module=holder)
            if getattr(known.get_model_builder(name), "__module__", "") == module.__name__
        ]
    return sorted(names, key=cheapest)


def _by_name(where: str, name: str) -> Any:
    import torch
    from torchvision import models as known

    options: dict[str, Any] = {"weights": None}
    if "weights_backbone" in inspect.signature(known.get_model_builder(name)).parameters:
        options["weights_backbone"] = None
    model = known.get_model(name, **options)
    shapes: list[list[tuple[int, ...]]] = [[(2, 3, 64, 64)], [(2, 3, 224, 224)], [(2, 3, 299, 299)]]
    if ".video" in where:
        shapes = [[(1, 3, 16, 112, 112)], [(1, 3, 16, 224, 224)]]
    elif ".optical_flow" in where:
        shapes = [[(1, 3, 128, 128), (1, 3, 128, 128)]]
    problem: Any = None
    for shape in shapes:
        inputs = tuple(torch.randn(*sizes) for sizes in shape)
        try:
            with torch.no_grad():
                model.eval()(*inputs)
        except Exception as error:
            problem = error
            continue
        return both_modes(model, inputs, {}, name, "torchvision.models.get_model(%r)" % name)
    raise problem


def _detector(name: str) -> Any:
    import torch
    from torchvision.models import detection  # type: ignore[import-not-found,unused-ignore]

    cls = getattr(detection, name, None) or getattr(detection.ssd, name)
    backbone = _pyramid(32)
    if name == "SSD":
        backbone.out_channels = [32] * len(_LEVELS)
        boxes = detection.anchor_utils.DefaultBoxGenerator([[2]] * len(_LEVELS))
        model = cls(backbone, boxes, (96, 96), 5)
    else:
        model = cls(backbone, num_classes=5, min_size=96, max_size=128)
    images = [torch.rand(3, 96, 128), torch.rand(3, 80, 96)]
    truths = []
    for image in images:
        rows, columns = image.shape[1:]
        truths.append(
            {
                "boxes": torch.tensor([[5.0, 5.0, 40.0, 50.0], [20.0, 10.0, 70.0, 60.0]]),
                "labels": torch.tensor([1, 2]),
                "keypoints": torch.tensor([[[9.0, 9.0, 1.0]] * 17] * 2),
                "masks": torch.ones(2, rows, columns, dtype=torch.uint8),
            }
        )
    found = []
    for mode, inputs in (("eval", (images,)), ("train", (images, truths))):
        target = Target(model, repeat(inputs, {}, 3), name="%s, %s" % (name, mode))
        target.mode = mode
        target.source = "torchvision's %s over a small backbone" % name
        found.append(target)
    return found


def _pyramid(width: int) -> Any:
    """A backbone that gives feature maps of five sizes, as detectors expect."""
    import torch
    from torch import nn

    class Pyramid(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.out_channels = width
            strides = (4, 2, 2, 2, 2)
            self.levels = nn.ModuleList(
                nn.Conv2d(3 if number == 0 else width, width, 3, stride, 1)
                for number, stride in enumerate(strides)
            )

        def forward(self, x: torch.Tensor) -> Any:
            maps = collections.OrderedDict()
            for name, level in zip(_LEVELS, self.levels):
                x = level(x)
                maps[name] = x
            return maps

    return Pyramid()
