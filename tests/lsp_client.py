"""A language client for tests and benchmarks: pygls' own, speaking to `tclint lsp` over stdio."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

ROOT = Path(__file__).resolve().parent.parent
WAIT = 60.0  # seconds; machines that run tests may be busy


class Client:
    """One server and what it said."""

    def __init__(self) -> None:
        self.lsp = LanguageClient("tests", "1")
        self.published: dict[str, list[types.PublishDiagnosticsParams]] = {}
        self.messages: list[str] = []
        self.shown: list[str] = []
        self.registered: list[types.Registration] = []
        self._news = asyncio.Condition()
        feature = self.lsp.feature

        @feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        async def published(params: types.PublishDiagnosticsParams) -> None:
            async with self._news:
                self.published.setdefault(params.uri, []).append(params)
                self._news.notify_all()

        @feature(types.WINDOW_SHOW_MESSAGE)
        def message(params: types.ShowMessageParams) -> None:
            self.messages.append(params.message)

        @feature(types.CLIENT_REGISTER_CAPABILITY)
        def register(params: types.RegistrationParams) -> None:
            self.registered.extend(params.registrations)

        @feature(types.WINDOW_SHOW_DOCUMENT)
        def show(params: types.ShowDocumentParams) -> types.ShowDocumentResult:
            self.shown.append(params.uri)
            return types.ShowDocumentResult(True)

        @feature(types.WINDOW_WORK_DONE_PROGRESS_CREATE)
        def progress(params: types.WorkDoneProgressCreateParams) -> None:
            return None

    def open(self, uri: str, text: str, version: int = 1) -> None:
        item = types.TextDocumentItem(uri, "python", version, text)
        self.lsp.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, uri: str, version: int, *changes: Any) -> None:
        """Each change is a whole text, or (start, end, text) with (line, character) pairs from 0."""
        made: list[Any] = []
        for change in changes:
            if isinstance(change, str):
                made.append(types.TextDocumentContentChangeWholeDocument(change))
            else:
                (a, b), (c, d), text = change
                span = types.Range(types.Position(a, b), types.Position(c, d))
                made.append(types.TextDocumentContentChangePartial(range=span, text=text))
        identifier = types.VersionedTextDocumentIdentifier(version=version, uri=uri)
        self.lsp.text_document_did_change(types.DidChangeTextDocumentParams(identifier, made))

    def open_notebook(self, uri: str, cells: dict[str, tuple[str, str]]) -> None:
        """``cells``: by URI, language and text. What is Markdown is no code."""
        items = [types.TextDocumentItem(name, cell[0], 1, cell[1]) for name, cell in cells.items()]
        shape = [notebook_cell(name, cell[0]) for name, cell in cells.items()]
        notebook = types.NotebookDocument(uri, "jupyter-notebook", 1, shape)
        self.lsp.notebook_document_did_open(types.DidOpenNotebookDocumentParams(notebook, items))

    def change_notebook(self, uri: str, version: int, **changes: Any) -> None:
        """``changes``: structure, data, text_content."""
        self.lsp.notebook_document_did_change(
            types.DidChangeNotebookDocumentParams(
                types.VersionedNotebookDocumentIdentifier(version, uri),
                types.NotebookDocumentChangeEvent(cells=types.NotebookDocumentCellChanges(**changes)),
            )
        )

    def last(self, uri: str) -> types.PublishDiagnosticsParams | None:
        held = self.published.get(uri)
        return held[-1] if held else None

    async def until(self, ready: Callable[[], Any], wait: float = WAIT) -> Any:
        """Wait for a publication that makes ``ready`` true."""
        async with self._news:
            await asyncio.wait_for(self._news.wait_for(ready), wait)
        return ready()

    async def diagnostics(self, uri: str, version: int) -> list[types.Diagnostic]:
        """The first diagnostics of a version."""

        def ready() -> list[types.Diagnostic] | None:
            found = [p for p in self.published.get(uri, ()) if p.version == version]
            return list(found[-1].diagnostics) if found else None

        await self.until(lambda: ready() is not None)
        return ready() or []


def notebook_cell(uri: str, language: str) -> types.NotebookCell:
    """A cell as the editor describes it."""
    kinds = types.NotebookCellKind
    return types.NotebookCell(kinds.Markup if language == "markdown" else kinds.Code, uri)


@asynccontextmanager
async def client(
    folder: Path, encodings: list[str] | None = None, settings: dict[str, Any] | None = None, **window: Any
) -> AsyncIterator[Client]:
    """A client with its server running, initialised for one workspace folder."""
    one = Client()
    paths = [str(ROOT / "lint"), str(ROOT / "rules"), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in paths if p)}
    await one.lsp.start_io(sys.executable, "-m", "torch_compile_lint", "lsp", cwd=folder, env=environment)
    capabilities = types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=encodings),
        window=types.WindowClientCapabilities(
            show_document=types.ShowDocumentClientCapabilities(True), work_done_progress=True
        ),
        notebook_document=types.NotebookDocumentClientCapabilities(
            types.NotebookDocumentSyncClientCapabilities()
        ),
        workspace=types.WorkspaceClientCapabilities(
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True)
        ),
    )
    given = {"target-torch": "2.14", "cache": False} | (settings or {})
    result = await asyncio.wait_for(
        one.lsp.initialize_async(
            types.InitializeParams(
                capabilities=capabilities,
                process_id=os.getpid(),
                root_uri=folder.as_uri(),
                workspace_folders=[types.WorkspaceFolder(folder.as_uri(), folder.name)],
                initialization_options={"tclint": given},
            )
        ),
        WAIT,
    )
    assert encodings is None or result.capabilities.position_encoding == encodings[0]
    one.lsp.initialized(types.InitializedParams())
    try:
        yield one
    finally:
        await asyncio.wait_for(one.lsp.shutdown_async(None), WAIT)
        one.lsp.exit(None)
        await asyncio.wait_for(one.lsp.stop(), WAIT)


def run(work: Callable[[], Awaitable[None]]) -> None:
    """Run one test's coroutine."""
    asyncio.run(asyncio.wait_for(work(), 3 * WAIT))  # type: ignore[arg-type]
