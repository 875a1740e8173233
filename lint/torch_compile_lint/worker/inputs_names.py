"""What the names and annotations of parameters suggest: candidates for each, best first.

The names are those of common model code; a wrong guess costs one attempt, since what raised says what
to change.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

from .inputs_values import PRIMES, Spec, tensor, value

WIDTH = 32
LENGTH = 7
VOCABULARY = 101

_IDS: tuple[str, ...] = (
    "input_ids",
    "token_ids",
    "tokens",
    "ids",
    "idx",
    "indices",
    "index",
    "token",
    "labels",
    "label",
    "target",
)
_IDS += ("targets", "decoder_input_ids", "position_ids", "token_type_ids", "t", "timestep", "timesteps", "y")
_WIDTHS: tuple[str, ...] = (
    "dim",
    "embed",
    "hidden",
    "width",
    "d_model",
    "channel",
    "planes",
    "feature",
    "in_",
    "out_",
    "size",
    "units",
)
# Several whole numbers, as sizes are annotated.
_NUMBERS = re.compile(
    r"(?:Union\[int, )?(List|list|Sequence|Tuple|tuple)\[((?:int|\.\.\.)(?:, (?:int|\.\.\.))*)\]"
)
_COUNTS = ("layers", "depth", "blocks", "num_", "n_", "steps", "groups", "stages", "levels", "experts")
_MODULES = (
    "layer",
    "module",
    "block",
    "net",
    "model",
    "encoder",
    "decoder",
    "backbone",
    "fn",
    "proj",
    "head",
)


def constructor_candidates(name: str, parameter: inspect.Parameter) -> list[Any]:
    """Values to try for a constructor's parameter without default, best first."""
    import torch

    nn = torch.nn
    low = name.lower()
    hint = _annotation(parameter)
    if (
        hint in ("bool",)
        or low.startswith(("use_", "is_", "with_", "has_", "enable"))
        or low in ("bias", "affine")
    ):
        return [True, False]
    if "dropout" in low or "drop" in low or low.endswith(("_prob", "_rate", "rate")):
        return [0.0, 0.1]
    if "norm" in low and ("layer" in low or "cls" in low or low == "norm"):
        return [nn.LayerNorm, nn.BatchNorm2d, nn.Identity]
    if low.startswith(("act", "activation", "nonlin")):
        return [nn.ReLU, "relu", nn.ReLU(), torch.relu]
    if hint == "str":
        return ["relu", "mean", "same", "none"]
    if hint == "float":
        return [1.0, 0.5, 1e-5]
    if hint.endswith("Tensor") or low in ("weight", "data", "matrix"):
        return [torch.ones(WIDTH, WIDTH), torch.ones(WIDTH)]
    if hint in ("Module", "nn.Module", "torch.nn.Module") or (low in _MODULES and hint == ""):
        return [nn.Identity(), nn.Linear(WIDTH, WIDTH), [nn.Linear(WIDTH, WIDTH)]]
    if hint.startswith(("Callable", "type", "Type")):
        return [nn.Identity, nn.ReLU, lambda *args, **kwargs: nn.Identity()]
    several = hint.startswith(("List", "list", "Sequence", "Iterable"))
    if low in ("transforms", "transform") or (several and ("Callable" in hint or "Module" in hint)):
        return [[nn.Identity(), nn.Identity()], nn.Identity()]
    if several or low.endswith(("_list", "sizes", "dims", "channels_list")):
        return [[WIDTH, WIDTH], [1, 1], [], [nn.Linear(WIDTH, WIDTH)]]
    if hint.startswith(("Tuple", "tuple")):
        return [(WIDTH, WIDTH), (2, 2), (1, 1, 1)]
    if hint.startswith(("Dict", "dict", "Mapping")):
        return [{}]
    if "kernel" in low:
        return [3, 1, (3, 3)]
    if low in ("stride", "dilation", "padding", "scale", "groups", "ratio", "factor", "alpha", "beta", "eps"):
        return [1, 1.0, 2]
    if "vocab" in low or low in ("num_embeddings", "n_token", "ntoken", "ntokens"):
        return [VOCABULARY]
    if "head" in low:
        return [4, 2, 1]
    if "class" in low:
        return [10, 2]
    if "patch" in low:
        return [4, 8, (4, 4)]
    if "img" in low or "image" in low or "resolution" in low:
        return [32, (32, 32), 224]
    if "len" in low or "seq" in low or "position" in low:
        return [64, 128]
    if low in ("in_channels", "in_chans", "in_ch"):
        return [3, WIDTH]
    if any(part in low for part in _COUNTS):
        return [2, 4, 1, [2, 2, 2, 2]]
    if any(part in low for part in _WIDTHS):
        return [WIDTH, 64, [WIDTH, WIDTH], (WIDTH, WIDTH)]
    if low in ("config", "cfg", "args", "opt", "options", "params", "hparams"):
        return [Lenient()]
    if low in ("device",):
        return ["cpu"]
    if low in ("dtype",):
        return [torch.float32]
    return [WIDTH, 4, 1, None, 0.5, [WIDTH, WIDTH], nn.Identity()]


