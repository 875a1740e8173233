"""Entry point of a worker: ``python main.py``, JSON lines in on standard input, out on standard output.

Torch is imported once, then each file gets a forked child that imports it, and each probe a child of
that one. Where nothing can be forked, everything happens in this process, and the tool starts one
process per probe.
"""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
from typing import Any

PACKAGE = "tclint_worker"


def _package() -> None:
    """Make this folder importable as a package of a name of its own, and keep it off ``sys.path``."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [item for item in sys.path if os.path.abspath(item or os.getcwd()) != here]
    spec = importlib.util.spec_from_file_location(
        PACKAGE, os.path.join(here, "__init__.py"), submodule_search_locations=[here]
    )
    if spec is None or spec.loader is None:
        raise ImportError(here)
    package = importlib.util.module_from_spec(spec)
    sys.modules[PACKAGE] = package
    spec.loader.exec_module(package)


def serve(doctor: bool) -> int:
    """Answer batches (or, for the doctor, measurements) until the tool says quit or goes away."""
    from tclint_worker import protocol, sandbox  # type: ignore[import-not-found]

    out = os.dup(1)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    sys.stdout = open(1, "w", closefd=False)

    def send(message: dict[str, Any]) -> None:
        data = protocol.encode(message)
        while data:
            data = data[os.write(out, data) :]

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the tool decides when to stop, and closes our input
    if doctor:
        from tclint_worker.doctor import serve as answer  # type: ignore[import-not-found]

        try:
            return int(answer(send, sys.stdin.buffer))
        except ImportError as error:
            send({"op": "fatal", "stage": "torch", "error": f"{type(error).__name__}: {str(error)[:300]}"})
            return 1
    try:
        from tclint_worker import warm

        hello = warm.up()
    except BaseException as error:
        send({"op": "fatal", "stage": "torch", "error": f"{type(error).__name__}: {str(error)[:300]}"})
        return 1
    if sandbox.can_fork():
        sandbox.become_subreaper()
        sandbox.die_with_parent()
    send(dict(hello, op="hello", version=protocol.VERSION))
    for line in iter(sys.stdin.buffer.readline, b""):
        message = protocol.decode(line)
        if message is None:
            continue
        if message.get("op") == "quit":
            break
        if message.get("op") == "batch":
            _batch(message, send)
    return 0


def _batch(message: dict[str, Any], send: Any) -> None:
    from tclint_worker import protocol, sandbox, warm
    from tclint_worker.batch import run_batch  # type: ignore[import-not-found]

    answered: list[int] = []
    number = message["batch"]

    def pass_on(result: dict[str, Any]) -> None:
        if "probe" in result:
            answered.append(result["probe"])
            send(dict(result, op="result", batch=number))
        elif "now" in result:
            send(dict(result, op="now", batch=number))

    if not sandbox.can_fork():
        run_batch(message, pass_on)
        send({"op": "done", "batch": number})
        return
    setup = message["setup"]
    probes = message["probes"]
    warm.preload(setup.get("preload", []), setup["file"])
    seconds = setup.get("import_seconds", 120) + sum(probe["timeout"] * 1.2 + 2 for probe in probes)
    # Wider than those of a probe: it is the probe that must be stopped, not the batch it belongs to.
    limits = sandbox.Limits(seconds, int(setup["memory"]) * 2, False, 8 * sandbox.MAX_PROCESSES)
    limits.file_bytes = 1 << 30  # of which a probe may use less
    outcome = sandbox.run(lambda emit: run_batch(message, emit), limits, pass_on)
    for probe in probes:
        if probe["id"] not in answered:
            raised = next((str(item["raised"]) for item in outcome.messages if "raised" in item), "")
            stage = next((item["now"] for item in reversed(outcome.messages) if "now" in item), "import")
            error = raised or outcome.detail
            result = protocol.could_not_run(stage, outcome.reason or "crash", error)
            send({"op": "result", "batch": number, "probe": probe["id"], "result": result})
    send({"op": "done", "batch": number})


if __name__ == "__main__":
    _package()
    sys.exit(serve("doctor" in sys.argv[1:]))
