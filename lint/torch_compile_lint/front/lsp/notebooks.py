"""Notebooks that are open: every cell a document of its own, one program behind them.

The editor speaks of cells: it opens, edits, moves and closes them, and wants diagnostics for each.
What is checked is one text, made of them as the command line makes it of the file
(``torch_compile_lint.documents``); ``Document.cells`` leads back. Cells that are not Python count,
so that numbers agree with the command line's, and are otherwise left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lsprotocol import types

from torch_compile_lint.documents import NOTEBOOK, joined, tolerated
from torch_compile_lint.front.lsp.documents import Cell, Document, edited, path_of

# No filter by language: a cell's number counts the cells of text, too.
SYNC = types.NotebookDocumentSyncOptions(
    [types.NotebookDocumentFilterWithNotebook(types.NotebookDocumentFilterNotebookType("jupyter-notebook"))],
    save=True,
)
_PYTHON = ("python", "ipython")


class Notebooks:
    """The open notebooks, by URI."""

    def __init__(self) -> None:
        self._held: dict[str, _Notebook] = {}
        self._home: dict[str, str] = {}  # of each cell

    def home(self, uri: str) -> str:
        """The notebook of a cell; the URI itself where it is none's."""
        return self._home.get(uri, uri)

    def open(self, params: types.DidOpenNotebookDocumentParams, folder: str) -> Document:
        """A notebook is open now."""
        notebook = params.notebook_document
        path = path_of(notebook.uri, folder)
        if not path.endswith(NOTEBOOK):  # it was never saved
            path = path.removesuffix(".py").removesuffix("_ipynb") + NOTEBOOK
        made = self._held[notebook.uri] = _Notebook(notebook.uri, path, notebook.cells)
        made.take(params.cell_text_documents)
        return self._document(made)

    def change(
        self, params: types.DidChangeNotebookDocumentParams, encoding: str
    ) -> tuple[Document, list[str]] | None:
        """What a notebook is after a change, and the cells that are gone from the program."""
        known = self._held.get(params.notebook_document.uri)
        if known is None:
            return None
        before = known.python()
        if params.change.cells is not None:
            known.change(params.change.cells, encoding)
        document = self._document(known)
        after = known.python()
        return document, [uri for uri in before if uri not in after]

    def close(self, uri: str) -> list[str]:
        """The cells of a notebook that is no longer open."""
        known = self._held.pop(uri, None)
        if known is None:
            return []
        self._home = {cell: home for cell, home in self._home.items() if home != uri}
        return known.python()

    def _document(self, notebook: _Notebook) -> Document:
        self._home = {cell: home for cell, home in self._home.items() if home != notebook.uri}
        self._home.update((uri, notebook.uri) for uri, _ in notebook.cells)
        return notebook.document()


class _Notebook:
    """One notebook as the editor has it."""

    def __init__(self, uri: str, path: str, cells: Sequence[types.NotebookCell]) -> None:
        self.uri = uri
        self.path = path
        # (URI, is code): pygls edits the protocol's own objects before it calls us.
        self.cells = _kinds(cells)
        self._texts: dict[str, Document] = {}
        self._languages: dict[str, str] = {}
        self._version = 0
        self._tolerated: dict[str, str] = {}

    def take(self, items: Sequence[types.TextDocumentItem]) -> None:
        """Texts of cells that are open now."""
        for item in items:
            self._texts[item.uri] = Document(item.uri, self.path, item.version, item.text)
            self._languages[item.uri] = item.language_id

    def python(self) -> list[str]:
        """The cells that belong to the program, in order."""
        return [
            uri
            for uri, is_code in self.cells
            if is_code and uri in self._texts and self._languages[uri] in _PYTHON
        ]

    def change(self, change: types.NotebookDocumentCellChanges, encoding: str) -> None:
        """Cells came, went or moved; what they are; their texts, in this order."""
        structure = change.structure
        if structure is not None:
            array = structure.array
            self.cells[array.start : array.start + array.delete_count] = _kinds(array.cells or ())
            for closed in structure.did_close or ():
                self._texts.pop(closed.uri, None)
            self.take(structure.did_open or ())
        now = dict(_kinds(change.data or ()))
        self.cells = [(uri, now.get(uri, is_code)) for uri, is_code in self.cells]
        for content in change.text_content or ():
            uri = content.document.uri
            known = self._texts.get(uri)
            if known is not None:
                text = edited(known.text, content.changes, encoding)
                self._texts[uri] = Document(uri, self.path, content.document.version, text)

    def document(self) -> Document:
        """The program. Its version is counted here: that of a notebook need not change with a cell's text."""
        self._version += 1
        cells: list[Cell] = []
        pieces: list[tuple[int, str]] = []
        line = 1
        last, self._tolerated = self._tolerated, {}
        python = set(self.python())
        for number, (uri, _) in enumerate(self.cells, 1):
            if uri not in python:
                continue
            own = self._texts[uri]
            source = self._python(own.text, last)
            cells.append(Cell(number, line, own))
            pieces.append((number, source))
            line += source.count("\n") + 2
        # A text without any mark would be taken for the file's own.
        text = joined(pieces or [(0, "")])
        return Document(self.uri, self.path, self._version, text, tuple(cells))

    def _python(self, text: str, last: Mapping[str, str]) -> str:
        """A cell as Python; only a cell that changed is parsed for it."""
        # A lone carriage return ends a line for us, not for the marks.
        plain = text.replace("\r\n", "\n").replace("\r", "\n")
        known = last.get(text)
        self._tolerated[text] = known = tolerated(plain) if known is None else known
        return known


def _kinds(cells: Sequence[types.NotebookCell]) -> list[tuple[str, bool]]:
    return [(cell.document, cell.kind == types.NotebookCellKind.Code) for cell in cells]
