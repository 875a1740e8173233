"""Run a function in a forked child that may do anything: crash, exit, hang, fork, flood or eat memory.

In: a function that gets ``emit`` (to send plain data) and limits. Out: what it emitted, and how it ended.
Nothing the child started survives: it leads a session of its own, and on Linux this process adopts whatever
the child's processes leave behind (subreaper) and kills until there is nothing left to kill.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import sys
import tempfile
import time
from typing import Any, Callable, Dict

Emit = Callable[[Dict[str, Any]], None]
MAX_PROCESSES = 96
MAX_FILE_BYTES = 64 << 20
MAX_REPLY_BYTES = 64 << 20
OUTPUT = "printed.txt"
ERRORS = "errors.txt"
# How the C++ runtime and the interpreter begin the line that says why a process dies.
_DYING = ("what():", "terminate called", "Fatal Python error", "libc++abi")
_POLL = 0.02


class Limits:
    """What a child may use. ``memory`` in bytes, over what the process has when it starts."""

    def __init__(
        self,
        seconds: float,
        memory: int,
        address_space: bool = True,
        processes: int = MAX_PROCESSES,
        file_bytes: int = MAX_FILE_BYTES,
    ) -> None:
        self.processes = processes
        self.file_bytes = file_bytes  # of any one file; a compiler's header cache outgrows what a print may
        self.seconds = seconds
        self.memory = memory
        self.address_space = address_space  # off for CUDA, which reserves far more than it uses


class Outcome:
    """How a child ended: ``reason`` is empty where it ended by itself and well."""

    def __init__(self, messages: list[dict[str, Any]], reason: str, detail: str, seconds: float) -> None:
        self.messages = messages
        self.reason = reason
        self.detail = detail
        self.seconds = seconds


def can_fork() -> bool:
    """Whether children are forked here (elsewhere each probe gets a fresh interpreter)."""
    return hasattr(os, "fork") and sys.platform.startswith("linux")


def become_subreaper() -> None:
    """Adopt orphans of our children, so that no descendant escapes by letting its parent die."""
    with contextlib.suppress(Exception):
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent dies."""
    with contextlib.suppress(Exception):
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG


def run(
    work: Callable[[Emit], None],
    limits: Limits,
    on_message: Callable[[dict[str, Any]], None] | None = None,
    folder: str | None = None,
    own_session: bool = True,
) -> Outcome:
    """Fork, run ``work`` there, watch it, and leave nothing behind.

    ``on_message`` sees each message as it comes. The child's working folder and the home of its output is a
    temporary folder that is removed afterwards, or ``folder``.
    """
    home = folder or tempfile.mkdtemp(prefix="tclint-probe-")
    reader, writer = os.pipe()
    started = time.time()
    with contextlib.suppress(Exception):
        sys.stdout.flush()
        sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        _child(work, limits, home, reader, writer, own_session)
    os.close(writer)
    watch = _Watch(pid, reader, limits, started, on_message)
    try:
        reason, detail = watch.until_end()
        words = _last_words(home) if reason == "crash" else ""
        detail += ": " + words if words else ""
    finally:
        os.close(reader)
        kill_all(pid, own_session)
        if folder is None:
            shutil.rmtree(home, ignore_errors=True)
    return Outcome(watch.messages, reason, detail, time.time() - started)


class _Watch:
    def __init__(
        self,
        pid: int,
        reader: int,
        limits: Limits,
        started: float,
        on_message: Callable[[dict[str, Any]], None] | None,
    ) -> None:
        self.pid = pid
        self.reader = reader
        self.limits = limits
        self.started = started
        self.on_message = on_message
        self.messages: list[dict[str, Any]] = []
        self._buffer = b""
        self._received = 0
        self._page = os.sysconf("SC_PAGE_SIZE")
        self._base = _resident(os.getpid(), self._page)

    def until_end(self) -> tuple[str, str]:
        deadline = self.started + self.limits.seconds
        looked = 0.0
        while True:
            ready, _, _ = select.select([self.reader], [], [], _POLL)
            open_end = self._read() if ready else True
            if self._received > MAX_REPLY_BYTES:
                return "output", "sent more than %d MB of results" % (MAX_REPLY_BYTES >> 20)
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                self._drain()
                return _ending(status)
            now = time.time()
            if now > deadline:
                return "time-out", f"did not end within {self.limits.seconds:g} s"
            if now - looked > 0.1:
                looked = now
                over = self._over_limits()
                if over is not None:
                    return over
            if not open_end:
                time.sleep(_POLL)

    def _over_limits(self) -> tuple[str, str] | None:
        family = descendants(self.pid)
        if len(family) > self.limits.processes:
            return "processes", "started more than %d processes" % self.limits.processes
        used = sum(max(0, _resident(pid, self._page) - self._base) for pid in family | {self.pid})
        if used > self.limits.memory:
            return "memory", "used more than %.3g GB" % (self.limits.memory / 2.0**30)
        return None

    def _read(self) -> bool:
        data = os.read(self.reader, 1 << 16)
        self._received += len(data)
        self._buffer += data
        while b"\n" in self._buffer:
            line, self._buffer = self._buffer.split(b"\n", 1)
            with contextlib.suppress(ValueError):
                message = json.loads(line.decode("ascii", "replace"))
                if isinstance(message, dict):
                    self.messages.append(message)
                    if self.on_message is not None:
                        self.on_message(message)
        return bool(data)

    def _drain(self) -> None:
        while select.select([self.reader], [], [], 0)[0] and self._received <= MAX_REPLY_BYTES:
            if not self._read():
                return