def argument_candidates(name: str, parameter: inspect.Parameter | None, width: int, hint: Any) -> list[Spec]:
    """Specifications to try for a parameter of ``forward``, best first."""
    low = name.lower()
    if name.startswith("*"):  # one argument is enough for code that takes any number
        return [tensor([2, 3, 32, 32]), tensor([3, 32, 32], "byte"), tensor([2, LENGTH, width])]
    annotation = _annotation(parameter) if parameter is not None else ""
    if hint:
        return [_from_hint(hint, width), *argument_candidates(name, parameter, width, None)]
    if annotation == "bool":
        return [value(False), value(True)]
    if annotation == "int":
        return [value(3), value(WIDTH), value(1)]
    if annotation == "float":
        return [value(0.5), value(1.0)]
    if annotation == "str":
        return [value("a")]
    numbers = _NUMBERS.match(annotation)
    if numbers:
        kind = "tuple" if numbers.group(1).lower() == "tuple" else "list"
        count = numbers.group(2).count("int") if kind == "tuple" and "..." not in annotation else 2
        return [value(_as(kind, [8] * count)), value(_as(kind, [WIDTH] * count))]
    if annotation in ("torch.Size", "Size") or low in ("shape", "size", "spatial_shape"):
        return [value((8, 8)), value((2, LENGTH, width))]
    if annotation.startswith(("List[Tensor", "list[Tensor", "List[torch.Tensor", "list[torch.Tensor")):
        return [
            _list_of(tensor([2, width, 8, 8])),
            _list_of(tensor([2, LENGTH, width])),
            _list_of(tensor([3, 32, 32])),
        ]
    if annotation.startswith(("Dict", "dict")):
        return [{"kind": "dict", "items": {"x": tensor([2, LENGTH, width])}}]
    if low in _IDS or low.endswith("_ids"):
        dims = [2] if low in ("t", "timestep", "timesteps", "y", "target", "label") else [2, LENGTH]
        integers = [
            tensor(dims, "int"),
            tensor([2, LENGTH], "int"),
            tensor([2], "int"),
            tensor([LENGTH], "int"),
        ]
        return [*integers, tensor([2, LENGTH, width]), tensor([2, width])]
    if "mask" in low:
        return [
            tensor([2, LENGTH], "bool"),
            tensor([2, LENGTH]),
            tensor([LENGTH, LENGTH], "bool"),
            tensor([2, 1, 8, 8], "bool"),
        ]
    if "length" in low or low in ("lens", "sizes"):
        return [value_of_lengths(), value([LENGTH, LENGTH])]
    if low in ("h", "w", "height", "width", "n", "k", "num", "step", "layer_idx", "hw"):
        return [value(8), value((8, 8)), tensor([], "int")]
    if annotation.endswith("Tensor"):  # nothing but a tensor: also few dimensions, down to none
        return _tensors(low, width)
    images = [tensor([2, width, 32, 32]), tensor([2, 3, 32, 32]), tensor([2, width, 8, 8])]
    rows = [tensor([2, LENGTH, width]), tensor([2, width]), tensor([LENGTH, width]), tensor([width])]
    if any(part in low for part in ("img", "image", "pixel", "sample", "latent", "frame", "video")):
        return [*images, tensor([3, 32, 32], "byte"), *rows, tensor([2, 3, 4, 32, 32])]
    return (
        rows
        + images
        + [tensor([2, LENGTH], "int"), tensor([2, 3, 4, 16, 16]), _list_of(tensor([2, width, 8, 8]))]
    )


def _tensors(low: str, width: int) -> list[Spec]:
    images = [tensor([2, width, 32, 32]), tensor([2, 3, 32, 32]), tensor([2, width, 8, 8])]
    rows = [tensor([2, LENGTH, width]), tensor([2, width]), tensor([LENGTH, width]), tensor([width])]
    pictures = any(part in low for part in ("img", "image", "pixel", "sample", "latent", "frame", "video"))
    first = images + rows if pictures else rows + images
    return [
        *first,
        tensor([2, LENGTH], "int"),
        tensor([2, 3, 4, 16, 16]),
        tensor([]),
        tensor([LENGTH], "bool"),
    ]


def value_of_lengths() -> Spec:
    """Lengths of two sequences."""
    spec = tensor([2], "int", LENGTH)
    return spec


def _list_of(spec: Spec) -> Spec:
    return {"kind": "list", "items": [dict(spec), dict(spec)]}


def _from_hint(hint: Any, width: int) -> Spec:
    dims: list[int] = []
    known: dict[str, int] = {}
    for name in hint["dims"]:
        if str(name).isdigit():
            dims.append(int(name))
        elif str(name).lower() in ("b", "n", "batch", "batch_size", "bs"):
            dims.append(2)
        elif str(name).lower() in ("c", "d", "dim", "channels", "embed_dim", "hidden", "features", "e", "f"):
            dims.append(width)
        else:
            known.setdefault(name, PRIMES[(len(known) + 2) % len(PRIMES)])
            dims.append(known[name])
    return tensor(dims, hint.get("dtype", "float"))


def _annotation(parameter: inspect.Parameter) -> str:
    hint = parameter.annotation
    if hint is inspect.Parameter.empty:
        return ""
    if isinstance(hint, str):
        text = hint
    elif isinstance(hint, type) and not getattr(hint, "__args__", None):
        text = hint.__name__
    else:
        text = str(hint)
    for prefix in ("typing.", "collections.abc.", "torch.nn.modules.module.", "Optional["):
        text = text.replace(prefix, "")
    return text.split(" |")[0].rstrip("]") if "[" not in text else text


def _as(kind: str, items: list[int]) -> Any:
    return tuple(items) if kind == "tuple" else items


class Lenient:
    """A configuration that has every attribute, with a value its name suggests."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        parameter = inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        found = constructor_candidates(name, parameter)[0]
        setattr(self, name, found)
        return found

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def get(self, name: str, default: Any = None) -> Any:
        return getattr(self, name) if default is None else default
