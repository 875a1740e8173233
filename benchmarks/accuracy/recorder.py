"""Listens to Dynamo while it traces, and keeps what it did at which line.

What comes out of ``Recorder.take()`` is plain data for JSON: every graph break and every skipped
frame with its user stack, every recompilation with its reasons, every exception that left the
tracer, and where in each line bytecode was executed by the tracer. Paths are relative to site-packages.

The counters and logs of Dynamo disagree with each other (tensor branches never reach
``counters["graph_break"]``), so this wraps the functions through which all of them pass.
"""

from __future__ import annotations

import os
import re
import sysconfig
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import torch._dynamo.convert_frame as convert_frame
import torch._dynamo.guards as guards
import torch._dynamo.symbolic_convert as symbolic_convert

# Libraries lie in site-packages or in a folder of PYTHONPATH.
_SOURCES = (
    sysconfig.get_paths()["purelib"] + "/",
    *(f"{folder.rstrip('/')}/" for folder in os.environ.get("PYTHONPATH", "").split(":") if folder),
)
_GB_LINK = re.compile(r"gb(\d+)\.html")
_RESUMED = re.compile(r"^torch_dynamo_resume_in_(.+)_at_\d+$")


def relative(path: str) -> str:
    """``path`` as seen from site-packages or ``PYTHONPATH``, or unchanged when it lies elsewhere."""
    return next((path.removeprefix(folder) for folder in _SOURCES if path.startswith(folder)), path)


def own_name(function: str) -> str:
    """The user's name of a function that Dynamo may have split into resume functions."""
    match = _RESUMED.match(function)
    return own_name(match.group(1)) if match else function


