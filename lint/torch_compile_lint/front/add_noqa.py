"""`--add-noqa`: a comment at the end of each statement that has a finding.

The comment goes to the end of the logical line, where flake8 and we look for it; codes join a
`# noqa: ...` that is already there. A bare `# noqa` hides everything and needs no addition.
"""

from __future__ import annotations

import io
import re
import tokenize

from torch_compile_lint.documents import in_text
from torch_compile_lint.model import Finding, Report
from torch_compile_lint.source import LineIndex, SourceFile, encoded, read_source

_NOQA = re.compile(r"#\s*noqa(?P<codes>\s*:\s*[A-Z]+[0-9]+(?:[,\s]+[A-Z]+[0-9]+)*)?", re.IGNORECASE)


def add_noqa(report: Report) -> int:
    """Write the comments; returns how many lines were changed."""
    by_path: dict[str, list[Finding]] = {}
    for one in report.findings:
        if not one.suppressed and one.code != "TCD000":
            by_path.setdefault(one.path, []).append(one)
    changed = 0
    for path, findings in by_path.items():
        source = read_source(path, "")
        text, count = with_comments(source.text, [in_text(f, source.text) for f in findings])
        if count:
            _write(source, text)
            changed += count
    return changed


def with_comments(text: str, findings: list[Finding]) -> tuple[str, int]:
    """The text with a comment for each finding, and how many lines changed."""
    ends = _statement_ends(text)
    lines = LineIndex(text)
    codes: dict[int, set[str]] = {}
    for one in findings:
        line = next((end for end in ends if end >= one.line), None)
        if line is not None:
            codes.setdefault(line, set()).add(one.code)
    edits: list[tuple[int, int, str]] = []
    for line, wanted in codes.items():
        start = lines.starts[line - 1]
        content = lines.text(line)
        known = _NOQA.search(content)
        if known is None:
            end = start + len(content.rstrip())
            edits.append((end, start + len(content), f"  # noqa: {', '.join(sorted(wanted))}"))
        elif known.group("codes"):
            listed = re.findall(r"[A-Za-z]+[0-9]+", known.group("codes"))
            missing = sorted(wanted - {c.upper() for c in listed})
            if missing:
                at = start + known.end()
                edits.append((at, at, f", {', '.join(missing)}"))
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text, len(edits)


def _statement_ends(text: str) -> list[int]:
    """Lines on which a logical line ends, in order."""
    ends = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
            if token.type == tokenize.NEWLINE:
                ends.append(token.start[0])
    except (tokenize.TokenError, SyntaxError):
        pass  # the part before it can still be served
    return ends


def _write(source: SourceFile, text: str) -> None:
    data = encoded(source, text)
    with open(source.path, "wb") as stream:
        stream.write(data)
