"""Models of libraries with one reason planted in each, for `doctor_real.py`. Runs in the model's own Python.

`planted("timm:test_vit", "loop")` gives the module and its arguments. What is planted where:

loop      every repeated block looks at its result with an `if` on a tensor
storm     the same in every layer of the kind that occurs most: many small graphs
counter   the model counts its calls in an attribute that the result depends on
disabled  the forward of every repeated block is marked with torch.compiler.disable
shape     every repeated block drops the rows of its result that are not finite
tiny      the last layer that multiplies by a matrix alone, on one row
"""

from __future__ import annotations

import collections
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

WORKER = Path(__file__).resolve().parent.parent / "lint" / "torch_compile_lint" / "worker"
Planted = tuple[nn.Module, tuple[Any, ...], dict[str, Any]]


def build(model: str) -> Planted:
    """The model as `tclint doctor --tiny` builds it: random weights, small input or configuration."""
    if "tclint_worker" not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            "tclint_worker", WORKER / "__init__.py", submodule_search_locations=[str(WORKER)]
        )
        assert spec is not None and spec.loader is not None
        package = importlib.util.module_from_spec(spec)
        sys.modules["tclint_worker"] = package
        spec.loader.exec_module(package)
    offers = importlib.import_module("tclint_worker.doctor_offers")
    library, name = model.split(":")
    target = offers.build(library, name, True)
    args, kwargs = target.calls[0]
    return target.fn.eval(), args, kwargs


def planted(model: str, kind: str) -> Planted:
    """The model with `kind` planted; as it is where `kind` is empty."""
    module, args, kwargs = build(model)
    if kind == "tiny":
        return (*_last_projection(module), {})
    if kind == "counter":
        return Counted(module).eval(), args, kwargs
    if kind == "storm":
        _replant(module, _most(module, leaf=True), lambda x: _looked_at(x))
    elif kind == "loop":
        _replant(module, _most(module, leaf=False), lambda x: _looked_at(x))
    elif kind == "shape":
        _replant(module, _most(module, leaf=False), lambda x: _finite_rows(x))
    elif kind == "disabled":
        for one in module.modules():
            if type(one) is _most(module, leaf=False):
                one.forward = torch.compiler.disable(one.forward)
    return module, args, kwargs


def _last_projection(module: nn.Module) -> tuple[nn.Module, tuple[Any, ...]]:
    """The last layer that multiplies by a matrix, and one row for it: Linear, or the Conv1D of GPT-2."""
    for one in reversed(list(module.modules())):
        weight = getattr(one, "weight", None)
        if type(one) is nn.Linear:
            return one, (torch.randn(1, one.in_features),)
        if type(one).__name__ == "Conv1D" and isinstance(weight, torch.Tensor):
            return one, (torch.randn(1, weight.shape[0]),)  # its weight is (in, out)
    raise ValueError(f"{type(module).__name__} has no layer that multiplies by a matrix")


class Counted(nn.Module):
    """Counts its calls; the result depends on how many digits the number has."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner
        self.share = 0.0

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        self.share = self.share + 0.5
        out = self.inner(*args, **kwargs)
        return out, torch.ones(3) * len(str(self.share))


def _most(module: nn.Module, leaf: bool) -> type[nn.Module]:
    """The class with the most instances: of layers, or of blocks that hold layers."""
    containers = (nn.Sequential, nn.ModuleList, nn.ModuleDict)
    found = [
        type(one)
        for one in module.modules()
        if one is not module and not isinstance(one, containers) and leaf == (not list(one.children()))
    ]
    if not found:  # vgg and its like are layers only
        return _most(module, leaf=True)
    most, _ = collections.Counter(found).most_common(1)[0]
    return most


def _replant(module: nn.Module, cls: type[nn.Module], then: Callable[[Any], Any]) -> None:
    """Give every instance of a class a forward that does `then` to its result."""

    class Planted(cls):  # type: ignore[valid-type,misc]
        def forward(self, *args: Any, **kwargs: Any) -> Any:
            return then(super().forward(*args, **kwargs))

    for one in list(module.modules()):
        if type(one) is cls:
            one.__class__ = Planted


def _looked_at(x: Any) -> Any:
    first = x[0] if isinstance(x, tuple) else x
    if first.abs().max() > 1e30:
        print("far too large")
    return x


def _finite_rows(x: Any) -> Any:
    first = x[0] if isinstance(x, tuple) else x
    kept = first[first.flatten(1).sum(-1) < 1e30]
    return (kept, *x[1:]) if isinstance(x, tuple) else kept
