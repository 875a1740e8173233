"""Does `fullgraph=True` raise? Asked of the installed torch for every measured hazard.

    python benchmarks/fullgraph.py [--write] [CASE ...]

One forked child per case (Linux), backend eager. Prints each case with what the table says of other
releases; ``--write`` records the answers in fixtures/hazards/cells.json as ``fullgraph_X.Y.Z``:
``Y:GBnnnn`` raises (with torch's id, where it names one), ``n`` does not, ``crash`` the child died.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import warnings
from pathlib import Path

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
CELLS = FIXTURES / "hazards" / "cells.json"
SECONDS = 90  # for one case


def answer(name: str) -> str:
    """Compile one case and call it as it wants to be called."""
    import torch
    from hazards import probes

    torch.set_num_threads(1)
    target = probes.inputs(name)
    fn = target["fn"]
    compiled = fn if target["raw"] else torch.compile(fn, fullgraph=True, backend="eager")
    for call in target["calls"]:
        args, keywords = call() if callable(call) else call
        try:
            compiled(*args, **keywords)
        except Exception as problem:
            known = re.search(r"gb(\d{4})", str(problem))
            return f"Y:GB{known[1]}" if known else "Y"
    return "n"


def in_child(name: str) -> str:
    """``answer`` in a forked child, with its output thrown away."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        quiet = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(quiet, descriptor)
        try:
            said = answer(name)
        except BaseException as problem:
            said = f"n/a ({type(problem).__name__})"
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said or "crash"


def main(arguments: list[str]) -> None:
    """Ask for every case, or those named."""
    sys.path.insert(0, str(FIXTURES))
    warnings.simplefilter("ignore")
    import torch
    from hazards import probes

    write = "--write" in arguments
    table = json.loads(CELLS.read_text())
    key = f"fullgraph_{torch.__version__.partition('+')[0]}"
    known = probes.load_all()
    for name in [a for a in arguments if not a.startswith("-")] or sorted(known):
        said = in_child(name)
        cell = table["cells"][name]
        print(f"{name:24} {said:16} {cell['fullgraph_raises']}", flush=True)
        cell[key] = said
    if write:
        CELLS.write_text(json.dumps(table, indent=0, sort_keys=True, ensure_ascii=False))


if __name__ == "__main__":
    main(sys.argv[1:])
