"""Every public function of torch and every method of a tensor, called simply, compiled, and compared.

Usage: python benchmarks/apis.py [--python EXE] [--rows FILE] [--details]
Expressions such as `y.name()`, `y.name(y)`, `torch.name(y, 1)`, `torch.nn.functional.name(y, y)` are made
from what the torch of EXE offers. Those that run in eager mode, with the first of six small tensors that they
take, stand in a function of their own, which is compiled under EXE and checked by tclint for that release:
which calls break the graph, which are reported, and which are reported without need. FILE keeps what torch
did.
"""

from __future__ import annotations

import argparse
import collections
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
Row = tuple[str, str, str]  # the expression, the kind of tensor, what was seen: "ok" or how it broke

COMPILE = """
import contextlib, io, json, os, signal, sys, warnings
warnings.simplefilter("ignore")
import torch
import torch.nn.functional as F
from torch._dynamo.utils import counters

torch.set_num_threads(1)
TENSORS = {
    "float": torch.tensor([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]]), "square": torch.eye(3) * 2 + 0.1,
    "int": torch.tensor([[1, 2, 3], [0, 4, 1]]), "bool": torch.tensor([[True, False], [True, True]]),
    "vector": torch.tensor([1.0, 2.0, 3.0]), "complex": torch.tensor([1 + 2j, 3j]),
}
# What changes the process, waits, or needs a device.
LEFT_OUT = {
    "backward", "share_memory_", "pin_memory", "cuda", "xpu", "ipu", "mtia", "hpu", "from_file", "seed",
    "load", "manual_seed", "save", "compile", "exit", "abort", "prepare_multiprocessing_environment",
}
STARTS = ("_", "set_", "fork", "init", "use_", "enable", "import", "wait", "is_vulkan", "classproperty")
METHOD = ("y.{}()", "y.{}(y)", "y.{}(0)", "y.{}(1, 0)", "y.{}(0, 1, 2)", "y.{}(0, torch.tensor([0, 1]))")
FUNCTION = ("{}(y)", "{}(y, y)", "{}(y, 1)", "{}(y, 0, 1)", "{}(y, y, y)", "{}([y, y])", "{}(2, 2)")


def expressions():
    for name in sorted(dir(torch.Tensor)):
        if not name.startswith("_") and name not in LEFT_OUT:
            if callable(getattr(torch.Tensor, name)):
                yield from (form.format(name) for form in METHOD)
            else:
                yield "y." + name
    spaces = {"torch": torch, "F": F, "torch.linalg": torch.linalg, "torch.fft": torch.fft,
              "torch.special": torch.special}
    for written, space in spaces.items():
        for name in sorted(dir(space)):
            thing = getattr(space, name, None)
            usual = callable(thing) and not isinstance(thing, type)
            if usual and not name.startswith(STARTS) and name not in LEFT_OUT:
                yield from (form.format(written + "." + name) for form in FUNCTION)


class Late(Exception):
    pass


def late(*_):
    raise Late


def quietly(call, seconds):
    signal.alarm(seconds)
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            return call()
    finally:
        signal.alarm(0)


signal.signal(signal.SIGALRM, late)
rows = []
for expression in expressions():
    space = {"torch": torch, "F": F}
    exec("def f(x):\\n    y = x + x\\n    z = " + expression + "\\n    return y * y, z\\n", space)
    f = space["f"]
    for kind, x in TENSORS.items():
        try:
            quietly(lambda: f(x.clone()), 5)
        except BaseException:
            continue
        torch._dynamo.reset()
        counters.clear()
        graphs = []
        compiled = torch.compile(f, backend=lambda gm, inputs: graphs.append(1) or gm.forward)
        try:
            quietly(lambda: compiled(x.clone()), 20)
            breaks = [reason.split("\\n")[0][:90] for reason in counters["graph_break"]]
            seen = "ok" if not breaks and len(graphs) == 1 else "%d graphs %s" % (len(graphs), breaks)
        except BaseException as error:
            seen = type(error).__name__ + ": " + str(error).split("\\n")[0][:90]
        rows.append((expression, kind, seen))
        break
json.dump([torch.__version__.split("+")[0], rows], open(sys.argv[1], "w"), indent=0)
"""
ANNOTATIONS = {"int": "torch.LongTensor", "bool": "torch.BoolTensor"}


def measured(python: str, file: Path) -> tuple[str, list[Row]]:
    """The release of torch and what it did with each expression; kept in ``file``."""
    if not file.exists():
        subprocess.run([python, "-c", COMPILE, str(file)], check=True, stderr=subprocess.DEVNULL)
    version, rows = json.loads(file.read_text("utf-8"))
    return version, [(expression, kind, seen) for expression, kind, seen in rows]


def reported(rows: list[Row], target: str) -> dict[int, list[str]]:
    """Codes and effects that tclint reports at each expression, by its number."""
    lines = ["import torch", "import torch.nn.functional as F"]
    places = {}
    for number, (expression, kind, _) in enumerate(rows):
        head = f"def f{number}(x: {ANNOTATIONS.get(kind, 'torch.Tensor')}):"
        lines += ["@torch.compile", head, "    y = x + x", f"    z = {expression}", "    return y * y, z"]
        places[len(lines) - 1] = number
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "calls.py"
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        command = [sys.executable, "-m", "torch_compile_lint", "check", str(file), "--target-torch", target]
        command += ["--format", "json", "--no-cache", "--isolated"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    found: dict[int, list[str]] = collections.defaultdict(list)
    for finding in json.loads(done.stdout)["findings"]:
        if finding["line"] in places:
            found[places[finding["line"]]].append(f"{finding['code']} {finding['effect']}")
    return found


def compared(rows: list[Row], found: dict[int, list[str]]) -> dict[str, list[Any]]:
    """The calls that break and are reported, break and are not, and are reported without need."""
    out: dict[str, list[Any]] = {"found": [], "missed": [], "false": []}
    for number, (expression, kind, seen) in enumerate(rows):
        if seen != "ok":
            out["found" if found.get(number) else "missed"].append((expression, kind, seen))
        elif found.get(number):
            out["false"].append((expression, kind, ", ".join(found[number])))
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rows", type=Path, default=Path("apis.json"), help="keeps what torch did")
    parser.add_argument("--details", action="store_true", help="also which calls were missed or false")
    options = parser.parse_args()
    version, rows = measured(options.python, options.rows)
    result = compared(rows, reported(rows, ".".join(version.split(".")[:2])))
    broke = len(result["found"]) + len(result["missed"])
    print("| torch | calls | traced | break | found | false alarms |")
    print("|---|--:|--:|--:|--:|--:|")
    counts = (len(rows), len(rows) - broke, broke, len(result["found"]), len(result["false"]))
    print(f"| {version} | " + " | ".join(f"{count:,}" for count in counts) + " |")
    if options.details:
        for name in ("missed", "false"):
            for row in result[name]:
                print(f"{name:7}", *row, sep="  ")


if __name__ == "__main__":
    main()
