"""A small configuration object of any transformers model, by what its fields are called."""

from __future__ import annotations

import re
from typing import Any

WIDTH, HEADS, LAYERS, VOCABULARY, INNER = 64, 4, 2, 128, 96

_DEPTH = re.compile(
    r"^(num_(hidden_)?(\w+_)?layers|n_layers?|num_layers|(encoder|decoder)_layers|layers|num_blocks|"
    r"num_(encoder|decoder)_(blocks|layers)|depth|\w+_num_hidden_layers)$"
)
_WIDTH = re.compile(
    r"^(hidden_size|d_model|n_embd|embed_dim|hidden_dim|dim|model_dim|\w+_hidden_size|\w+_embed_dim)$"
)
_INNER = re.compile(
    r"^(\w*intermediate_size|\w*ffn_dim|n_inner|d_ff|ffn_hidden_size|mlp_dim|\w*dim_feedforward|d_inner)$"
)
_HEADS = re.compile(
    r"^(num_attention_heads|n_heads?|num_heads|(encoder|decoder)_attention_heads|\w+_num_attention_heads)$"
)
_EXPERTS = re.compile(r"^(num_(local_|routed_)?experts|n_routed_experts|moe_num_experts)$")
_KEY_VALUE_HEADS = ("num_key_value_heads", "num_kv_heads", "n_head_kv")
_POSITIONS = ("max_position_embeddings", "n_positions", "max_source_positions", "max_target_positions")


def tiny_config(config_class: Any, shrink: str) -> Any:
    """``shrink`` is 'all', 'most' (widths stay) or 'depth' (only depth, vocabulary and experts)."""
    config = config_class(**_overrides(config_class, shrink))
    _fit_token_ids(config)
    return config


def _overrides(config_class: Any, shrink: str, nesting: int = 0) -> dict[str, Any]:
    from transformers import PretrainedConfig

    base = config_class()
    small: dict[str, Any] = {}
    for name, value in vars(base).items():
        if name.startswith("_"):
            continue
        if isinstance(value, PretrainedConfig):
            if nesting < 3:
                small[name] = _overrides(type(value), shrink, nesting + 1)
        elif isinstance(value, bool) or not isinstance(value, int):
            continue
        elif _DEPTH.match(name):
            small[name] = min(value, LAYERS)
        elif name == "vocab_size":
            small[name] = min(value, VOCABULARY)
        elif _EXPERTS.match(name):
            small[name] = min(value, 4)
        elif name in ("num_experts_per_tok", "moe_topk", "moe_k"):
            small[name] = min(value, 2)
        elif shrink == "depth":
            continue
        elif _HEADS.match(name):
            small[name] = min(value, HEADS)
        elif name in _KEY_VALUE_HEADS:
            small[name] = min(value, HEADS if value == getattr(base, "num_attention_heads", -1) else 2)
        elif _INNER.match(name):
            small[name] = min(value, INNER)
        elif name in _POSITIONS:
            small[name] = min(value, 128)
        elif shrink == "most":
            continue
        elif _WIDTH.match(name):
            small[name] = min(value, WIDTH)
        elif name == "head_dim":
            small[name] = WIDTH // HEADS
        elif name == "image_size":
            patch = getattr(base, "patch_size", 16)
            small[name] = min(value, 4 * patch if isinstance(patch, int) else 64)
    if nesting and hasattr(base, "model_type") and base.model_type:
        small["model_type"] = base.model_type
    return small


def _fit_token_ids(config: Any) -> None:
    """Special token ids must lie inside the shrunk vocabulary, each at a place of its own."""
    from transformers import PretrainedConfig

    owners = [config, *(v for v in vars(config).values() if isinstance(v, PretrainedConfig))]
    sizes = [s for o in owners if isinstance(s := getattr(o, "vocab_size", None), int)]
    limit = min(sizes, default=0)
    if not limit:
        return
    for owner in owners:
        names = [n for n in vars(owner) if n.endswith(("_token_id", "_token_index", "_token_ids"))]
        for number, name in enumerate(sorted(names)):
            value = getattr(owner, name)
            if isinstance(value, int) and not 0 <= value < limit:
                setattr(owner, name, number % 9 + 1)
            elif isinstance(value, list) and any(isinstance(v, int) and v >= limit for v in value):
                setattr(owner, name, [number % 9 + 1])