def _last_words(home: str) -> str:
    """What the C++ runtime, or the interpreter, said in the child's standard error before it died."""
    try:
        with open(os.path.join(home, ERRORS), "rb") as stream:
            stream.seek(0, os.SEEK_END)
            stream.seek(max(0, stream.tell() - 4000))
            lines = stream.read().decode("utf-8", "replace").split("\n")
    except OSError:
        return ""
    told = [line.strip() for line in lines if line.strip().startswith(_DYING)]
    return told[-1][:200] if told else ""


def _ending(status: int) -> tuple[str, str]:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        try:
            name = signal.Signals(number).name
        except ValueError:
            name = str(number)
        if number == signal.SIGXCPU:
            return "time-out", "used up its processor time"
        return "crash", f"killed by {name}"
    code = os.WEXITSTATUS(status)
    return ("", "") if code == 0 else ("exit", "ended its process with status %d" % code)


def _child(
    work: Callable[[Emit], None], limits: Limits, home: str, reader: int, writer: int, own_session: bool
) -> None:
    """The forked side; never returns. Status 0 means ``work`` returned, which it says in a last message."""
    status = 3
    try:
        os.close(reader)
        if own_session:
            os.setsid()
            die_with_parent()
        become_subreaper()
        _set_limits(limits)
        os.chdir(home)
        _redirect(home)
        parent = os.getpid()

        def emit(message: dict[str, Any]) -> None:
            if os.getpid() != parent:
                return  # a process that the probe forked must not speak for it
            data = json.dumps(message, default=str).encode("ascii", "replace") + b"\n"
            while data:
                data = data[os.write(writer, data) :]

        work(emit)
        emit({"ended": True})
        status = 0
    except BaseException as error:
        with contextlib.suppress(BaseException):
            text = f"{type(error).__name__}: {error}"
            os.write(writer, json.dumps({"raised": text[:500]}).encode("ascii", "replace") + b"\n")
    finally:
        os._exit(status)


def _redirect(home: str) -> None:
    """Output of the child goes to files of limited size, input comes from nowhere."""
    flags = os.O_CREAT | os.O_APPEND | os.O_WRONLY
    sources = [
        (0, os.devnull, os.O_RDONLY),
        (1, os.path.join(home, OUTPUT), flags),
        (2, os.path.join(home, ERRORS), flags),
    ]
    for number, path, how in sources:
        opened = os.open(path, how, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = open(0, closefd=False)
    sys.stdout = open(1, "w", buffering=1, closefd=False, errors="replace")
    sys.stderr = open(2, "w", buffering=1, closefd=False, errors="replace")


def _set_limits(limits: Limits) -> None:
    import resource

    def lower(kind: int, value: int) -> None:
        with contextlib.suppress(ValueError, OSError):
            hard = resource.getrlimit(kind)[1]
            limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (limit, limit))

    lower(resource.RLIMIT_CORE, 0)
    lower(resource.RLIMIT_FSIZE, limits.file_bytes)
    lower(resource.RLIMIT_CPU, int(limits.seconds * max(2, os.cpu_count() or 2)) + 5)
    if limits.address_space:
        lower(resource.RLIMIT_AS, _address_space() + limits.memory)


def _address_space() -> int:
    try:
        with open("/proc/self/statm") as stream:
            return int(stream.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 4 << 30


def _resident(pid: int, page: int) -> int:
    """Bytes of memory of its own that a process holds: resident less shared."""
    try:
        with open("/proc/%d/statm" % pid) as stream:
            parts = stream.read().split()
        return (int(parts[1]) - int(parts[2])) * page
    except (OSError, ValueError, IndexError):
        return 0


def _parents() -> dict[int, int]:
    table = {}
    try:
        names = os.listdir("/proc")
    except OSError:
        return {}
    for name in names:
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as stream:
                    table[int(name)] = int(stream.read().rsplit(b")", 1)[1].split()[1])
            except (OSError, ValueError, IndexError):
                continue
    return table


def descendants(pid: int) -> set[int]:
    """All living processes below ``pid``."""
    found: set[int] = set()
    frontier = [pid]
    table: dict[int, int] | None = None
    while frontier:
        parent = frontier.pop()
        children = _children(parent)
        if children is None:  # a kernel without that file: one look at every process
            table = _parents() if table is None else table
            children = [child for child, above in table.items() if above == parent]
        fresh = [child for child in children if child not in found]
        found.update(fresh)
        frontier += fresh
    return found


def _children(pid: int) -> list[int] | None:
    """Children of a process from its own files; None where the kernel does not list them."""
    found: list[int] = []
    try:
        for thread in os.listdir("/proc/%d/task" % pid):
            with open("/proc/%d/task/%s/children" % (pid, thread)) as stream:
                found += [int(item) for item in stream.read().split()]
    except FileNotFoundError:
        return None if os.path.isdir("/proc/%d" % pid) else []
    except (OSError, ValueError):
        return []
    return found


def kill_all(pid: int, own_session: bool = True) -> None:
    """Kill the child, its process group, and everything it or its processes started, until none is left."""
    for _ in range(200):
        family = descendants(pid)
        if own_session:
            with contextlib.suppress(OSError):
                os.killpg(pid, signal.SIGKILL)
        for member in family | {pid}:
            with contextlib.suppress(OSError):
                os.kill(member, signal.SIGKILL)
        _reap()
        orphans = descendants(os.getpid())
        for orphan in orphans:
            with contextlib.suppress(OSError):
                os.kill(orphan, signal.SIGKILL)
        _reap()
        if not orphans and not family:
            return
        time.sleep(0.005)


def _reap() -> None:
    """Collect every child that has ended. Only one child of ours is alive at a time, so none is stolen."""
    while True:
        try:
            done, _ = os.waitpid(-1, os.WNOHANG)
        except OSError:
            return
        if not done:
            return
