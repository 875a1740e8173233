"""From keystroke to diagnostics: a language client over stdio edits one function, again and again.

    python benchmarks/lsp_latency.py MODEL.py [--function NAME] [--edits 50] [--workspace FOLDER]

The file is opened in `tclint lsp` as an editor would open it. Each edit inserts or changes a
statement inside one function (the longest ``forward`` unless one is named), as one incremental
didChange, and the time until the diagnostics of that version arrive is taken. Between the
edits libcst parses the same file once: the ratio is what counts, since both see the same machine.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "lint"), str(ROOT / "rules")]

STATEMENTS = ("total = {x}.sum().item()", "flag = bool({x}.mean() > 0)", "number = 3")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--function", help="qualified name, such as FastVit.forward_features")
    parser.add_argument("--edits", type=int, default=50)
    parser.add_argument("--workspace", type=Path, help="folder to open (default: a copy of the file, alone)")
    parser.add_argument("--pause", type=float, default=0.1, help="seconds between two edits")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.model.resolve()
        workspace = options.workspace.resolve() if options.workspace else Path(folder)
        if options.workspace is None:
            path = Path(shutil.copy(path, folder)).resolve()
        asyncio.run(measure(path, workspace, options.function, options.edits, options.pause))


async def measure(path: Path, workspace: Path, wanted: str | None, edits: int, pause: float) -> None:
    import libcst
    from lsp_client import client

    text = path.read_text(encoding="utf-8")
    line, indent, name, parameter = place(text, str(path), wanted)
    took: list[float] = []
    parses: list[float] = []
    found = 0
    async with client(workspace, ["utf-16"], {"cache": True}) as one:
        uri = path.as_uri()
        start = time.perf_counter()
        one.open(uri, text)
        await one.diagnostics(uri, 1)
        first = time.perf_counter() - start
        await asyncio.sleep(1.0)
        for number in range(edits):
            version = number + 2
            new = f"{indent}{STATEMENTS[number % len(STATEMENTS)].format(x=parameter)}  # {number}\n"
            end = (line, 0) if number == 0 else (line + 1, 0)
            start = time.perf_counter()
            one.change(uri, version, ((line, 0), end, new))
            diagnostics = await one.diagnostics(uri, version)
            took.append(time.perf_counter() - start)
            found += len(diagnostics)
            await asyncio.sleep(pause)
            start = time.perf_counter()
            libcst.parse_module(text)
            parses.append(time.perf_counter() - start)
    ratio = statistics.median(took) / statistics.median(parses)
    lines = text.count("\n")
    print(f"{path.name}: {lines:,} lines, {edits} edits in {name}, load {os.getloadavg()[0]:.1f}")
    print(f"open to first diagnostics  {first * 1000:6.0f} ms")
    print(f"keystroke to diagnostics   {spread(took)}")
    print(f"libcst.parse_module        {spread(parses)}")
    print(f"ratio of the medians       {ratio:6.2f} (budget 0.50); {found} diagnostics in all")


def spread(seconds: list[float]) -> str:
    """Median and range in milliseconds."""
    low, middle, high = (f(seconds) * 1000 for f in (min, statistics.median, max))
    return f"{middle:6.0f} ms median, {low:.0f} to {high:.0f}"


def place(text: str, path: str, wanted: str | None) -> tuple[int, str, str, str]:
    """(line from 0 to insert before, indent, function, a tensor parameter) of the edits."""
    from torch_compile_lint.index import index_file
    from torch_compile_lint.source import source_from_text

    source = source_from_text(path, text)
    functions = index_file(source).functions
    if wanted is None:
        forwards = [f for f in functions.values() if f.name == "forward" and len(f.params) > 1]
        function = max(forwards, key=lambda f: f.end - f.start)
    else:
        function = functions[wanted]
    import ast

    header = text[function.start : function.end]
    tree = ast.parse("if 1:\n" + " " * function.indent + header).body[0]
    assert isinstance(tree, ast.If) and isinstance(tree.body[0], ast.FunctionDef)
    body = [s for s in tree.body[0].body if not isinstance(getattr(s, "value", None), ast.Constant)]
    first = source.lines.line(function.start) + body[0].lineno - 2
    return first - 1, " " * body[0].col_offset, function.qualname, function.params[1].name


if __name__ == "__main__":
    main()
