"""Values of number and string literals, computed without the compiler.

``ast.literal_eval`` would warn about invalid escapes in the code under analysis, refuse
decimal numbers of more than 4,300 digits, and cost a compile per string.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

_SIMPLE = {
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\n": "",
}
_ESCAPE = re.compile(
    r"\\(?:([\\'\"abfnrtv\n])|([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|N\{([^}]*)\})"
)
_ESCAPE_BYTES = re.compile(r"\\(?:([\\'\"abfnrtv\n])|([0-7]{1,3})|x([0-9a-fA-F]{2}))")
_DIGITS = 4000  # int() of more decimal digits than 4,300 is refused since Python 3.11


def _replace(match: re.Match[str]) -> str:
    groups = match.groups()
    if groups[0] is not None:
        return _SIMPLE[groups[0]]
    if groups[1] is not None:
        return chr(int(groups[1], 8))
    for digits in groups[2:5]:
        if digits is not None:
            code = int(digits, 16)
            return chr(code) if code < 0x110000 else match.group()
    if len(groups) > 5 and groups[5] is not None:
        try:
            return unicodedata.lookup(groups[5])
        except KeyError:  # a name this Python's table does not know yet
            return match.group()
    return match.group()


_replace_text: Callable[[re.Match[str]], str] = _replace


def _replace_byte(match: re.Match[str]) -> str:
    return chr(ord(_replace(match) or "\0") & 0xFF) if match.group(1) != "\n" else ""


def unescape(body: str, raw: bool) -> str:
    """The text of a string literal's body; newlines are as Python reads them."""
    if "\r" in body:
        body = body.replace("\r\n", "\n").replace("\r", "\n")
    if raw or "\\" not in body:
        return body
    return _ESCAPE.sub(_replace_text, body)


def string(token: str) -> str | bytes:
    """The value of a whole literal, prefix and quotes included."""
    first = token[0]
    if first == '"' or first == "'":
        at = 0
    else:
        at = 1 if token[1] in "\"'" else 2
    width = 3 if token[at : at + 3] in ('"""', "'''") and len(token) >= at + 6 else 1
    body = token[at + width : -width]
    if not at:
        return body if "\\" not in body and "\r" not in body else unescape(body, raw=False)
    prefix = token[:at].lower()
    if "b" not in prefix:
        return unescape(body, raw="r" in prefix)
    if "\r" in body:
        body = body.replace("\r\n", "\n").replace("\r", "\n")
    if "r" not in prefix and "\\" in body:
        body = _ESCAPE_BYTES.sub(_replace_byte, body)
    return body.encode("latin-1", "replace")


def number(token: str) -> int | float | complex:
    """The value of an integer, float or imaginary literal."""
    if token[-1] in "jJ":
        return complex(0.0, float(token[:-1]))
    if token[:2] in ("0x", "0X"):
        return int(token, 16)
    if token.isdigit():
        if len(token) > _DIGITS:
            value = 0
            for at in range(0, len(token), _DIGITS):
                chunk = token[at : at + _DIGITS]
                value = value * 10 ** len(chunk) + int(chunk)
            return value
        return int(token)
    if token[:2] in ("0o", "0O", "0b", "0B"):
        return int(token, 0)
    plain = token.replace("_", "")
    return number(plain) if plain.isdigit() else float(plain)
