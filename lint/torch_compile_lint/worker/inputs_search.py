"""Arguments nobody wrote down: constructor arguments and inputs found by trying, guided by what raised
where.

What helps most is the layer whose forward raised: its own sizes (in_features, in_channels,
num_embeddings) against the shape it was given say which dimension of which argument to change. Attempts
are few and bounded.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import time
from typing import Any, Callable, Dict, Iterator

from . import inputs_checks, loading
from .inputs_names import WIDTH, argument_candidates, constructor_candidates
from .inputs_users import cheapest_model
from .inputs_values import Spec, arguments, from_kind, tensor, text
from .observe import seed_everything

Specs = Dict[str, Spec]
CONSTRUCTIONS = 24
CALLS = 48
_SKIPPED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class Nothing(Exception):
    """No arguments were found; the message is the last thing that went wrong."""


class Found:
    """A way to call something: how to make it, and its arguments."""

    def __init__(self, build: Callable[[], Any], specs: Specs, note: str) -> None:
        self.build = build
        self.specs = specs
        self.note = note


def search_class(cls: Any, hints: dict[str, Any], method: str = "forward", seconds: float = 30.0) -> Found:
    """Constructor arguments and inputs of one class."""
    deadline = time.time() + seconds
    problem = ""  # the first one counts, and what a call raised more than what a constructor did
    for number, chosen in enumerate(constructions(cls)):
        if number >= CONSTRUCTIONS or time.time() > deadline:
            break
        try:
            seed_everything()
            instance = cls(**chosen)
        except Exception as error:
            problem = problem or "constructor: " + loading.last_line(error)
            continue
        try:
            fn = instance if method in ("forward", "__call__") else getattr(instance, method)
            specs = search_call(fn, hints.get("forward", {}), deadline, widths(instance))
        except Nothing as error:
            problem = str(error) if not problem or problem.startswith("constructor") else problem
            continue
        note = "%s(%s)" % (cls.__name__, ", ".join("%s=%s" % (k, short(v)) for k, v in chosen.items()))
        return Found(functools.partial(cls, **chosen), specs, note)
    raise Nothing(problem or "no constructor arguments were found")


def search_function(fn: Any, hints: dict[str, Any], seconds: float = 30.0) -> Found:
    """Arguments of a plain function."""
    specs = search_call(fn, hints.get("forward", {}), time.time() + seconds, [WIDTH], hints.get("kinds"))
    return Found(lambda: fn, specs, getattr(fn, "__name__", "function"))


def constructions(cls: Any) -> Iterator[dict[str, Any]]:
    """Constructor arguments to try: the best guesses, then one parameter changed at a time, then two."""
    try:
        parameters = inspect.signature(cls).parameters
    except (TypeError, ValueError):
        yield {}
        return
    choices: dict[str, list[Any]] = {}
    for name, parameter in parameters.items():
        if parameter.kind in _SKIPPED or parameter.default is not inspect.Parameter.empty:
            continue
        config = _config_of(parameter)
        choices[name] = [config] if config is not None else constructor_candidates(name, parameter)
        if "Module" in str(parameter.annotation):
            model = cheapest_model(str(getattr(cls, "__module__", "")).split(".")[0])
            choices[name][1:1] = [model] if model is not None else []
    yield {name: options[0] for name, options in choices.items()}
    for name, options in choices.items():
        for option in options[1:]:
            yield {n: (option if n == name else o[0]) for n, o in choices.items()}
    for first, second in itertools.combinations(choices, 2):
        for left in choices[first][1:3]:
            for right in choices[second][1:3]:
                chosen = {n: o[0] for n, o in choices.items()}
                chosen.update({first: left, second: right})
                yield chosen


def _config_of(parameter: inspect.Parameter) -> Any:
    """An instance of the annotated configuration class, made small where it can be."""
    from .inputs_shrink import small_config

    hint = parameter.annotation
    if isinstance(hint, type) and ("Config" in hint.__name__ or "Args" in hint.__name__):
        try:
            return small_config(hint)
        except Exception:
            return None
    return None


def widths(module: Any) -> list[int]:
    """Channel counts that the module's layers expect, in the order of its layers."""
    found: list[int] = []
    for part in module.modules():
        for name in (
            "in_features",
            "in_channels",
            "embedding_dim",
            "num_features",
            "embed_dim",
            "input_size",
        ):
            size = getattr(part, name, None)
            if isinstance(size, int) and not isinstance(size, bool) and size > 0:
                found.append(size)
        shape = getattr(part, "normalized_shape", None)
        if isinstance(shape, tuple) and shape:
            found.append(int(shape[-1]))
    return list(dict.fromkeys(found)) or [WIDTH]


