"""What Dynamo did, from Dynamo itself: breaks, skipped frames, graphs, recompiles, and the lines it
traced.

In: a call that runs inside ``Recorder.recording()``. Out: plain lists of dicts. No detector of torch's
own is complete (counters miss branches, logs miss skips, ``explain`` undercounts), so the places all of
them pass through are wrapped instead: compiling a frame, cutting a graph, raising Unsupported, starting
a line.
"""

from __future__ import annotations

import contextlib
import re
import sys
from typing import Any, Iterator, List, Tuple

from . import protocol

_GB_LINK = re.compile(r"gb/gb(\d{4})\.html|\bGB(\d{4})\b")
_GUARD_PLACE = re.compile(r"#.*?\b(?:at )?(\S+\.py):(\d+)(?: in (\S+))?")
_RESUME = re.compile(r"^torch_dynamo_resume_in_(.*)_at_(\d+)$")
_NOTHING_TO_DO = ("no ops traced", "no tensor", "because no content in function call", "no graph captured")
_BRANCH = "GB0170"
_LIMIT = re.compile(r"recompile[_ ]limit|cache_size_limit|cache limit exceeded", re.IGNORECASE)

# What 2.6 to 2.9 say of a branch on data inside a loop: the place is in the text, and no cause is raised.
_LOOP = re.compile(r"graph break in a for/while loop\s*<FrameSummary file (.+?), line (\d+) in ([^>]+)>")
# What Dynamo says last where it could not cut the graph at a break: the break came before it.
_AFTERWARDS = (
    "Observed exception",  # inside a polyfill
    "Graph break under GenericContextWrappingVariable",  # inside a context manager of the user's
)

Stack = List[Tuple[str, int, str]]


def plain_name(name: str) -> str:
    """The function's own name, also for the function that continues it after a break."""
    while True:
        match = _RESUME.match(name)
        if match is None:
            return name
        name = match.group(1)


def gb_id(text: str) -> str | None:
    """The first id in a message: the cause, where a message tells of one break while handling another."""
    match = _GB_LINK.search(text)
    return "GB" + (match.group(1) or match.group(2)) if match else None


def first_line(text: str, limit: int = 200) -> str:
    """The first line of ``text`` that says something."""
    for line in text.splitlines():
        if line.strip():
            return line.strip()[:limit]
    return ""


class Cause:
    """One exception with which Dynamo gave up on a statement, and where."""

    def __init__(self, text: str, stack: Stack, columns: tuple[int, int, int, int] | None) -> None:
        self.text = text
        self.stack = stack
        self.columns = columns


class Attempt:
    """One frame being compiled."""

    def __init__(self, code: Any) -> None:
        self.code = code
        self.causes: list[Cause] = []
        self.skip_text = ""
        self.broke = False
        self.graphs = 0


