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
    print("sum", y.sum(), f"of {y}")
    return y * 2


def prints_a_size(x: Any) -> Any:
    y = x + 1
    print("shape", y.shape)
    return y * 2


def prints_without_a_line_end(x: Any) -> Any:
    y = x + 1
    print("sum", end="; ")
    return y * 2


def warns(x: Any) -> Any:
    y = x + 1
    warnings.warn("slow path")  # noqa: B028
    return y * 2


def warns_with_a_level(x: Any) -> Any:
    y = x + 1
    warnings.warn("slow path", stacklevel=1)
    return y * 2


def warns_of_a_kind(x: Any) -> Any:
    y = x + 1
    warnings.warn("slow path", DeprecationWarning)  # noqa: B028
    return y * 2


def logs(x: Any) -> Any:
    y = x + 1
    LOG.info("shape %s", tuple(y.shape))
    return y * 2


def logs_a_constant(x: Any) -> Any:
    y = x + 1
    LOG.info("slow path")
    return y * 2


def _called(function: Callable[[Any], Any]) -> Any:
    """What a setting has to name for this function."""
    name = function.__name__
    if name.startswith("logs"):
        return logging.Logger.info
    return print if name.startswith("prints") else warnings.warn


def _at_least(major: int, minor: int) -> bool:
    return tuple(int(part) for part in torch.__version__.split(".")[:2]) >= (major, minor)


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
    with torch._dynamo.config.patch(**{setting: {_called(function)}}):
        heard = _heard(torch.compile(function, backend=counter))
    return counter.frame_count, heard


@pytest.mark.parametrize("function", [prints, warns])
def test_reordered_messages_are_all_there_and_the_graph_is_one(function: Callable[[Any], Any]) -> None:
    graphs, heard = _compiled(function, "reorderable_logging_functions")
    assert graphs == 1 and heard == _heard(function)


@pytest.mark.parametrize("function", [prints_a_size, warns_of_a_kind, logs])
def test_what_cannot_be_reordered_breaks_the_graph(function: Callable[[Any], Any]) -> None:
    graphs, heard = _compiled(function, "reorderable_logging_functions")
    assert graphs == 2 and heard == _heard(function)


@pytest.mark.parametrize("function", [prints_without_a_line_end, warns_with_a_level])
def test_keywords_break_the_graph_from_2_14_on(function: Callable[[Any], Any]) -> None:
    """Before, `print` forgot them."""
    graphs, heard = _compiled(function, "reorderable_logging_functions")
    broken = _at_least(2, 14)
    assert graphs == (2 if broken else 1)
    assert (heard == _heard(function)) is (broken or function is warns_with_a_level)


def test_a_logger_with_a_constant_message_is_reordered_from_2_14_on() -> None:
    graphs, heard = _compiled(logs_a_constant, "reorderable_logging_functions")
    assert graphs == (1 if _at_least(2, 14) else 2) and heard == _heard(logs_a_constant)


@pytest.mark.parametrize("function", [prints, warns, logs])
def test_ignored_messages_are_lost(function: Callable[[Any], Any]) -> None:
    graphs, heard = _compiled(function, "ignore_logging_functions")
    assert graphs == 1 and heard == ("", [], [])
