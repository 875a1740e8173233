"""Configurations made small: what is shrunk by which name, nested ones, and special tokens."""

from __future__ import annotations

from typing import Any

import pytest
from torch_compile_lint.worker.inputs_shrink import small_config, small_values


class VisionConfig:
    model_type = "eye"

    def __init__(self, **given: Any) -> None:
        self.hidden_size = given.get("hidden_size", 1024)
        self.num_hidden_layers = given.get("num_hidden_layers", 24)
        self.image_size = given.get("image_size", 224)
        self.patch_size = given.get("patch_size", 14)
        self.depths = given.get("depths", [2, 2, 18, 2])

    def to_dict(self) -> dict[str, Any]:
        return vars(self)


class TextConfig:
    def __init__(
        self,
        vocab_size: int = 50000,
        hidden_size: int = 4096,
        num_hidden_layers: int = 32,
        num_attention_heads: int = 32,
        num_key_value_heads: int = 8,
        use_cache: bool = True,
        layerdrop: float = 0.1,
        pad_token_id: int = 49999,
        eos_token_id: int = 2,
        vision_config: Any = None,
    ) -> None:
        self.vocab_size = vocab_size
        self.hidden_size = hidden_size
        self.num_hidden_layers = num_hidden_layers
        self.num_attention_heads = num_attention_heads
        self.num_key_value_heads = num_key_value_heads
        self.use_cache = use_cache
        self.layerdrop = layerdrop
        self.pad_token_id = pad_token_id
        self.eos_token_id = eos_token_id
        self.vision_config = VisionConfig(**vision_config) if vision_config else VisionConfig()

    def to_dict(self) -> dict[str, Any]:
        return vars(self)


class Stubborn(TextConfig):
    """Refuses to be narrow."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        if self.hidden_size < 100:
            raise ValueError("too narrow")


def test_what_is_shrunk_by_which_name() -> None:
    values = small_values(TextConfig)
    assert values["num_hidden_layers"] == 2
    assert values["vocab_size"] == 128
    assert (values["hidden_size"], values["num_attention_heads"], values["num_key_value_heads"]) == (64, 4, 2)
    assert values["layerdrop"] == 0.0
    assert "use_cache" not in values and "eos_token_id" not in values
    assert values["vision_config"] == {
        "hidden_size": 64,
        "num_hidden_layers": 2,
        "image_size": 56,
        "depths": [2, 2, 2, 2],
        "model_type": "eye",
    }


def test_only_depth() -> None:
    values = small_values(TextConfig, "depth")
    assert values["num_hidden_layers"] == 2
    assert "hidden_size" not in values


def test_special_tokens_lie_in_the_small_vocabulary() -> None:
    config = small_config(TextConfig)
    assert 0 < config.pad_token_id < 128
    assert config.eos_token_id == 2
    assert config.vision_config.num_hidden_layers == 2


def test_a_class_that_refuses_one_degree_gets_the_next() -> None:
    config = small_config(Stubborn)
    assert (config.hidden_size, config.num_hidden_layers) == (512, 2)
    with pytest.raises(ValueError, match="too narrow"):
        small_config(Stubborn, "all")


class BackboneConfig(VisionConfig):
    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.return_class_token = given.get("return_class_token", False)
        self._out_indices = given.get("out_indices", [self.num_hidden_layers])


class DepthConfig:
    def __init__(self, backbone_config: Any = None) -> None:
        given = backbone_config or {"return_class_token": True, "out_indices": [6, 12, 18, 24]}
        given = {name: value for name, value in given.items() if name != "model_type"}
        self.backbone_config = BackboneConfig(**given)


def test_what_the_outer_class_chose_for_an_inner_one_stays() -> None:
    inner = small_config(DepthConfig).backbone_config
    assert inner.return_class_token is True
    assert inner._out_indices == [1, 2, 3, 4]
    assert (inner.num_hidden_layers, inner.hidden_size) == (4, 64)


class AudioConfig:
    def __init__(self, num_feat_extract_layers: int = 7, conv_dim: Any = (512,) * 7, **given: Any) -> None:
        self.num_feat_extract_layers = num_feat_extract_layers
        self.conv_dim = conv_dim
        self.num_hidden_layers = given.get("num_hidden_layers", 12)


def test_a_count_that_a_list_of_numbers_goes_with_stays() -> None:
    assert small_values(AudioConfig) == {"num_hidden_layers": 2}


class EyeConfig(VisionConfig):
    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.num_heads = given.get("num_heads", 16)
        self.out_hidden_size = given.get("out_hidden_size", 4096)


class RotaryConfig(TextConfig):
    ignore_keys_at_rope_validation = ("mrope_section",)

    def __init__(self, vision_config: Any = None, **given: Any) -> None:
        super().__init__(**given)
        self.rope_parameters: dict[str, Any] = {"rope_type": "default", "partial_rotary_factor": 0.5}
        inner = {name: value for name, value in (vision_config or {}).items() if name != "model_type"}
        self.vision_config = EyeConfig(**inner)


def test_fewer_heads_of_the_width_they_had() -> None:
    config = small_config(RotaryConfig, "heads")
    assert (config.hidden_size, config.num_attention_heads, config.num_key_value_heads) == (512, 4, 2)
    eye = config.vision_config
    assert (eye.hidden_size, eye.num_heads) == (256, 4)
    assert eye.out_hidden_size == config.hidden_size  # what meets still fits


def test_rotary_sections_add_up_to_half_of_what_is_rotated() -> None:
    sections = small_config(RotaryConfig, "all").rope_parameters["mrope_section"]
    assert (sum(sections), sections[0]) == (4, sections[1])
    assert sum(small_config(RotaryConfig, "heads").rope_parameters["mrope_section"]) == 32
    assert "rope_parameters" not in vars(small_config(TextConfig, "all"))


class OpenConfig(TextConfig):
    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.head_dim = None
        self.other = None


def test_a_head_left_open_follows_from_the_other_fields() -> None:
    config: Any = small_config(OpenConfig)
    assert (config.head_dim, config.other) == (16, None)
