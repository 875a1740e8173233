"""What fails to compile, made small: the deepest submodule that still fails alone on the inputs it got."""

from __future__ import annotations

from typing import Any, Dict

from .doctor_call import eager_call
from .loading import last_line
from .target import Target

Result = Dict[str, Any]


def minimise(target: Target, message: dict[str, Any], emit: Any) -> Result:
    """The smallest failing submodule, its inputs, and the error; the whole target where none fails alone."""
    import torch

    backend = message["config"].get("backend", "inductor")
    if not isinstance(target.fn, torch.nn.Module):
        return {"name": "", "class": getattr(target.fn, "__qualname__", "function"), "tried": 0}
    inputs = _inputs_of_all(target)
    found: Result = {"name": "", "class": type(target.fn).__name__, "tried": 0}
    names = [name for name, _ in target.fn.named_children()]
    prefix = ""
    while names:
        guilty = ""
        for name in names:
            full = prefix + name
            if full not in inputs:
                continue
            found["tried"] += 1
            error = _error(target.fn.get_submodule(full), inputs[full], backend)
            if error:
                guilty = full
                found.update(name=full, error=error, inputs=_told(inputs[full]))
                part = target.fn.get_submodule(full)
                found["class"] = type(part).__name__
                found["module"] = type(part).__module__
                found["repr"] = repr(part)[:1500]
                emit({"partial": found})
                break
        if not guilty:
            break
        prefix = guilty + "."
        names = [name for name, _ in target.fn.get_submodule(guilty).named_children()]
    return found


def _inputs_of_all(target: Target) -> dict[str, Any]:
    """Arguments of the first call of every submodule in one eager call."""
    import torch
    from torch.utils import _pytree

    caught: dict[str, Any] = {}

    def keep(name: str) -> Any:
        def hook(module: Any, args: Any, kwargs: Any) -> None:
            if name not in caught:
                still = _pytree.tree_map(
                    lambda v: v.detach().clone() if isinstance(v, torch.Tensor) else v,
                    (list(args), dict(kwargs)),
                )
                caught[name] = still

        return hook

    handles = [
        module.register_forward_pre_hook(keep(name), with_kwargs=True)
        for name, module in target.fn.named_modules()
        if name
    ]
    try:
        eager_call(target, False)()
    finally:
        for handle in handles:
            handle.remove()
    return caught


def _error(module: Any, inputs: Any, backend: str) -> str:
    import torch

    torch._dynamo.reset()
    try:
        with torch.no_grad():
            torch.compile(module, backend=backend)(*inputs[0], **inputs[1])
    except Exception as error:
        try:
            with torch.no_grad():
                module(*inputs[0], **inputs[1])
        except Exception:
            return ""  # it fails without being compiled: what it got was not kept well enough
        return last_line(error)
    return ""


def _told(inputs: Any) -> list[str]:
    import torch
    from torch.utils import _pytree

    told = []
    for value in _pytree.tree_flatten(inputs)[0]:
        if isinstance(value, torch.Tensor):
            told.append("torch.randn(%s).to(%s)" % (list(value.shape), value.dtype))
        else:
            told.append(repr(value)[:80])
    return told
