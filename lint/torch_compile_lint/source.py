"""Decode source files, and convert offsets to lines and columns.

In: paths (discovery.py finds them). Out: ``SourceFile`` values whose ``text`` keeps every line end
as it stands on disk (a byte order mark is cut off), so offsets into it are offsets a fix may
use. A file that cannot be decoded is a ``SourceFile`` with ``error``, never an exception.
This module parses nothing.
"""

from __future__ import annotations

import bisect
import codecs
import hashlib
import os
import re

from torch_compile_lint.documents import (
    DocumentError,
    is_document,
    is_python_text,
    python_text,
    rewritten,
)
from torch_compile_lint.records import dataclass, field

_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"^[ \t\f]*(?:#[^\r\n]*)?$")
_LINE_END = re.compile(r"\r\n|\r|\n")


# ---------------------------------------------------------------- lines and columns


def newline_of(text: str) -> str:
    """The line end that new lines of a text get."""
    return "\r\n" if "\r\n" in text else "\n"


class LineIndex:
    """Offsets of one text <-> lines and columns.

    Lines end where Python ends them: at ``\\n``, ``\\r\\n`` and a lone ``\\r``, and at nothing
    else (not at a form feed or U+2028, where ``str.splitlines`` does). Lines and columns count
    from 1, columns in code points unless an ``encoding`` is named.
    """

    __slots__ = ("_ascii", "_starts", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._ascii = text.isascii()
        if "\r" in text:
            starts = [0, *(m.end() for m in _LINE_END.finditer(text))]
        else:
            starts = [0]
            append, find, at = starts.append, text.find, text.find("\n")
            while at >= 0:
                append(at + 1)
                at = find("\n", at + 1)
        self._starts = starts

    @property
    def whole(self) -> str:
        """The text itself."""
        return self._text

    @property
    def starts(self) -> list[int]:
        """The offset of the first character of each line."""
        return self._starts

    @property
    def count(self) -> int:
        """How many lines there are (an empty last line counts)."""
        return len(self._starts)

    @property
    def ascii(self) -> bool:
        """True when every character is ASCII, so that bytes and code points agree."""
        return self._ascii

    def line(self, offset: int) -> int:
        """The line, from 1, that holds ``offset``."""
        return bisect.bisect_right(self._starts, offset)

    def position(self, offset: int, encoding: str = "utf-32") -> tuple[int, int]:
        """(line, column) from 1; ``encoding``: utf-32 (code points), utf-16 or utf-8 units."""
        line = bisect.bisect_right(self._starts, offset)
        start = self._starts[line - 1]
        if self._ascii or encoding == "utf-32":
            return line, offset - start + 1
        return line, _units(self._text[start:offset], encoding) + 1

    def offset(self, line: int, column: int, encoding: str = "utf-32") -> int:
        """The offset of a line and column from 1, cut to the text and to the line."""
        if line < 1:
            return 0
        if line > len(self._starts):
            return len(self._text)
        start = self._starts[line - 1]
        end = self._starts[line] if line < len(self._starts) else len(self._text)
        if self._ascii or encoding == "utf-32":
            return min(start + max(column - 1, 0), end)
        left = column - 1
        for at in range(start, end):
            if left <= 0:
                return at
            left -= _units(self._text[at], encoding)
        return end

    def from_utf8(self, line: int, column: int) -> int:
        """The offset of a line from 1 and a column in UTF-8 bytes from 0, as ``ast`` counts."""
        start = self._starts[line - 1]
        if self._ascii or not column:
            return start + column
        # A character takes at most as many code points as bytes: this slice is long enough.
        piece = self._text[start : start + column]
        if piece.isascii():
            return start + column
        return start + len(piece.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore"))

    def text(self, line: int) -> str:
        """The text of a line from 1, without its line end."""
        start = self._starts[line - 1]
        end = self._starts[line] if line < len(self._starts) else len(self._text)
        return self._text[start:end].rstrip("\r\n")


def _units(text: str, encoding: str) -> int:
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    if encoding == "utf-16":
        return len(text) + sum(1 for c in text if c > "\uffff")
    return len(text)


# ---------------------------------------------------------------- files


@dataclass(slots=True)
class SourceFile:
    """One file. ``digest`` is the sha256 of its bytes; ``error`` is 'line:column: text'."""

    path: str
    text: str
    digest: str
    module: str = ""
    is_package: bool = False
    encoding: str = "utf-8"
    error: str | None = None
    _lines: LineIndex | None = field(default=None, repr=False, compare=False)

    @property
    def lines(self) -> LineIndex:
        """Line starts of ``text``, built on first use."""
        if self._lines is None:
            self._lines = LineIndex(self.text)
        return self._lines


def read_source(path: str, module: str | None = None) -> SourceFile:
    """Read and decode one file; raises ``OSError`` where it cannot be read at all."""
    with open(path, "rb") as stream:
        data = stream.read()
    return source_from_bytes(path, data, module)


def source_from_bytes(path: str, data: bytes, module: str | None = None) -> SourceFile:
    """The ``SourceFile`` of bytes already read (a cache hashes them first)."""
    digest = hashlib.sha256(data).hexdigest()
    text, encoding, error = decode(data)
    if error is None and is_document(path):
        text, error = _python_of(path, text)
    name = module_name(path) if module is None else module
    return SourceFile(path, text, digest, name, is_package(path), encoding, error)


def _python_of(path: str, text: str) -> tuple[str, str | None]:
    """(the Python in a document, error)."""
    try:
        return python_text(path, text), None
    except DocumentError as problem:
        return "", f"{problem.line}:1: {problem}"


def encoded(source: SourceFile, text: str) -> bytes:
    """What a file becomes when its Python becomes ``text``. Raises UnicodeError, OSError."""
    if not is_document(source.path):
        return text.encode(source.encoding)
    with open(source.path, "rb") as stream:
        original = decode(stream.read())[0]
    return rewritten(source.path, original, source.text, text).encode(source.encoding)


def source_from_text(path: str, text: str, module: str | None = None) -> SourceFile:
    """The ``SourceFile`` of text that is not on disk: an unsaved buffer, standard input.

    For a notebook or document that is its own text or the Python in it, edited.
    """
    if text.startswith("\ufeff"):
        text = text[1:]
    data = text.encode("utf-8", "surrogatepass")
    error = _nul_error(text)
    if error is None and is_document(path) and not is_python_text(path, text):
        text, error = _python_of(path, text)
    name = module_name(path) if module is None else module
    return SourceFile(path, text, hashlib.sha256(data).hexdigest(), name, is_package(path), "utf-8", error)


def is_package(path: str) -> bool:
    """True for an ``__init__`` file."""
    return os.path.basename(path) in ("__init__.py", "__init__.pyi")


_FOREIGN = {  # the longer mark first: one of UTF-32 begins like that of UTF-16
    "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
}


def decode(data: bytes) -> tuple[str, str, str | None]:
    """(text without byte order mark, encoding, error as 'line:column: text' or None)."""
    for name, marks in _FOREIGN.items():
        if data.startswith(marks):
            text = f"encoded in {name.upper()}; Python reads UTF-8 or what a coding comment names"
            return "", name, f"1:1: {text}"
    marked = data.startswith(codecs.BOM_UTF8)
    if marked:
        data = data[3:]
    cookie = _cookie(data)
    encoding = "utf-8" if cookie is None else cookie[0]
    try:
        codec = codecs.lookup(encoding)
        if not getattr(codec, "_is_text_encoding", True):
            raise LookupError
    except LookupError:
        return "", encoding, f"{cookie[1] if cookie else 1}:1: unknown encoding: {encoding}"
    if marked and codec.name != "utf-8":
        return "", encoding, f"1:1: a UTF-8 byte order mark, but a coding comment for {encoding}"
    try:
        text = data.decode(codec.name)
    except UnicodeDecodeError as problem:
        before = data[: problem.start]
        line = 1 + len(re.findall(rb"\r\n|\r|\n", before))
        column = 1 + problem.start - max(before.rfind(b"\n"), before.rfind(b"\r")) - 1
        bad = data[problem.start]
        return "", encoding, f"{line}:{column}: byte 0x{bad:02x} is not valid {codec.name}"
    except (UnicodeError, ValueError) as problem:
        return "", encoding, f"1:1: cannot decode as {encoding}: {problem}"
    if text.startswith("\ufeff"):
        text = text[1:]
    return text, "utf-8-sig" if marked else encoding, _nul_error(text)


def _nul_error(text: str) -> str | None:
    at = text.find("\0")
    if at < 0:
        return None
    line, column = LineIndex(text).position(at)
    return f"{line}:{column}: source code cannot contain a NUL byte"


def _cookie(data: bytes) -> tuple[str, int] | None:
    """(encoding, line) of a PEP 263 coding comment on one of the first two lines."""
    for number, line in enumerate(re.split(rb"\r\n|\r|\n", data[:4096], maxsplit=2)[:2], 1):
        found = _COOKIE.match(line)
        if found:
            return found.group(1).decode("ascii", "replace"), number
        if not _BLANK.match(line):
            return None
    return None


# ---------------------------------------------------------------- module names


def module_name(path: str) -> str:
    """The dotted name a file would be imported by; '' where it cannot be imported.

    Packages are the folders upwards that hold ``__init__.py``. A folder without one ends the
    name, unless a project file shows that it is a namespace package: below a folder with
    ``pyproject.toml``, ``setup.py``, ``setup.cfg`` or ``.git``, or below its ``src``, every
    folder that is an identifier counts.
    """
    folder, base = os.path.split(os.path.abspath(path))
    stem = base[:-3] if base.endswith(".py") else os.path.splitext(base)[0]
    parts = [] if stem == "__init__" else [stem]
    if (parts and not stem.isidentifier()) or is_document(path):
        return ""
    while _has_init(folder):
        folder, name = os.path.split(folder)
        if not name or not name.isidentifier():
            return ".".join(reversed(parts))
        parts.append(name)
    parts.extend(reversed(_namespace(folder)))
    return ".".join(reversed(parts))


_init_seen: dict[str, bool] = {}
_namespace_seen: dict[str, tuple[str, ...]] = {}
_PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg", ".git")


def forget_folders() -> None:
    """Drop what is remembered about folders (a long-lived process calls it before each run)."""
    _init_seen.clear()
    _namespace_seen.clear()


def _has_init(folder: str) -> bool:
    known = _init_seen.get(folder)
    if known is None:
        known = _init_seen[folder] = os.path.isfile(os.path.join(folder, "__init__.py"))
    return known


def _namespace(folder: str) -> tuple[str, ...]:
    """Names of the folders from the project root (or its ``src``) down to ``folder``."""
    known = _namespace_seen.get(folder)
    if known is not None:
        return known
    names: list[str] = []
    at = folder
    while True:
        if any(os.path.exists(os.path.join(at, f)) for f in _PROJECT_FILES):
            break
        parent, name = os.path.split(at)
        if name == "site-packages":
            break
        if parent == at or not name.isidentifier():
            names = []  # no project above: the file stands alone
            break
        names.append(name)
        at = parent
    names.reverse()
    if names and names[0] == "src":
        names = names[1:]
    result = _namespace_seen[folder] = tuple(names)
    return result


# ---------------------------------------------------------------- discovery
