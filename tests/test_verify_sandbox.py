"""What a probe may do to us: nothing. Each evil runs in a real forked child; torch is not needed."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from torch_compile_lint.worker import sandbox

pytestmark = pytest.mark.skipif(not sandbox.can_fork(), reason="children are forked on Linux only")

Emit = Callable[[dict[str, Any]], None]


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    sandbox.become_subreaper()
    yield
    deadline = time.monotonic() + 20  # a killed process is still listed until the kernel has buried it
    while sandbox.descendants(os.getpid()) and time.monotonic() < deadline:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)
        time.sleep(0.05)
    assert sandbox.descendants(os.getpid()) == set()


def run(work: Callable[[Emit], None], seconds: float = 20.0, memory: int = 1 << 30) -> sandbox.Outcome:
    return sandbox.run(work, sandbox.Limits(seconds, memory))


def test_messages_come_back_in_order() -> None:
    def work(emit: Emit) -> None:
        for number in range(3):
            emit({"number": number})

    outcome = run(work)
    assert outcome.messages == [{"number": 0}, {"number": 1}, {"number": 2}, {"ended": True}]
    assert outcome.reason == ""


def test_segfault() -> None:
    def work(emit: Emit) -> None:
        faulthandler.disable()
        os.kill(os.getpid(), signal.SIGSEGV)

    outcome = run(work)
    assert (outcome.reason, outcome.detail) == ("crash", "killed by SIGSEGV")


def test_what_the_runtime_said_before_it_died_is_the_reason() -> None:
    def work(emit: Emit) -> None:
        faulthandler.disable()
        os.write(
            2, b"terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n"
        )
        os.write(2, b"some later noise\n")
        os.abort()

    assert run(work).detail == "killed by SIGABRT: what():  std::bad_alloc"


def test_exit_of_the_process() -> None:
    def work(emit: Emit) -> None:
        emit({"so": "far"})
        os._exit(0)

    outcome = run(work)
    assert outcome.messages == [{"so": "far"}]  # and no word that it ended


def test_system_exit_and_exceptions_are_reported() -> None:
    def work(emit: Emit) -> None:
        raise SystemExit("no")

    outcome = run(work)
    assert outcome.messages == [{"raised": "SystemExit: no"}]
    assert outcome.reason == "exit"


def test_endless_loop() -> None:
    def work(emit: Emit) -> None:
        emit({"now": "looping"})
        while True:
            pass

    started = time.monotonic()
    outcome = run(work, seconds=1.0)
    assert outcome.reason == "time-out"
    assert outcome.messages == [{"now": "looping"}]
    assert time.monotonic() - started < 15


def test_deadlocked_thread() -> None:
    def work(emit: Emit) -> None:
        lock = threading.Lock()
        lock.acquire()
        lock.acquire()

    assert run(work, seconds=1.0).reason == "time-out"


def test_ignored_signals_do_not_help() -> None:
    def work(emit: Emit) -> None:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        time.sleep(60)

    assert run(work, seconds=1.0).reason == "time-out"


def test_a_hundred_gigabytes() -> None:
    def work(emit: Emit) -> None:
        bytearray(100 << 30)

    outcome = run(work)
    assert outcome.reason == "exit"
    assert outcome.messages[0]["raised"].startswith("MemoryError")


def test_memory_eaten_slowly_by_several_processes() -> None:
    def work(emit: Emit) -> None:
        for _ in range(4):
            if os.fork() == 0:
                held = []
                while True:
                    held.append(b"x" * (8 << 20))
                    time.sleep(0.005)
        time.sleep(60)

    assert run(work, seconds=30, memory=400 << 20).reason == "memory"


def test_a_gigabyte_of_output() -> None:
    def work(emit: Emit) -> None:
        block = "x" * (1 << 20)
        for _ in range(1024):
            print(block)

    outcome = run(work)
    assert outcome.reason == "exit"
    assert "OSError" in outcome.messages[0]["raised"]


def test_a_gigabyte_of_results() -> None:
    def work(emit: Emit) -> None:
        while True:
            emit({"flood": "x" * 100_000})

    assert run(work, seconds=60).reason == "output"


def test_fork_bomb() -> None:
    def work(emit: Emit) -> None:
        while True:
            if os.fork() == 0:
                time.sleep(0.01)

    assert run(work, seconds=20).reason in ("processes", "time-out", "exit")


def test_daemons_that_leave_the_session_are_killed_too() -> None:
    def work(emit: Emit) -> None:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                emit({"forged": True})  # only the probe itself may speak
                time.sleep(60)
            os._exit(0)
        time.sleep(0.3)

    outcome = run(work)
    assert outcome.messages == [{"ended": True}]


def test_the_working_folder_is_temporary_and_input_is_empty() -> None:
    def work(emit: Emit) -> None:
        with open("left-behind", "w") as file:
            file.write("x")
        emit({"folder": os.getcwd(), "read": sys.stdin.read()})

    outcome = run(work)
    assert outcome.messages[0]["read"] == ""
    assert not os.path.exists(outcome.messages[0]["folder"])
