"""Configuration classes made small: the same structure with few layers and narrow widths.

What a field means is read off its name, and its default says of what nature it is. Degrees: "all" (depth,
widths, sizes), "heads" (fewer heads, each as wide as it was: rotary sections and the like are written for
that width), "most" (widths and sizes of images stay), "depth" (only depth, vocabulary, experts); a class that
refuses one combination often takes another.
"""

from __future__ import annotations

import inspect
import math
import re
from typing import Any

DEGREES = ("all", "heads", "most", "depth", "none")
WIDTH, HEADS, LAYERS, VOCABULARY, INNER, POSITIONS = 64, 4, 2, 128, 96, 128

_LAYERS = re.compile(
    r"^(num_(\w+_)?(hidden_)?layers|n_layers?|(\w+_)?layers|num_blocks?|num_(\w+_)?(blocks|layers)|depth|"
    r"\w+_depth|\w+_num_hidden_layers|decoder_n_layers|encoder_n_layers)$"
)
_WIDTHS = re.compile(
    r"^(hidden_size|d_model|n_embd|embed_dim|hidden_dim|dim|model_dim|\w+_hidden_size|\w+_embed_dim|"
    r"embedding_size|projection_dim|\w+_hidden_dim)$"
)
_INNERS = re.compile(
    r"^(\w*intermediate_size|\w*ffn_dim|n_inner|d_ff|ffn_hidden_size|mlp_dim|\w*dim_feedforward|d_inner)$"
)
_HEADS = re.compile(r"^(num_(\w+_)?attention_heads|n_heads?|num_heads|(\w+_)?attention_heads|\w+_num_heads)$")
_EXPERTS = re.compile(r"^(num_(local_|routed_)?experts|n_routed_experts|moe_num_experts)$")
_FEW = re.compile(r"^(num_experts_per_tok|moe_topk|moe_k|n_group|topk_group|num_codebooks)$")
_KEY_VALUE = ("num_key_value_heads", "num_kv_heads", "n_head_kv", "num_attention_groups")
_HIDDEN = ("hidden_size", "d_model", "n_embd", "embed_dim", "hidden_dim", "dim")
_COUNTS = ("num_attention_heads", "num_heads", "n_head", "n_heads", "encoder_attention_heads")
_LENGTHS = ("max_position_embeddings", "n_positions", "max_source_positions", "max_target_positions")
_DROPS = re.compile(r"^\w*layerdrop$")
_DERIVED = ("stage_names", "architectures", "transformers_version")  # said by other fields
_TOKENS = ("_token_id", "_token_index", "_token_ids")


def small_config(cls: Any, degree: str = "") -> Any:
    """An instance with small values: of the given degree, else of the first one the class accepts."""
    if degree:
        return _fitted(cls(**small_values(cls, degree)))
    problem: Any = None
    for attempt in DEGREES:
        try:
            return _fitted(cls(**small_values(cls, attempt)))
        except Exception as error:
            problem = problem or error
    raise problem


def small_values(
    cls: Any, degree: str = "all", depth: int = 0, given: Any = None, widths: Any = None
) -> dict[str, Any]:
    """Small values for the fields whose defaults are larger; nested configurations as dictionaries.

    ``given`` is an instance whose own values count instead of the defaults; ``widths`` says what widths of
    the whole configuration become, so that parts which meet still fit.
    """
    chosen: dict[str, Any] = {}
    base, fields = _defaults(cls) if given is None else (given, _fields(given))
    if degree == "heads" and widths is None:
        widths = _whole_heads(base)
    for name, value in fields.items():
        if name.startswith("_"):
            continue
        if _is_config(value):
            if depth < 3:
                inner = {**_special(value), **small_values(type(value), degree, depth + 1, value, widths)}
                _keep_stages(value, inner)
                if getattr(value, "model_type", ""):
                    inner["model_type"] = value.model_type
                chosen[name] = inner
            continue
        small = _small(name, value, base, degree)
        if widths and type(value) is int and value > 0:
            small = _by_heads(name, value, base, widths, small)
        if small is not None and small != value:
            chosen[name] = small
    return chosen


