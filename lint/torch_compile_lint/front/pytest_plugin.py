"""The pytest plugin: ``pytest --tclint-compile`` and the fixture ``assert_compiles``.

Unlike the rest of the tool this runs where torch is already imported, in the test's own process: the
module is compiled there, and Dynamo's record says which lines broke. With ``--tclint-compile`` the fixture
compiles for real; without it the module is only called, so that a suite stays fast by default.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from torch_compile_lint.worker.record import Recorder


class AssertCompiles(Protocol):
    """Calls the module three times, compiled; fails where it breaks or recompiles more often."""

    def __call__(
        self, module: Any, *args: Any, max_breaks: int = 0, max_recompiles: int = 0, **kwargs: Any
    ) -> Any: ...


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the switch."""
    group = parser.getgroup("tclint")
    group.addoption(
        "--tclint-compile",
        action="store_true",
        help="assert_compiles really compiles, and fails on graph breaks and recompilations",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker that tells tests of compilation."""
    config.addinivalue_line("markers", "tclint_compile: only meaningful under --tclint-compile")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what is only meaningful when things are compiled."""
    if config.getoption("--tclint-compile"):
        return
    skip = pytest.mark.skip(reason="needs --tclint-compile")
    for item in items:
        if item.get_closest_marker("tclint_compile"):
            item.add_marker(skip)


_RECORDER: Recorder | None = None


@pytest.fixture
def assert_compiles(request: pytest.FixtureRequest) -> Iterator[AssertCompiles]:
    """``assert_compiles(module, *args, max_breaks=0, max_recompiles=0)`` returns the first result."""
    really = bool(request.config.getoption("--tclint-compile"))

    def check(module: Any, *args: Any, max_breaks: int = 0, max_recompiles: int = 0, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if not really:
            return module(*args, **kwargs)
        return _check(module, args, kwargs, max_breaks, max_recompiles)

    yield check


def _check(module: Any, args: Any, kwargs: Any, max_breaks: int, max_recompiles: int) -> Any:
    __tracebackhide__ = True
    recorder, compile_eagerly = _recorder()
    first = len(recorder.events)
    compiled = compile_eagerly(module)
    after: list[int] = []
    results = []
    for number in range(3):
        recorder.call = number
        results.append(compiled(*args, **kwargs))
        after.append(len(recorder.graphs))
    events = recorder.events[first:]
    sites = {
        (e["path"], e["line"], e["gb"] or e["text"]): e for e in events if e["kind"] in ("break", "skip")
    }
    again = after[-1] - after[0]
    problems = []
    if len(sites) > max_breaks:
        problems.append(f"{len(sites)} graph breaks, {max_breaks} allowed:")
        problems += [f"  {_told(event)}" for _, event in sorted(sites.items(), key=lambda item: item[0][:2])]
    if again > max_recompiles:
        problems.append(f"{again} recompilations in 3 equal calls, {max_recompiles} allowed:")
        problems += [f"  {_told(event)}" for event in events if event["kind"] == "recompile"]
    if problems:
        pytest.fail(
            "\n".join([f"{type(module).__name__} does not compile as asked", *problems]), pytrace=False
        )
    return results[0]


def _told(event: dict[str, Any]) -> str:
    gb = f" {event['gb']}" if event["gb"] else ""
    return f"{os.path.relpath(event['path'])}:{event['line']}: {event['kind']}{gb} {event['text']}"


def _recorder() -> tuple[Recorder, Any]:
    """Dynamo's recorder, hooked in once per process, and the way to compile for it."""
    from torch_compile_lint.worker import inprocess

    global _RECORDER
    if _RECORDER is None:
        _RECORDER = inprocess.recorder()
    inprocess.forget()
    return _RECORDER, inprocess.compile_eagerly
