"""Models of a library that are built of the layers that one of its modules defines.

A layer that no model stands beside is seen at its best in a model that uses it: its arguments are then what
the library gives it. Which files use it is read off their text; a model counts only if it holds the layer.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from typing import Any, Iterator

from . import loading
from .target import holds

_MOST = 4  # files that are looked at for models


def wanted_classes(module: Any, wanted: dict[str, list[int]]) -> tuple[type, ...]:
    """Module classes defined in ``module`` in whose lines something wanted stands; else all of them."""
    import torch

    own = [
        item
        for item in vars(module).values()
        if isinstance(item, type)
        if item.__module__ == module.__name__ and issubclass(item, torch.nn.Module)
    ]
    return tuple(item for item in own if holds(item, wanted)) or tuple(own)


def users(module: Any, classes: tuple[type, ...]) -> Iterator[Any]:
    """Modules of the library that name one of the classes, the shortest first."""
    package = sys.modules.get(module.__name__.split(".")[0])
    folders = list(getattr(package, "__path__", ()))
    if not folders or not classes:
        return
    pattern = re.compile(r"\b(%s)\b" % "|".join(re.escape(cls.__name__) for cls in classes))
    found: list[tuple[int, str]] = []
    for folder, inner, files in os.walk(os.path.join(folders[0], "models")):
        inner[:] = [name for name in inner if name != "__pycache__"]
        for path in [os.path.join(folder, name) for name in files if name.endswith(".py")]:
            with contextlib.suppress(OSError):
                with open(path, encoding="utf-8") as stream:
                    text = stream.read()
                if not path.endswith("__init__.py") and pattern.search(text):
                    found.append((len(text), path))
    for _, path in sorted(found)[:_MOST]:
        with contextlib.suppress(Exception):
            yield loading.load_file(path, [])


def contains(fn: Any, classes: tuple[type, ...]) -> bool:
    """Whether a model holds an instance of one of the classes."""
    import torch

    return isinstance(fn, torch.nn.Module) and any(isinstance(part, classes) for part in fn.modules())


def cheapest_model(library: str) -> Any:
    """A small model of the library's own, for what takes a model as an argument; None where it has none."""
    with contextlib.suppress(Exception):
        if library == "timm":
            from .inputs_timm import cheapest_model as timm_model

            return timm_model()
        if library == "torchvision":
            from .inputs_torchvision import cheapest_model as torchvision_model

            return torchvision_model()
    return None
