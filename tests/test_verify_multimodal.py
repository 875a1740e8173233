"""Pictures in rows of patches, placeholders for their features, and which lines a model holds."""

from __future__ import annotations

import functools
import importlib.util
import inspect
import os
import sys
import types
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch_compile_lint.worker import inputs_held, inputs_multimodal


class Vision:
    patch_size = 2
    in_channels = 3
    temporal_patch_size = 2
    spatial_merge_size = 2


class Config:
    vision_config = Vision()
    image_token_id = 3
    video_token_id = 4


class Reader(nn.Module):
    """Counts its placeholders, as models of text with pictures do."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Linear(3 * 2 * 2 * 2, 8)

    def get_image_features(self, pixel_values: Any, image_grid_thw: Any) -> Any:
        assert int(image_grid_thw.prod(-1).sum()) == pixel_values.shape[0]
        merged = self.patches(pixel_values).view(-1, 4, 8).mean(1)
        return torch.split(merged, (image_grid_thw.prod(-1) // 4).tolist())

    def get_video_features(self, pixel_values_videos: Any, video_grid_thw: Any) -> Any:
        return self.get_image_features(pixel_values_videos, video_grid_thw)

    def forward(
        self,
        input_ids: Any = None,
        attention_mask: Any = None,
        pixel_values: Any = None,
        pixel_values_videos: Any = None,
        image_grid_thw: Any = None,
        video_grid_thw: Any = None,
        mm_token_type_ids: Any = None,
    ) -> Any:
        images = torch.cat(self.get_image_features(pixel_values, image_grid_thw))
        assert int((input_ids == 3).sum()) == images.shape[0]
        assert torch.equal(input_ids == 3, mm_token_type_ids == 1)
        assert attention_mask.shape == input_ids.shape
        return images


def rows() -> dict[str, Any]:
    return inputs_multimodal.in_rows(Reader(), Config, inspect.signature(Reader.forward).parameters)[0]


def test_rows_of_patches_go_with_their_grid() -> None:
    pool = rows()
    ids = torch.full((2, 7), 9)
    given = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    given.update(pixel_values=pool["pixel_values"], image_grid_thw=pool["image_grid_thw"])
    full = inputs_multimodal.with_placeholders(Reader(), Config, given)
    assert Reader()(**full).shape == (8, 8)


def test_clips_have_a_token_and_a_type_of_their_own() -> None:
    pool = rows()
    given = {"input_ids": torch.full((2, 7), 9)}
    names = ("pixel_values", "image_grid_thw", "pixel_values_videos", "video_grid_thw")
    given.update({name: pool[name] for name in names})
    full = inputs_multimodal.with_placeholders(Reader(), Config, given)
    assert full["input_ids"][0].tolist() == [3] * 4 + [9] * 7 + [4] * 4 + [9] * 7
    assert full["mm_token_type_ids"][0].tolist() == [1] * 4 + [0] * 7 + [2] * 4 + [0] * 7
    assert "attention_mask" not in full


def test_no_placeholders_where_no_picture_was_given() -> None:
    given = {"input_ids": torch.full((2, 7), 9)}
    assert inputs_multimodal.with_placeholders(Reader(), Config, given) is given


def test_a_model_of_whole_images_gets_no_rows() -> None:
    parameters = inspect.signature(lambda pixel_values=None: None).parameters
    assert inputs_multimodal.in_rows(Reader(), Config, parameters) == []


HELD = """\
import functools
from torch import nn
from elsewhere_for_held import dispatched


class Part(nn.Module):
    def forward(self, x):
        return x + 1


@dispatched
class Experts(nn.Module):
    def forward(self, x):
        return x * 2


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part()

    def forward(self, x):
        def inner(y):
            return y
        return free(self.part(inner(x)))


def free(x):
    return x
"""


@pytest.fixture
def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    def dispatched(cls: Any) -> Any:
        own = cls.forward

        @functools.wraps(own)
        def forward(self: Any, *args: Any) -> Any:
            return own(self, *args)

        cls.forward = forward
        return cls

    other = types.ModuleType("elsewhere_for_held")
    other.dispatched = dispatched  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "elsewhere_for_held", other)
    path = tmp_path / "held_net.py"
    path.write_text(HELD, "utf-8")
    spec = importlib.util.spec_from_file_location("held_net", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "held_net", module)
    spec.loader.exec_module(module)
    return module


def test_a_model_holds_the_lines_of_its_own_modules(held: Any) -> None:
    path = os.path.realpath(held.__file__)
    assert inputs_held.holds(held.Net(), [(path, 8)])
    assert inputs_held.holds(held.Net(), [(path, 24)])
    assert not inputs_held.holds(held.Part(), [(path, 24)])
    assert not inputs_held.holds(held.Net(), [(path, 14)])
    assert inputs_held.holds(held.Part(), [(path, 29)])  # of no class: anyone may call it


def test_a_forward_behind_a_dispatch(held: Any) -> None:
    path = os.path.realpath(held.__file__)
    assert inputs_held.behind_dispatch(held, [(path, 14)])
    assert not inputs_held.behind_dispatch(held, [(path, 8)])
