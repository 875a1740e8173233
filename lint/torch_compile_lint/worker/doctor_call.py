"""One call of what is examined, eager or compiled, for inference or for a training step.

In: a Target and how it is to be compiled. Out: functions without arguments, ready to be timed.
"""

from __future__ import annotations

import copy
from typing import Any, Callable, Dict

from .target import Target, resolve_call

Config = Dict[str, Any]
Call = Callable[[], Any]


class CannotCopy(Exception):
    """The module cannot be copied, so eager and compiled cannot be timed in turn in one process."""


def eager_call(target: Target, train: bool) -> Call:
    """A call of the target as it is."""
    return call_of(target, target.fn, train)


def compiled_call(target: Target, config: Config, train: bool, backend: Any = None) -> Call:
    """A call of a copy of the target, compiled as ``config`` says.

    Keys of ``config``: backend, mode, dynamic; ``only``: compile just these submodules; ``without``: leave
    these submodules out; ``disable``: leave functions out (``[[path, qualified name], ...]``).
    """
    import torch

    options: dict[str, Any] = {"backend": backend or config.get("backend", "inductor")}
    if config.get("mode") and backend is None:
        options["mode"] = config["mode"]
    if config.get("dynamic") is not None:
        options["dynamic"] = config["dynamic"]
    fn = target.fn
    if isinstance(fn, torch.nn.Module):
        fn = copied(fn)
    for path, name in config.get("disable", ()):
        disable_function(fn, path, name)
    if isinstance(fn, torch.nn.Module):
        for name in config.get("without", ()):
            part = fn.get_submodule(name)
            part.forward = torch.compiler.disable(part.forward)
        if config.get("only"):
            for name in config["only"]:
                fn.get_submodule(name).compile(**options)
            return call_of(target, fn, train)
    if target.raw:
        return call_of(target, fn, train)
    return call_of(target, torch.compile(fn, **options), train)


def copied(module: Any) -> Any:
    """A deep copy of a module. Raises CannotCopy."""
    try:
        return copy.deepcopy(module)
    except Exception as error:
        raise CannotCopy(str(error)[:200]) from None


def call_of(target: Target, fn: Any, train: bool) -> Call:
    """A call of ``fn`` with the target's first arguments: forward alone, or a whole training step."""
    import torch

    args, kwargs = resolve_call(target.calls[0])
    if not train:

        def forward() -> Any:
            with torch.no_grad():
                return fn(*args, **kwargs)

        return forward
    owner = fn if isinstance(fn, torch.nn.Module) else getattr(fn, "__self__", None)
    parameters = [p for p in owner.parameters() if p.requires_grad] if owner is not None else []
    optimizer = torch.optim.SGD(parameters, lr=0.0) if parameters else None

    def step() -> Any:
        result = fn(*args, **kwargs)
        loss = _loss(result)
        if loss is not None and loss.requires_grad:
            loss.backward()
        if optimizer is not None:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        return result

    return step


def _loss(result: Any) -> Any:
    """The sum of the means of everything that can be differentiated."""
    import torch
    from torch.utils import _pytree

    leaves = _pytree.tree_flatten(result)[0]
    if hasattr(result, "values") and not isinstance(result, (torch.Tensor, dict)):
        leaves = list(result.values())
    total: Any = None
    for leaf in leaves:
        if isinstance(leaf, torch.Tensor) and leaf.is_floating_point() and leaf.requires_grad:
            part = leaf.float().mean()
            total = part if total is None else total + part
    return total


def disable_function(fn: Any, path: str, name: str) -> bool:
    """Mark the function ``name`` of file ``path`` as not to be compiled, wherever it is looked up.

    Methods are changed on their class, functions in their module; True where one was found.
    """
    import os
    import sys

    import torch

    owner, _, last = name.rpartition(".")
    real = os.path.realpath(path)
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if not file or os.path.realpath(file) != real:
            continue
        holder: Any = module
        for part in owner.split(".") if owner else []:
            holder = getattr(holder, part, None)
        found = vars(holder).get(last) if holder is not None else None
        if callable(found):
            setattr(holder, last, torch.compiler.disable(found))
            return True
    return False
