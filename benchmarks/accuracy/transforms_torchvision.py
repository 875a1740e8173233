"""torchvision's transforms and ops as subjects: nn.Modules whose forward takes one image."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from subject import Call, Subject, Variant

Arguments = tuple[tuple[Any, ...], dict[str, Any]]
_BOTH: dict[str, Arguments] = {
    "AugMix": ((), {}),
    "AutoAugment": ((), {}),
    "CenterCrop": ((16,), {}),
    "ColorJitter": ((0.3, 0.3, 0.3, 0.1), {}),
    "ElasticTransform": ((), {"alpha": 5.0}),
    "FiveCrop": ((8,), {}),
    "GaussianBlur": ((3,), {}),
    "Grayscale": ((3,), {}),
    "Normalize": (([0.5] * 3, [0.5] * 3), {}),
    "Pad": ((2,), {}),
    "RandAugment": ((), {}),
    "RandomAdjustSharpness": ((2.0,), {}),
    "RandomAffine": ((20.0,), {"translate": (0.1, 0.1), "scale": (0.8, 1.2), "shear": (1, 2, 1, 2)}),
    "RandomAutocontrast": ((), {}),
    "RandomCrop": ((16,), {"padding": 2}),
    "RandomEqualize": ((), {"p": 1.0}),
    "RandomErasing": ((), {"p": 1.0}),
    "RandomGrayscale": ((), {}),
    "RandomHorizontalFlip": ((), {}),
    "RandomInvert": ((), {}),
    "RandomPerspective": ((), {"p": 1.0}),
    "RandomPosterize": ((4,), {}),
    "RandomResizedCrop": ((16,), {"antialias": True}),
    "RandomRotation": ((20.0,), {}),
    "RandomSolarize": ((128.0,), {}),
    "RandomVerticalFlip": ((), {}),
    "Resize": ((16,), {"antialias": True}),
    "TenCrop": ((8,), {}),
    "TrivialAugmentWide": ((), {}),
}
_V2: dict[str, Arguments] = {
    "CutMix": ((), {"num_classes": 4}),
    "GaussianNoise": ((), {}),
    "JPEG": ((50,), {}),
    "MixUp": ((), {"num_classes": 4}),
    "RandomChannelPermutation": ((), {}),
    "RandomPhotometricDistort": ((), {}),
    "RandomResize": ((16, 32), {"antialias": True}),
    "RandomShortestSize": ((16,), {"antialias": True}),
    "RandomZoomOut": ((), {"p": 1.0}),
    "RGB": ((), {}),
    "ScaleJitter": (((16, 16),), {"antialias": True}),
    "ToDtype": ((), {"scale": True}),
    "UniformTemporalSubsample": ((2,), {}),
}
_FLOAT = {"Normalize", "ElasticTransform", "GaussianNoise", "MixUp", "CutMix"}


def subjects() -> Iterator[Subject]:
    from torchvision import transforms
    from torchvision.transforms import v2

    for name, arguments in {**_BOTH, **_V2}.items():
        yield _subject(f"v2.{name}", getattr(v2, name), arguments)
    for name, arguments in _BOTH.items():
        yield _subject(f"v1.{name}", getattr(transforms, name), arguments)
    for name in ("RandomApply", "RandomChoice", "RandomOrder"):
        yield _composed(f"v2.{name}", v2, name)
    yield _composed("v1.RandomApply", transforms, "RandomApply")


def _subject(name: str, cls: type[Any], arguments: Arguments) -> Subject:
    args, kwargs = arguments
    short = name.partition(".")[2]

    def build() -> Any:
        import torch

        return cls(torch.float32, **kwargs) if short == "ToDtype" else cls(*args, **kwargs)

    return Subject(name, _home(cls), (Variant(build, _image(short)),), modes=("eval",))


def _composed(name: str, module: Any, kind: str) -> Subject:
    def build() -> Any:
        return getattr(module, kind)([module.RandomHorizontalFlip(), module.Pad(2)])

    home = _home(getattr(module, kind))
    return Subject(name, home, (Variant(build, _image(kind)),), modes=("eval",))


def _home(cls: type[Any]) -> str:
    return inspect.getmodule(cls).__name__.replace(".", "/") + ".py"  # type: ignore[union-attr]


def _image(name: str) -> Callable[[str, int], Call]:
    def inputs(mode: str, batch: int) -> Call:
        import torch

        image = torch.randint(0, 256, (batch, 3, 32, 32), dtype=torch.uint8)
        if name in ("MixUp", "CutMix"):
            return (image.float() / 255, torch.tensor([0, 1])[:batch]), {}
        if name == "JPEG":
            return (image[0],), {}
        return (image.float() / 255 if name in _FLOAT else image,), {}

    return inputs
