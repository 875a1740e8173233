"""Watch a script: what it compiles, how long each compiled callable takes, and what Dynamo does meanwhile.

``torch.compile`` is wrapped so that every callable it returns is timed. The same script runs once more
with compiling switched off: the same callables, timed eagerly.
"""

from __future__ import annotations

import functools
import os
import runpy
import sys
import time
from typing import Any, Dict

from . import hooks
from .doctor_watch import told
from .loading import last_line
from .record import Recorder, load_registry

Row = Dict[str, Any]


class Watched:
    """Every callable that was compiled, with the seconds of each of its calls."""

    def __init__(self, compiling: bool) -> None:
        self.compiling = compiling
        self.rows: list[Row] = []
        self._depth = 0

    def install(self) -> None:
        """Wrap torch.compile and Module.compile for good in this process."""
        import torch

        original = torch.compile
        method = torch.nn.Module.compile

        def compile_(model: Any = None, **options: Any) -> Any:
            if model is None:
                return lambda given: compile_(given, **options)
            made = original(model, **options) if self.compiling else model
            return self._timed(made, model, options)

        def compile_in_place(module: Any, **options: Any) -> None:
            if self.compiling:
                method(module, **options)
                module._compiled_call_impl = self._function(
                    module._compiled_call_impl, self._row(module, options)
                )
            else:
                module._compiled_call_impl = self._function(module._call_impl, self._row(module, options))

        torch.compile = functools.wraps(original)(compile_)
        torch.nn.Module.compile = compile_in_place

    def _row(self, model: Any, options: dict[str, Any]) -> Row:
        code = (
            getattr(model, "__code__", None) or getattr(type(model).forward, "__code__", None)
            if model
            else None
        )
        row: Row = {
            "name": getattr(model, "__qualname__", type(model).__name__),
            "place": "%s:%d" % (code.co_filename, code.co_firstlineno) if code is not None else "",
            "options": {name: str(value)[:80] for name, value in options.items()},
            "calls": [],
        }
        self.rows.append(row)
        return row

    def _timed(self, made: Any, model: Any, options: dict[str, Any]) -> Any:
        import torch

        row = self._row(model, options)
        if isinstance(made, torch.nn.Module):
            calls = type(made).__call__

            class Timed(type(made)):  # type: ignore[misc]
                __call__ = self._function(calls, row)

            Timed.__name__ = type(made).__name__
            Timed.__qualname__ = type(made).__qualname__
            made.__class__ = Timed
            return made
        return self._function(made, row)

    def _function(self, fn: Any, row: Row) -> Any:
        @functools.wraps(fn)
        def timed(*args: Any, **kwargs: Any) -> Any:
            if self._depth:  # a compiled part of something that is timed already
                return fn(*args, **kwargs)
            self._depth += 1
            started = time.perf_counter()
            try:
                return fn(*args, **kwargs)
            finally:
                row["calls"].append(time.perf_counter() - started)
                self._depth -= 1

        return timed


def watch(message: dict[str, Any]) -> Row:
    """Run the script once; what was compiled and timed, and what Dynamo did."""
    import torch

    compiling = bool(message["compiling"])
    recorder = Recorder(load_registry())
    if compiling:
        hooks.install(recorder)
    watched = Watched(compiling)
    watched.install()
    os.chdir(message["cwd"])
    sys.argv = [message["file"], *message["argv"]]
    sys.path.insert(0, os.path.dirname(message["file"]))
    failed = ""
    started = time.perf_counter()
    try:
        runpy.run_path(message["file"], run_name="__main__")
    except SystemExit as error:
        failed = "" if error.code in (None, 0) else "SystemExit: %s" % (error.code,)
    except Exception as error:
        failed = last_line(error)
    total = time.perf_counter() - started
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return {"failed": failed, "total": total, "compiled": watched.rows, **told(recorder)}
