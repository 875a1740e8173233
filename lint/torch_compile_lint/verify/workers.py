"""Local worker processes: batches in, results out as they come, nothing left behind.

Each worker is a process of the user's interpreter in a session of its own, with a scrubbed environment
and a temporary home. One thread here speaks with one worker. A worker that dies costs the batch it had,
not the run.
"""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from torch_compile_lint.records import dataclass, field
from torch_compile_lint.worker import protocol

Message = dict[str, Any]
OnResult = Callable[[int, int, Message], None]

_MAIN = Path(__file__).resolve().parent.parent / "worker" / "main.py"
_KEPT: tuple[str, ...] = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "PYTHONPATH", "VIRTUAL_ENV")
_KEPT += (
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "SYSTEMROOT",
    "CONDA_PREFIX",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_HOME",
    "CXX",
    "CC",
)
_START_SECONDS = 180.0


class WorkerProblem(Exception):
    """No worker can be had; the message is one line for the user."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to run workers."""

    python: str
    jobs: int = 1
    backend: str = "eager"
    device: str = "cpu"
    timeout: float = 60.0
    memory_gb: float = 8.0
    search: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Batch:
    """One file and its probes; plain data, so that it may run anywhere."""

    setup: Message
    probes: tuple[Message, ...]


@dataclass(slots=True)
class Facts:
    """What the interpreter said of itself."""

    torch: str = ""
    python: str = ""
    cuda: str = ""
    problem: str = ""


@dataclass(slots=True)
class LocalWorkers:
    """Runs batches in ``options.jobs`` processes; ``facts`` is filled when the first one has started."""

    options: Options
    facts: Facts = field(default_factory=Facts)
    on_now: Callable[[str], None] = lambda text: None
    _live: list[Worker] = field(default_factory=list)
    _stopping: threading.Event = field(default_factory=threading.Event)

    def run(self, batches: Sequence[Batch], on_result: OnResult) -> None:
        """Every probe of every batch gets one result; KeyboardInterrupt stops all and is passed on."""
        waiting: queue.SimpleQueue[tuple[int, Batch]] = queue.SimpleQueue()
        for number, batch in enumerate(batches):
            waiting.put((number, batch))
        jobs = max(1, min(self.options.jobs, len(batches)))
        lock = threading.Lock()
        failures: list[BaseException] = []

        def tell(number: int, probe: int, result: Message) -> None:
            if self._stopping.is_set():
                return  # what ended because everything was ended was not run
            with lock:
                on_result(number, probe, result)

        def serve() -> None:
            try:
                self._serve(waiting, tell)
            except BaseException as error:  # handed to the main thread below
                failures.append(error)

        threads = [threading.Thread(target=serve, daemon=True) for _ in range(jobs)]
        for thread in threads:
            thread.start()
        try:
            while any(thread.is_alive() for thread in threads):
                for thread in threads:
                    thread.join(0.1)
        except BaseException:
            self.stop()
            raise
        if failures:
            raise failures[0]

    def stop(self) -> None:
        """Kill every worker and all it started, now."""
        self._stopping.set()
        for worker in list(self._live):
            worker.kill()

    def _serve(self, waiting: queue.SimpleQueue[tuple[int, Batch]], tell: OnResult) -> None:
        worker: Worker | None = None
        try:
            while not self._stopping.is_set():
                try:
                    number, batch = waiting.get_nowait()
                except queue.Empty:
                    return
                if worker is None:
                    worker = self._start()
                if not worker.answer(number, batch, tell, self.on_now) and not self._stopping.is_set():
                    worker.kill()
                    self._live.remove(worker)
                    worker = None
        finally:
            if worker is not None:
                worker.quit()

    def _start(self) -> Worker:
        worker = Worker(self.options)
        self._live.append(worker)
        hello = worker.hello()
        self.facts.torch = str(hello.get("torch", ""))
        self.facts.python = str(hello.get("python", ""))
        self.facts.cuda = str(hello.get("cuda", ""))
        self.facts.problem = str(hello.get("problem", ""))
        return worker


