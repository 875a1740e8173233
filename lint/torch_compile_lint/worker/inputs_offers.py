"""What a module offers of its own accord: example inputs on the class, and the model builders of known
libraries.

timm and torchvision build models by name; transformers and diffusers build them from configurations,
which are made small. Weights are random, nothing is downloaded.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import os
from typing import Any, Iterator

from . import inputs_users, loading, protocol
from .observe import seed_everything
from .target import Target, both_modes, from_factory, wanted_lines

_SHOWN = ("example_input_array", "example_inputs", "dummy_inputs", "get_dummy_inputs")


class NothingOffered(Exception):
    """The module has no example of its own."""


def targets(module: Any, step: dict[str, Any], request: dict[str, Any], times: int) -> Iterator[Target]:
    """Targets of all the module can build, cheapest first; what cannot be built is passed over."""
    library = step["library"]
    models = _library(library) if library else _shown
    problems: list[str] = []
    count = 0
    for make, parts in _makers(models, module, request, library):
        try:
            seed_everything()
            made = make()
        except Exception as error:
            problems.append(loading.last_line(error))
            continue
        for target in made if isinstance(made, list) else [made]:
            if parts and not inputs_users.contains(target.fn, parts):
                continue
            count += 1
            target.evidence = protocol.EXAMPLE
            target.calls = target.calls[:times]
            yield target
    if not count:
        raise NothingOffered(problems[0] if problems else "the module offers no example of its own")


def _makers(models: Any, module: Any, request: dict[str, Any], library: str) -> Iterator[Any]:
    """Makers of targets one at a time, each with the classes of which a target must hold one (or none)."""
    wanted = wanted_lines(request)
    count = 0
    for one in _modules(module, wanted):
        for make in models(one, request):
            count += 1
            yield make, ()
    if library and not count:  # layers, of which the library's models are built
        parts = inputs_users.wanted_classes(module, wanted)
        for user in inputs_users.users(module, parts):
            for make in models(user, request):
                yield make, parts


def _modules(module: Any, wanted: dict[str, list[int]]) -> Iterator[Any]:
    """The module, then those in whose files something wanted stands: what a base class calls is there."""
    seen = {os.path.realpath(getattr(module, "__file__", None) or "")}
    yield module
    for path in sorted(set(wanted) - seen):
        with contextlib.suppress(Exception):
            yield loading.load_file(path, [])


def _library(name: str) -> Any:
    """What makes models of a library; imported when a file of that library is probed."""
    here = __name__.rpartition(".")[0]
    return importlib.import_module("%s.inputs_%s" % (here, name)).models


def _shown(module: Any, request: dict[str, Any]) -> Iterator[Any]:
    """Classes that carry an example input, built without arguments."""
    import torch

    def make(cls: Any) -> Any:
        model = cls()
        shown: Any = None
        for name in _SHOWN:
            shown = getattr(model, name, None)
            if shown is not None:
                break
        if callable(shown) and not isinstance(shown, torch.Tensor):
            shown = shown()
        if shown is None:
            raise NothingOffered("%s carries no example" % cls.__name__)
        if isinstance(shown, dict):
            return from_factory((model, (), shown), 3, cls.__name__)
        args = tuple(shown) if isinstance(shown, (tuple, list)) else (shown,)
        found = both_modes(model, args, {}, cls.__name__, "%s.%s" % (cls.__name__, name))
        return found

    for item in list(vars(module).values()):
        ours = isinstance(item, type) and item.__module__ == module.__name__
        if ours and issubclass(item, torch.nn.Module) and _shows_example(item):
            yield functools.partial(make, item)


def _shows_example(cls: Any) -> bool:
    return any(hasattr(cls, name) for name in _SHOWN) or _sets_example(cls)


def _sets_example(cls: Any) -> bool:
    with contextlib.suppress(OSError, TypeError):
        source = inspect.getsource(cls)
        return any("self.%s" % name in source for name in _SHOWN)
    return False
