"""Functions of torchvision that a forward may call, each with arguments for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Call = tuple[Callable[..., Any], tuple[Any, ...]]


def calls() -> dict[str, Call]:
    """Public dotted name -> the function and what to call it with."""
    import torch
    from torchvision import ops
    from torchvision.transforms import functional, v2

    boxes = torch.tensor([[0.0, 0.0, 8.0, 8.0], [1.0, 1.0, 9.0, 9.0], [4.0, 4.0, 16.0, 16.0]])
    scores, groups = torch.tensor([0.9, 0.8, 0.7]), torch.tensor([0, 0, 1])
    masks = torch.zeros(2, 16, 16, dtype=torch.bool)
    masks[:, 2:6, 3:9] = True
    features = torch.rand(1, 4, 16, 16)
    rois = torch.tensor([[0.0, 0.0, 0.0, 8.0, 8.0]])
    in_ops: dict[str, tuple[Any, ...]] = {
        "batched_nms": (boxes, scores, groups, 0.5),
        "box_area": (boxes,),
        "box_convert": (boxes, "xyxy", "cxcywh"),
        "box_iou": (boxes, boxes),
        "clip_boxes_to_image": (boxes, (12, 12)),
        "complete_box_iou": (boxes, boxes),
        "complete_box_iou_loss": (boxes, boxes + 1),
        "deform_conv2d": (features, torch.zeros(1, 18, 14, 14), torch.rand(2, 4, 3, 3)),
        "distance_box_iou": (boxes, boxes),
        "distance_box_iou_loss": (boxes, boxes + 1),
        "drop_block2d": (features, 0.3, 3),
        "generalized_box_iou": (boxes, boxes),
        "generalized_box_iou_loss": (boxes, boxes + 1),
        "masks_to_boxes": (masks,),
        "nms": (boxes, scores, 0.5),
        "ps_roi_align": (features, rois, 2),
        "ps_roi_pool": (features, rois, 2),
        "remove_small_boxes": (boxes, 4.0),
        "roi_align": (features, rois, 2),
        "roi_pool": (features, rois, 2),
        "sigmoid_focal_loss": (torch.randn(4), torch.ones(4)),
        "stochastic_depth": (features, 0.3, "row"),
    }
    image = torch.rand(2, 3, 32, 32)
    corners = [[0, 0], [31, 0], [31, 31], [0, 31]]
    moved = [[1, 1], [30, 0], [31, 30], [0, 31]]
    bilinear = functional.InterpolationMode.BILINEAR
    of_images: dict[str, tuple[Any, ...]] = {
        "adjust_brightness": (image, 1.2),
        "adjust_contrast": (image, 1.2),
        "adjust_gamma": (image, 1.2),
        "adjust_hue": (image, 0.1),
        "adjust_saturation": (image, 1.2),
        "adjust_sharpness": (image, 1.2),
        "affine": (image, 10.0, [1, 1], 1.1, [1.0, 1.0], bilinear),
        "autocontrast": (image,),
        "center_crop": (image, [16, 16]),
        "crop": (image, 1, 1, 16, 16),
        "elastic_transform": (image, torch.zeros(1, 32, 32, 2)),
        "equalize": ((image * 255).to(torch.uint8),),
        "erase": (image, 1, 1, 4, 4, torch.zeros(3, 4, 4)),
        "five_crop": (image, [8, 8]),
        "gaussian_blur": (image, [3, 3]),
        "get_dimensions": (image,),
        "hflip": (image,),
        "invert": (image,),
        "normalize": (image, [0.5] * 3, [0.5] * 3),
        "pad": (image, [2]),
        "perspective": (image, corners, moved),
        "posterize": ((image * 255).to(torch.uint8), 4),
        "resize": (image, [16, 16]),
        "resized_crop": (image, 1, 1, 16, 16, [8, 8]),
        "rgb_to_grayscale": (image,),
        "rotate": (image, 10.0, bilinear),
        "solarize": (image, 0.5),
        "ten_crop": (image, [8, 8]),
        "vflip": (image,),
    }
    found: dict[str, Call] = {}
    for name, arguments in in_ops.items():
        found[f"torchvision.ops.{name}"] = (getattr(ops, name), arguments)
    for name, arguments in of_images.items():
        found[f"torchvision.transforms.functional.{name}"] = (getattr(functional, name), arguments)
        found[f"torchvision.transforms.v2.functional.{name}"] = (getattr(v2.functional, name), arguments)
    return found