class Worker:
    """One process. ``answer`` returns False when it is of no more use."""

    def __init__(
        self,
        options: Options,
        arguments: Sequence[str] = (),
        environment: Callable[[dict[str, str]], dict[str, str]] | None = None,
    ) -> None:
        self._python = options.python
        self.home = tempfile.mkdtemp(prefix="tclint-verify-")
        self._errors = open(os.path.join(self.home, "worker-errors.txt"), "wb")  # noqa: SIM115
        known = scrubbed_environment(self.home, options.backend)
        try:
            self._process = subprocess.Popen(
                [options.python, "-u", str(_MAIN), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                cwd=self.home,
                env=environment(known) if environment is not None else known,
                start_new_session=True,
            )
        except OSError as error:
            self._errors.close()
            shutil.rmtree(self.home, ignore_errors=True)
            raise WorkerProblem(f"cannot start {options.python}: {error.strerror or error}") from None
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def hello(self) -> Message:
        """The first message, or WorkerProblem."""
        message = self.next(time.monotonic() + _START_SECONDS)
        if message is not None and message.get("op") == "hello":
            return message
        last = str(message.get("error", "")) if message else self.last_error()
        self.kill()
        if "No module named 'torch'" in last:
            raise WorkerProblem(f"{self._python} has no torch; name an interpreter that has: --python EXE")
        raise WorkerProblem(f"the worker did not start: {last or 'no answer'}")

    def answer(self, number: int, batch: Batch, tell: OnResult, now: Callable[[str], None]) -> bool:
        """Send a batch and pass on its results; whatever was not answered is could-not-run."""
        open_probes = {probe["id"] for probe in batch.probes}
        seconds = (
            batch.setup.get("import_seconds", 120) + sum(p["timeout"] * 1.3 + 5 for p in batch.probes) + 30
        )
        deadline = time.monotonic() + seconds
        alive = self.send(protocol.batch(number, batch.setup, list(batch.probes)))
        reason = "the worker ended"
        while alive:
            message = self.next(deadline)
            if message is None:
                alive = False
                if time.monotonic() > deadline:
                    reason = "the worker hung"
            elif message.get("op") == "now":
                now(str(message.get("now", "")))
            elif message.get("op") == "result" and message.get("probe") in open_probes:
                open_probes.discard(message["probe"])
                tell(number, message["probe"], message["result"])
            elif message.get("op") == "done":
                break
        for probe in sorted(open_probes):
            tell(number, probe, protocol.could_not_run("worker", "crash", reason))
        return alive

    def quit(self) -> None:
        """Ask it to end, then make sure."""
        self.send({"op": "quit"})
        with contextlib.suppress(OSError):
            self._process.stdin.close()  # type: ignore[union-attr]
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(2)
        self.kill()

    def kill(self) -> None:
        """End the worker and everything below it."""
        family = _descendants(self._process.pid)
        for pid in [self._process.pid, *family]:
            for kill in (os.killpg, os.kill):
                with contextlib.suppress(OSError):
                    if kill is os.kill or pid != os.getpgrp():
                        kill(pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        self._errors.close()
        shutil.rmtree(self.home, ignore_errors=True)

    def send(self, message: Message) -> bool:
        """False where the process is gone."""
        try:
            self._process.stdin.write(protocol.encode(message))  # type: ignore[union-attr]
            self._process.stdin.flush()  # type: ignore[union-attr]
        except (OSError, ValueError):
            return False
        return True

    def _read(self) -> None:
        for line in iter(self._process.stdout.readline, b""):  # type: ignore[union-attr]
            self._lines.put(line)
        self._lines.put(None)

    def next(self, deadline: float) -> Message | None:
        """The next message; None where there is none until ``deadline`` (monotonic) or the process ended."""
        while True:
            try:
                line = self._lines.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                return None
            if line is None:
                return None
            message = protocol.decode(line)
            if message is not None:
                return message

    def last_error(self) -> str:
        """The last line the process wrote to its standard error."""
        with contextlib.suppress(OSError):
            text = Path(self._errors.name).read_text("utf-8", "replace")
            lines = [line.strip() for line in text.splitlines() if line.strip()]
            return lines[-1][:300] if lines else ""
        return ""


def scrubbed_environment(home: str, backend: str) -> dict[str, str]:
    """What a worker may know: where programs are; nothing secret, no network, no place of the user's."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    own = {
        "HOME": home,
        "TMPDIR": home,
        "TEMP": home,
        "XDG_CACHE_HOME": home,
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "HF_DATASETS_OFFLINE": "1",
        "WANDB_MODE": "disabled",
        "MPLBACKEND": "Agg",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONWARNINGS": "ignore",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
        "TORCHINDUCTOR_CACHE_DIR": os.path.join(home, "inductor"),
        "TCLINT_BACKEND": backend,
    }
    return {**kept, **own}


def _descendants(pid: int) -> set[int]:
    from torch_compile_lint.worker import sandbox

    return sandbox.descendants(pid)
