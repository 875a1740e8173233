"""Compile the probes of rule cases and say what happened; standard library and torch only.

Standard input: a JSON list of [case file, probe name]. Standard output: one JSON line with the
torch release, then one per probe. All run in this one process with Dynamo reset in between (a
fork each would be ten times slower); when it dies, whoever started it goes on after the probe
that killed it. The oracle is the graph_breaks log together with the number of graphs, because
neither alone sees everything: skipped frames often leave no log line, and a break that leaves
one graph leaves one.
"""

from __future__ import annotations

import copy
import importlib.util
import io
import json
import os
import re
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable
from types import FrameType
from typing import IO, Any

GRAPHS: list[Any] = []
ANSI = re.compile(r"\x1b\[[0-9;]*m")
TIMEOUT = 120


def counting_backend(gm: Any, example_inputs: Any) -> Any:
    """A backend that compiles nothing and counts its graphs."""
    GRAPHS.append(gm)
    return gm.forward


def load(path: str) -> Any:
    """The case as a module, fresh each time. Raises whatever its code raises."""
    spec = importlib.util.spec_from_file_location("case_" + re.sub(r"\W", "_", path[-60:]), path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses and pickling look their module up
    spec.loader.exec_module(module)
    return module


def calls_of(args: Any) -> list[Any]:
    """The calls a probe asks for: those it lists, else the same one twice."""
    return args if isinstance(args, list) else [args, args]


def arguments(call: Any) -> Any:
    """The arguments of one call, made now where the probe gives a function."""
    return call() if callable(call) else call


def summary(value: Any, depth: int = 0) -> Any:
    """A comparable picture of a result; objects only by their type."""
    import torch

    if depth > 4:
        return "..."
    if isinstance(value, torch.Tensor):
        try:
            dense = value.detach().to_dense() if value.layout != torch.strided else value.detach()
            return [list(dense.shape), [round(float(v), 4) for v in dense.reshape(-1)[:100].double()]]
        except Exception as problem:
            return type(problem).__name__
    if isinstance(value, (bool, int, str, type(None))):
        return value
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, (list, tuple)):
        return [summary(v, depth + 1) for v in value]
    if isinstance(value, dict):
        return [[str(k), summary(v, depth + 1)] for k, v in value.items()]
    return type(value).__name__


def run_calls(fn: Callable[..., Any], calls: list[Any]) -> list[Any]:
    """What each call gives, or which exception it raises."""
    out: list[Any] = []
    for call in calls:
        try:
            out.append(summary(fn(*arguments(call))))
        except Exception as problem:
            out.append("raises " + type(problem).__name__)
    return out


def seed() -> None:
    """The same random numbers from here on."""
    import random

    import torch

    random.seed(0)
    torch.manual_seed(0)
    try:
        import numpy

        numpy.random.seed(0)
    except ImportError:
        pass


def unwrapped(fn: Any) -> Any:
    """The function or module that torch.compile was applied to."""
    return getattr(fn, "_torchdynamo_orig_callable", None) or getattr(fn, "_orig_mod", None) or fn


def compiled_run(path: str, probe: str, log_path: str) -> dict[str, Any]:
    """Run one probe eagerly and compiled, and say what differs."""
    import torch

    seed()
    module = load(path)
    deterministic = not hasattr(module, "NONDETERMINISTIC")
    made = getattr(module, probe)()
    if isinstance(made, str):  # the probe tried it itself, and says what it saw
        effect, _, detail = made.partition(": ")
        return {"effect": effect, "lines": [], "gb": [], "detail": detail, "tried": True}
    fn, args = made
    eager = run_calls(unwrapped(fn), calls_of(args))
    seed()
    fn, args = getattr(load(path), probe)()
    calls = calls_of(args)
    compiled = torch.compile(unwrapped(fn), backend=counting_backend)
    torch._dynamo.reset()
    GRAPHS.clear()
    seed()
    results: list[Any] = []
    after: list[int] = []
    for call in calls:
        try:
            results.append(summary(compiled(*arguments(call))))
        except Exception as problem:
            results.append("raises " + type(problem).__name__)
            os.write(2, (f"PROBE-RAISED {type(problem).__name__}: {str(problem)[:300]}\n").encode())
        after.append(len(GRAPHS))
    sys.stderr.flush()
    with open(log_path, errors="replace") as stream:
        text = ANSI.sub("", stream.read())
    lines, ids, whys = breaks(text, path)
    raised = [r for r, e in zip(results, eager) if str(r).startswith("raises") and r != e]
    if raised:
        effect, detail = "error", " ".join(re.findall(r"PROBE-RAISED (.*)", text)[:1])
    elif deterministic and results != eager:
        effect, detail = "wrong", f"eager {eager}, compiled {results}"
    elif after[0] == 0:
        effect, detail = "skip", "no graph; " + "; ".join(whys)[:200]
    elif whys or lines or after[0] > 1:
        effect, detail = "break", f"{after[0]} graphs; {'; '.join(whys)[:200]}"
    elif after[-1] > after[0]:
        effect, detail = "recompile", f"{after[-1] - after[0]} graphs more after the first call"
    else:
        effect, detail = "ok", ""
    return {"effect": effect, "lines": lines, "gb": ids, "detail": detail}


