"""Text of one unit, or of a whole file, to a libcst tree.

A unit that is indented in its file is parsed as the body of an ``if`` so that none of its
lines is dedented (a dedent would change the text of multi-line strings). What cannot be
parsed becomes a ``SyntaxProblem``; nothing else is raised, whatever the text.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from typing import Any

#: Python's own parser refuses deeper brackets; libcst's would overflow the C stack on them.
MAX_NESTING = 200

#: Operators, attributes and ``elif`` branches nest as deep as they are many, and libcst's time
#: grows with the square of that; more than a recursive walk of the tree could take is refused.
MAX_CHAIN = 500
_LINKS = ("+", "-", "*", "/", "%", "|", "&", "^", "@", "<<", ">>", "~", ".", "not ", "elif", "](", ")(")

_BLANKS = re.compile(r"^[ \t\f]+", re.MULTILINE)
_BRACKET_OR_STRING = re.compile(
    r"\#[^\r\n]*"
    r"|[rbuftRBUFT]{0,2}(?:'''(?:[^\\]|\\.)*?'''|\"\"\"(?:[^\\]|\\.)*?\"\"\""
    r"|'(?:[^\\'\r\n]|\\.)*'|\"(?:[^\\\"\r\n]|\\.)*\")"
    r"|[()\[\]{}:\n\r]|\blambda\b|\b(?:async\s+)?def\b|\bclass\b|@",
    re.DOTALL,
)


class SyntaxProblem(Exception):
    """Text that does not parse: ``line`` and ``column`` (from 1, in the given text), message."""

    def __init__(self, line: int, column: int, message: str) -> None:
        super().__init__(f"{line}:{column}: {message}")
        self.line = line
        self.column = column
        self.message = message


def parse_file(text: str) -> Any:
    """The ``libcst.Module`` of a whole file."""
    return _parse(text, 0)


def parse_unit(text: str, kind: str, indent: int | str = 0) -> Any:
    """The tree of one unit: a ``Module`` for kind 'module', else its ``FunctionDef``/``ClassDef``.

    ``indent``: the columns before the unit's first line, or the blanks themselves.
    """
    if kind == "module":
        return _parse(text, 0)
    name = "ClassDef" if kind == "class" else "FunctionDef"
    if not indent:
        return _only(_parse(text, 0).body, name)
    problem: SyntaxProblem | None = None
    for blanks in _indents(text, indent):
        try:
            tree = _parse(f"if 1:\n{blanks}{text}", 1)
        except SyntaxProblem as error:
            problem = problem or error
        else:
            return _only(_only(tree.body, "If").body.body, name)
    assert problem is not None
    raise problem


def _indents(text: str, indent: int | str) -> list[str]:
    """What may have stood before the first line, likeliest first.

    It matters which blanks they are: those of the body, and of the ``def`` line after a
    decorator, have to begin with them.
    """
    if isinstance(indent, str):
        return [indent]
    if "\t" not in text and "\f" not in text:
        return [" " * indent]
    seen = Counter(match.group()[:indent] for match in _BLANKS.finditer(text) if len(match.group()) >= indent)
    found = [blanks for blanks, _ in seen.most_common(4)]
    return list(dict.fromkeys([*found, "\t" * indent, " " * indent, " "]))


def _only(body: Any, kind: str) -> Any:
    if len(body) != 1 or type(body[0]).__name__ != kind:
        raise SyntaxProblem(1, 1, f"not one {kind}")
    return body[0]


def _parse(text: str, lines_before: int) -> Any:
    # Imported here: a run whose facts are all cached must not pay for libcst.
    import libcst as cst

    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise SyntaxProblem(max(1, line - lines_before), 1, "source code cannot contain null bytes")
    if text.count("(") + text.count("[") + text.count("{") > MAX_NESTING:
        _check_nesting(text, lines_before)
    if sum(map(text.count, _LINKS)) > MAX_CHAIN:
        _check_chains(text, lines_before)
    try:
        return cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        raise _problem(text, lines_before, error) from None
    except RecursionError:
        raise SyntaxProblem(1, 1, "nested too deeply") from None
    except Exception as error:  # libcst's native parser has raised others on odd text
        first = str(error).partition("\n")[0]
        raise SyntaxProblem(1, 1, first or type(error).__name__) from None


def _problem(text: str, lines_before: int, error: Any) -> SyntaxProblem:
    """Python's own words and place, where it refuses the text too: libcst often has neither."""
    line, column, message = error.raw_line, error.raw_column + 1, str(error.message).strip()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except SyntaxError as own:
            if own.lineno is not None:
                line, column, message = own.lineno, own.offset or 1, own.msg
        except Exception:  # too deep for it, say: libcst's words will do
            pass
    message = re.sub(r"^(?:parser error: )?error at \d+:\d+: ", "invalid syntax: ", message)
    return SyntaxProblem(max(1, line - lines_before), max(1, column), message.partition("\n")[0])