class Recorder:
    """Wraps Dynamo for as long as ``recording`` lasts; one per process, never undone half-way."""

    def __init__(self, registry: dict[str, str]) -> None:
        self.registry = registry  # title of a break -> GB id, for messages that carry no link
        self.events: list[dict[str, Any]] = []
        self.graphs: list[dict[str, Any]] = []
        self.frames: list[dict[str, Any]] = []
        self.lines: dict[str, set[int]] = {}
        self.tracer: Any = None  # Dynamo's tracer class, once hooks are in
        self.call = 0
        self.problems: list[str] = []
        self._attempts: list[Attempt] = []
        self._last: tuple[str, int, str] | None = None  # where tracing was last
        self._compiled: dict[Any, int] = {}

    # ------------------------------------------------------------------ what the hooks call

    def line(self, path: str, number: int, function: str = "") -> None:
        if number > 0:
            self.lines.setdefault(path, set()).add(number)
            self._last = (path, number, plain_name(function))

    @property
    def last(self) -> list[Any]:
        """Path, line and function of the last line that was traced."""
        return list(self._last) if self._last is not None else ["", 0, ""]

    def cause(self, text: str, stack: Any) -> None:
        if self._attempts:
            self._attempts[-1].causes.append(
                Cause(text, _plain_stack(stack), _columns_of_tracer(self.tracer))
            )

    def skip_frame(self, text: str) -> None:
        if self._attempts:
            self._attempts[-1].skip_text = text

    def graph_cut(self, reason: Any) -> None:
        """A graph ends here because of ``reason`` (a GraphCompileReason), and the frame goes on after it."""
        if reason is None or not getattr(reason, "graph_break", True) or not self._attempts:
            return
        text = str(getattr(reason, "reason", ""))
        stack = _plain_stack(getattr(reason, "user_stack", ()))
        attempt = self._attempts[-1]
        attempt.broke = True
        cause = self._matching(attempt, text, stack)
        gb = (
            gb_id(text)
            or (gb_id(cause.text) if cause else None)
            or self._by_title(cause.text if cause else text)
        )
        if gb is None and text.startswith("generic_jump"):
            gb = _BRANCH
        columns = cause.columns if cause and cause.columns else _columns_of_tracer(self.tracer)
        told = cause.text if cause and text.startswith(("generic_jump", "step_unsupported")) else text
        self._event(protocol.BREAK, attempt.code, told, gb, stack or (cause.stack if cause else []), columns)

    def compiling(self, code: Any) -> Attempt:
        attempt = Attempt(code)
        self._attempts.append(attempt)
        self.frames.append({"frame": _frame(code), "call": self.call})
        return attempt

    def compiled(self, attempt: Attempt, produced: bool) -> None:
        """The frame was dealt with: ``produced`` says whether there is code to run instead of it."""
        self._attempts.pop()
        key = attempt.code
        if produced:
            self._compiled[key] = self._compiled.get(key, 0) + 1
            return
        text = attempt.skip_text
        cause = attempt.causes[-1] if attempt.causes else None
        if cause is None and (not text or any(part in text.lower() for part in _NOTHING_TO_DO)):
            return  # nothing in the frame for a compiler: not a fault of the code
        if cause is not None and any(part in text.lower() for part in _NOTHING_TO_DO):
            return  # a caught exception, then a frame without operations
        self._skipped(attempt, cause, text)

    def failed(self, attempt: Attempt, error: BaseException, soft: bool) -> None:
        """Compiling the frame raised. A soft failure means the frame runs eagerly instead."""
        if self._attempts and self._attempts[-1] is attempt:
            self._attempts.pop()
        text = str(error)
        stack = _plain_stack(getattr(error, "real_stack", ()) or ())
        cause = self._matching(attempt, text, stack) or (attempt.causes[-1] if attempt.causes else None)
        if _LIMIT.search(text):
            gb = gb_id(text)
            self._event(protocol.RECOMPILE, attempt.code, text, gb, [], None, limit=True)
        elif soft:
            self._skipped(attempt, cause, text, stack)
        else:
            gb = gb_id(text) or (self._by_title(cause.text) if cause else None)
            where = stack or (cause.stack if cause else []) or ([self._last] if self._last else [])
            told = f"{type(error).__name__}: {first_line(text)}"
            self._event(protocol.ERROR, attempt.code, told, gb, where, cause.columns if cause else None)

    def recompiling(self, code: Any, reasons: Any) -> None:
        """Guards of an earlier compilation of ``code`` failed: ``reasons`` says which."""
        texts = reasons if isinstance(reasons, (list, tuple)) else [reasons]
        if not any(texts):
            return
        text = "; ".join(_guard(str(item)) for item in texts if item)
        match = None
        for item in texts:
            match = match or _GUARD_PLACE.search(str(item))
        stack: Stack = []
        if match:
            stack = [(match.group(1), int(match.group(2)), match.group(3) or "")]
        self._event(protocol.RECOMPILE, code, text, None, stack, None)

    def graph(self, module: Any) -> None:
        operations = 0
        with contextlib.suppress(Exception):
            kinds = ("call_function", "call_method", "call_module")
            operations = sum(1 for node in module.graph.nodes if node.op in kinds)
        code = self._attempts[-1].code if self._attempts else None
        if self._attempts:
            self._attempts[-1].graphs += 1
        self.graphs.append({"frame": _frame(code), "call": self.call, "operations": operations})

    # ------------------------------------------------------------------ inside

    def _skipped(self, attempt: Attempt, cause: Cause | None, text: str, stack: Stack | None = None) -> None:
        cause = self._behind(attempt, cause)
        loop = _LOOP.search(text)
        if loop is not None:
            place = (loop.group(1), int(loop.group(2)), plain_name(loop.group(3)))
            if cause is None or not cause.stack or cause.stack[-1][:2] != place[:2]:
                self._event(protocol.SKIP, attempt.code, text, _BRANCH, [place], None)
                return
        told = cause.text if cause is not None else text
        if _LIMIT.search(told) or _LIMIT.search(text):
            self._event(protocol.RECOMPILE, attempt.code, told, gb_id(told), [], None, limit=True)
            return
        gb = gb_id(told) or gb_id(text) or self._by_title(told)
        if gb is None and "dynamic control flow" in told:
            gb = _BRANCH
        where = (cause.stack if cause is not None else None) or stack or []
        columns = cause.columns if cause is not None else None
        self._event(protocol.SKIP, attempt.code, told or text, gb, where, columns)

    def _behind(self, attempt: Attempt, cause: Cause | None) -> Cause | None:
        """The break at the same statement to which such a last word goes back, else the cause itself."""
        if cause is None or not cause.stack or not cause.text.startswith(_AFTERWARDS):
            return cause
        for earlier in reversed(attempt.causes):
            same = earlier.stack and earlier.stack[0][:2] == cause.stack[0][:2]
            if same and not earlier.text.startswith(_AFTERWARDS):
                return earlier
        return cause

    def _matching(self, attempt: Attempt, text: str, stack: Stack) -> Cause | None:
        for cause in reversed(attempt.causes):
            if cause.text and (cause.text == text or cause.text in text or text in cause.text):
                return cause
        if stack:
            for cause in reversed(attempt.causes):
                if cause.stack and cause.stack[-1][:2] == stack[-1][:2]:
                    return cause
        return None

    def _by_title(self, text: str) -> str | None:
        return self.registry.get(first_line(text))

    def _event(
        self,
        kind: str,
        code: Any,
        text: str,
        gb: str | None,
        stack: Stack,
        columns: tuple[int, int, int, int] | None,
        **more: Any,
    ) -> None:
        frame = _frame(code)
        if not stack and kind != protocol.RECOMPILE:
            stack = [(frame["path"], frame["line"], frame["function"])]
        path, line, function = stack[-1] if stack else (frame["path"], frame["line"], frame["function"])
        event = {
            "kind": kind,
            "path": path,
            "line": line,
            "function": plain_name(function),
            "gb": gb,
            "text": first_line(text),
            "detail": text[:2000],
            "frame": frame,
            "stack": [list(item) for item in stack],
            "columns": list(columns) if columns else None,
            "call": self.call,
        }
        event.update(more)
        self.events.append(event)


