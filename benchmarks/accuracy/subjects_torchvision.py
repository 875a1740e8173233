"""torchvision: every builder of classification, segmentation, detection, video and optical flow,
and the transforms that are modules."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import transforms_torchvision
from subject import Call, Subject, Variant, shortened

# One builder per architecture; wider or deeper siblings run the same code.
_SIBLINGS = [
    "convnext_base",
    "convnext_large",
    "convnext_small",
    "densenet161",
    "densenet169",
    "densenet201",
    "efficientnet_b1",
    "efficientnet_b2",
    "efficientnet_b3",
    "efficientnet_b4",
    "efficientnet_b5",
    "efficientnet_b6",
    "efficientnet_b7",
    "efficientnet_v2_l",
    "efficientnet_v2_m",
    "mnasnet0_75",
    "mnasnet1_0",
    "mnasnet1_3",
    "regnet_x_16gf",
    "regnet_x_1_6gf",
    "regnet_x_32gf",
    "regnet_x_3_2gf",
    "regnet_x_800mf",
    "regnet_x_8gf",
    "regnet_y_128gf",
    "regnet_y_16gf",
    "regnet_y_1_6gf",
    "regnet_y_32gf",
    "regnet_y_3_2gf",
    "regnet_y_800mf",
    "regnet_y_8gf",
    "resnet101",
    "resnet152",
    "resnet34",
    "resnext101_32x8d",
    "resnext101_64x4d",
    "shufflenet_v2_x1_0",
    "shufflenet_v2_x1_5",
    "shufflenet_v2_x2_0",
    "swin_b",
    "swin_s",
    "swin_v2_b",
    "swin_v2_s",
    "vgg13",
    "vgg13_bn",
    "vgg16",
    "vgg16_bn",
    "vgg19",
    "vgg19_bn",
    "vit_b_32",
    "vit_h_14",
    "vit_l_16",
    "vit_l_32",
    "wide_resnet101_2",
    "mvit_v1_b",
    "swin3d_b",
    "swin3d_s",
    "fcn_resnet101",
    "deeplabv3_resnet101",
]


def subjects() -> Iterator[Subject]:
    import torchvision

    models = torchvision.models
    groups = [
        (models, _images),
        (models.segmentation, _images),
        (models.detection, _detection),
        (models.video, _clips),
        (models.optical_flow, _flow),
    ]
    for module, inputs in groups:
        for name in models.list_models(module=module):
            if name not in _SIBLINGS:
                yield _subject(name, inputs)
    yield from transforms_torchvision.subjects()


def _subject(name: str, inputs: Any) -> Subject:
    import torchvision

    builder = torchvision.models.get_model_builder(name)
    options: dict[str, Any] = {"weights": None}
    if "weights_backbone" in inspect.signature(builder).parameters:
        options["weights_backbone"] = None

    def build(short: bool) -> Any:
        model = builder(**options)
        return shortened(model) if short else model

    variants = (
        Variant(lambda: build(True), inputs(name, False)),
        Variant(lambda: build(False), inputs(name, False)),
        Variant(lambda: build(False), inputs(name, True)),
    )
    home = builder.__module__.replace(".", "/") + ".py"
    return Subject(name, home, variants)


def _images(name: str, full: bool) -> Any:
    import torch

    side = 224 if full or name.startswith(("vit_", "maxvit", "swin")) else 128
    side = 299 if name.startswith("inception") else side

    def call(mode: str, batch: int) -> Call:
        return (torch.randn(batch, 3, side, side),), {}

    return call


def _clips(name: str, full: bool) -> Any:
    import torch

    frames, side = (16, 224) if full or name.startswith(("mvit", "swin3d")) else (16, 64)
    side = 224 if name.startswith("s3d") else side

    def call(mode: str, batch: int) -> Call:
        return (torch.randn(batch, 3, frames, side, side),), {}

    return call


def _flow(name: str, full: bool) -> Any:
    import torch

    def call(mode: str, batch: int) -> Call:
        pair = (torch.randn(batch, 3, 128, 128), torch.randn(batch, 3, 128, 128))
        return pair, {"num_flow_updates": 2}

    return call


def _detection(name: str, full: bool) -> Any:
    import torch

    def call(mode: str, batch: int) -> Call:
        images = [torch.rand(3, 160, 192 + 32 * (i % 2)) for i in range(batch)]
        if mode == "eval":
            return (images,), {}
        return (images, [_target(name) for _ in images]), {}

    return call


def _target(name: str) -> dict[str, Any]:
    import torch

    target = {
        "boxes": torch.tensor([[10.0, 12.0, 80.0, 90.0], [40.0, 30.0, 140.0, 150.0]]),
        "labels": torch.tensor([1, 1]),
    }
    if name.startswith("maskrcnn"):
        target["masks"] = torch.ones(2, 160, 192, dtype=torch.uint8)
    if name.startswith("keypointrcnn"):
        target["keypoints"] = torch.rand(2, 17, 3) * 60 + 20
        target["keypoints"][..., 2] = 1
    return target
