"""One phase of a probe: make the calls, eagerly or compiled, and freeze everything a user could notice.

Noticed: results, exceptions, mutated inputs, state of the module or of the function's closure and
globals, text printed, warnings and log records. Runs in a forked child, so that each phase starts from
the very same state.
"""

from __future__ import annotations

import contextlib
import logging
import os
import random
import sys
import warnings
from typing import Any, Iterator

from .compare import freeze, same
from .target import Target, resolve_call

_MAX_PRINTED = 20000
SEED = 20240


def seed_everything() -> None:
    """The same random numbers in every phase."""
    import torch

    random.seed(SEED)
    torch.manual_seed(SEED)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(SEED)


class Heard(logging.Handler):
    """Log records and warnings that are the user's own, not torch's."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[str] = []
        self.warnings: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if not record.name.startswith("torch"):
            with contextlib.suppress(Exception):
                self.records.append(f"{record.levelname}:{record.getMessage()[:200]}")

    def warned(
        self, message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None
    ) -> None:
        folder = os.sep + "torch" + os.sep
        if (
            folder not in filename
            and issubclass(category, Warning)
            and "torch" not in str(category.__module__)
        ) and category not in (ResourceWarning, DeprecationWarning, PendingDeprecationWarning, FutureWarning):
            self.warnings.append(f"{category.__name__}: {str(message)[:200]}")


@contextlib.contextmanager
def listening(heard: Heard) -> Iterator[None]:
    """Hear what is logged and warned, each time, wherever it is said."""
    root = logging.getLogger()
    root.addHandler(heard)
    warnings.simplefilter("always")
    warnings.showwarning = heard.warned
    try:
        yield
    finally:
        root.removeHandler(heard)


def make_calls(
    target: Target,
    fn: Any,
    on_call: Any = None,
    output: str | None = None,
    device: str = "cpu",
    gradients: bool = False,
) -> dict[str, Any]:
    """Call ``fn`` as often as the target says; everything that can be compared, by name.

    ``gradients``: also those of all parameters after a backward pass from each result.
    """
    heard = Heard()
    results: list[Any] = []
    frozen: list[Any] = []
    seen: list[Any] = []
    begin = _size(output)
    before = plain_state(target)
    seed_everything()
    with listening(heard):
        for number, call in enumerate(target.calls):
            if on_call is not None:
                on_call(number)
            try:
                args, kwargs = resolve_call(call)
                seen.append((args, kwargs))
                with autocast(target, device):
                    result = fn(*args, **kwargs)
                frozen.append(freeze(result))
                if gradients:
                    backward(result)
                # A kept result keeps its autograd graph, and with it all activations of its call.
                results.append(result if target.observe is not None else None)
                del result
            except Exception as error:
                results.append(error)
                frozen.append({"raised": type(error).__name__, "text": _last_line(error)})
    observed: dict[str, Any] = {"exceptions": [_exception(item) for item in results]}
    failed = any(isinstance(item, BaseException) for item in results)
    if target.observe is not None and not failed:
        observed["results"] = _guarded(lambda: freeze(target.observe(results)))
    else:
        observed["results"] = [item if "raised" not in _dict(item) else item["raised"] for item in frozen]
    observed["inputs"] = [freeze(list(args) + list(kwargs.values())) for args, kwargs in seen]
    observed["state"] = state_of(target)
    if gradients:
        observed["gradients"] = gradients_of(target)
    observed["_changed"] = changed_names(before, plain_state(target))
    observed["logged"] = heard.records
    observed["warned"] = heard.warnings
    observed["printed"] = _printed(output, begin)
    observed["_errors"] = [item.get("text", "") if "raised" in _dict(item) else "" for item in frozen]
    observed["_tracebacks"] = [_frames(item) for item in results]
    return observed


def backward(result: Any) -> None:
    """Gradients of the sum of everything in a result that has a graph."""
    import torch
    from torch.utils import _pytree

    leaves = _pytree.tree_flatten(result)[0]
    if len(leaves) == 1 and isinstance(getattr(result, "__dict__", None), dict):
        leaves = _pytree.tree_flatten(dict(vars(result)))[0]
    sums = [
        leaf.float().sum()
        for leaf in leaves
        if isinstance(leaf, torch.Tensor) and leaf.requires_grad and leaf.is_floating_point()
    ]
    if sums:
        torch.stack(sums).sum().backward()


def gradients_of(target: Target) -> Any:
    """Frozen gradients of the parameters of the module, or of the module a method belongs to."""
    import torch

    owner = target.fn if isinstance(target.fn, torch.nn.Module) else getattr(target.fn, "__self__", None)
    if not isinstance(owner, torch.nn.Module):
        return None
    return {name: freeze(p.grad) for name, p in owner.named_parameters() if p.grad is not None}


def autocast(target: Target, device: str) -> Any:
    """The autocast the variant asks for."""
    import torch

    if not target.autocast:
        return contextlib.nullcontext()
    kind = "cuda" if device.startswith("cuda") else "cpu"
    return torch.autocast(kind, dtype=getattr(torch, target.autocast))


def state_of(target: Target) -> Any:
    """Plain state that calls can change: the target's own word, else attributes, closure and globals."""
    import torch

    if target.state is not None:
        return _guarded(lambda: freeze(target.state()))
    fn = target.fn
    if isinstance(fn, torch.nn.Module):
        return _guarded(lambda: _module_state(fn))
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, torch.nn.Module):
        return _guarded(lambda: _module_state(owner))
    return _guarded(lambda: _function_state(fn))


