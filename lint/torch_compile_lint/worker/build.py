"""The ladder of inputs, from the strongest evidence to the weakest: one step in, targets out.

factory: a function the user wrote. offers: what the module itself shows how to do. script: calls sliced
from the project. synthesize: arguments found from signatures, layers and exceptions. isolated: one
function alone.
"""

from __future__ import annotations

import importlib.util
from typing import Any, Iterator

from . import inputs_offers, inputs_script, inputs_search, inputs_synthesize, loading
from .target import BadFactory, Target, from_factory


class NoInputs(Exception):
    """This step has nothing to offer; the message says why, ``stage`` where it was noticed."""

    def __init__(self, text: str, stage: str = "") -> None:
        super().__init__(text)
        self.stage = stage


def targets(module: Any, step: dict[str, Any], request: dict[str, Any]) -> Iterator[Target]:
    """Targets of one step, made one at a time, strongest or cheapest first."""
    how = step["how"]
    times = request.get("calls", 3)
    try:
        if how == "factory":
            yield from _factory(module, step, times)
        elif how == "script":
            yield from inputs_script.targets(module, step, times)
        elif how == "offers":
            yield from inputs_offers.targets(module, step, request, times)
        elif how in ("synthesize", "isolated"):
            yield from inputs_synthesize.targets(module, step, request, times)
        else:
            raise NoInputs("unknown step %r" % how)
    except (inputs_search.Nothing, inputs_offers.NothingOffered, BadFactory) as error:
        raise NoInputs(str(error)) from None


def _factory(module: Any, step: dict[str, Any], times: int) -> Iterator[Target]:
    owner = module
    if step.get("file"):
        spec = importlib.util.spec_from_file_location("tclint_inputs_file", step["file"])
        if spec is None or spec.loader is None:
            raise NoInputs("cannot import %s" % step["file"])
        owner = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(owner)
    make = loading.find(owner, step["function"])
    value = make(*step.get("args", []))
    yield from from_factory(value, times, step["function"] + "()")