class Recorder:
    """Installs itself once per process; ``start(call)`` names the call that follows."""

    def __init__(self, extra_prefixes: Iterable[str] = (), depth: int = 8) -> None:
        """``depth``: how many of the innermost frames of a stack are kept."""
        self._call = ""
        self._depth = depth
        self._breaks: dict[tuple[Any, ...], dict[str, Any]] = {}
        self._recompiles: dict[tuple[Any, ...], dict[str, Any]] = {}
        self._frames: dict[str, int] = defaultdict(int)
        self._places: set[tuple[str, int | None, int | None]] = set()
        self._extra_prefixes = tuple(extra_prefixes)
        self._wrap_steps()
        self._wrap_breaks()
        self._wrap_frames()
        self._wrap_recompiles()

    def start(self, call: str) -> None:
        self._call = call

    def note_error(self, error: BaseException) -> None:
        """An exception that reached the caller of the compiled function (once)."""
        if getattr(error, "_noted_by_recorder", False):
            return
        stack = getattr(error, "real_stack", None)
        if not stack:
            stack = [f for f in traceback.extract_tb(error.__traceback__) if "/torch/" not in f.filename]
        self._note("error", error, stack, "")

    def take(self) -> dict[str, Any]:
        """Everything since the last call, and forget it."""
        lines: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        for path, line, column in self._places:
            if line is not None and self._is_user_file(path):
                lines[relative(path)][line].append(0 if column is None else column)
        taken = {
            "breaks": list(self._breaks.values()),
            "recompiles": list(self._recompiles.values()),
            "frames": dict(self._frames),
            "traced": {
                path: {str(line): sorted(columns) for line, columns in sorted(found.items())}
                for path, found in lines.items()
            },
        }
        self._breaks, self._recompiles, self._places = {}, {}, set()
        self._frames = defaultdict(int)
        return taken

    def _is_user_file(self, path: str) -> bool:
        if self._extra_prefixes and path.startswith(self._extra_prefixes):
            return True
        shown = relative(path)
        return shown != path and not shown.startswith(("torch/", "torch_"))

    def _note(self, effect: str, error: BaseException, stack: Iterable[Any], skipped: str) -> None:
        text = str(error)
        frames = [
            [relative(f.filename), f.lineno, own_name(f.name), getattr(f, "colno", None)] for f in stack
        ]
        links = _GB_LINK.findall(text)
        kind = getattr(error, "gb_type", None) or type(error).__name__
        key = (effect, tuple(map(tuple, frames)), text[:200], skipped)
        entry = self._breaks.get(key)
        if entry is None:
            entry = self._breaks[key] = {
                "effect": effect,
                "gb": [f"GB{number.zfill(4)}" for number in dict.fromkeys(links)],
                "kind": str(kind),
                "reason": _summary(text),
                "stack": frames[-self._depth :],
                "calls": [],
            }
            if skipped:
                entry["skipped"] = skipped
        if self._call not in entry["calls"]:
            entry["calls"].append(self._call)

    def _wrap_steps(self) -> None:
        translator = symbolic_convert.InstructionTranslatorBase
        original = translator.step
        recorder = self

        def step(self: Any) -> bool:
            pointer = self.instruction_pointer
            if pointer is not None:
                positions = self.instructions[pointer].positions
                if positions is not None:
                    place = (self.f_code.co_filename, positions.lineno, positions.col_offset)
                    recorder._places.add(place)
            return original(self)

        translator.step = step  # type: ignore[method-assign]

    def _wrap_breaks(self) -> None:
        translator = symbolic_convert.InstructionTranslatorBase
        original = translator.log_graph_break
        recorder = self

        def log_graph_break(self: Any, code_options: Any, reason: str, exc: Any = None, **other: Any) -> None:
            stack = getattr(exc, "real_stack", None) or [self.frame_summary()]
            recorder._note("break", exc if exc is not None else RuntimeError(reason), stack, "")
            original(self, code_options, reason, exc, **other)

        translator.log_graph_break = log_graph_break  # type: ignore[method-assign]

    def _wrap_frames(self) -> None:
        original = convert_frame.ConvertFrameAssert.__call__
        recorder = self

        def convert(self: Any, frame: Any, *args: Any, **kwargs: Any) -> Any:
            recorder._frames["total"] += 1
            code = frame.f_code
            name = f"{relative(code.co_filename)}:{code.co_firstlineno} {own_name(code.co_name)}"
            try:
                result = original(self, frame, *args, **kwargs)
            except Exception as error:
                recorder._frames["failed"] += 1
                soft = isinstance(error, (convert_frame.Unsupported, convert_frame.UserError))
                stack = getattr(error, "real_stack", None) or [
                    traceback.FrameSummary(code.co_filename, code.co_firstlineno, code.co_name)
                ]
                recorder._note("skip" if soft else "error", error, stack, name)
                error._noted_by_recorder = not soft  # type: ignore[attr-defined]
                raise
            recorder._frames["compiled" if result.guarded_code is not None else "left"] += 1
            return result

        convert_frame.ConvertFrameAssert.__call__ = convert  # type: ignore[method-assign]

    def _wrap_recompiles(self) -> None:
        original = guards.get_and_maybe_log_recompilation_reasons
        recorder = self

        def reasons(entries: Any, frame: Any, *args: Any, **kwargs: Any) -> list[str]:
            found: list[str] = original(entries, frame, *args, **kwargs)
            code = frame.f_code
            where = [relative(code.co_filename), code.co_firstlineno, own_name(code.co_name)]
            text = [" ".join(str(reason).split())[:200] for reason in found[:2]]
            key = (*where, *(re.sub(r"\d+", "N", t) for t in text))
            entry = recorder._recompiles.setdefault(
                key, {"at": where, "reasons": text, "count": 0, "calls": []}
            )
            entry["count"] += 1
            if recorder._call not in entry["calls"]:
                entry["calls"].append(recorder._call)
            return found

        _replace(reasons, original)


def _replace(new: Callable[..., Any], old: Callable[..., Any]) -> None:
    """Put ``new`` in every Dynamo module that imported ``old`` by name."""
    import torch._dynamo.eval_frame as eval_frame

    for module in (guards, convert_frame, eval_frame):
        for name, value in list(vars(module).items()):
            if value is old:
                setattr(module, name, new)


def _summary(text: str) -> str:
    """The first line, and the explanation when there is one, in at most 300 characters."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    head = lines[0] if lines else ""
    explained = next((line for line in lines if line.startswith("Explanation:")), "")
    context = next((line for line in lines if line.startswith("Developer debug context:")), "")
    parts = [
        head,
        explained.removeprefix("Explanation:").strip(),
        context.removeprefix("Developer debug context:").strip(),
    ]
    return " | ".join(part[:160] for part in parts if part)[:400]
