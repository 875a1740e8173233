"""What a source text imports, by its import statements alone: no tree is made of it."""

from __future__ import annotations

import re

_LONGEST = 500_000  # bytes of a file that are looked through
_STATEMENT = re.compile(
    rb"^[ \t]*((?:from|import)\b[^\n(\\]*(?:\\\r?\n[^\n(\\]*)*(?:\([^)]{0,4000}\))?)", re.MULTILINE
)
_NOISE = re.compile(rb"#[^\n]*|[()\\]")
_FROM = re.compile(rb"from\s*\.*\s*([\w.]*)\s*import\b(.*)", re.DOTALL)


def imported(data: bytes) -> set[bytes]:
    """Dotted names in the import statements of a source text; relative ones without their dots."""
    found: set[bytes] = set()
    for statement in _STATEMENT.findall(data[:_LONGEST]):
        text = _NOISE.sub(b" ", statement)
        match = _FROM.match(text)
        if match is None:
            found.update(part.split()[0] for part in text[len("import") :].split(b",") if part.strip())
            continue
        module = match[1]
        prefix = b""
        if module:
            found.add(module)
            prefix = module + b"."
        found.update(prefix + part.split()[0] for part in match[2].split(b",") if part.strip())
    for name in list(found):  # `import a.b` runs a/__init__.py as well
        while b"." in name:
            name = name.rpartition(b".")[0]
            found.add(name)
    return found
