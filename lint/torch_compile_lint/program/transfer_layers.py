"""Layers: calls that depend on what goes in, and the methods every nn.Module has."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from torch_compile_lint.program.transfer_kinds import Keywords, every, listing, merged, words
from torch_compile_lint.program.values import (
    NONE,
    TEXT,
    UNKNOWN,
    Container,
    Instance,
    Opaque,
    Value,
    of,
    tensor,
)

Args = tuple[Value, ...]
Handler = Callable[[Args, Keywords], "Value | None"]
H = TypeVar("H", bound=Handler)

HANDLERS: dict[str, Handler] = {}


def _handles(*symbols: str) -> Callable[[H], H]:
    def register(handler: H) -> H:
        for symbol in symbols:
            HANDLERS[symbol] = handler
        return handler

    return register


@_handles("torch.nn.Identity.__call__")
def _identity(args: Args, keywords: Keywords) -> Value | None:
    return args[0] if args else keywords.get("input")


@_handles("torch.nn.LSTM.__call__", "torch.nn.GRU.__call__", "torch.nn.RNN.__call__")
def _recurrent(args: Args, keywords: Keywords) -> Value | None:
    packed = args and any(type(a) is Instance and a.symbol.endswith("PackedSequence") for a in args[0].atoms)
    if not packed:
        return None
    state = Value((Container("tuple", None, tensor("float")),))
    return Value((Container("tuple", (args[0], merged([state, tensor("float")]))),))


# Wrappers that hand back the module they were given.
@_handles(
    "torch.nn.utils.weight_norm",
    "torch.nn.utils.spectral_norm",
    "torch.nn.utils.remove_weight_norm",
    "torch.nn.utils.parametrizations.weight_norm",
    "torch.nn.utils.parametrizations.spectral_norm",
    "torch.nn.utils.parametrizations.orthogonal",
    "torch.nn.SyncBatchNorm.convert_sync_batchnorm",
)
def _same_module(args: Args, keywords: Keywords) -> Value | None:
    return args[0] if args else None


# ---------------------------------------------------------------- methods of every nn.Module

_RETURNS_SELF = words(
    "to cuda cpu half float double bfloat16 eval train requires_grad_ apply type share_memory to_empty"
)
_RETURNS_NONE = words(
    "zero_grad register_buffer register_parameter register_module add_module flatten_parameters"
    " compile set_submodule"
)
_A_MODULE = of(Instance("torch.nn.Module", True))
_A_PARAMETER = tensor("float")
_RESULTS = {
    "parameters": every("iterator", _A_PARAMETER),
    "buffers": every("iterator", tensor()),
    "named_parameters": every("iterator", listing("tuple", TEXT, _A_PARAMETER)),
    "named_buffers": every("iterator", listing("tuple", TEXT, tensor())),
    "modules": every("iterator", _A_MODULE),
    "children": every("iterator", _A_MODULE),
    "named_modules": every("iterator", listing("tuple", TEXT, _A_MODULE)),
    "named_children": every("iterator", listing("tuple", TEXT, _A_MODULE)),
    "state_dict": every("dict", tensor()),
    "get_submodule": _A_MODULE,
    "get_parameter": _A_PARAMETER,
    "get_buffer": tensor(),
    "extra_repr": TEXT,
}


def method(name: str, bound: Value | None) -> Value | None:
    """The result of ``layer.name(...)`` for methods that nn.Module defines."""
    if name in _RETURNS_SELF:
        return bound
    if name in _RETURNS_NONE:
        return NONE
    if name.startswith("register_") and name.endswith("hook"):
        return of(Opaque("handle"))
    if name in ("values", "items", "keys"):
        return _children(name, bound)
    return _RESULTS.get(name)


def _children(name: str, bound: Value | None) -> Value | None:
    """ModuleDict.values(), .items() and .keys()."""
    if bound is None or len(bound.atoms) != 1:
        return None
    layer = bound.atoms[0]
    if type(layer) is not Instance or not layer.symbol.endswith("Dict"):
        return None
    if name == "keys":
        return every("iterator", TEXT)
    held = layer.items.atoms[0] if layer.items is not None and len(layer.items.atoms) == 1 else None
    if type(held) is not Container:
        return None
    if held.items is None:
        element = held.element or UNKNOWN
        return every("iterator", element if name == "values" else listing("tuple", TEXT, element))
    items = held.items if name == "values" else tuple(listing("tuple", TEXT, v) for v in held.items)
    return listing("iterator", *items)


# ---------------------------------------------------------------- torch.distributions

_DRAWS = words("sample rsample log_prob entropy cdf icdf sample_n enumerate_support")
DISTRIBUTION_TENSORS = words(
    "mean mode variance stddev loc scale probs logits rate concentration covariance_matrix low high"
)


def distribution(symbol: str) -> Value | None:
    """torch.distributions: a class makes an instance, its methods give float tensors."""
    name = symbol.rpartition(".")[2]
    if name in _DRAWS:
        return tensor("float" if name != "sample" else None)
    if name == "kl_divergence":
        return tensor("float")
    return of(Instance(symbol)) if name[:1].isupper() else None
