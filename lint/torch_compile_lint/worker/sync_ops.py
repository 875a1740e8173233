"""Result rules of torch operators and layers, measured.

In: torch's own operator database (sample inputs for some 700 operators and 110 layers). Each
operator is run on its samples, in every class of dtype it supports, and on variations of them
(other dtype classes and ranks for single operands). Out: for each symbol the simplest rule
that held every time, as a specification string (see ``torchdb/db.py``), or none.

Runs under a Python that has torch and ``expecttest`` (which torch's database imports).
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import itertools
import json
import os
import signal
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

import torch

CLASS_ORDER = ("b", "y", "i", "f", "c")
SAMPLE_DTYPES = {"b": torch.bool, "i": torch.int64, "f": torch.float32, "c": torch.complex64}
MAX_SAMPLES = 24
MAX_VARIATIONS = 60
MAX_ELEMENTS = 200_000
SECONDS_PER_OPERATOR = 20
# Keywords whose number is an operand, not a setting.
OPERAND_KEYWORDS = ("other", "min", "max", "value", "exponent", "weight")


@dataclass(slots=True)
class Run:
    """One call that worked: its arguments and its result."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    result: Any


def class_of_dtype(dtype: torch.dtype) -> str:
    """b, y (uint8), i, f or c."""
    if dtype == torch.bool:
        return "b"
    if dtype.is_complex:
        return "c"
    if dtype == torch.uint8:
        return "y"  # a mask, to torch
    return "f" if dtype.is_floating_point else "i"


