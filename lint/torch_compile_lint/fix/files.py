"""Replacing a file in one step, with its mode, its encoding, its byte order mark and its line ends."""

from __future__ import annotations

import contextlib
import os
import tempfile

from torch_compile_lint.source import SourceFile, encoded, read_source


class WriteProblem(Exception):
    """A file that was left as it is; the text is one line that says why."""


def replace_file(source: SourceFile, text: str) -> None:
    """Write ``text`` in the place of the file that ``source`` was read from.

    Refuses where the file is no longer what was read, or cannot hold the text. A link keeps
    pointing at the file it points at.
    """
    path = os.path.realpath(source.path)
    try:
        if read_source(source.path).digest != source.digest:
            raise WriteProblem("it changed while it was being fixed")
        data = encoded(source, text)
        mode = os.stat(path).st_mode
        if not os.access(path, os.W_OK):
            raise WriteProblem("it is not writable")
        handle, name = tempfile.mkstemp(prefix=".tclint-", dir=os.path.dirname(path))
    except UnicodeEncodeError as problem:
        raise WriteProblem(f"its encoding {source.encoding} cannot hold the new text: {problem}") from None
    except OSError as problem:
        raise WriteProblem(problem.strerror or str(problem)) from None
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(name, mode & 0o7777)
        os.replace(name, path)
    except OSError as problem:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise WriteProblem(problem.strerror or str(problem)) from None
