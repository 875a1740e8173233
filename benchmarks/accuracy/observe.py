"""Compile every model of a library with Dynamo and write down where it broke, one file per model.

    python observe.py timm torchvision --out raw [--only NAME] [--timeout 75] [--until 07:20]

Models run one after another, each in a child process with a time limit, so that a crash or an
endless trace costs one model. Libraries take turns, and those files come first in which words of
known hazards occur most, so that a run that is cut short has learnt the most. Existing result files
are kept: run again to go on. Weights are random and nothing is downloaded. ``merge.py`` turns the
files into one.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import json
import os
import re
import resource
import signal
import sys
import sysconfig
import time
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from subject import Subject, Variant, unique

PLANS = {"eval": (2, 2), "train": (2, 2)}  # batch size of each call
WALL_FACTOR = 8  # wall seconds allowed for one second of processor time
SEARCH_SECONDS = 25  # of processor time, for a variant that runs in eager mode
OUT_OF_TIME = "out of processor time"

HAZARD_WORDS = re.compile(
    r"\.(item|tolist|nonzero|numpy|cpu|any|all|unique|masked_select)\(|\bprint\(|\bwarn(ing)?(s\.warn)?\(|\bnp\."
    r"|torch\.(unique|nonzero|isnan|isinf|allclose|equal|bincount|histc|no_grad|where\([^,]*\))"
    r"|repeat_interleave|one_hot|random\.|einops|LSTM|GRU|lru_cache|while |logger\.|autograd\.Function"
)
PRELOADED = {"transformers": ("transformers.modeling_utils", "transformers.models.llama.modeling_llama")}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("library", nargs="+", help="a subjects_LIBRARY.py beside this file")
    parser.add_argument("--out", type=Path, required=True, help="gets one folder for each library")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--timeout", type=int, default=75, help="seconds of processor time for a model")
    parser.add_argument("--until", help="stop starting models at HH:MM")
    parser.add_argument("--nice", type=int, default=15, help="how far to stand back for other work")
    options = parser.parse_args()

    os.environ["HF_HUB_OFFLINE"] = "1"
    os.nice(options.nice)
    import torch

    torch.set_num_threads(1)  # children are forked; a thread pool would not survive that
    queues = []
    for library in options.library:
        for name in PRELOADED.get(library, ()):
            importlib.import_module(name)
        found = by_hazards(unique(importlib.import_module(f"subjects_{library}").subjects()))
        queues.append([(subject, options.out / library / f"{subject.name}.json") for subject in found])
        (options.out / library).mkdir(parents=True, exist_ok=True)
        print(f"{library}: {len(found)} subjects", flush=True)
    warm_up()
    for number, (subject, path) in enumerate(take_turns(queues), 1):
        if options.only and subject.name not in options.only:
            continue
        if path.exists() and not options.only:
            continue
        if options.until and time.strftime("%H:%M") >= options.until:
            print("time is up")
            break
        started = time.time()
        status = run_child(subject, path, options.timeout)
        print(f"{number} {path.parent.name} {subject.name} {status} {time.time() - started:.0f}s", flush=True)
    return 0


def take_turns(queues: list[list[Any]]) -> list[Any]:
    """The queues' heads first, then their second items, and so on."""
    return [item for row in itertools.zip_longest(*queues) for item in row if item is not None]


def by_hazards(subjects: list[Subject]) -> list[Subject]:
    """Each home file's first subject before any second one, then by rank, then richest files first."""
    turns: Counter[str] = Counter()
    keyed = []
    for subject in subjects:
        keyed.append(((turns[subject.home], subject.rank, -hazard_words(subject.home)), subject))
        turns[subject.home] += 1
    return [subject for _, subject in sorted(keyed, key=lambda pair: pair[0])]


@cache
def hazard_words(home: str) -> int:
    path = Path(sysconfig.get_paths()["purelib"], home)
    return len(HAZARD_WORDS.findall(path.read_text(encoding="utf-8"))) if path.is_file() else 0


def warm_up() -> None:
    """Compile something small in the parent: what Dynamo imports on first use, children then share."""
    import torch

    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU())
    compiled = torch.compile(model, backend="eager")
    for batch in (2, 3):
        compiled(torch.randn(batch, 3, 8, 8))
        with torch.no_grad():
            compiled(torch.randn(batch, 3, 8, 8))
    torch._dynamo.reset()


class OutOfTime(BaseException):
    """Not an Exception, so that neither Dynamo nor the model takes it for one of its own."""


