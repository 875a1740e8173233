"""Targets from found arguments, and the variants that reach guarded lines: mode, sizes, optional
arguments, dtype.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from typing import Any, Callable, Dict, Iterator

from . import inputs_options, loading, protocol
from .inputs_names import argument_candidates
from .inputs_search import Found, Nothing, search_class, search_function, short, widths
from .inputs_values import Spec, arguments, resized, text
from .observe import seed_everything
from .target import Target, holds, repeat, wanted_lines

Specs = Dict[str, Spec]


def targets(module: Any, step: dict[str, Any], request: dict[str, Any], times: int) -> Iterator[Target]:
    """Base call first, then one change at a time; a class is followed by its subclasses that hold what is
    wanted, since what a base class calls is theirs.
    """
    evidence = protocol.ISOLATED if step["how"] == "isolated" else protocol.SYNTHESIZED
    if step.get("file"):  # a helper in another file than the probe's
        module = loading.load_file(step["file"], [])
    if not step.get("class"):
        owner = loading.find(module, step["function"])
        if isinstance(owner, type) or _needs_self(module, step["function"]):
            raise Nothing("%s needs an object" % step["function"])
        found = search_function(owner, step.get("hints", {}))
        yield from variants(found, "", step["function"], evidence, times)
        return
    method = step.get("method", "forward")
    problem: Any = None
    count = 0
    for cls in _classes(loading.find(module, step["class"]), step["class"], request):
        try:
            found = search_class(cls, step.get("hints", {}), method)
        except Nothing as error:
            problem = problem or error
            continue
        count += 1
        for target in variants(found, method, cls.__name__, evidence, times):
            target.group = target.group or cls.__name__
            yield target
    if not count:
        raise problem


def _classes(owner: Any, name: str, request: dict[str, Any]) -> Iterator[Any]:
    """The class itself, then those of its subclasses in whose lines something wanted stands."""
    import torch

    if not (isinstance(owner, type) and issubclass(owner, torch.nn.Module)):
        raise Nothing("%s is no module" % name)
    yield owner
    wanted = wanted_lines(request)
    for path in wanted:
        with contextlib.suppress(Exception):
            loading.load_file(path, [])
    below: list[type] = list(owner.__subclasses__())
    seen = {owner}
    while below:
        cls = below.pop(0)
        if cls in seen:
            continue
        seen.add(cls)
        below += cls.__subclasses__()
        if holds(cls, wanted) and not inspect.isabstract(cls):
            yield cls


def variants(found: Found, method: str, name: str, evidence: str, times: int) -> Iterator[Target]:
    """The found call, and its variants, each on a fresh object."""
    import torch

    def target(specs: Specs, label: str, prepare: Callable[[Any], Any] = lambda item: item) -> Target:
        seed_everything()
        built = prepare(found.build())
        fn = built
        if method not in ("", "forward", "__call__"):
            fn = getattr(built, method)
        args, kwargs = arguments(specs)
        source = "%s(%s)" % (found.note, ", ".join("%s: %s" % (k, text(s)) for k, s in specs.items()))
        title = "%s, %s" % (name, label) if label else name
        return Target(fn, repeat(args, kwargs, times), name=title, evidence=evidence, source=source)

    def evaluating(item: Any) -> Any:
        return item.eval() if isinstance(item, torch.nn.Module) else item

    yield target(found.specs, "", evaluating)
    if method:
        yield target(found.specs, "train", lambda item: item.train())
    larger = {key: resized(spec, 3, 11) for key, spec in found.specs.items()}
    if larger != found.specs:
        yield target(larger, "other sizes", evaluating)
    for key, spec in _optional(found, method):
        yield target(dict(found.specs, **{key: spec}), key + " given", evaluating)
    yield from _other_options(found, target, evaluating)


def _other_options(
    found: Found, make: Callable[..., Target], prepare: Callable[[Any], Any]
) -> Iterator[Target]:
    """The call on objects made with another value of one option, each a subject of its own."""
    build, note = found.build, found.note
    if not isinstance(build, functools.partial) or not isinstance(build.func, type):
        return
    for name, item in inputs_options.options(build.func):
        shown = "%s=%s" % (name, short(item))
        found.build = functools.partial(build, **{name: item})
        found.note = "%s with %s" % (note, shown)
        try:
            other = make(found.specs, shown, prepare)
        except Exception:
            continue  # no value for this class
        finally:
            found.build, found.note = build, note
        other.group = other.name
        yield other


def _optional(found: Found, method: str) -> Iterator[Any]:
    """Optional parameters with a value given: flags turned over, None replaced by what the name suggests."""
    import torch

    built = found.build()
    fn = built.forward if isinstance(built, torch.nn.Module) and method in ("forward", "__call__") else built
    if method not in ("", "forward", "__call__"):
        fn = getattr(built, method)
    try:
        parameters = inspect.signature(fn).parameters
    except (TypeError, ValueError):
        return
    width = widths(built)[0] if isinstance(built, torch.nn.Module) else 32
    for key, parameter in list(parameters.items())[:12]:
        if key in found.specs or parameter.default is inspect.Parameter.empty:
            continue
        if isinstance(parameter.default, bool):
            yield key, {"kind": "value", "value": not parameter.default}
        elif parameter.default is None:
            like = _like(found.specs, key)
            choices: list[Spec] = like + argument_candidates(key, parameter, width, None)[:2]
            for spec in choices[:2]:
                yield key, spec


def _like(specs: Specs, key: str) -> list[Spec]:
    """A mask or positions for the first tensor argument, in its sizes."""
    for spec in specs.values():
        if spec["kind"] == "tensor" and len(spec["dims"]) >= 2:
            if "mask" in key:
                return [dict(spec, dtype="bool", dims=spec["dims"][:2])]
            if "position" in key or key.endswith("_ids"):
                return [dict(spec, dtype="int", dims=spec["dims"][:2], high=2)]
            return [dict(spec)] if spec["dtype"] == "float" else []
    return []


def _needs_self(module: Any, qualname: str) -> bool:
    owner, _, name = qualname.rpartition(".")
    if not owner:
        return False
    holder = loading.find(module, owner)
    return not isinstance(vars(holder).get(name), (staticmethod, classmethod))
