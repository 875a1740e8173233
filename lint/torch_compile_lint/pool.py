"""Run one function over many items in forked processes; in this process where that cannot pay.

In: a function, items, and how many processes. Out: (number of the item, result or ``Failed``)
as they come. Children inherit everything by fork, so nothing is sent to them but numbers;
results come back pickled over a pipe that only we write to. A child that dies (killed for its
memory, a crash in C) costs its one item, which the caller hears of as ``Failed``.
"""

from __future__ import annotations

import os
import pickle
import selectors
import signal
import struct
import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from torch_compile_lint.records import dataclass

T = TypeVar("T")

_NUMBER = struct.Struct("<q")
_STOP = -1
_RETIRED = -2  # instead of an answer's size
_AHEAD = 16  # items a worker is given in advance while this process is busy
_PIPE = 1 << 20  # bytes of answers that may wait, where the system allows it


@dataclass(frozen=True, slots=True)
class Failed:
    """What went wrong with one item, in one line, and where (for a report of a bug)."""

    message: str
    place: str = ""


def cores() -> int:
    """Cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def can_fork() -> bool:
    """Forking is safe where no other thread runs; macOS libraries start threads of their own."""
    return hasattr(os, "fork") and sys.platform != "darwin"


def attempt(function: Callable[[T], Any], item: T) -> Any:
    """The result, or ``Failed`` for whatever was raised."""
    try:
        return function(item)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as problem:  # a bug in a rule, RecursionError, MemoryError
        return failure(problem)


def failure(problem: BaseException) -> Failed:
    """One line about an exception, with the innermost line of code it came from."""
    if isinstance(problem, OSError) and problem.filename is not None:  # the file's fault, not ours
        return Failed(f"{os.fsdecode(problem.filename)}: {problem.strerror}")
    text = f"{type(problem).__name__}: {problem}" if str(problem) else type(problem).__name__
    frames = traceback.extract_tb(problem.__traceback__)[-1:]
    place = f"{os.path.basename(frames[0].filename)}:{frames[0].lineno}" if frames else ""
    return Failed(" ".join(text.split())[:300], place)


def run(
    function: Callable[[T], Any],
    items: Sequence[T],
    jobs: int,
    meanwhile: Callable[[], object] | None = None,
    most: int = sys.maxsize,
) -> Iterator[tuple[int, Any]]:
    """(number, result) of every item, in no particular order.

    ``meanwhile`` is what this process does while the others have their first items to work on;
    it is left out where there are no others. A child that has done ``most`` items is replaced by
    a new one: what it remembered of them goes with it.
    """
    jobs = min(jobs, len(items))
    if jobs < 2 or not can_fork():
        for number, item in enumerate(items):
            yield number, attempt(function, item)
        return
    yield from _Crew(function, items, jobs, most).results(meanwhile)


class _Worker:
    def __init__(self, pid: int, tasks: int, answers: int) -> None:
        self.pid = pid
        self.tasks = tasks
        self.answers = answers
        self.queue: deque[int] = deque()  # what it was given and has not answered, in order
        self.stopped = False
        self.buffer = bytearray()


class _Crew:
    """Workers that are given the next item whenever they have answered."""

    def __init__(self, function: Callable[[Any], Any], items: Sequence[Any], jobs: int, most: int) -> None:
        self.function = function
        self.items = items
        self.jobs = jobs
        self.most = most
        self.waiting = deque(range(len(items)))
        self.selector = selectors.DefaultSelector()
        self.workers: list[_Worker] = []

    def results(self, meanwhile: Callable[[], object] | None) -> Iterator[tuple[int, Any]]:
        sys.stdout.flush()
        sys.stderr.flush()
        try:
            for _ in range(self.jobs):
                self._start()
            if meanwhile is not None:
                for _ in range(min(_AHEAD, len(self.items) // (2 * self.jobs))):
                    for worker in self.workers:
                        self._give(worker)
                meanwhile()
            missing = len(self.items)
            while missing:
                for key, _ in self.selector.select():
                    for answer in self._read(key.data):
                        missing -= 1
                        yield answer
        finally:
            self._stop()

    def _start(self) -> None:
        task_read, task_write = os.pipe()
        answer_read, answer_write = os.pipe()
        _enlarge(answer_write)
        # An interrupt must not reach the child before it ignores interrupts: it would go on as its parent.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            pid = os.fork()
            if pid == 0:
                _ignore_interrupts()
                os.close(task_write)
                os.close(answer_read)
                for other in self.workers:  # or a dead parent would never be noticed
                    os.close(other.tasks)
                    os.close(other.answers)
                _work(self.function, self.items, task_read, answer_write, self.most)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.close(task_read)
        os.close(answer_write)
        worker = _Worker(pid, task_write, answer_read)
        self.workers.append(worker)
        self.selector.register(answer_read, selectors.EVENT_READ, worker)
        self._give(worker)

    def _give(self, worker: _Worker) -> None:
        number = _STOP
        if self.waiting:
            number = self.waiting.popleft()
            worker.queue.append(number)
        elif worker.stopped:
            return
        worker.stopped = number == _STOP
        try:
            os.write(worker.tasks, _NUMBER.pack(number))
        except BrokenPipeError:
            pass  # it died: its end of file tells

    def _read(self, worker: _Worker) -> Iterator[tuple[int, Any]]:
        data = os.read(worker.answers, 1 << 20)
        if not data:
            yield from self._lost(worker)
            return
        worker.buffer += data
        while len(worker.buffer) >= _NUMBER.size:
            (size,) = _NUMBER.unpack_from(worker.buffer)
            if size == _RETIRED:
                self._replace(worker)
                return
            if len(worker.buffer) < _NUMBER.size + size:
                return
            body = bytes(worker.buffer[_NUMBER.size : _NUMBER.size + size])
            del worker.buffer[: _NUMBER.size + size]
            number = worker.queue.popleft()
            self._give(worker)
            yield number, pickle.loads(body)

    def _lost(self, worker: _Worker) -> Iterator[tuple[int, Any]]:
        self._forget(worker)
        if not worker.queue:
            return
        number = worker.queue.popleft()
        self._start_for(worker.queue)
        yield number, Failed("the process that worked on it was killed (out of memory?)")

    def _replace(self, worker: _Worker) -> None:
        self._forget(worker)
        self._start_for(worker.queue)

    def _start_for(self, left: deque[int]) -> None:
        """A new worker, where there is something to do: what another has left, first of all."""
        self.waiting.extendleft(reversed(left))
        if self.waiting:
            self._start()

    def _forget(self, worker: _Worker) -> None:
        self.selector.unregister(worker.answers)
        self.workers.remove(worker)
        os.close(worker.tasks)
        os.close(worker.answers)
        try:
            os.waitpid(worker.pid, 0)
        except ChildProcessError:
            pass

    def _stop(self) -> None:
        for worker in list(self.workers):
            if worker.queue:  # left in the middle: an interrupt, or the caller stopped asking
                try:
                    os.kill(worker.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            self._forget(worker)
        self.selector.close()


def _ignore_interrupts() -> None:
    """In a child: its parent ends it. From a thread no handler can be set, and none is called there."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    except ValueError:
        pass


def _enlarge(pipe: int) -> None:
    """Let more than 64 KiB of answers wait: a worker should not wait for us."""
    try:
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)
    except (ImportError, AttributeError, OSError):
        pass


def _work(function: Callable[[Any], Any], items: Sequence[Any], tasks: int, answers: int, most: int) -> None:
    """The life of a child. It never returns: nothing of the parent may run twice."""
    try:
        for _ in range(most):
            data = os.read(tasks, _NUMBER.size)
            if len(data) < _NUMBER.size:
                break
            (number,) = _NUMBER.unpack(data)
            if number == _STOP:
                break
            result = attempt(function, items[number])
            body = pickle.dumps(result, pickle.HIGHEST_PROTOCOL)
            _send(answers, _NUMBER.pack(len(body)) + body)
        else:
            _send(answers, _NUMBER.pack(_RETIRED))
    finally:
        os._exit(0)


def _send(answers: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(answers, view) :]
