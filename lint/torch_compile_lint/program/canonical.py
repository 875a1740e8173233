"""Canonical dotted names of things outside the program, from data beside ``torchdb``."""

from __future__ import annotations

import builtins
import functools
import json
from pathlib import Path

from torch_compile_lint.records import dataclass

BUILTINS = frozenset(dir(builtins)) | {"__file__", "__path__", "reveal_type"}

_DATA = Path(__file__).resolve().parent.parent / "torchdb" / "names.json"


@dataclass(frozen=True, slots=True)
class _Names:
    canonical: dict[str, str]
    flattened: tuple[str, ...]
    not_flattened: frozenset[str]
    not_modules: frozenset[str]
    modules: frozenset[str]
    module_base_names: frozenset[str]


@functools.lru_cache(maxsize=1)
def _names() -> _Names:
    data = json.loads(_DATA.read_text(encoding="utf-8"))
    return _Names(
        data["canonical"],
        tuple(f"{p}." for p in data["flattened"]),
        frozenset(data["not_flattened"]),
        frozenset(data["not_modules"]),
        frozenset(data["modules"]),
        frozenset(data["module_base_names"]),
    )


@functools.cache
def canonical(name: str) -> str:
    """The public name of ``name``: 'torch.nn.modules.linear.Linear' is 'torch.nn.Linear'.

    What stands below a known name keeps its tail ('torch._tensor.Tensor.item').
    """
    if not name.startswith(("torch.", "numpy.", "posixpath", "functools.", "typing_extensions.")):
        return name
    names = _names()
    found = names.canonical.get(name)
    if found is not None:
        return found
    head = name.rpartition(".")[0]
    while head:
        found = names.canonical.get(head)
        if found is not None:
            return found + name[len(head) :]
        head = head.rpartition(".")[0]
    for prefix in names.flattened:
        if not name.startswith(prefix):
            continue
        parts = name[len(prefix) :].split(".")
        package = prefix[:-1].removesuffix(".modules")
        # torch.nn.modules.<file>.<Class>: the file is private, the class is the package's.
        if len(parts) >= 2 and parts[1][:1].isupper() and prefix + parts[0] not in names.not_flattened:
            return ".".join([package, *parts[1:]])
        if parts[0][:1].isupper():
            return ".".join([package, *parts])
    return name


def external_is_module(name: str) -> bool:
    """True for an external class known to be an nn.Module, by its canonical name."""
    names = _names()
    if name.startswith("torch.nn."):
        if name in names.modules:
            return True
        if name.startswith("torch.nn.modules."):
            # What torch's own layers derive from: torch.nn.modules.loss._Loss, ...batchnorm._BatchNorm
            last = name.rpartition(".")[2]
            return last[:1] == "_" and last[1:2].isupper()
        tail = name[len("torch.nn.") :]
        return "." not in tail and tail[:1].isupper() and name not in names.not_modules
    if name in names.modules:
        return True
    if name.startswith(("torch.ao.nn.", "torch.nn.quantized.", "torch.nn.intrinsic.")):
        return name.rpartition(".")[2][:1].isupper()
    return False


def looks_like_module(name: str) -> bool:
    """True where only the last part of a base's name says that it is an nn.Module.

    The answer for a package that is not installed, where its classes cannot be read.
    """
    last = name.rpartition(".")[2]
    names = _names()
    return last in names.module_base_names or last.endswith("PreTrainedModel")
