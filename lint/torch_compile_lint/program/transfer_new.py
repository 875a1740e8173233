"""Constructors of tensors: class from dtype or data, rank from the sizes given."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from torch_compile_lint.program.lattice import element_of
from torch_compile_lint.program.transfer_kinds import (
    Keywords,
    class_of,
    dtype_class,
    is_none,
    length_of,
    promote,
    rank_of,
    sure,
)
from torch_compile_lint.program.values import (
    Container,
    Number,
    Size,
    Value,
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


def argument(args: Args, keywords: Keywords, position: int, *names: str) -> Value | None:
    """A positional or keyword argument."""
    if position < len(args):
        return args[position]
    return next((keywords[n] for n in names if n in keywords), None)


def made(dtype: Value | None, default: str | None, rank: int | None) -> Value:
    """A new tensor with an optional dtype argument."""
    return tensor(default if is_none(dtype) else dtype_class(dtype), rank)


def sizes_rank(sizes: Args) -> int | None:
    """The number of dimensions given as ``(2, 3)`` or ``2, 3``."""
    if len(sizes) == 1:
        only = sizes[0]
        if sure(only, Number):
            return 1
        return length_of(only) if sure(only, Container, Size) else None
    # Anything passed beside other sizes is itself one size, unless it was unpacked.
    return len(sizes) if sizes and all(sure(s, Number) for s in sizes) else None


# ---------------------------------------------------------------- new tensors


@_handles(*("torch." + n for n in ("zeros", "ones", "empty", "rand", "randn")))
def _sized(args: Args, keywords: Keywords) -> Value:
    sizes = args or tuple(keywords[n] for n in ("size",) if n in keywords)
    return made(keywords.get("dtype"), "float", sizes_rank(sizes))


@_handles("torch.Tensor.new_zeros", "torch.Tensor.new_ones", "torch.Tensor.new_empty")
def _new_sized(args: Args, keywords: Keywords) -> Value:
    sizes = args[1:] or tuple(keywords[n] for n in ("size",) if n in keywords)
    return made(keywords.get("dtype"), class_of(args[0]), sizes_rank(sizes))


@_handles("torch.full")
def _full(args: Args, keywords: Keywords) -> Value:
    size = argument(args, keywords, 0, "size")
    rank = None if size is None else sizes_rank((size,))
    return made(keywords.get("dtype"), class_of(argument(args, keywords, 1, "fill_value")), rank)


@_handles("torch.Tensor.new_full")
def _new_full(args: Args, keywords: Keywords) -> Value:
    size = argument(args, keywords, 1, "size")
    return made(keywords.get("dtype"), class_of(args[0]), None if size is None else sizes_rank((size,)))


@_handles("torch.randint")
def _randint(args: Args, keywords: Keywords) -> Value:
    size = keywords.get("size") or next((a for a in args[1:] if sure(a, Container, Size)), None)
    return made(keywords.get("dtype"), "int", None if size is None else sizes_rank((size,)))


@_handles("torch.eye")
def _eye(args: Args, keywords: Keywords) -> Value:
    return made(keywords.get("dtype"), "float", 2)


@_handles("torch.linspace", "torch.logspace")
def _linspace(args: Args, keywords: Keywords) -> Value:
    return made(keywords.get("dtype"), "float", 1)


@_handles("torch.arange", "torch.range")
def _arange(args: Args, keywords: Keywords) -> Value:
    if not is_none(keywords.get("dtype")):
        return tensor(dtype_class(keywords["dtype"]), 1)
    cls: str | None = "int"
    bounds = [*args, *(keywords[n] for n in ("start", "end", "step") if n in keywords)]
    for value in bounds:
        cls = promote(cls, class_of(value))
    return tensor(cls, 1)


@_handles("torch.tensor", "torch.as_tensor", "torch.asarray")
def _tensor(args: Args, keywords: Keywords) -> Value:
    data = args[-1] if args else keywords.get("data")
    cls, rank = (None, None) if data is None else _data(data)
    return made(keywords.get("dtype"), cls, rank)


@_handles("torch.Tensor.new_tensor")
def _new_tensor(args: Args, keywords: Keywords) -> Value:
    data = argument(args, keywords, 1, "data")
    return made(keywords.get("dtype"), class_of(args[0]), None if data is None else _data(data)[1])


def _data(value: Value, depth: int = 0) -> tuple[str | None, int | None]:
    """Class and rank of the tensor made of nested lists of numbers."""
    if len(value.atoms) == 1 and type(value.atoms[0]) is Container and depth < 4:
        held = value.atoms[0]
        inner = element_of(held)
        if not inner.atoms:
            return ("float", depth + 1) if depth == 0 else (None, None)
        cls: str | None = None
        for i, item in enumerate(held.items if held.items is not None else (inner,)):
            one = _data(item, depth + 1)[0]
            cls = one if i == 0 else promote(cls, one)
        rank = _data(inner, depth + 1)[1]
        return cls, None if rank is None else rank + 1
    return class_of(value), rank_of(value)


LEGACY = {
    "FloatTensor": "float",
    "DoubleTensor": "float",
    "HalfTensor": "float",
    "BFloat16Tensor": "float",
    "LongTensor": "int",
    "IntTensor": "int",
    "ShortTensor": "int",
    "CharTensor": "int",
    "ByteTensor": "byte",
    "BoolTensor": "bool",
    "Tensor": "float",
}


def legacy_constructor(symbol: str, args: Args) -> Value | None:
    """torch.Tensor(...), torch.LongTensor(...), torch.cuda.FloatTensor(...)."""
    head, _, name = symbol.rpartition(".")
    if head not in ("torch", "torch.cuda") or name not in LEGACY:
        return None
    rank = None
    if args and all(sure(a, Number) for a in args):
        rank = len(args)
    elif len(args) == 1 and sure(args[0], Container):
        rank = _data(args[0])[1]
    return tensor(LEGACY[name], rank)
