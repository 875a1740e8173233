"""A thread whose stack is large enough for deep call chains and deep expressions."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

STACK_BYTES = 512 * 1024 * 1024

R = TypeVar("R")

_big_stack = threading.local()


def on_big_stack(work: Callable[[], R]) -> R:
    """Run in a thread whose stack is large enough for deep call chains and deep expressions."""
    if getattr(_big_stack, "inside", False):
        return work()
    outcome: list[Any] = []

    def run() -> None:
        _big_stack.inside = True
        try:
            outcome.append((True, work()))
        except BaseException as error:
            outcome.append((False, error))

    old_size = threading.stack_size(STACK_BYTES)
    old_limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(old_limit, 200_000))
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(old_size)
        sys.setrecursionlimit(old_limit)
    succeeded, value = outcome[0]
    if succeeded:
        return value  # type: ignore[no-any-return]
    raise value