def _head(config: Any) -> tuple[int, int, int]:
    """Width, number of heads and width of a head; zeros where the configuration does not say."""
    hidden = next((v for v in (getattr(config, n, None) for n in _HIDDEN) if type(v) is int and v > 0), 0)
    heads = next((v for v in (getattr(config, n, None) for n in _COUNTS) if type(v) is int and v > 0), 0)
    return (hidden, heads, hidden // heads) if heads and hidden % heads == 0 else (0, 0, 0)


def _whole_heads(config: Any, depth: int = 0) -> dict[int, int]:
    """For each width in the configuration and those inside it: a few heads of the width they have."""
    found: dict[int, int] = {}
    hidden, _, width = _head(config)
    if hidden:
        found[hidden] = min(hidden, HEADS * width)
    for value in _fields(config).values() if depth < 3 else ():
        for wide, small in (_whole_heads(value, depth + 1) if _is_config(value) else {}).items():
            known = found.get(wide, small)
            found[wide] = min(wide, known * small // math.gcd(known, small))
    return found


def _by_heads(name: str, value: int, base: Any, widths: dict[int, int], small: Any) -> Any:
    """The value of a width, of a number of heads, or ``small`` for any other field."""
    hidden, heads, width = _head(base)
    if _WIDTHS.match(name):
        return widths.get(value, value)
    if name.endswith("head_dim"):
        return value
    if heads and (name in _COUNTS or name.endswith(_KEY_VALUE) or _HEADS.match(name)):
        left = widths[hidden] // width
        return left if value == heads else min(value, max(1, left // 2))
    return small


def _special(value: Any) -> dict[str, Any]:
    """What the outer class chose for an inner configuration: plain fields other than the class's defaults,
    also such as the class does not know of itself.
    """
    base, defaults = _defaults(type(value))
    if base is None:
        return {}
    plain = (bool, int, float, str, list, tuple, type(None))
    return {
        name: item
        for name, item in _fields(value).items()
        if isinstance(item, plain) and (name not in defaults or item != defaults[name])
        if not name.startswith("_") and name not in _DERIVED
    }


def _keep_stages(value: Any, inner: dict[str, Any]) -> None:
    """As many outputs of a backbone as there were, from its last layers where it has fewer now."""
    wanted = getattr(value, "_out_indices", None)
    if not isinstance(wanted, (list, tuple)) or not wanted:
        return
    inner["out_indices"] = list(wanted)
    if "num_hidden_layers" in inner and max(wanted) > inner["num_hidden_layers"]:
        layers = max(inner["num_hidden_layers"], len(wanted))
        inner["num_hidden_layers"] = layers
        inner["out_indices"] = list(range(layers - len(wanted) + 1, layers + 1))


def _defaults(cls: Any) -> tuple[Any, dict[str, Any]]:
    """The default instance and its fields, or what the signature says where there is no such instance."""
    try:
        base = cls()
        return base, dict(vars(base))
    except Exception:
        pass
    try:
        parameters = inspect.signature(cls.__init__).parameters
    except (TypeError, ValueError):
        return None, {}
    known: dict[str, Any] = {}
    for name, parameter in parameters.items():
        if parameter.default is not inspect.Parameter.empty:
            known[name] = parameter.default
        elif name != "self" and parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            known[name] = 1 << 20  # must be given: whatever the name asks for is smaller
    return None, known


def _is_config(value: Any) -> bool:
    return "Config" in type(value).__name__ and hasattr(value, "to_dict") and hasattr(value, "__dict__")


def _small(name: str, value: Any, base: Any, degree: str) -> Any:
    if isinstance(value, bool) or degree == "none":
        return None
    if isinstance(value, float):
        return 0.0 if _DROPS.match(name) else None
    if isinstance(value, (list, tuple)) and value and all(type(item) is int for item in value):
        return [min(item, LAYERS) for item in value] if name in ("depths", "layers", "num_blocks") else None
    if type(value) is not int or value <= 0:
        return None
    if _LAYERS.match(name) and value < 200:
        return None if _counted(value, base) else min(value, LAYERS)
    if _LAYERS.match(name) and value == 1 << 20:
        return LAYERS
    if name == "vocab_size" or (name.endswith("_vocab_size") and value > 1000):
        return min(value, VOCABULARY)
    if _EXPERTS.match(name):
        return min(value, 4)
    if _FEW.match(name):
        return min(value, 2)
    return None if degree == "depth" else _narrow(name, value, base, degree)


def _counted(value: int, base: Any) -> bool:
    """Whether a list of numbers has that many: one for each of those layers."""
    lists = [
        item for item in _fields(base).values() if isinstance(item, (list, tuple)) and len(item) == value
    ]
    return value > 1 and any(all(type(item) is int for item in found) for found in lists)


def _narrow(name: str, value: int, base: Any, degree: str) -> Any:
    if _INNERS.match(name):
        return min(value, INNER)
    if name in _LENGTHS:
        return min(value, POSITIONS)
    if _HEADS.match(name):
        return min(value, HEADS)
    if name.endswith(_KEY_VALUE):
        return min(value, HEADS if value == getattr(base, "num_attention_heads", -1) else 2)
    if degree == "most":
        return None
    if _WIDTHS.match(name):
        return min(value, WIDTH)
    if name.endswith("head_dim"):
        return min(value, WIDTH // HEADS)
    if name == "image_size":
        patch = getattr(base, "patch_size", 16)
        return min(value, 4 * patch if isinstance(patch, int) else 64)
    return None


def _head_said(config: Any) -> None:
    """The width of a head and the number of key and value heads, where the class has fields for them and
    leaves them open: what follows from the other fields.
    """
    _, heads, width = _head(config)
    for name, value in (("head_dim", width), ("num_key_value_heads", heads)):
        if value and name in _fields(config) and _fields(config)[name] is None:
            setattr(config, name, value)


def _rotary_sections(config: Any) -> None:
    """Sections of a rotary embedding that add up to the half of a head they are cut from, for a configuration
    that has them or says it may.
    """
    rope = getattr(config, "rope_parameters", None)
    allowed = getattr(config, "ignore_keys_at_rope_validation", None) or ()
    if not isinstance(rope, dict) or not ("mrope_section" in rope or "mrope_section" in allowed):
        return
    width = getattr(config, "head_dim", None) or _head(config)[2]
    half = int(width * (rope.get("partial_rotary_factor") or 1.0)) // 2
    sections = rope.get("mrope_section")
    if half >= 4 and (not sections or sum(sections) != half):
        each = (half + 2) // 3  # the first two alike: some interleave height and width
        rope["mrope_section"] = [each, each, half - 2 * each]


def _fitted(config: Any) -> Any:
    """Ids of special tokens moved into the small vocabulary, each at a place of its own; rotary sections of
    the small head.
    """
    owners = [config, *(value for value in _fields(config).values() if _is_config(value))]
    for owner in owners:
        _head_said(owner)
        _rotary_sections(owner)
    sizes = [size for size in (getattr(owner, "vocab_size", None) for owner in owners) if type(size) is int]
    limit = min(sizes, default=0)
    for owner in owners if limit > 16 else ():
        for number, name in enumerate(sorted(n for n in _fields(owner) if n.endswith(_TOKENS))):
            value = getattr(owner, name)
            if type(value) is int and not 0 <= value < limit:
                setattr(owner, name, number % 12 + 1)
            elif isinstance(value, list) and any(type(item) is int and item >= limit for item in value):
                setattr(owner, name, [number % 12 + 1])
    return config


def _fields(config: Any) -> dict[str, Any]:
    return dict(getattr(config, "__dict__", {}))
