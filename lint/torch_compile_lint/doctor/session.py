"""One worker process of the doctor: builds the target, answers measurements, may die without harm.

A step that crashes, hangs or outgrows its memory is answered by the worker itself; a worker that is gone
is started again and builds its target anew.
"""

from __future__ import annotations

import time
from typing import Any

from torch_compile_lint.records import dataclass, field
from torch_compile_lint.verify.workers import Options, Worker, WorkerProblem

Message = dict[str, Any]
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS")


class NotBuilt(Exception):
    """The target could not be built; the message is one line, ``stage`` says where it stopped."""

    def __init__(self, stage: str, text: str) -> None:
        super().__init__(text)
        self.stage = stage


@dataclass(slots=True)
class Session:
    """Steps in, results out. ``hello`` and ``prepared`` are what the worker said of itself and the target."""

    options: Options
    prepare: Message
    hello: Message = field(default_factory=dict)
    prepared: Message = field(default_factory=dict)
    _worker: Worker | None = None
    _count: int = 0

    def start(self) -> None:
        """Start the worker and build the target. Raises WorkerProblem, NotBuilt."""
        worker = self._open()
        seconds = self.options.timeout * 3
        worker.send({"op": "prepare", "device": self.options.device, **self.prepare})
        answer = self._answer("prepared", time.monotonic() + seconds)
        if answer is None:
            last = worker.last_error()
            self.stop()
            raise NotBuilt("building inputs", last or f"the model was not built within {seconds:g} s")
        if not answer.get("ok"):
            self.stop()
            text = str(answer.get("error") or answer.get("reason") or "unknown reason")
            raise NotBuilt(str(answer.get("stage", "")), text)
        self.prepared = answer

    def step(self, kind: str, seconds: float, **more: Any) -> Message:
        """The result of one measurement, or ``{"failed": why}``; what it knew before it died is kept."""
        if self._worker is None:
            try:
                self.start()
            except (WorkerProblem, NotBuilt) as problem:
                return {"failed": str(problem)}
        worker = self._worker
        assert worker is not None
        return self._asked(worker, {"op": "step", "kind": kind, **more}, seconds)

    def script(self, file: str, arguments: list[str], cwd: str, compiling: bool, seconds: float) -> Message:
        """One run of a script, with or without compiling. Raises WorkerProblem."""
        worker = self._worker or self._open()
        message = {"op": "script", "file": file, "argv": arguments, "cwd": cwd, "compiling": compiling}
        return self._asked(worker, message, seconds)

    def _open(self) -> Worker:
        worker = self._worker = Worker(self.options, ("doctor",), _with_threads)
        self.hello = worker.hello()
        return worker

    def _asked(self, worker: Worker, message: Message, seconds: float) -> Message:
        self._count += 1
        message |= {"id": self._count, "seconds": seconds, "home": worker.home, "device": self.options.device}
        message["memory"] = int(self.options.memory_gb * 2**30)
        started = time.monotonic()
        worker.send(message)
        partial: Message = {}
        while True:
            answer = worker.next(started + seconds + 30)
            if answer is None:
                self.stop()
                return {**partial, "failed": "the worker ended or hung", "took": time.monotonic() - started}
            if answer.get("id") != self._count:
                continue
            if answer.get("op") == "partial":
                partial = dict(answer["partial"])
            elif answer.get("op") == "result":
                took = {"took": time.monotonic() - started}
                if "result" in answer:
                    return {**answer["result"], **took}
                return {**partial, "failed": str(answer.get("problem", "")), **took}

    def stop(self) -> None:
        """End the worker and all it started."""
        if self._worker is not None:
            self._worker.kill()
            self._worker = None

    def _answer(self, op: str, deadline: float) -> Message | None:
        assert self._worker is not None
        while True:
            message = self._worker.next(deadline)
            if message is None or message.get("op") == op:
                return message


def _with_threads(environment: dict[str, str]) -> dict[str, str]:
    """Timing is done with as many threads as the user's own runs get."""
    import os

    kept = {name: os.environ[name] for name in _THREADS if name in os.environ}
    return {**{k: v for k, v in environment.items() if k not in _THREADS}, **kept}