def search_call(
    fn: Any,
    hints: dict[str, Any],
    deadline: float,
    sizes: list[int],
    kinds: dict[str, str] | None = None,
) -> Specs:
    """Specifications with which ``fn`` returns; Nothing where none was found. ``kinds`` come first."""
    import torch

    forward = fn.forward if isinstance(fn, torch.nn.Module) else fn
    try:
        parameters = inspect.signature(forward).parameters
    except (TypeError, ValueError) as error:
        raise Nothing(str(error)) from None
    required = [
        (name, parameter)
        for name, parameter in parameters.items()
        if parameter.kind not in _SKIPPED and parameter.default is inspect.Parameter.empty
    ]
    if not required:
        required = [
            ("*" + name, parameter)
            for name, parameter in parameters.items()
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL
        ]
    first = _first_layer(fn)
    options: dict[str, list[Spec]] = {}
    for number, (name, parameter) in enumerate(required):
        found = argument_candidates(name, parameter, sizes[0], hints.get(name))
        known = from_kind((kinds or {}).get(name, ""))
        guessed = (first + found) if number == 0 and not hints.get(name) else found
        options[name] = known + guessed
    queue: list[Specs] = [{name: choices[0] for name, choices in options.items()}]
    for name, choices in options.items():
        queue += [{n: (choice if n == name else c[0]) for n, c in options.items()} for choice in choices[1:]]
    if len(options) > 1:
        depth = max(len(choices) for choices in options.values())
        queue += [{n: c[min(level, len(c) - 1)] for n, c in options.items()} for level in range(1, depth)]
    tried: list[str] = []
    problem = "no inputs were found"
    attempts = 0
    number_of_repairs = 0
    while queue and attempts < CALLS and time.time() < deadline:
        specs = queue.pop(0)
        key = repr(sorted((name, text(spec)) for name, spec in specs.items()))
        if key in tried:
            continue
        tried.append(key)
        attempts += 1
        try:
            seed_everything()
            with torch.no_grad():
                args, kwargs = arguments(specs)
                fn(*args, **kwargs)
            return specs
        except Exception as error:
            problem = loading.last_line(error)
            repaired = [*_repairs(specs, error), *inputs_checks.changes(specs, error)]
            for name in inputs_checks.missing(specs, error, fn):
                choices = argument_candidates(name, parameters.get(name), sizes[0], hints.get(name))
                repaired += [dict(specs, **{name: choice}) for choice in choices[:2]]
            queue[:0] = repaired
            if not repaired and number_of_repairs:  # repaired, and now another argument is wrong
                queue[:0] = [
                    dict(specs, **{name: choice}) for name, choices in options.items() for choice in choices
                ]
                number_of_repairs = 0
            number_of_repairs += len(repaired)
    raise Nothing("forward: " + problem)


def _first_layer(fn: Any) -> list[Spec]:
    """What the first layer of a module takes, for its first argument."""
    import torch

    nn = torch.nn
    if not isinstance(fn, nn.Module):
        return []
    for part in fn.modules():
        if isinstance(part, nn.Embedding):
            return [tensor([2, 7], "int", part.num_embeddings)]
        if isinstance(part, nn.Conv2d):
            return [tensor([2, part.in_channels, 32, 32]), tensor([2, part.in_channels, 64, 64])]
        if isinstance(part, nn.Conv1d):
            return [tensor([2, part.in_channels, 61])]
        if isinstance(part, nn.Conv3d):
            return [tensor([2, part.in_channels, 8, 16, 16])]
        if isinstance(part, nn.BatchNorm2d):
            return [tensor([2, part.num_features, 8, 8])]
        if isinstance(part, nn.Linear):
            return [
                tensor([2, 7, part.in_features]),
                tensor([2, part.in_features]),
                tensor([2, 8, 8, part.in_features]),
            ]
        if isinstance(part, nn.LayerNorm):
            return [tensor([2, 7, int(part.normalized_shape[-1])])]
    return []


