"""What the pages of print-call, logging-call and warning-call say of the settings: which lose nothing."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

LOG = logging.getLogger("message settings")


def prints(x: Any) -> Any:
    y = x + 1
    print("sum", y.sum())
    return y * 2


def warns(x: Any) -> Any:
    y = x + 1
    warnings.warn("slow path", stacklevel=1)
    return y * 2


def logs(x: Any) -> Any:
    y = x + 1
    LOG.info("shape %s", tuple(y.shape))
    return y * 2


MESSAGE: dict[Callable[[Any], Any], Any] = {prints: print, warns: warnings.warn, logs: logging.Logger.info}


def _heard(function: Callable[[Any], Any]) -> tuple[str, list[str], list[str]]:
    """Text, records and warnings of two calls."""
    records: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: records.append(record.getMessage())  # type: ignore[method-assign]
    LOG.addHandler(handler)
    LOG.setLevel("INFO")
    LOG.propagate = False
    text = io.StringIO()
    try:
        with contextlib.redirect_stdout(text), warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            for _ in range(2):
                assert torch.equal(function(torch.ones(3)), torch.full((3,), 4.0))
    finally:
        LOG.removeHandler(handler)
    return text.getvalue(), records, [str(one.message) for one in given]


def _compiled(function: Callable[[Any], Any], setting: str) -> tuple[int, tuple[str, list[str], list[str]]]:
    from torch._dynamo.testing import CompileCounter

    if not hasattr(torch._dynamo.config, setting):
        pytest.skip(f"this release has no {setting}")
    torch._dynamo.reset()
    counter = CompileCounter()
    with torch._dynamo.config.patch(**{setting: {MESSAGE[function]}}):
        heard = _heard(torch.compile(function, backend=counter))
    return counter.frame_count, heard


@pytest.mark.parametrize("function", [prints, warns])
def test_reordered_messages_are_all_there_and_the_graph_is_one(function: Callable[[Any], Any]) -> None:
    graphs, heard = _compiled(function, "reorderable_logging_functions")
    assert graphs == 1 and heard == _heard(function)


def test_a_logger_cannot_be_reordered_with_arguments() -> None:
    graphs, heard = _compiled(logs, "reorderable_logging_functions")
    assert graphs == 2 and heard[1] == _heard(logs)[1]


@pytest.mark.parametrize("function", [prints, warns, logs])
def test_ignored_messages_are_lost(function: Callable[[Any], Any]) -> None:
    graphs, heard = _compiled(function, "ignore_logging_functions")
    assert graphs == 1 and heard == ("", [], [])