def class_of_number(value: Any) -> str:
    """The class of a Python number."""
    if isinstance(value, bool):
        return "b"
    return "i" if isinstance(value, int) else "f" if isinstance(value, float) else "c"


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """Every tensor in an argument, in order."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item)


def tensors_of(run: Run) -> list[torch.Tensor]:
    """Every tensor among the arguments."""
    return list(tensors_in([*run.args, *run.kwargs.values()]))


# ---------------------------------------------------------------- dtype rules


def _promoted(classes: list[str]) -> str:
    return max(classes, key=CLASS_ORDER.index) if classes else "?"


def _dtype_same(run: Run) -> str:
    tensors = tensors_of(run)
    return class_of_dtype(tensors[0].dtype) if tensors else "?"


def _dtype_promoted(run: Run) -> str:
    return _promoted([class_of_dtype(t.dtype) for t in tensors_of(run)])


def _dtype_promoted_numbers(run: Run) -> str:
    classes = [class_of_dtype(t.dtype) for t in tensors_of(run)]
    named = [v for k, v in run.kwargs.items() if k in OPERAND_KEYWORDS]
    classes += [class_of_number(a) for a in (*run.args, *named) if isinstance(a, (bool, int, float, complex))]
    return _promoted(classes)


def _as_float(cls: str) -> str:
    return "f" if cls in ("b", "y", "i") else cls


def _as_int(cls: str) -> str:
    return "i" if cls in ("b", "y") else cls


def _as_real(cls: str) -> str:
    return "f" if cls == "c" else cls


# Simplest first: numbers among the arguments count only where nothing else explains the result.
DTYPE_RULES: dict[str, Callable[[Run], str]] = {
    "=": _dtype_same,
    "~": _dtype_promoted,
    "+=": lambda run: _as_int(_dtype_same(run)),
    "^=": lambda run: _as_float(_dtype_same(run)),
    "^~": lambda run: _as_float(_dtype_promoted(run)),
    "-=": lambda run: _as_real(_dtype_same(run)),
    "-^=": lambda run: _as_real(_as_float(_dtype_same(run))),
    "-^~": lambda run: _as_real(_as_float(_dtype_promoted(run))),
    "#": _dtype_promoted_numbers,
    "^#": lambda run: _as_float(_dtype_promoted_numbers(run)),
}

# ---------------------------------------------------------------- rank rules


def _rank_same(run: Run) -> int | None:
    tensors = tensors_of(run)
    return tensors[0].ndim if tensors else None


def _rank_broadcast(run: Run) -> int | None:
    tensors = tensors_of(run)
    return max(t.ndim for t in tensors) if tensors else None


def reduction_rank(rank: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int | None:
    """The rank after reducing ``dim`` (second argument or keyword) of a tensor."""
    dim = kwargs.get("dim", kwargs.get("axis", args[1] if len(args) > 1 else None))
    keep = kwargs.get("keepdim", kwargs.get("keepdims", args[2] if len(args) > 2 else False))
    if not isinstance(keep, bool):
        return None
    if dim is None or (isinstance(dim, (list, tuple)) and not dim):
        return rank if keep else 0
    if keep:
        return rank
    if isinstance(dim, bool) or not isinstance(dim, (int, list, tuple)):
        return None
    return max(rank - (1 if isinstance(dim, int) else len(dim)), 0)


def _rank_reduced(run: Run) -> int | None:
    tensors = tensors_of(run)
    return reduction_rank(tensors[0].ndim, run.args, run.kwargs) if tensors else None


def _rank_offset(offset: int) -> Callable[[Run], int | None]:
    def rule(run: Run) -> int | None:
        tensors = tensors_of(run)
        return tensors[0].ndim + offset if tensors else None

    return rule


RANK_RULES: dict[str, Callable[[Run], int | None]] = {
    "=": _rank_same,
    "*": _rank_broadcast,
    "r": _rank_reduced,
    "-": _rank_offset(-1),
    "+": _rank_offset(1),
}

# ---------------------------------------------------------------- fitting


def fit(runs: list[Run]) -> str | None:
    """The specification that holds in every run, or None when results differ in structure."""
    if not runs:
        return None
    return _fit([r.result for r in runs], runs)


def _fit(results: list[Any], runs: list[Run]) -> str | None:
    first = results[0]
    if all(isinstance(r, torch.Tensor) for r in results):
        return _fit_tensor(results, runs)
    if all(isinstance(r, (tuple, list)) and not isinstance(r, torch.Size) for r in results):
        return _fit_sequence(results, runs)
    if all(r is None for r in results):
        return "N"
    if all(isinstance(r, torch.Size) for r in results):
        return "Z"
    for letter, kind in (("B", bool), ("I", int), ("F", float), ("S", str), ("Y", torch.dtype)):
        if all(type(r) is kind for r in results):
            return letter
    return "V" if isinstance(first, torch.device) else None


def _fit_sequence(results: list[Any], runs: list[Run]) -> str | None:
    kind = "[%s]" if isinstance(results[0], list) else "(%s)"
    if any(isinstance(r, list) != isinstance(results[0], list) for r in results):
        return None
    lengths = {len(r) for r in results}
    if len(lengths) == 1 and not (kind[0] == "[" or lengths == {0}) and len(runs) > 1:
        parts = [_fit([r[i] for r in results], runs) for i in range(lengths.pop())]
        return kind % ",".join(p or "?" for p in parts)
    flat = [(item, run) for r, run in zip(results, runs, strict=True) for item in r]
    if not flat:
        return None
    inner = _fit([item for item, _ in flat], [run for _, run in flat])
    return kind % ((inner or "?") + "*")


def _fit_tensor(results: list[torch.Tensor], runs: list[Run]) -> str:
    dtype = _fit_dtype([class_of_dtype(t.dtype) for t in results], runs)
    rank = _fit_rank([t.ndim for t in results], runs)
    return f"T:{dtype}:{rank}".rstrip(":")


def _fit_dtype(classes: list[str], runs: list[Run]) -> str:
    # A dtype argument that is obeyed says nothing about the rule without one.
    plain: list[tuple[str, Run]] = []
    for cls, run in zip(classes, runs, strict=True):
        wanted = run.kwargs.get("dtype")
        if not (isinstance(wanted, torch.dtype) and class_of_dtype(wanted) == cls):
            plain.append((cls, run))
    if not plain:
        return ""
    constant = {cls for cls, _ in plain}
    seen = {_dtype_same(run) for _, run in plain}
    if len(constant) == 1 and (len(seen) > 1 or constant != seen):
        return constant.pop()
    for name, rule in DTYPE_RULES.items():
        if all(rule(run) == cls for cls, run in plain):
            # Supported in one class only: the result is of that class whatever we know.
            return constant.pop() if name == "=" and len(seen) == 1 else name
    return ""


def _fit_rank(ranks: list[int], runs: list[Run]) -> str:
    seen = {_rank_same(run) for run in runs}
    if len(set(ranks)) == 1 and len(seen) > 1:
        return str(ranks[0])
    for name, rule in RANK_RULES.items():
        if name in "-+" and len(seen) < 2:
            continue
        if name == "=" and len(seen) == 1 and len(set(ranks)) == 1 and len(runs) < 3:
            continue
        if all(rule(run) == rank for rank, run in zip(ranks, runs, strict=True)):
            return name
    return ""


# ---------------------------------------------------------------- running


class _TooLong(Exception):
    pass


def _alarm(signum: int, frame: FrameType | None) -> None:
    raise _TooLong


@contextlib.contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Gives up quietly on what takes too long."""
    signal.signal(signal.SIGALRM, _alarm)
    signal.alarm(seconds)
    try:
        yield
    except _TooLong:
        pass
    finally:
        signal.alarm(0)


