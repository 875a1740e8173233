"""Code actions: apply a fix, silence a finding, show its path, ask torch about it."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterable, Sequence

from lsprotocol import types

from torch_compile_lint.documents import changed_cells
from torch_compile_lint.front.add_noqa import with_comments
from torch_compile_lint.front.lsp.diagnostics import Shown, range_of
from torch_compile_lint.front.lsp.documents import Document
from torch_compile_lint.model import Finding, Safety
from torch_compile_lint.source import LineIndex, newline_of

FIX_ALL = "source.fixAll.tclint"
FIX_NOTEBOOK = "notebook.source.fixAll.tclint"  # all cells; the other one is for the cell that is asked about
SHOW_PATH, VERIFY = "tclint.showPath", "tclint.verify"
Replacement = tuple[int, int, str]  # offsets into the document, new text


def actions(
    document: Document,
    here: Sequence[Shown],
    everything: Sequence[Shown],
    context: types.CodeActionContext,
    encoding: str,
    current: bool,
    uri: str,
) -> list[types.CodeAction]:
    """Everything that can be done about the findings ``here``, in the document or cell ``uri``.

    ``current``: the findings speak of exactly this text; edits are offered only then.
    """
    out: list[types.CodeAction] = []
    known = {
        str(d.data["fingerprint"]): d
        for d in context.diagnostics
        if isinstance(d.data, dict) and d.data.get("fingerprint")
    }
    for shown in here:
        diagnostic = known.get(shown.finding.fingerprint)
        attached = None if diagnostic is None else [diagnostic]
        if current:
            out += _edits(document, shown, encoding, attached)
        if shown.kind == "finding":
            out += _commands(document, shown, attached)
    if current:
        out += _fix_all(document, everything, encoding, FIX_ALL, uri)
        if document.cells is not None:
            out += _fix_all(document, everything, encoding, FIX_NOTEBOOK)
    return [a for a in out if _wanted(a, context.only)]


def _wanted(action: types.CodeAction, only: Sequence[str] | None) -> bool:
    kind = str(getattr(action.kind, "value", action.kind) or "")
    if not only:
        return kind not in (FIX_ALL, FIX_NOTEBOOK)
    names = [str(getattr(k, "value", k)) for k in only]
    return any(kind == name or kind.startswith(name + ".") or name == "" for name in names)


def _edits(
    document: Document, shown: Shown, encoding: str, attached: list[types.Diagnostic] | None
) -> list[types.CodeAction]:
    finding = shown.finding
    out: list[types.CodeAction] = []
    if shown.kind == "unused":
        out.append(
            _action(document, "Remove this comment", [_without_comment(document, shown)], encoding, attached)
        )
        return out
    if shown.kind != "finding":
        return out
    fix = finding.fix
    if (
        fix is not None
        and fix.safety is not Safety.DISPLAY
        and all(e.path == document.path for e in fix.edits)
    ):
        title = fix.title if fix.safety is Safety.SAFE else f"{fix.title} (unsafe: may change behaviour)"
        edits = [(e.span.start, e.span.end, e.text) for e in fix.edits]
        action = _action(document, title, edits, encoding, attached)
        action.is_preferred = fix.safety is Safety.SAFE
        out.append(action)
    for title, replacement in (
        (f"Ignore {finding.code} here (# noqa)", noqa(document.text, finding)),
        (f"Ignore {finding.name} here (# tclint: ignore)", ignore_above(document.text, finding)),
    ):
        if replacement is not None:
            out.append(_action(document, title, [replacement], encoding, attached))
    return out


def _action(
    document: Document,
    title: str,
    edits: Iterable[Replacement],
    encoding: str,
    attached: list[types.Diagnostic] | None = None,
    kind: str = "quickfix",
) -> types.CodeAction:
    versioned = [
        types.TextDocumentEdit(
            types.OptionalVersionedTextDocumentIdentifier(one.uri, one.version),
            [types.TextEdit(range_of(one, s, e, encoding), text) for s, e, text in changes],
        )
        for one, changes in _by_document(document, list(edits))
    ]
    return types.CodeAction(
        title=title,
        kind=kind,
        diagnostics=attached,
        edit=types.WorkspaceEdit(document_changes=list(versioned)),
    )


def _by_document(document: Document, edits: list[Replacement]) -> list[tuple[Document, list[Replacement]]]:
    """The edits, or what they come to in each cell: a magic has other text there than in the program."""
    if document.cells is None:
        return [(document, edits)]
    new = document.text
    for start, end, text in sorted(edits, key=lambda edit: edit[0], reverse=True):
        new = new[:start] + text + new[end:]
    sources = {cell.number: cell.document.text for cell in document.cells}
    plain = {number: _with_newlines(text, "\n") for number, text in sources.items()}
    changed = changed_cells(plain, document.text, new)
    out = []
    for cell in document.cells:
        if cell.number in changed:
            old = cell.document.text
            change = _difference(old, _with_newlines(changed[cell.number], newline_of(old)))
            if change is not None:
                out.append((cell.document, [change]))
    return out


def _with_newlines(text: str, end: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", end)


def _commands(
    document: Document, shown: Shown, attached: list[types.Diagnostic] | None
) -> list[types.CodeAction]:
    finding = shown.finding
    argument = {"uri": document.uri, "fingerprint": finding.fingerprint}
    out = []
    if finding.witness:
        title = "Show the path from the compile root"
        out.append((title, SHOW_PATH))
        if document.cells is None:  # torch runs what can be imported
            out.append(
                (f"Ask torch: compile `{finding.witness[0].function}` and see (tclint verify)", VERIFY)
            )
    return [
        types.CodeAction(
            title=title,
            kind="quickfix",
            diagnostics=attached,
            command=types.Command(title=title, command=name, arguments=[argument]),
        )
        for title, name in out
    ]


def _fix_all(
    document: Document, everything: Sequence[Shown], encoding: str, kind: str, uri: str | None = None
) -> list[types.CodeAction]:
    """All safe fixes; with ``uri`` those that stay within this document or cell."""
    from torch_compile_lint.fix import edits

    def stays(finding: Finding) -> bool:
        if document.cells is None or uri is None or finding.fix is None:
            return True
        return all(document.spot(e.span.start, e.span.end)[0].uri == uri for e in finding.fix.edits)

    found = [s.finding for s in everything if s.kind == "finding" and stays(s.finding)]
    fitting = edits.compatible(edits.wanted(found, False))
    changes = dict.fromkeys(
        (e.span.start, e.span.end, e.text)
        for finding in fitting
        for e in (finding.fix.edits if finding.fix is not None else ())
        if e.path == document.path
    )
    if not changes:
        return []
    title = "Apply all safe fixes of tclint" + (" to the notebook" if kind == FIX_NOTEBOOK else "")
    return [_action(document, title, changes, encoding, kind=kind)]


# ---------------------------------------------------------------- comments


def noqa(text: str, finding: Finding) -> Replacement | None:
    """The smallest edit that adds the finding's code to the statement's ``# noqa``."""
    return _difference(text, with_comments(text, [finding])[0])


