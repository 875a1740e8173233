"""Observation in a process that has torch already: what the pytest plugin uses instead of a worker."""

from __future__ import annotations

from typing import Any

from . import hooks
from .record import Recorder, load_registry


def recorder() -> Recorder:
    """A recorder that hears everything from now on; to be made once in a process."""
    made = Recorder(load_registry())
    hooks.install(made)
    return made


def forget() -> None:
    """Drop what Dynamo has compiled, so that a test does not see another's compilations."""
    import torch._dynamo

    torch._dynamo.reset()


def compile_eagerly(fn: Any) -> Any:
    """Compiled by Dynamo only."""
    import torch

    return torch.compile(fn, backend="eager")