def _guard(text: str) -> str:
    """A failed guard without the place of torch's that made it."""
    return first_line(re.sub(r"^\d+/\d+:\s*", "", text).split("  #")[0], 160)


def _frame(code: Any) -> dict[str, Any]:
    if code is None:
        return {"path": "", "line": 0, "function": ""}
    name = getattr(code, "co_qualname", code.co_name)
    resumed = _RESUME.match(code.co_name)
    plain = plain_name(code.co_name) if resumed else name
    return {
        "path": code.co_filename,
        "line": code.co_firstlineno,
        "function": plain,
        "resumed": bool(resumed),
    }


def _plain_stack(stack: Any) -> Stack:
    """The user's frames, outermost first, without torch's own at the inner end."""
    frames: Stack = []
    with contextlib.suppress(Exception):
        for item in stack or ():
            frames.append((item.filename, int(item.lineno or 0), plain_name(item.name)))
    return frames


def _columns_of_tracer(tracer: Any) -> tuple[int, int, int, int] | None:
    """Positions of the instruction that the innermost tracer on the Python stack is at (Python 3.11 on).

    Only objects of the tracer's own class are touched: a lazy variable asked for an attribute is realized.
    """
    frame: Any = sys._getframe(1)
    for _ in range(400):
        if frame is None or tracer is None:
            return None
        if frame.f_code.co_varnames[:1] == ("self",):
            owner = frame.f_locals.get("self")
            if tracer in type(owner).__mro__:
                positions = getattr(owner.current_instruction, "positions", None)
                if positions is None or positions.lineno is None or positions.col_offset is None:
                    return None
                return (
                    positions.lineno,
                    positions.col_offset,
                    positions.end_lineno,
                    positions.end_col_offset,
                )
        frame = frame.f_back
    return None


def load_registry() -> dict[str, str]:
    """Title of each kind of break -> its id, from the file in the installed torch (from 2.8 on)."""
    import json
    import os

    import torch

    titles: dict[str, str] = {}
    path = os.path.join(os.path.dirname(torch.__file__), "_dynamo", "graph_break_registry.json")
    try:
        with open(path, encoding="utf-8") as stream:
            table = json.load(stream)
        for number, versions in table.items():
            for version in versions:
                titles[str(version.get("Gb_type"))] = number
    except (OSError, ValueError, AttributeError):
        pass
    return titles


@contextlib.contextmanager
def no_call_index(recorder: Recorder) -> Iterator[None]:
    """While it lasts, what Dynamo does belongs to no call (building, warming up)."""
    before = recorder.call
    recorder.call = -1
    try:
        yield
    finally:
        recorder.call = before