def ignore_above(text: str, finding: Finding) -> Replacement | None:
    """A comment of ours on a line of its own above the statement."""
    first = 1
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
            if token.type == tokenize.NEWLINE:
                if token.start[0] >= finding.line:
                    break
                first = 0
            elif not first and token.type not in _BLANK:
                first = token.start[0]
    except (tokenize.TokenError, SyntaxError):
        return None
    first = first or finding.line
    index = LineIndex(text)
    if first > index.count:
        return None
    line = index.text(first)
    start = index.starts[first - 1]
    indent = line[: len(line) - len(line.lstrip())]
    end = newline_of(text)
    return start, start, f"{indent}# tclint: ignore[{finding.name}]{end}"


_BLANK = (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT)


def _difference(old: str, new: str) -> Replacement | None:
    if old == new:
        return None
    start = 0
    while start < len(old) and start < len(new) and old[start] == new[start]:
        start += 1
    tail = 0
    while tail < min(len(old), len(new)) - start and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return start, len(old) - tail, new[start : len(new) - tail]


def _without_comment(document: Document, shown: Shown) -> Replacement:
    """Cut a comment, the blanks before it, and the line if nothing else stands on it."""
    text = document.text
    start, end = shown.start, shown.end
    while start > 0 and text[start - 1] in " \t":
        start -= 1
    if start == 0 or text[start - 1] in "\r\n":
        if text[end : end + 2] == "\r\n":
            end += 2
        elif text[end : end + 1] in ("\n", "\r"):
            end += 1
    return start, end, ""