def _check_nesting(text: str, lines_before: int) -> None:
    depth = 0
    for match in _BRACKET_OR_STRING.finditer(text):
        token = match.group()
        if token in ("(", "[", "{"):
            depth += 1
            if depth > MAX_NESTING:
                at = match.start()
                line = text.count("\n", 0, at) + 1 - lines_before
                column = at - text.rfind("\n", 0, at)
                raise SyntaxProblem(max(1, line), column, "too many nested parentheses")
        elif token in (")", "]", "}"):
            depth = max(0, depth - 1)


def _check_chains(text: str, lines_before: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(text)
        except (RecursionError, MemoryError):
            raise SyntaxProblem(1, 1, "nested too deeply") from None
        except Exception:  # libcst may know newer syntax, or will say what is wrong
            return
    line = _deepest_line(tree)
    if line:
        raise SyntaxProblem(max(1, line - lines_before), 1, "nested too deeply")


def _deepest_line(tree: ast.AST) -> int:
    """The first line of what is nested too deeply; 0 where nothing is."""
    level = [tree]
    depth = 0
    while level:
        depth += 1
        if depth > MAX_CHAIN:
            return min(getattr(node, "lineno", 1) for node in level)
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return 0


def parse_python(text: str) -> ast.Module | None:
    """Python's own tree of a text; None where it cannot be made, or is nested too deeply."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes in the code we read
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    return None if sum(map(text.count, _LINKS)) > MAX_CHAIN and _deepest_line(tree) else tree


def blank_bodies(text: str, ranges: list[tuple[int, int]]) -> str:
    """Replace the bodies of the functions and classes at ``ranges`` by text of equal length.

    A range is that of a unit: from its first decorator (or keyword) to the end of its last
    statement. Its header stays; its body becomes ``(   )``, which parses, and which ends where
    the body ended. Ranges inside another one vanish with it.
    """
    pieces = []
    done = 0
    for start, end in sorted(ranges):
        if start < done:
            continue
        at = _body_start(text, start, end)
        if at is None:
            continue
        pieces.append(text[done:at])
        width = end - at
        pieces.append("0" if width < 2 else "(" + " " * (width - 2) + ")")
        done = end
    pieces.append(text[done:])
    return "".join(pieces)


def _body_start(text: str, start: int, end: int) -> int | None:
    """Where the first statement of the unit's body begins; None if that is not plain."""
    depth = lambdas = 0
    header = False
    for match in _BRACKET_OR_STRING.finditer(text, start, end):
        token = match.group()
        if token in ("(", "[", "{"):
            depth += 1
        elif token in (")", "]", "}"):
            depth -= 1
        elif depth:
            continue
        elif token == "lambda":
            lambdas += 1
        elif token == ":":
            if lambdas:
                lambdas -= 1
            elif header:
                body = _BODY.match(text, match.end(), end)
                return body.end() if body and body.end() < end else None
        elif token.endswith("def") or token == "class":
            header = True
    return None


#: Blanks, comments and empty lines between a header's colon and its body.
_BODY = re.compile(r"(?:[ \t\f\r\n]+|\#[^\r\n]*|\\\r?\n)*")
