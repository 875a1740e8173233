"""Where Dynamo is wrapped so that ``record.Recorder`` hears of everything, on torch 2.3 to 2.14.

Each hook is installed by name and reported as missing where a release lacks it; ``install`` returns the
missing ones, and the tool refuses verdicts that would rest on them.
"""

from __future__ import annotations

import functools
from typing import Any, Callable

from .record import Recorder


class _LineWatch:
    """A data descriptor in place of a tracer's ``lineno``: every release assigns it when a line starts."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    def __get__(self, tracer: Any, owner: Any = None) -> Any:
        if tracer is None:
            return self
        try:
            return tracer.__dict__["lineno"]
        except KeyError:
            raise AttributeError("lineno") from None

    def __set__(self, tracer: Any, number: Any) -> None:
        tracer.__dict__["lineno"] = number
        code = tracer.__dict__.get("f_code")
        if code is not None and isinstance(number, int):
            self.recorder.line(code.co_filename, number, code.co_name)


def install(recorder: Recorder) -> list[str]:
    """Wrap Dynamo for good in this process; the names of hooks this release does not have."""
    import torch._dynamo.convert_frame as convert_frame
    import torch._dynamo.exc as exc
    import torch._dynamo.output_graph as output_graph
    import torch._dynamo.symbolic_convert as symbolic_convert

    missing: list[str] = []

    def wrap(owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        original = getattr(owner, name, None)
        if original is None:
            missing.append("{}.{}".format(getattr(owner, "__name__", owner), name))
        else:
            setattr(owner, name, functools.wraps(original)(make(original)))

    soft = (exc.Unsupported, exc.UserError)

    def compile_frame(original: Any) -> Any:
        def _compile(code: Any, *args: Any, **kwargs: Any) -> Any:
            attempt = recorder.compiling(code)
            try:
                result = original(code, *args, **kwargs)
            except exc.SkipFrame:
                recorder.compiled(attempt, False)
                raise
            except BaseException as error:
                recorder.failed(attempt, error, isinstance(error, soft))
                raise
            recorder.compiled(attempt, _guarded(result) is not None)
            return result

        return _compile

    def cut_graph(original: Any) -> Any:
        def compile_subgraph(self: Any, tx: Any, *args: Any, **kwargs: Any) -> Any:
            reason = kwargs.get("reason")
            if reason is None:
                reason = next((item for item in args if hasattr(item, "user_stack")), None)
            recorder.graph_cut(reason)
            return original(self, tx, *args, **kwargs)

        return compile_subgraph

    def call_compiler(original: Any) -> Any:
        def call_user_compiler(self: Any, module: Any, *args: Any, **kwargs: Any) -> Any:
            recorder.graph(module)
            return original(self, module, *args, **kwargs)

        return call_user_compiler

    def unsupported(original: Any) -> Any:
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            original(self, *args, **kwargs)
            recorder.cause(str(self), getattr(self, "real_stack", ()))

        return __init__

    def skip_frame(original: Any) -> Any:
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            original(self, *args, **kwargs)
            recorder.skip_frame(str(args[0]) if args else "")

        return __init__

    def reasons(original: Any) -> Any:
        def get_reasons(*args: Any, **kwargs: Any) -> Any:
            found = original(*args, **kwargs)
            frame = next((item for item in args if hasattr(item, "f_code")), kwargs.get("frame"))
            if frame is not None:
                recorder.recompiling(frame.f_code, found)
            return found

        return get_reasons

    def soft_refusal(original: Any) -> Any:
        """Frames refused before they are compiled (a generator): the exception is all there is."""

        def __call__(self: Any, frame: Any, *args: Any, **kwargs: Any) -> Any:
            before = len(recorder.frames)
            try:
                return original(self, frame, *args, **kwargs)
            except soft as error:
                if len(recorder.frames) == before:
                    recorder.failed(recorder.compiling(frame.f_code), error, True)
                raise

        return __call__

    def converter(original: Any) -> Any:
        """The same where what converts a frame is a closure that this function makes (2.3)."""

        def convert_frame_assert(*args: Any, **kwargs: Any) -> Any:
            made = original(*args, **kwargs)
            call = soft_refusal(lambda self, frame, *more, **named: made(frame, *more, **named))
            return functools.wraps(made)(functools.partial(call, None))

        return convert_frame_assert

    wrap(convert_frame, "_compile", compile_frame)
    if hasattr(convert_frame, "ConvertFrameAssert"):
        wrap(convert_frame.ConvertFrameAssert, "__call__", soft_refusal)
    else:
        wrap(convert_frame, "convert_frame_assert", converter)
    wrap(output_graph.OutputGraph, "compile_subgraph", cut_graph)
    wrap(output_graph.OutputGraph, "call_user_compiler", call_compiler)
    for name in ("Unsupported", "UserError"):
        wrap(getattr(exc, name), "__init__", unsupported)
    wrap(exc.SkipFrame, "__init__", skip_frame)
    names = ("get_and_maybe_log_recompilation_reasons", "get_and_maybe_log_recompilation_reason")
    found = [name for name in names if hasattr(convert_frame, name)]
    if found:
        wrap(convert_frame, found[0], reasons)
    else:
        missing.append("recompilation reasons")
    recorder.tracer = symbolic_convert.InstructionTranslatorBase
    setattr(symbolic_convert.InstructionTranslatorBase, "lineno", _LineWatch(recorder))  # noqa: B010
    return missing


def _guarded(result: Any) -> Any:
    """The code to run instead of the frame, in what ``_compile`` returns (its shape varies)."""
    if result is None:
        return None
    if hasattr(result, "guarded_code"):
        return result.guarded_code
    return result