def _call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Run | None:
    def fresh(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return value.detach().clone() if value.layout == torch.strided else value
        if type(value) in (list, tuple):
            return type(value)(fresh(v) for v in value)
        return value

    if sum(t.numel() for t in tensors_in([*args, *kwargs.values()])) > MAX_ELEMENTS:
        return None
    try:
        result = function(*fresh(args), **{k: fresh(v) for k, v in kwargs.items()})
    except _TooLong:
        raise
    except Exception:
        return None
    return Run(args, kwargs, result)


def _variations(run: Run) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """The same call with one operand's dtype class, rank or number type changed."""
    for i, value in enumerate(run.args):
        others: list[Any] = []
        if isinstance(value, torch.Tensor) and value.layout == torch.strided:
            others = [value.to(d) for d in SAMPLE_DTYPES.values() if d != value.dtype]
            if value.numel():
                others += [value.reshape(-1)[0], value.unsqueeze(0)]
            if i > 0:
                others += [2, 2.5, True]
        elif isinstance(value, (list, tuple)) and len(value) > 1 and all(map(torch.is_tensor, value)):
            casts = [d for d in SAMPLE_DTYPES.values() if d != value[-1].dtype]
            others = [type(value)((*value[:-1], value[-1].to(d))) for d in casts]
            others += [type(value)((value[0].to(d), *value[1:])) for d in casts]
        elif isinstance(value, bool):
            others = [not value]
        elif isinstance(value, (int, float)):
            others = [2, 2.5, True, 1j]
        for other in others:
            yield (*run.args[:i], other, *run.args[i + 1 :]), run.kwargs


def measure(
    function: Callable[..., Any], samples: list[tuple[tuple[Any, ...], dict[str, Any]]], vary: bool
) -> list[Run]:
    """Runs of ``function`` on the samples and, with ``vary``, on variations of some of them."""
    runs: list[Run] = []
    with time_limit(SECONDS_PER_OPERATOR), torch.no_grad():
        for args, kwargs in samples:
            run = _call(function, args, kwargs)
            if run is not None:
                runs.append(run)
        if not vary:
            return runs
        varied = itertools.chain.from_iterable(_variations(run) for run in runs[::3])
        for args, kwargs in itertools.islice(varied, MAX_VARIATIONS * 4):
            run = _call(function, args, kwargs)
            if run is not None:
                runs.append(run)
    return runs


def _resolve(name: str) -> Any:
    target: Any = torch
    for part in name.split("."):
        target = getattr(target, part, None)
    return target


def _samples(op: Any) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    out: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
    for dtype in SAMPLE_DTYPES.values():
        if dtype not in op.dtypes:
            continue
        with contextlib.suppress(Exception), time_limit(SECONDS_PER_OPERATOR):
            made = [
                ((s.input, *s.args), dict(s.kwargs))
                for s in itertools.islice(op.sample_inputs("cpu", dtype), 200)
            ]
            # Spread over the whole list: samples come sorted by kind.
            step = max(1, len(made) // MAX_SAMPLES)
            out += made[::step][: MAX_SAMPLES + 4]
    return out


def _in_child(work: Callable[[], dict[str, str]]) -> dict[str, str] | None:
    """The result of ``work`` in a forked child; None when it crashed (some kernels do)."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(read)
            with os.fdopen(write, "w", encoding="utf-8") as out:
                json.dump(work(), out)
            code = 0
        finally:
            os._exit(code)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as source:
        text = source.read()
    _, status = os.waitpid(child, 0)
    if status != 0:
        return None
    found: dict[str, str] = json.loads(text)
    return found


def _rules_of(name: str, entries: list[Any], vary: bool) -> dict[str, str]:
    """Symbol -> specification for one operator name: its function and its method."""
    samples = [sample for op in entries for sample in _samples(op)]
    out: dict[str, str] = {}
    targets = [("torch." + name, _resolve(name))]
    if "." not in name:
        targets.append(("torch.Tensor." + name, getattr(torch.Tensor, name, None)))
    for symbol, function in targets:
        if callable(function):
            spec = fit(measure(function, samples, vary))
            if spec is not None:
                out[symbol] = spec
    return out


def operator_rules(progress: Callable[[str], None]) -> dict[str, str]:
    """Symbol -> specification for every operator of torch's database."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    database = importlib.import_module("torch.testing._internal.common_methods_invocations").op_db
    groups: dict[str, list[Any]] = {}
    for op in database:
        if not op.name.startswith(("ops.", "_refs", "jiterator")):
            for name in (op.name, *(a.name for a in op.aliases)):
                groups.setdefault(name, []).append(op)
    out: dict[str, str] = {}
    for name, entries in sorted(groups.items()):
        progress(name)
        for vary in (True, False):
            found = _in_child(functools.partial(_rules_of, name, entries, vary))
            if found is not None:
                out.update(found)
                break
    return out


def module_rules(progress: Callable[[str], None]) -> dict[str, tuple[str | None, list[Any]]]:
    """Layer class -> specification of its call, and instances to read attributes from."""
    warnings.simplefilter("ignore")
    database = importlib.import_module("torch.testing._internal.common_modules").module_db
    runs: dict[str, list[Run]] = {}
    instances: dict[str, list[Any]] = {}
    for info in database:
        cls = info.module_cls
        symbol = "torch.nn." + cls.__name__
        if getattr(torch.nn, cls.__name__, None) is not cls:
            symbol = f"{cls.__module__}.{cls.__qualname__}"
        progress(symbol)
        for dtype in (torch.float32, torch.complex64):
            for training in (True, False):
                with contextlib.suppress(Exception), time_limit(SECONDS_PER_OPERATOR):
                    inputs = info.module_inputs_func(
                        info, device="cpu", dtype=dtype, requires_grad=False, training=training
                    )
                    for item in inputs[:20]:
                        made = cls(*item.constructor_input.args, **item.constructor_input.kwargs)
                        made.train(training)
                        instances.setdefault(symbol, []).append(made)
                        if item.forward_input is None or dtype == torch.complex64:
                            continue
                        run = _call(made, item.forward_input.args, dict(item.forward_input.kwargs))
                        if run is not None:
                            runs.setdefault(symbol, []).append(run)
    return {s: (fit(runs.get(s, [])), held) for s, held in sorted(instances.items())}
