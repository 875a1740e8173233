"""Write ``torchdb/libraries/LIBRARY.json``: the public names that broke every time they were called.

    truth/bin/python libraries.py torchvision timm transformers

Run by the interpreter that has the libraries (see README.md beside this). Measured anew are the models
of ``observed/`` whose eval call broke, every transform of torchvision in all the constructions that
``constructions`` knows, and the functions of ``calls_torchvision``. Each is called under torch.compile
until it settles, the compiler's state is reset, and it is called again: what broke only the first time
(a warning that is told once, a module that rebuilds itself) is not listed. Messages to the log are left out
(``ignore_logging_functions``), since they depend on the input. A name is listed when each of its
constructions broke the frame that called it.
"""

from __future__ import annotations

import argparse
import importlib
import json
import logging
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from importlib.metadata import version
from pathlib import Path
from typing import Any

from subject import Subject, Variant, unique

HERE = Path(__file__).parent
OUT = HERE.parents[1] / "lint" / "torch_compile_lint" / "torchdb" / "libraries"
WORST = ("break", "skip", "error")
LOGGING = "GB0291"
DEPTH = 40  # frames kept of a stack: the caller's is the outermost
INPUTS = 2  # of a class of transformers: with a mask and without
LIBRARIES = ("timm", "torchvision", "transformers")
Break = dict[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("library", nargs="+", choices=LIBRARIES)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--only", action="append", help="subjects alone, added to the file: v1.*")
    options = parser.parse_args()
    os.environ["HF_HUB_OFFLINE"] = "1"
    import torch

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    import_all(options.library)
    torch._dynamo.config.ignore_logging_functions = log_methods()
    for library in options.library:
        path = options.out / f"{library}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        for rows, clean in measure(library, path, options.only):
            path.write_text(dump(library, rows, clean))  # each time: a run that is stopped leaves what it saw
        print(f"{path}: {len(rows)} names break, {len(clean)} did not")
    return 0


def import_all(libraries: list[str]) -> None:
    """Before the log's methods are listed: transformers adds some."""
    for library in libraries:
        importlib.import_module(library)


def log_methods() -> set[Callable[..., Any]]:
    """Messages depend on the input, so Dynamo is told to leave them out: they break nothing here."""
    names = ("debug", "info", "warning", "warning_once", "info_once", "error", "log")
    return {getattr(logging.Logger, name) for name in names if hasattr(logging.Logger, name)}


def dump(library: str, rows: dict[str, Break], clean: list[str]) -> str:
    """JSON with one name a line, so that changes can be read as a diff."""
    torch = version("torch").partition("+")[0]
    found = version(library).partition("+")[0]
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(rows[name])}" for name in sorted(rows))
    head = f'"library": "{library}",\n"version": "{found}",\n"torch": "{torch}",\n'
    return f'{{\n{head}"names": {{\n{lines}\n}},\n"clean": {json.dumps(sorted(clean))}\n}}\n'


def measure(library: str, path: Path, only: list[str] | None) -> Iterator[tuple[dict[str, Break], list[str]]]:
    """What broke, by public name; and the names of what was called and did not break."""
    from recorder import Recorder

    recorder = Recorder(depth=DEPTH)
    held = json.loads(path.read_text()) if only and path.exists() else {"names": {}, "clean": []}
    rows: dict[str, Break] = held["names"]
    clean: list[str] = held["clean"]
    for names, kind, seen in measured(library, recorder, only):
        if seen is None:
            clean = sorted({*clean, names[0]})
        else:
            rows[names[0]] = {"kind": kind, **seen, **({"also": names[1:]} if names[1:] else {})}
        print(names[0], "clean" if seen is None else f"{seen['file']}:{seen['line']}", flush=True)
        yield rows, clean


def measured(
    library: str, recorder: Any, only: list[str] | None
) -> Iterator[tuple[list[str], str, Break | None]]:
    if library == "torchvision":
        yield from _functions(recorder, only)
        yield from _transforms(recorder, only)
    yield from _models(library, recorder, only)


def _wanted(name: str, only: list[str] | None) -> bool:
    return not only or any(fnmatch(name, pattern) for pattern in only)


def _functions(recorder: Any, only: list[str] | None) -> Iterator[tuple[list[str], str, Break | None]]:
    from calls_torchvision import calls

    for name, (function, arguments) in calls().items():
        if not _wanted(name, only):
            continue
        seen = broke("torchvision", recorder, function, lambda a=arguments: (a, {}))
        yield [name, *_aliases(function, name)], "function", seen


def _transforms(recorder: Any, only: list[str] | None) -> Iterator[tuple[list[str], str, Break | None]]:
    import transforms_torchvision

    for subject in transforms_torchvision.subjects():
        if not _wanted(subject.name, only):
            continue
        prefix, _, short = subject.name.partition(".")
        name = f"torchvision.transforms.{'v2.' if prefix == 'v2' else ''}{short}"
        results = []
        for build in constructions(subject.variants[0]):
            function = build()
            inputs = subject.variants[0].inputs
            results.append(broke("torchvision", recorder, function, lambda i=inputs: i("eval", 2)))
            made = type(function)
        yield [name, *_aliases(made, name)], "class", _least(results)


