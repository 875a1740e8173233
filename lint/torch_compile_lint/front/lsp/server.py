"""The language server: requests and notifications in, diagnostics and answers out."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from torch_compile_lint import __version__
from torch_compile_lint.config import KEYS
from torch_compile_lint.front.lsp import actions, diagnostics, hover, verifying
from torch_compile_lint.front.lsp.checker import Checker, Settings
from torch_compile_lint.front.lsp.diagnostics import Shown
from torch_compile_lint.front.lsp.documents import Document, edited, path_of, uri_of
from torch_compile_lint.front.lsp.notebooks import SYNC, Notebooks
from torch_compile_lint.front.lsp.settings import plain, settings_from
from torch_compile_lint.session import Answer, Session

Made = dict[str, "tuple[int, list[types.Diagnostic]]"]  # by URI of the document, or of each cell: version
PATIENCE = 3.0  # seconds a request waits for the check of the text it is about


class Server:
    """The state between messages. Everything here runs in the event loop's thread."""

    def __init__(self) -> None:
        self.ls = LanguageServer("tclint", __version__, notebook_document_sync=SYNC)
        self.checker = Checker(self._answered, self._say_from_thread)
        self.documents: dict[str, Document] = {}
        self.notebooks = Notebooks()
        self.shown: dict[str, tuple[int, bool, list[Shown]]] = {}  # version, exactly this text, findings
        self._sent: Made = {}
        self._answers: dict[str, tuple[Document, Answer | None]] = {}
        self._arrived: asyncio.Condition | None = None
        self._telling: asyncio.Future[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pages: dict[str, str | None] = {}
        self._verdicts = verifying.Verdicts()
        self._folders: tuple[str, ...] = ()
        self._settings: dict[str, Any] = {}
        self._register()

    @property
    def encoding(self) -> str:
        """The units positions are counted in, as negotiated."""
        named = self.ls.server_capabilities.position_encoding or types.PositionEncodingKind.Utf16
        return str(getattr(named, "value", named))

    def _register(self) -> None:
        kinds = [types.CodeActionKind.QuickFix, actions.FIX_ALL, actions.FIX_NOTEBOOK]
        for name, method, options in (
            (types.INITIALIZE, self.initialize, None),
            (types.INITIALIZED, self.initialized, None),
            (types.SHUTDOWN, self.shutdown, None),
            (types.TEXT_DOCUMENT_DID_OPEN, self.did_open, None),
            (types.TEXT_DOCUMENT_DID_CHANGE, self.did_change, None),
            (types.TEXT_DOCUMENT_DID_SAVE, self.did_save, None),
            (types.TEXT_DOCUMENT_DID_CLOSE, self.did_close, None),
            (types.NOTEBOOK_DOCUMENT_DID_OPEN, self.did_open_notebook, None),
            (types.NOTEBOOK_DOCUMENT_DID_CHANGE, self.did_change_notebook, None),
            (types.NOTEBOOK_DOCUMENT_DID_SAVE, self.did_save_notebook, None),
            (types.NOTEBOOK_DOCUMENT_DID_CLOSE, self.did_close_notebook, None),
            (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, self.did_change_watched, None),
            (types.WORKSPACE_DID_CHANGE_CONFIGURATION, self.did_change_configuration, None),
            (types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, self.did_change_folders, None),
            (types.TEXT_DOCUMENT_HOVER, self.hover, None),
            (
                types.TEXT_DOCUMENT_CODE_ACTION,
                self.code_action,
                types.CodeActionOptions(code_action_kinds=kinds),
            ),
        ):
            self.ls.feature(name, options)(_function(method))
        self.ls.command(actions.SHOW_PATH)(_function(self.show_path))
        self.ls.command(actions.VERIFY)(_function(self.verify))

    # ------------------------------------------------------------ life

    def initialize(self, params: types.InitializeParams) -> None:
        """Take over folders and settings."""
        folders = [f.uri for f in params.workspace_folders or ()]
        if not folders and params.root_uri:
            folders = [params.root_uri]
        self._folders = tuple(path_of(uri, os.getcwd()) for uri in folders)
        self._settings = settings_from(params.initialization_options)

    async def initialized(self, params: types.InitializedParams) -> None:
        """Start checking; ask to hear of files written by others."""
        self._loop = asyncio.get_running_loop()
        self._arrived = asyncio.Condition()
        self._configure()
        self.checker.start()
        workspace = self.ls.client_capabilities.workspace
        watched = workspace.did_change_watched_files if workspace is not None else None
        if watched is not None and watched.dynamic_registration:
            globs = ("**/*.py", "**/pyproject.toml", "**/tclint.toml")
            options = types.DidChangeWatchedFilesRegistrationOptions(
                [types.FileSystemWatcher(g) for g in globs]
            )
            registration = types.Registration(
                "tclint-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options
            )
            self.ls.client_register_capability(types.RegistrationParams([registration]), lambda _: None)

    def shutdown(self, *_: Any) -> None:
        """Let the checking thread end."""
        self.checker.stop()

    def _configure(self) -> None:
        values = dict(self._settings)
        scope = values.pop("scope", "workspace")
        debounce = values.pop("debounce", 10)
        unknown = sorted(set(values) - set(KEYS))
        for key in unknown:
            del values[key]
        if unknown:
            self._say(f"tclint: unknown setting `{unknown[0]}` (known: scope, debounce, {', '.join(KEYS)})")
        wait = debounce / 1000 if isinstance(debounce, int | float) and debounce >= 0 else 0.01
        self.checker.configure(
            Settings(values, "open" if scope == "open" else "workspace", wait), self._folders
        )

    def _say(self, text: str) -> None:
        self.ls.window_show_message(types.ShowMessageParams(types.MessageType.Error, text))

    def _say_from_thread(self, text: str) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._say, text)

    # ------------------------------------------------------------ documents

    def did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """A text is open now."""
        item = params.text_document
        self._set(item.uri, item.version, item.text)

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """A text was edited."""
        known = self.documents.get(params.text_document.uri)
        if known is not None:
            text = edited(known.text, params.content_changes, self.encoding)
            self._set(known.uri, params.text_document.version, text)

    def _set(self, uri: str, version: int, text: str) -> None:
        known = self.documents.get(uri)
        path = known.path if known is not None else path_of(uri, self._home())
        self._put(Document(uri, path, version, text))

    def _put(self, document: Document) -> None:
        self.documents[document.uri] = document
        self.checker.changed(self.documents, document.path)

    def _home(self) -> str:
        """Where what was never saved would be."""
        return self._folders[0] if self._folders else os.getcwd()

    def did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        """What is open is on disk now."""
        known = self.documents.get(params.text_document.uri)
        if known is not None:
            self.checker.saved(known.path)
            if os.path.basename(known.path) in ("pyproject.toml", "tclint.toml"):
                self.checker.disk_changed([known.path])

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """A text is no longer open: its diagnostics go."""
        uri = params.text_document.uri
        self._drop(uri)
        self._clear([uri])

    def _drop(self, uri: str) -> None:
        for table in (self.documents, self.shown, self._answers):
            table.pop(uri, None)
        self.checker.changed(self.documents)

    def _clear(self, uris: list[str]) -> None:
        """Take the diagnostics of documents or cells away."""
        for uri in uris:
            self._sent.pop(uri, None)
            self.ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def did_open_notebook(self, params: types.DidOpenNotebookDocumentParams) -> None:
        """A notebook is open now."""
        self._put(self.notebooks.open(params, self._home()))

    def did_change_notebook(self, params: types.DidChangeNotebookDocumentParams) -> None:
        """Cells were edited, added, moved or removed."""
        changed = self.notebooks.change(params, self.encoding)
        if changed is not None:
            document, gone = changed
            self._put(document)
            self._clear(gone)

    def did_save_notebook(self, params: types.DidSaveNotebookDocumentParams) -> None:
        """What is open is on disk now."""
        known = self.documents.get(params.notebook_document.uri)
        if known is not None:
            self.checker.saved(known.path)

    def did_close_notebook(self, params: types.DidCloseNotebookDocumentParams) -> None:
        """A notebook is no longer open: the diagnostics of its cells go."""
        self._drop(params.notebook_document.uri)
        self._clear(self.notebooks.close(params.notebook_document.uri))

    def did_change_watched(self, params: types.DidChangeWatchedFilesParams) -> None:
        """Files were written by somebody."""
        self.checker.disk_changed([path_of(c.uri, os.getcwd()) for c in params.changes])

    def did_change_configuration(self, params: types.DidChangeConfigurationParams) -> None:
        """Other settings."""
        self._settings = settings_from(params.settings)
        self._configure()

    def did_change_folders(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        """Folders joined or left the workspace."""
        gone = {path_of(f.uri, os.getcwd()) for f in params.event.removed}
        came = [path_of(f.uri, os.getcwd()) for f in params.event.added]
        self._folders = (*(f for f in self._folders if f not in gone), *came)
        self._configure()

    # ------------------------------------------------------------ diagnostics

    def _answered(self, document: Document, answer: Answer | None, session: Session) -> None:
        """From the checking thread: say it if it is still about the present text."""
        if self._loop is None or self.documents.get(document.uri) is not document:
            return
        placed = [] if answer is None else diagnostics.place(document, answer)
        digests = {s.finding.function: session.unit_digest(document.path, s.finding.function) for s in placed}
        placed = [
            diagnostics.with_verdict(s, self._verdicts.of(s.finding, digests[s.finding.function]))
            for s in placed
        ]
        plugins = session.run.config.plugins if session is not None else ()
        locate = self._locator(document, session)
        parts = (document,) if document.cells is None else [cell.document for cell in document.cells]
        made: Made = {part.uri: (part.version, []) for part in parts}
        for s in placed:
            where = document.spot(s.start, s.end)[0].uri
            made[where][1].append(
                diagnostics.diagnostic(
                    document, s, self.encoding, locate, lambda code: self._page(code, plugins)
                )
            )
        current = answer is not None and answer.text == document.text
        self._loop.call_soon_threadsafe(self._send, document, answer, current, placed, made)

    def _send(
        self,
        document: Document,
        answer: Answer | None,
        current: bool,
        placed: list[Shown],
        made: Made,
    ) -> None:
        uri = document.uri
        if self.documents.get(uri) is not document:
            return  # edited meanwhile
        self.shown[uri] = document.version, current, placed
        self._answers[uri] = document, answer
        for part, (version, found) in made.items():
            if self._sent.get(part) != (version, found):
                self._sent[part] = version, found
                self.ls.text_document_publish_diagnostics(
                    types.PublishDiagnosticsParams(part, found, version)
                )
        self._telling = asyncio.ensure_future(self._notify())

    def _locator(self, document: Document, session: Session | None) -> diagnostics.Locate:
        """What turns the places of a witness into the editor's."""
        folder = session.run.cwd if session is not None else os.path.dirname(document.path)
        notebooks = self._open_notebooks()
        return lambda path, line: diagnostics.location(path, line, folder, notebooks)

    def _open_notebooks(self) -> dict[str, Document]:
        """By path. Asked from the checking thread as well."""
        return {d.path: d for d in list(self.documents.values()) if d.cells is not None}

    async def _notify(self) -> None:
        assert self._arrived is not None
        async with self._arrived:
            self._arrived.notify_all()

    def _page(self, code: str, plugins: tuple[str, ...]) -> str | None:
        if code not in self._pages:
            path = hover.page_path(code, plugins)
            self._pages[code] = None if path is None else uri_of(str(path))
        return self._pages[code]

    async def _findings(self, uri: str) -> tuple[Document, bool, list[Shown]] | None:
        """The findings of a document's or cell's present text, waited for if they are on their way."""
        assert self._arrived is not None
        uri = self.notebooks.home(uri)
        document = self.documents.get(uri)
        if document is None:
            return None

        def ready() -> bool:
            now = self.documents.get(uri)
            return now is None or (uri in self.shown and self.shown[uri][0] == now.version)

        async with self._arrived:
            try:
                await asyncio.wait_for(self._arrived.wait_for(ready), PATIENCE)
            except asyncio.TimeoutError:
                return None
        document = self.documents.get(uri)
        if document is None:
            return None
        _, current, placed = self.shown[uri]
        return document, current, placed

    # ------------------------------------------------------------ requests

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """The findings at a place, with the page of their rule."""
        known = await self._findings(params.text_document.uri)
        if known is None:
            return None
        document, _, placed = known
        at = document.offset(params.text_document.uri, params.position, self.encoding)
        here = [s for s in placed if s.touches(at, at)]
        if not here:
            return None
        session = self.checker.session_of(document.path)
        plugins = session.run.config.plugins if session is not None else ()
        folder = session.run.cwd if session is not None else ""
        told = [diagnostics.in_cells(s, folder, self._open_notebooks()) for s in here]
        text = "\n\n---\n\n".join(hover.markdown(s, plugins) for s in told)
        span = diagnostics.range_of(document, here[0].start, here[0].end, self.encoding)
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), span)

    async def code_action(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """What can be done about the findings of a range."""
        known = await self._findings(params.text_document.uri)
        if known is None:
            return []
        document, current, placed = known
        uri = params.text_document.uri
        start = document.offset(uri, params.range.start, self.encoding)
        end = document.offset(uri, params.range.end, self.encoding)
        here = [s for s in placed if s.touches(start, end)]
        return actions.actions(document, here, placed, params.context, self.encoding, current, uri)

    async def show_path(self, *arguments: Any) -> list[types.Location]:
        """The places a finding is reached through, the compile root first; opens the first."""
        found = await self._named(arguments)
        if found is None or not isinstance(found[1], Shown):
            return []
        document, shown = found[0], found[1]
        session = self.checker.session_of(document.path)
        finding = shown.finding
        locate = self._locator(document, session)
        places = [locate(h.path, h.line) for h in finding.witness]
        where = document.spot(shown.start, shown.end)[0].uri
        span = diagnostics.range_of(document, shown.start, shown.end, self.encoding)
        places.append(types.Location(where, span))
        window = self.ls.client_capabilities.window
        if window is not None and window.show_document is not None and window.show_document.support:
            show = types.ShowDocumentParams(places[0].uri, take_focus=True, selection=places[0].range)
            self.ls.window_show_document(show, lambda _: None)
        steps = [*diagnostics.hop_texts(finding), finding.message]
        self.ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, " → ".join(steps)))
        return places

    async def verify(self, *arguments: Any) -> dict[str, Any]:
        """Compile the module under the cursor, or the root of a finding, and mark what torch says."""
        found = await self._named(arguments)
        if found is None:
            return {"error": "no such document or finding"}
        document, what = found
        if document.cells is not None:
            return self._verified({"error": "a notebook cannot be imported: move the module to a .py file"})
        session = self.checker.session_of(document.path)
        if session is None:
            return {"error": "not checked yet"}
        folder = session.run.cwd
        target: tuple[str, str] | None
        if isinstance(what, Shown):
            target = verifying.target_of(what.finding)
        else:
            index = session.index(document.path)
            name = verifying.target_at(index, what) if index is not None else None
            target = None if name is None else (document.path, name)
        if target is None:
            return self._verified({"error": "no class or function of the module level stands here"})
        path, name = os.path.join(folder, target[0]), target[1]
        if not _on_disk(self.documents, path):
            return self._verified({"error": "save the file first: torch runs what is on disk"})
        task = asyncio.ensure_future(self._verify(session, path, name, folder))
        number = self.ls.protocol.msg_id
        outer = None if number is None else self.ls.protocol._request_futures.get(number)
        if outer is not None:  # cancelling the request ends the run
            outer.add_done_callback(lambda future: task.cancel() if future.cancelled() else None)
        try:
            return self._verified(await task)
        except asyncio.CancelledError:
            return {"error": "cancelled"}

    async def _verify(self, session: Session, path: str, name: str, folder: str) -> dict[str, Any]:
        token = await self._begin(f"Compiling {name}")
        try:
            report = await verifying.verify(path, name, folder)
        except verifying.VerifyProblem as problem:
            return {"error": str(problem)}
        finally:
            if token is not None:
                self.ls.work_done_progress.end(token, types.WorkDoneProgressEnd())
        held = []
        for row in report.get("findings", ()):
            verdict = verifying.verdict(row)
            if verdict is not None:
                full = os.path.normpath(os.path.join(folder, row["path"]))
                self._verdicts.keep(row["fingerprint"], verdict, session.unit_digest(full, row["function"]))
                held.append(verdict)
        for uri, (document, answer) in list(self._answers.items()):
            if self.documents.get(uri) is document:
                self._answered(document, answer, session)
        return {
            "target": f"{path}:{name}",
            "summary": verifying.summary(held),
            "missed": report.get("missed", []),
        }

    def _verified(self, result: dict[str, Any]) -> dict[str, Any]:
        kind = types.MessageType.Warning if "error" in result else types.MessageType.Info
        text = result.get("error") or result.get("summary")
        self.ls.window_show_message(types.ShowMessageParams(kind, f"tclint verify: {text}"))
        return result

    async def _begin(self, title: str) -> str | None:
        window = self.ls.client_capabilities.window
        if window is None or not window.work_done_progress:
            return None
        token = f"tclint-verify-{id(title)}"
        await self.ls.work_done_progress.create_async(token)
        self.ls.work_done_progress.begin(token, types.WorkDoneProgressBegin(title=title, cancellable=False))
        return token

    async def _named(self, arguments: tuple[Any, ...]) -> tuple[Document, Shown | int] | None:
        """What a command's argument names: a finding by fingerprint, or a place."""
        given = plain(arguments[0]) if arguments else {}
        known = await self._findings(str(given.get("uri", "")))
        if known is None:
            return None
        document, _, placed = known
        wanted = given.get("fingerprint")
        if wanted:
            named = [s for s in placed if s.finding.fingerprint == wanted]
            return (document, named[0]) if named else None
        position = plain(given.get("position") or {})
        at = types.Position(int(position.get("line", 0)), int(position.get("character", 0)))
        return document, document.offset(str(given.get("uri", "")), at, self.encoding)


def _function(method: Callable[..., Any]) -> Callable[..., Any]:
    """A plain function for a bound method: pygls hangs attributes on what it registers."""
    if asyncio.iscoroutinefunction(method):

        async def later(*arguments: Any) -> Any:
            return await method(*arguments)

        return later

    def now(*arguments: Any) -> Any:
        return method(*arguments)

    return now


def _on_disk(documents: dict[str, Document], path: str) -> bool:
    """True where a file exists and no open document differs from it."""
    from torch_compile_lint.source import read_source

    try:
        text = read_source(path, "").text
    except OSError:
        return False
    return all(d.text.removeprefix("\ufeff") == text for d in documents.values() if d.path == path)


def serve() -> int:
    """Serve standard input and output until the editor says exit."""
    Server().ls.start_io()
    return 0
