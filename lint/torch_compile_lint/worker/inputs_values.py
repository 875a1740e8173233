"""Argument specifications and the values made from them: plain dicts, so that a search can change and
print them.

A specification is ``{"kind": "tensor", "dtype": "float", "dims": [2, 3, 32, 32], "high": 7}`` or
``{"kind": "value", "value": ...}``. Sizes are small primes where nothing asks for more.
"""

from __future__ import annotations

import copy
from typing import Any, Dict

Spec = Dict[str, Any]

PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23)
DTYPES = {"float": "float32", "int": "int64", "bool": "bool", "complex": "complex64"}


def tensor(dims: list[int], dtype: str = "float", high: int = 5) -> Spec:
    """A tensor to be made; ``high`` bounds integers."""
    return {"kind": "tensor", "dtype": dtype, "dims": list(dims), "high": high}


def value(item: Any) -> Spec:
    """A value as it is."""
    return {"kind": "value", "value": item}


def make(spec: Spec, device: str = "cpu") -> Any:
    """The value a specification stands for, from the current random state."""
    import torch

    kind = spec["kind"]
    if kind == "value":
        return copy.copy(spec["value"])
    if kind == "list":
        return [make(item, device) for item in spec["items"]]
    if kind == "tuple":
        return tuple(make(item, device) for item in spec["items"])
    if kind == "dict":
        return {key: make(item, device) for key, item in spec["items"].items()}
    dims = spec["dims"]
    if spec["dtype"] == "int":
        return torch.randint(0, max(1, spec["high"]), dims, device=device)
    if spec["dtype"] == "byte":
        return torch.randint(0, 256, dims, dtype=torch.uint8, device=device)
    if spec["dtype"] == "bool":
        return torch.ones(dims, dtype=torch.bool, device=device)
    if spec["dtype"] == "complex":
        return torch.randn(dims, dtype=torch.complex64, device=device)
    return torch.randn(dims, device=device)


_SHAPES = {0: [], 1: [7], 2: [2, 32], 3: [2, 7, 32], 4: [2, 32, 8, 8], 5: [2, 3, 4, 8, 8]}


def from_kind(kind: str) -> list[Spec]:
    """Specifications for a kind as inference writes it (``tensor[float,2]``, ``list[int]``), best first."""
    head, _, inner = kind.partition("[")
    inner = inner[:-1]
    if head == "tensor":
        dtype, _, rank = inner.partition(",")
        dtype = dtype if dtype in DTYPES else "float"
        ranks = [int(rank)] if rank.isdigit() else [3, 2, 4, 1, 0]
        return [tensor(_SHAPES[number], dtype) for number in ranks if number in _SHAPES]
    plain: dict[str, list[Any]] = {
        "int": [3, 1, 32],
        "float": [0.5, 1.0],
        "bool": [True, False],
        "str": ["a"],
        "none": [None],
    }
    if head in plain:
        return [value(item) for item in plain[head]]
    if head == "list":
        return [{"kind": "list", "items": [dict(one), dict(one)]} for one in from_kind(inner)[:3]]
    if head == "tuple":
        parts = [from_kind(part) for part in inner.split(";")]
        return [{"kind": "tuple", "items": [part[0] for part in parts]}] if all(parts) else []
    return []


def arguments(specs: dict[str, Spec]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Positional and keyword arguments of a call; the name of a ``*args`` keeps its star."""
    made = {name: make(spec) for name, spec in specs.items()}
    return (
        tuple(item for name, item in made.items() if name.startswith("*")),
        {name: item for name, item in made.items() if not name.startswith("*")},
    )


def text(spec: Spec) -> str:
    """A specification as a reader would write it."""
    if spec["kind"] == "tensor":
        return "%s[%s]" % (spec["dtype"], ", ".join(str(n) for n in spec["dims"]))
    if spec["kind"] in ("list", "tuple"):
        return "[%s]" % ", ".join(text(item) for item in spec["items"])
    if spec["kind"] == "dict":
        return "{%s}" % ", ".join("%s: %s" % (key, text(item)) for key, item in spec["items"].items())
    shown = repr(spec["value"])
    return shown if len(shown) < 40 else type(spec["value"]).__name__


def resized(spec: Spec, batch: int, length: int) -> Spec:
    """The same with another batch size, and another length where there is a sequence axis."""
    if spec["kind"] in ("list", "tuple"):
        return dict(spec, items=[resized(item, batch, length) for item in spec["items"]])
    if spec["kind"] == "dict":
        return dict(spec, items={key: resized(item, batch, length) for key, item in spec["items"].items()})
    if spec["kind"] != "tensor" or not spec["dims"]:
        return spec
    dims = list(spec["dims"])
    dims[0] = batch
    if len(dims) in (2, 3) and dims[1] == 7:
        dims[1] = length
    return dict(spec, dims=dims)