def breaks(text: str, path: str) -> tuple[list[int], list[str], list[str]]:
    """Lines of ``path`` that the log blames, graph-break ids, and reasons."""
    rows = text.splitlines()
    lines: list[int] = []
    ids: list[str] = []
    whys: list[str] = []
    for number, row in enumerate(rows):
        if "raph break" not in row or row.lstrip().startswith(("Hint", "Developer", "raise", "File")):
            continue
        if not re.search(r"user code|user stack suppressed|Graph break:|Graph break in", row):
            continue
        block = [row]
        for more in rows[number + 1 : number + 60]:
            if re.search(r"raph break.*(user code|from user|suppressed)", more):
                break
            block.append(more)
        joined = "\n".join(block)
        name = re.escape(os.path.basename(path))
        places = [int(a or b) for a, b in re.findall(name + r'", line (\d+)|' + name + r":(\d+)", joined)]
        if places:
            lines.append(places[-1])
        ids += ["GB" + (a or b) for a, b in re.findall(r"gb(\d{4})\.html|GB(\d{4})", joined)]
        why = re.search(r"Reason: (.*)", joined) or re.search(r"Explanation: (.*)", joined)
        whys.append((why.group(1) if why else row.strip())[:120])
    return sorted(set(lines)), sorted(set(ids)), list(dict.fromkeys(whys))


class TooSlow(BaseException):
    """The probe took longer than TIMEOUT; not an Exception, so that no user code catches it."""


def too_slow(signum: int, frame: FrameType | None) -> None:
    """The alarm: ends the probe."""
    raise TooSlow


def observed(path: str, probe: str, log: IO[bytes]) -> dict[str, Any]:
    """``compiled_run`` within its time, whatever happens in it."""
    log.seek(0)
    log.truncate()
    before = settings()
    signal.alarm(TIMEOUT)
    try:
        return compiled_run(path, probe, log.name)
    except TooSlow:
        return {"effect": "failed", "detail": f"no answer in {TIMEOUT} s"}
    except ModuleNotFoundError as problem:  # of a package that the case is about
        return {"effect": "absent", "detail": str(problem)}
    except BaseException as problem:
        return {"effect": "failed", "detail": f"{type(problem).__name__}: {str(problem)[:300]}"}
    finally:
        signal.alarm(0)
        restore(before)


def settings() -> dict[str, Any]:
    """Dynamo's settings: a case may change them for itself."""
    from torch._dynamo import config

    found = {name: getattr(config, name, None) for name in config._config}
    kinds = (bool, int, float, str, set)
    return {name: copy.copy(value) for name, value in found.items() if isinstance(value, kinds)}


def restore(before: dict[str, Any]) -> None:
    """Put back what differs."""
    from torch._dynamo import config

    for name, value in settings().items():
        if name in before and value != before[name]:
            setattr(config, name, before[name])


def main() -> None:
    """Answer every probe of standard input."""
    import torch
    import torch._dynamo

    work = json.load(sys.stdin)
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    log = tempfile.NamedTemporaryFile(prefix="tclint-probe-", suffix=".log")
    # Appending, because this process truncates the file between probes.
    os.dup2(os.open(log.name, os.O_APPEND | os.O_WRONLY), 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.stdin = io.StringIO("line\n" * 1000)
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, too_slow)
    torch.set_num_threads(1)
    torch._logging.set_logs(graph_breaks=True)
    answers.write(json.dumps({"torch": torch.__version__.split("+")[0]}) + "\n")
    for path, probe in work:
        answer = {"path": path, "probe": probe, **observed(path, probe, log)}
        answers.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