def constructions(variant: Variant) -> Iterator[Callable[[], Any]]:
    """As the subject builds it; and where it draws with a probability, one that never and always acts."""
    yield variant.build
    if hasattr(variant.build(), "p"):
        for probability in (0.0, 1.0):

            def build(p: float = probability) -> Any:
                made = variant.build()
                made.p = p
                return made

            yield build


def _models(
    library: str, recorder: Any, only: list[str] | None
) -> Iterator[tuple[list[str], str, Break | None]]:
    from observe import invoke, prepared

    data = json.loads((HERE / "observed" / f"{library}-2.14.json").read_text())
    wanted = {
        model
        for found in data["breaks"]
        if found["gb"] != [LOGGING] and any(call.startswith("eval") for call in found["calls"])
        for model in found["models"]
        if not model.startswith(("v1.", "v2.")) and _wanted(model, only)
    }
    subjects = unique(importlib.import_module(f"subjects_{library}").subjects())
    for subject in (s for s in subjects if s.name in wanted):
        by_class: dict[type[Any], list[Break | None]] = {}
        for variant in subject.variants:
            try:
                model = prepared(variant, "eval")
                invoke(model, variant, "eval", 2)
            except Exception as problem:
                print(f"  {subject.name}: {type(problem).__name__}", flush=True)
                continue
            for part in _parts(model, variant):
                seen = broke(library, recorder, part, lambda v=variant: v.inputs("eval", 2))
                by_class.setdefault(type(part), []).append(seen)
            if library != "transformers" or len(by_class[type(model)]) == INPUTS:
                break  # the further variants differ in size alone
        for made, results in by_class.items():
            name = _public(library, made)
            yield [name, *_aliases(made, name)], "class", _least(results)
            maker = _maker(library, subject)
            if maker is not None:
                yield maker, "maker", _least(results)


def _parts(model: Any, variant: Variant) -> Iterator[Any]:
    """The model, and of a transformers model with a head the one below it, where it takes the same."""
    from observe import invoke

    yield model
    base = getattr(model, "base_model", model)
    if base is not model:
        try:
            invoke(base, variant, "eval", 2)
        except Exception:
            return
        yield base


def _maker(library: str, subject: Subject) -> list[str] | None:
    """The function that makes the model, under every name, the shortest first."""
    home = subject.home.removesuffix(".py").replace("/", ".")
    function = getattr(importlib.import_module(home), subject.name, None)
    if library == "transformers" or function is None:
        return None
    name = f"{home}.{subject.name}"
    return sorted([name, *_aliases(function, name)], key=len)


def broke(
    library: str, recorder: Any, function: Callable[..., Any], inputs: Callable[[], Any]
) -> Break | None:
    """The first break of the second round, or what raised; None where the caller's frame did not break."""
    import torch

    def caller(*arguments: Any, **keywords: Any) -> Any:
        return function(*arguments, **keywords)

    found: list[Break] = []
    for _ in range(2):
        torch._dynamo.reset()
        recorder.take()
        compiled = torch.compile(caller, backend="eager")
        for call in ("eval1", "eval2"):
            recorder.start(call)
            arguments, keywords = inputs()
            try:
                with torch.no_grad():
                    compiled(*arguments, **keywords)
            except Exception as problem:
                recorder.note_error(problem)
                break
        found = recorder.take()["breaks"]
    own = [b for b in found if b["stack"] and b["stack"][0][2] == "caller"]
    if not own:
        return None
    effect = max((b["effect"] for b in found), key=WORST.index)
    raised = [b for b in own if effect == "error" and b["effect"] == effect]
    first = (raised or own)[0]
    site = next((f for f in reversed(first["stack"]) if f[0].split("/")[0] == library), None)
    if site is None:
        return None
    return {
        "effect": effect,
        "file": site[0],
        "line": site[1],
        "function": site[2],
        "gb": [identifier for identifier in first["gb"] if identifier != "GB7000"],
    }


def _least(results: list[Break | None]) -> Break | None:
    """The mildest of what the constructions do, which each does at least; None where one does nothing."""
    found = [result for result in results if result is not None]
    if len(found) < len(results) or not found:
        return None
    return min(found, key=lambda result: WORST.index(result["effect"]))


def _public(library: str, made: type[Any]) -> str:
    top = importlib.import_module(library)
    if library == "transformers" and hasattr(top, made.__name__):
        return f"transformers.{made.__name__}"
    return f"{made.__module__}.{made.__name__}"


def _aliases(thing: Any, name: str) -> list[str]:
    """The further dotted names by which a thing can be imported: any package above its home that has it."""
    found: list[str] = []
    home = thing.__module__
    own = thing.__name__
    parts = home.split(".")
    for end in range(1, len(parts) + 1):
        place = ".".join(parts[:end])
        if getattr(importlib.import_module(place), own, None) is thing:
            found.append(f"{place}.{own}")
    return [one for one in found if one != name]


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    sys.exit(main())
