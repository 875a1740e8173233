"""The doctor's worker: builds the target once, then answers one measurement after another.

Tool to worker: ``prepare`` (how to build the target), ``step`` (what to measure), ``quit``. Worker to tool:
``hello``, ``prepared``, ``partial`` (what a step knows so far), ``result``. The target is built with one
thread, so that each step can run in a forked child with as many threads as the user gets: a step that
crashes or hangs costs itself, nothing else.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any, Callable, Dict

from . import build, doctor_offers, loading, protocol, sandbox
from .batch import device_problem
from .observe import seed_everything
from .target import Target, resolve_call

Send = Callable[[Dict[str, Any]], None]


class Subject:
    """What is examined: a target that ran eagerly at least once, and where it came from."""

    def __init__(self, target: Target, file: str) -> None:
        self.target = target
        self.file = file


def serve(send: Send, lines: Any) -> int:
    """Answer until the tool says quit or goes away."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # no OpenMP pool in this process: children that are forked from it can hang
    send(
        {
            "op": "hello",
            "version": protocol.VERSION,
            "torch": str(torch.__version__).split("+")[0],
            "python": "%d.%d.%d" % sys.version_info[:3],
            "threads": threads,
            "machine": _machine(),
        }
    )
    if sandbox.can_fork():
        sandbox.become_subreaper()
        sandbox.die_with_parent()  # a step can outlast a tool that was killed
    subject = None
    for line in iter(lines.readline, b""):
        message = protocol.decode(line)
        if message is None:
            continue
        op = message.get("op")
        if op == "quit":
            break
        if op == "prepare":
            subject = _prepare(message, send)
        elif op == "step" and subject is not None:
            _step(subject, message, send, threads)
        elif op == "script":
            _script(message, send, threads)
    return 0


def _machine() -> str:
    """The processor's name, for the report's "measured on"."""
    import platform

    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as stream:
            for line in stream:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


# ---------------------------------------------------------------- building what is examined


def _prepare(message: dict[str, Any], send: Send) -> Subject | None:
    """Build the target by the first step of the ladder that runs eagerly; tell how, or why not."""
    problem = device_problem(message.get("device", "cpu"))
    if problem is not None:
        send(dict(problem, op="prepared", ok=False))
        return None
    started = time.time()
    failures: list[str] = []
    module = None
    try:
        seed_everything()
        if message.get("file"):
            module = loading.load_file(message["file"], message.get("search", []))
    except BaseException as error:  # SystemExit of a script without a main guard included
        send(
            dict(
                protocol.could_not_run("import", "import", loading.last_line(error)), op="prepared", ok=False
            )
        )
        return None
    for step in message["steps"]:
        try:
            for target in _targets(module, step, message):
                problem_seen = _runs(target)
                if problem_seen:
                    failures.append(problem_seen)
                    continue
                send(
                    dict(
                        _description(target), op="prepared", ok=True, seconds=round(time.time() - started, 2)
                    )
                )
                return Subject(target, message.get("file", ""))
        except build.NoInputs as error:
            failures.append(str(error))
        except Exception as error:
            failures.append(loading.last_line(error))
    text = failures[0] if failures else "no way to make inputs was found"
    send(dict(protocol.could_not_run("building inputs", "inputs", text), op="prepared", ok=False))
    return None


def _targets(module: Any, step: dict[str, Any], message: dict[str, Any]) -> Any:
    if step["how"] == "library":
        return [doctor_offers.build(step["library"], step["name"], bool(step.get("tiny")))]
    return build.targets(module, step, message)


def _runs(target: Target) -> str:
    """Empty where the target runs eagerly, else why not."""
    import torch

    try:
        fn = target.fn
        if isinstance(fn, torch.nn.Module):
            fn.train(target.mode == "train")
        args, kwargs = resolve_call(target.calls[0])
        with torch.no_grad():
            fn(*args, **kwargs)
    except Exception as error:
        return loading.last_line(error)
    return ""


def _description(target: Target) -> dict[str, Any]:
    import torch

    fn = target.fn
    described: dict[str, Any] = {
        "name": target.name or getattr(fn, "__qualname__", type(fn).__name__),
        "evidence": target.evidence,
        "source": target.source,
        "is_module": isinstance(fn, torch.nn.Module),
        "inputs": shapes_of(target),
        "parameters": 0,
        "submodules": 0,
    }
    if isinstance(fn, torch.nn.Module):
        described["parameters"] = sum(p.numel() for p in fn.parameters())
        described["submodules"] = sum(1 for _ in fn.modules()) - 1
    return described


def shapes_of(target: Target) -> list[str]:
    """The tensors a call gets, as ``2x3x224x224 float32``."""
    import torch
    from torch.utils import _pytree

    args, kwargs = resolve_call(target.calls[0])
    found = []
    for value in _pytree.tree_flatten((list(args), dict(kwargs)))[0]:
        if isinstance(value, torch.Tensor):
            size = "x".join(str(int(n)) for n in value.shape) or "0-d"
            found.append("%s %s" % (size, str(value.dtype).replace("torch.", "")))
    return found


# ---------------------------------------------------------------- one measurement


def _step(subject: Subject, message: dict[str, Any], send: Send, threads: int) -> None:
    from . import doctor_steps

    number = message["id"]
    work = doctor_steps.STEPS.get(message["kind"])
    if work is None:
        send({"op": "result", "id": number, "problem": "unknown step %r" % message["kind"]})
        return

    def run(emit: Any) -> None:
        import torch

        torch.set_num_threads(threads)
        if message.get("cache"):
            os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(message["home"], message["cache"])
        seed_everything()
        _to_device(subject.target, message.get("device", "cpu"))
        emit({"result": work(subject.target, message, emit)})

    if not sandbox.can_fork():
        found: list[dict[str, Any]] = []
        try:
            run(found.append)
            send(dict(found[-1], op="result", id=number))
        except Exception as error:
            send({"op": "result", "id": number, "problem": loading.last_line(error)})
        return
    limits = sandbox.Limits(
        message["seconds"],
        int(message["memory"]),
        address_space=message.get("device", "cpu") == "cpu",
        file_bytes=4 << 30,  # Inductor's precompiled headers are large
    )
    outcome = sandbox.run(run, limits, lambda item: _pass_on(item, number, send))
    _answer(outcome, number, send)


def _answer(outcome: sandbox.Outcome, number: int, send: Send) -> None:
    result = next((item["result"] for item in outcome.messages if "result" in item), None)
    answer: dict[str, Any] = {"op": "result", "id": number, "took": round(outcome.seconds, 3)}
    if result is not None:
        answer["result"] = result
    else:
        raised = next((str(item["raised"]) for item in outcome.messages if "raised" in item), "")
        answer["problem"] = raised or "%s: %s" % (outcome.reason or "crash", outcome.detail)
        answer["reason"] = outcome.reason or ("raised" if raised else "crash")
    send(answer)


def _script(message: dict[str, Any], send: Send, threads: int) -> None:
    """Run a script under observation, in a child."""
    from . import doctor_script

    def run(emit: Any) -> None:
        import torch

        torch.set_num_threads(threads)
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(message["home"], "script")
        emit({"result": doctor_script.watch(message)})

    limits = sandbox.Limits(
        message["seconds"], int(message["memory"]), address_space=False, file_bytes=64 << 30
    )
    _answer(sandbox.run(run, limits), message["id"], send)


def _pass_on(item: dict[str, Any], number: int, send: Send) -> None:
    if "partial" in item:
        send({"op": "partial", "id": number, "partial": item["partial"]})


def _to_device(target: Target, device: str) -> None:
    from .probe import prepare as move

    move(target, device)
