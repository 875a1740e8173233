"""Run examples of graph breaks and say which ids torch names; standard library and torch only.

Standard input: a JSON object {name: source}. A source defines ``f`` and perhaps ``args``
(default: one tensor of three ones). Standard output: one JSON line with the torch release, then
one per example: its name, the ids in Dynamo's log or in the error, and how many graphs there were.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import types
import warnings
from pathlib import Path
from typing import Any

PRELUDE = "import heapq\nimport itertools\n\nimport numpy as np\nimport torch\n\nargs = (torch.ones(3),)\n"
_ID = re.compile(r"gb(\d{4})\.html|GB(\d{4})")


def tried(torch: Any, folder: Path, log: Any, name: str, source: str) -> dict[str, Any]:
    """What torch did with one example."""
    path = folder / (re.sub(r"\W", "_", name) + ".py")
    path.write_text(PRELUDE + source + "\n", encoding="utf-8")
    torch._dynamo.reset()
    log.seek(0)
    log.truncate()
    graphs: list[Any] = []
    problem = ""
    try:
        module = types.ModuleType(path.stem)
        sys.modules[path.stem] = module  # dataclasses look their module up
        space = module.__dict__
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), space)

        def backend(gm: Any, _: Any) -> Any:
            graphs.append(gm)
            return gm.forward

        torch.compile(space["f"], backend=backend)(*space["args"])
    except Exception as error:
        problem = "%s: %s" % (type(error).__name__, error)
    sys.stderr.flush()
    text = Path(log.name).read_text(errors="replace") + problem
    ids = sorted({"GB" + (a or b) for a, b in _ID.findall(text)})
    return {"name": name, "ids": ids, "graphs": len(graphs), "error": problem[:200]}


def main() -> None:
    import torch
    import torch._dynamo

    work = json.load(sys.stdin)
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    log = tempfile.NamedTemporaryFile(mode="r+", prefix="tclint-breaks-", suffix=".log")
    os.dup2(os.open(log.name, os.O_APPEND | os.O_WRONLY), 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch._logging.set_logs(graph_breaks=True)
    answers.write(json.dumps({"torch": torch.__version__.split("+")[0]}) + "\n")
    with tempfile.TemporaryDirectory() as folder:
        for name, source in work.items():
            answers.write(json.dumps(tried(torch, Path(folder), log, name, source)) + "\n")


if __name__ == "__main__":
    main()