def run_child(subject: Subject, path: Path, timeout: int) -> str:
    """Fork, observe in the child, and make sure that a result file exists afterwards.

    The limit is processor time, so that a busy machine does not decide what is measured.
    """
    child = os.fork()
    if child == 0:
        code = 1
        try:
            used = int(time.process_time())
            resource.setrlimit(resource.RLIMIT_CPU, (used + timeout, used + timeout + 60))
            signal.signal(signal.SIGXCPU, _out_of_time)
            log = os.open(f"{path}.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
            os.dup2(log, 1)
            os.dup2(log, 2)
            write(path, observe(subject, path))
            code = 0
        except BaseException as error:
            if not path.exists():
                write(path, failure(subject, f"{type(error).__name__}: {error}"))
        finally:
            os._exit(code)
    deadline = time.time() + WALL_FACTOR * timeout
    while time.time() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            if not path.exists():
                write(path, failure(subject, f"the child process ended with status {status}"))
            return "done" if status == 0 else "failed"
        time.sleep(0.2)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if not path.exists():
        write(path, failure(subject, f"no result within {WALL_FACTOR * timeout} seconds"))
    return "timeout"


def _out_of_time(number: int, frame: Any) -> None:
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)  # it would come again every second
    raise OutOfTime(OUT_OF_TIME)


def failure(subject: Subject, message: str) -> dict[str, Any]:
    return {"name": subject.name, "home": subject.home, "error": message[:400], "modes": {}}


def write(path: Path, result: dict[str, Any]) -> None:
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(result, sort_keys=True))
    temporary.replace(path)


def observe(subject: Subject, path: Path) -> dict[str, Any]:
    import torch
    from recorder import Recorder

    variant, calls, notes = working_variant(subject)
    if variant is None:
        return failure(subject, " || ".join(notes))
    recorder = Recorder()
    result: dict[str, Any] = {"name": subject.name, "home": subject.home, "modes": {}}
    if notes:
        result["notes"] = notes
    for mode in subject.modes:
        if mode not in calls:
            continue
        torch._dynamo.reset()
        started = time.time()
        try:
            error = run_mode(variant, mode, calls[mode], recorder)
        except OutOfTime as limit:
            error = str(limit)
        recorded = recorder.take()
        recorded["error"] = error
        recorded["seconds"] = round(time.time() - started, 1)
        result["modes"][mode] = recorded
        write(path, result)  # whatever happens in the next mode, this one is kept
        if error == OUT_OF_TIME:
            break
    return result


def working_variant(subject: Subject) -> tuple[Variant | None, dict[str, tuple[int, ...]], list[str]]:
    """The first variant that runs in eager mode, and for each mode the batch sizes that do."""
    notes: list[str] = []
    limit = time.process_time() + SEARCH_SECONDS
    for number, variant in enumerate(subject.variants):
        if time.process_time() > limit:
            notes.append("gave up looking for one that runs")
            break
        calls: dict[str, tuple[int, ...]] = {}
        for mode in subject.modes:
            works: list[int] = []
            try:
                model = prepared(variant, mode)
                for batch in PLANS[mode]:
                    if batch not in works:
                        invoke(model, variant, mode, batch)
                    works.append(batch)
            except Exception as error:
                notes.append(f"variant {number} {mode}: {type(error).__name__}: {str(error)[:200]}")
            if not works:
                break
            calls[mode] = tuple(works)
        if subject.modes[0] in calls:
            return variant, calls, notes
    return None, {}, notes


def prepared(variant: Variant, mode: str) -> Any:
    import torch

    torch.manual_seed(0)
    model = variant.build()
    return model.train(mode == "train") if isinstance(model, torch.nn.Module) else model


def invoke(function: Any, variant: Variant, mode: str, batch: int) -> None:
    import torch

    args, kwargs = variant.inputs(mode, batch)
    with torch.set_grad_enabled(mode == "train"):
        function(*args, **kwargs)


def run_mode(variant: Variant, mode: str, batches: tuple[int, ...], recorder: Any) -> str | None:
    """Compile and call; the message of the exception that stopped it, if any."""
    import torch

    model = prepared(variant, mode)
    compiled = torch.compile(model, backend="eager")
    for number, batch in enumerate(batches, 1):
        recorder.start(f"{mode}{number}")
        try:
            invoke(compiled, variant, mode, batch)
        except Exception as error:
            recorder.note_error(error)
            return f"call {number}: {type(error).__name__}: {str(error)[:300]}"
    return None


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    sys.exit(main())
