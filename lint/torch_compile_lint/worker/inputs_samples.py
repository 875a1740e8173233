"""Samples for the transforms of torchvision: an image alone, with its targets, as a batch, and as PIL has it.

Which of them a transform takes is found by trying. Only what the library itself declares is used: its
``tv_tensors``, where the installed release has them.
"""

from __future__ import annotations

import inspect
import itertools
from typing import Any, Callable, Iterator

from .inputs_options import certain
from .inputs_search import CONSTRUCTIONS, Nothing, constructions
from .target import Target, repeat

_SIZE = (48, 64)
_MOST = 3  # samples that one transform is called with

Sample = Callable[[], Any]  # the positional arguments of a call


def transforms(module: Any) -> Iterator[type]:
    """Classes of transforms that are defined in the module and can be made."""
    import torch

    for item in list(vars(module).values()):
        ours = isinstance(item, type) and item.__module__ == module.__name__
        if ours and issubclass(item, torch.nn.Module) and not inspect.isabstract(item):
            yield item


def targets(cls: Any) -> list[Target]:
    """The transform on each kind of sample that it takes; Nothing where it takes none."""
    problem = ""
    sure = certain(cls)  # what is done half of the time would be missed half of the time
    for given in itertools.islice(constructions(cls), CONSTRUCTIONS):
        chosen = {**given, **sure}
        found: list[Target] = []
        for label, sample in samples():
            try:
                transform = cls(**chosen)
                transform(*sample())
            except Exception as error:
                problem = problem or "%s: %s" % (type(error).__name__, error)
                continue
            target = Target(cls(**chosen), repeat(sample(), {}, 3), name="%s, %s" % (cls.__name__, label))
            target.source = "%s on %s" % (cls.__name__, label)
            target.group = cls.__name__
            found.append(target)
            if len(found) == _MOST:
                break
        if found:
            return found
    raise Nothing(problem or "no sample fits")


def samples() -> Iterator[tuple[str, Sample]]:
    """Kinds of samples by name, the richest first."""
    if _known() is not None:
        yield "an image with its targets", _annotated
    yield "a batch with probabilities", _soft_batch
    yield "an image", _image
    yield "an image of floats", _floats
    yield "a batch with labels", _batch
    yield "a picture", _picture


def _known() -> Any:
    try:
        from torchvision import tv_tensors  # type: ignore[import-not-found,unused-ignore]
    except ImportError:  # before 0.16
        return None
    return tv_tensors


def _image() -> Any:
    import torch

    return (torch.randint(0, 256, (3, *_SIZE), dtype=torch.uint8),)


def _picture() -> Any:
    from PIL import Image  # type: ignore[import-not-found,unused-ignore]

    return (Image.new("RGB", (_SIZE[1], _SIZE[0]), (90, 120, 30)),)


def _batch() -> Any:
    import torch

    return torch.rand(4, 3, *_SIZE), torch.tensor([0, 1, 2, 1])


def _soft_batch() -> Any:
    import torch

    return torch.rand(4, 3, *_SIZE), torch.eye(4)


def _floats() -> Any:
    import torch

    return (torch.rand(3, *_SIZE),)


def _annotated() -> Any:
    """As torchvision's documentation has it: an image, and a dictionary of what is in it."""
    import torch

    known = _known()
    boxes = torch.tensor([[4.0, 4.0, 40.0, 44.0], [10.0, 8.0, 60.0, 40.0], [20.0, 20.0, 30.0, 28.0]])
    target: dict[str, Any] = {
        "boxes": known.BoundingBoxes(boxes, format="XYXY", canvas_size=_SIZE),
        "masks": known.Mask(torch.ones(len(boxes), *_SIZE, dtype=torch.uint8)),
        "labels": torch.arange(len(boxes)),
    }
    if hasattr(known, "KeyPoints"):
        target["keypoints"] = known.KeyPoints(boxes[:, None, :2].clone(), canvas_size=_SIZE)
    return known.Image(_image()[0]), target