def _module_state(module: Any) -> Any:
    state = _attributes(module)
    for name, value in module.state_dict().items():
        state[f"state_dict.{name}"] = freeze(value)
    return state


def _attributes(module: Any) -> dict[str, Any]:
    """Plain attributes of a module and of those in it; a missing one reads as None."""
    state: dict[str, Any] = {}
    for name, part in module.named_modules():
        for key, value in sorted(vars(part).items()):
            if not key.startswith("_") and isinstance(value, (bool, int, float, str, list, dict, tuple, set)):
                state[f"{name}.{key}"] = freeze(value, 4)
    return state


def plain_state(target: Target) -> dict[str, Any]:
    """What of the state is plain Python: attributes of modules, or closure and globals of a function."""
    import torch

    fn = target.fn
    owner = fn if isinstance(fn, torch.nn.Module) else getattr(fn, "__self__", None)
    try:
        if isinstance(owner, torch.nn.Module):
            state = _attributes(owner)
            state.update(_function_state(getattr(owner.forward, "__func__", None)) or {})
            return state
        return _function_state(fn) or {}
    except Exception:
        return {}


def changed_names(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Last parts of the names of what differs: of ``layers.0.count``, ``count``."""
    keys = {key for key in {*before, *after} if not same(before.get(key), after.get(key))}
    return sorted({key.rsplit(".", 1)[-1] for key in keys})


def _function_state(fn: Any) -> Any:
    code = getattr(fn, "__code__", None)
    if code is None:
        return None
    state: dict[str, Any] = {}
    for name, cell in zip(code.co_freevars, fn.__closure__ or ()):
        with contextlib.suppress(ValueError):
            state["closure." + name] = _plain(cell.cell_contents)
    for name in code.co_names:
        if name in fn.__globals__:
            state["global." + name] = _plain(fn.__globals__[name])
    return state


def _plain(value: Any) -> Any:
    import torch

    simple = (bool, int, float, str, list, dict, tuple, set, torch.Tensor)
    return freeze(value, 3) if isinstance(value, simple) else type(value).__name__


def _guarded(make: Any) -> Any:
    try:
        return make()
    except Exception as error:
        return {"unreadable": type(error).__name__}


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _exception(value: Any) -> str | None:
    return type(value).__name__ if isinstance(value, BaseException) else None


def _last_line(error: BaseException) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return (lines[0].strip() if lines else type(error).__name__)[:300]


def _frames(value: Any) -> list[list[Any]]:
    """Where an exception passed through, outermost first."""
    frames: list[list[Any]] = []
    if isinstance(value, BaseException):
        trace = value.__traceback__
        while trace is not None and len(frames) < 200:
            code = trace.tb_frame.f_code
            frames.append([code.co_filename, trace.tb_lineno, code.co_name])
            trace = trace.tb_next
    return frames


def _size(path: str | None) -> int:
    with contextlib.suppress(OSError, TypeError):
        sys.stdout.flush()
        return os.path.getsize(path)  # type: ignore[arg-type]
    return 0


def _printed(path: str | None, begin: int) -> str:
    """What was written to standard output since ``begin``; torch's own log lines are not the user's."""
    with contextlib.suppress(OSError, TypeError):
        sys.stdout.flush()
        with open(path, "rb") as stream:  # type: ignore[arg-type]
            stream.seek(begin)
            data: bytes = stream.read(_MAX_PRINTED)
            return data.decode("utf-8", "replace")
    return ""