def _repairs(specs: Specs, error: BaseException) -> list[Specs]:
    """Changes suggested by the layer in which it was raised and by the exception's type."""
    layer, given = _failing_layer(error)
    if "Boolean value of Tensor" in str(error):
        return _single_values(specs)
    if layer is None:
        return []
    repaired: list[Specs] = []
    axis, wanted, dtype = _expected(layer)
    if dtype == "int" and given is not None and given.is_floating_point():
        for name, spec in specs.items():
            if spec["kind"] == "tensor" and spec["dtype"] == "float":
                rank = max(1, len(spec["dims"]) - 1)
                changed = tensor(spec["dims"][:rank], "int", getattr(layer, "num_embeddings", 5))
                repaired.append(dict(specs, **{name: changed}))
        return repaired
    if wanted is None or given is None or given.dim() == 0:
        return repaired
    have = int(given.shape[axis]) if -given.dim() <= axis < given.dim() else None
    for name, spec in specs.items():
        if spec["kind"] != "tensor" or spec["dtype"] != "float":
            continue
        dims = list(spec["dims"])
        ranks = _rank(layer)
        if ranks is not None and len(dims) not in ranks:
            repaired.append(dict(specs, **{name: tensor([2, wanted] + [32] * (ranks[0] - 2))}))
        for place, size in enumerate(dims):
            if size == have and have != wanted:
                repaired.append(dict(specs, **{name: tensor([*dims[:place], wanted, *dims[place + 1 :]])}))
    everywhere = {
        name: dict(spec, dims=[wanted if size == have else size for size in spec["dims"]])
        if spec["kind"] == "tensor" and spec["dtype"] == "float"
        else spec
        for name, spec in specs.items()
    }
    if have == wanted:
        return repaired
    if not repaired and axis == -1:  # the layers before it reshape: give it what it wants from the start
        repaired = [
            dict(specs, **{name: tensor([2, wanted])})
            for name, spec in specs.items()
            if spec["kind"] == "tensor" and spec["dtype"] == "float"
        ]
    return [everywhere, *repaired]


def _single_values(specs: Specs) -> list[Specs]:
    """Tensors of one value each, where a branch asks for one; one of them as a row of such values."""
    names = [name for name, spec in specs.items() if spec["kind"] == "tensor" and spec["dims"]]
    single: Specs = {name: dict(specs[name], dims=[]) for name in names}
    rows = [dict(specs, **dict(single, **{name: dict(specs[name], dims=[7])})) for name in names]
    return [
        *rows,
        dict(specs, **single),
        dict(specs, **{name: dict(specs[name], dims=[1]) for name in names}),
    ]


def _failing_layer(error: BaseException) -> tuple[Any, Any]:
    """The innermost torch layer on the traceback, and the tensor it was given."""
    import torch

    layer, given = None, None
    trace = error.__traceback__
    while trace is not None:
        local = trace.tb_frame.f_locals
        owner = local.get("self")
        known = isinstance(owner, torch.nn.Module) and type(owner).__module__.startswith("torch.nn")
        if known and not isinstance(owner, torch.nn.Sequential):
            layer = owner
            tensors = [item for item in local.values() if isinstance(item, torch.Tensor)]
            given = tensors[0] if tensors else given
        trace = trace.tb_next
    return layer, given


def _expected(layer: Any) -> tuple[int, int | None, str]:
    """Axis, size and dtype that a layer wants."""
    if hasattr(layer, "num_embeddings"):
        return -1, None, "int"
    if hasattr(layer, "in_features"):
        return -1, int(layer.in_features), "float"
    if hasattr(layer, "in_channels"):
        return 1, int(layer.in_channels), "float"
    if hasattr(layer, "num_features"):
        return 1, int(layer.num_features), "float"
    if hasattr(layer, "normalized_shape"):
        return -1, int(layer.normalized_shape[-1]), "float"
    if hasattr(layer, "embed_dim"):
        return -1, int(layer.embed_dim), "float"
    if hasattr(layer, "input_size"):
        return -1, int(layer.input_size), "float"
    return -1, None, "float"


def _rank(layer: Any) -> list[int] | None:
    name = type(layer).__name__
    for suffix, rank in (("1d", [3, 2]), ("2d", [4]), ("3d", [5])):
        if name.endswith(suffix):
            return rank
    return None


def short(item: Any) -> str:
    """A value as the note of a call shows it."""
    shown = repr(item)
    return shown if len(shown) <= 24 else type(item).__name__
