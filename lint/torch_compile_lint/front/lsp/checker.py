"""The thread that checks: sessions by project, the newest texts, and nothing out of date.

The server tells it what is open (``changed``), it answers with ``publish(snapshot, answer)`` for
every document there is something new to say of. An edit that arrives while it works makes it
start over after the file it is at; a result for a text that has changed meanwhile is dropped.
"""

from __future__ import annotations

import gc
import logging
import os
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from torch_compile_lint import config
from torch_compile_lint.config import ConfigError
from torch_compile_lint.front.lsp.documents import Document
from torch_compile_lint.model import Request
from torch_compile_lint.records import dataclass, field

if TYPE_CHECKING:
    from torch_compile_lint.session import Answer, Session

log = logging.getLogger("tclint")
IDLE = 1.0  # seconds without a keystroke before what takes longer is begun
LONGEST_WAIT = 0.15  # seconds that continuous typing can put a check off
COLLECT_AFTER = 5.0  # seconds between two collections of garbage, while nobody types


@dataclass(frozen=True, slots=True)
class Settings:
    """What the editor configured. ``scope``: whether files that are not open count as callers."""

    overrides: dict[str, Any] = field(default_factory=dict)  # keys of the configuration file
    scope: str = "workspace"  # or "open"
    debounce: float = 0.01  # seconds without a keystroke before a check starts


Publish = Callable[[Document, "Answer | None", "Session"], None]
Say = Callable[[str], None]


class Checker:
    """See the module. ``publish`` and ``say`` (an error, in one line) are called from its thread."""

    def __init__(self, publish: Publish, say: Say) -> None:
        self._publish = publish
        self._say = say
        self._wake = threading.Condition()
        self._documents: dict[str, Document] = {}
        self._dirty = False
        self._last_change = 0.0
        self._recent: list[str] = []  # paths, the last edited first
        self._saved: set[str] = set()
        self._disk: set[str] = set()
        self._settings = Settings()
        self._reload = False
        self._stopped = False
        self.folders: tuple[str, ...] = ()
        self._roots: dict[str, str] = {}
        self._sessions: dict[str, Session] = {}
        self._problems: dict[str, str] = {}  # of the configuration, by root: said once
        self._thread = threading.Thread(target=self._run, name="tclint-checker", daemon=True)
        self._collected = time.monotonic()

    # ------------------------------------------------------------ called by the server

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def stop(self) -> None:
        """Finish as soon as possible."""
        with self._wake:
            self._stopped = True
            self._wake.notify()

    def changed(self, documents: dict[str, Document], path: str | None = None) -> None:
        """What is open now, by URI; ``path`` was just edited."""
        with self._wake:
            self._documents = dict(documents)
            if path is not None:
                self._recent = [path, *(p for p in self._recent if p != path)][:8]
            self._note()

    def saved(self, path: str) -> None:
        """A document was written to disk."""
        with self._wake:
            self._saved.add(path)

    def disk_changed(self, paths: list[str]) -> None:
        """Files were written by somebody; a configuration file starts everything anew."""
        with self._wake:
            if any(os.path.basename(p) in ("pyproject.toml", "tclint.toml") for p in paths):
                self._reload = True
            self._disk.update(p for p in paths if p.endswith(".py"))
            self._note()

    def configure(self, settings: Settings, folders: tuple[str, ...]) -> None:
        """Other settings or workspace folders: everything starts anew."""
        with self._wake:
            if settings != self._settings or folders != self.folders:
                self._settings, self.folders = settings, folders
                self._reload = True
                self._note()

    def session_of(self, path: str) -> Session | None:
        """The session a file belongs to, if there is one yet (to read from, in any thread)."""
        root = self._roots.get(os.path.dirname(path))
        return None if root is None else self._sessions.get(root)

    def _note(self) -> None:
        self._dirty = True
        self._last_change = time.monotonic()
        self._wake.notify()

    # ------------------------------------------------------------ the thread

    def _run(self) -> None:
        from torch_compile_lint.program.big_stack import on_big_stack

        gc.set_threshold(100_000, 50, 1000)  # trees and facts are not garbage: see ``_tidy``
        on_big_stack(self._loop)

    def _loop(self) -> None:
        while True:
            with self._wake:
                while not self._dirty and not self._stopped:
                    self._wake.wait()
                if self._stopped:
                    return
                self._debounce()
                self._dirty = False
                documents = list(self._documents.values())
                recent = list(self._recent)
                saved, self._saved = self._saved, set()
                disk, self._disk = self._disk, set()
                reload, self._reload = self._reload, False
                settings = self._settings
            if reload:
                self._forget()
            try:
                self._check(documents, recent, saved, disk, settings)
            except Exception:  # a bug: say so, and go on with the next edit
                log.exception("check failed")
                self._say("tclint: the check failed; `tclint lsp --log FILE` says why")
                self._forget()
            self._tidy()

    def _debounce(self) -> None:
        """Wait, with the lock held, until nobody has typed for a moment."""
        first = time.monotonic()
        wait = self._settings.debounce
        while self._dirty:
            now = time.monotonic()
            left = min(self._last_change + wait, first + LONGEST_WAIT) - now
            if left <= 0:
                return
            self._wake.wait(left)

    def _quiet(self, seconds: float) -> bool:
        """True when nothing comes in for so long."""
        with self._wake:
            return not self._wake.wait_for(lambda: self._dirty or self._stopped, seconds)

    def _forget(self) -> None:
        self._sessions.clear()
        self._roots.clear()
        self._problems.clear()

    def _tidy(self) -> None:
        if time.monotonic() - self._collected > COLLECT_AFTER and not self._dirty:
            gc.collect(1)
            self._collected = time.monotonic()

    # ------------------------------------------------------------ projects

    def root_of(self, path: str) -> str:
        """The folder of the configuration that holds for a file, else of its project."""
        folder = os.path.dirname(path)
        known = self._roots.get(folder)
        if known is None:
            try:
                known = config.load((path,), folder).root
            except ConfigError:
                known = self._folder_of(path) or folder
            self._roots[folder] = known
        return known

    def _folder_of(self, path: str) -> str | None:
        above = [f for f in self.folders if path.startswith(f.rstrip(os.sep) + os.sep)]
        return max(above, key=len, default=None)

    def _session(self, root: str, settings: Settings) -> Session | None:
        known = self._sessions.get(root)
        if known is not None:
            return known
        from torch_compile_lint.session import Session

        try:
            session = Session(Request(paths=(), cwd=root, overrides=settings.overrides))
        except ConfigError as problem:
            if self._problems.get(root) != str(problem):
                self._problems[root] = str(problem)
                self._say(f"tclint: {problem}")
            return None
        self._problems.pop(root, None)
        session.stop = self._interrupted
        self._sessions[root] = session
        return session

    def _interrupted(self) -> bool:
        return self._dirty or self._stopped

    # ------------------------------------------------------------ one round

    def _check(
        self,
        documents: list[Document],
        recent: list[str],
        saved: set[str],
        disk: set[str],
        settings: Settings,
    ) -> None:
        groups: dict[str, list[Document]] = {root: [] for root in self._sessions}
        for document in documents:
            groups.setdefault(self.root_of(document.path), []).append(document)
        newest = recent[0] if recent else ""
        for root, group in sorted(groups.items(), key=lambda g: all(d.path != newest for d in g[1])):
            session = self._session(root, settings)
            if session is None:
                for document in group:
                    self._publish_nothing(document)
                continue
            for path in saved:
                session.saved(path)
            session.sync({d.path: d.text for d in group})
            for path in disk:
                session.disk_changed(path)
            if not self._finish(session, group, recent):
                return
            # Callers take a moment to be found: not between two keystrokes.
            if settings.scope == "workspace" and not session.wide:
                if not self._quiet(IDLE):
                    return
                session.widen()
                if not self._finish(session, group, recent):
                    return
            for _ in session.prepare([p for p in recent if p in {d.path for d in group}]):
                if self._dirty:
                    return

    def _finish(self, session: Session, group: list[Document], recent: list[str]) -> bool:
        """Work until nothing is left; False where an edit came in between."""
        by_path = {d.path: d for d in group}
        order = [p for p in recent if p in by_path]
        waiting = set(by_path)
        steps = session.work(order)
        while True:
            for path in [p for p in (*order, *by_path) if p in waiting]:
                if not session.waits_for(path):
                    waiting.discard(path)
                    self._publish(by_path[path], session.answer(path), session)
            done = next(steps, None)
            if self._dirty and (done is None or session.busy):
                return False
            if done is None:
                break
        for path, document in by_path.items():  # roots elsewhere may have had more to say
            self._publish(document, session.answer(path), session)
        return True

    def _publish_nothing(self, document: Document) -> None:
        from torch_compile_lint.session import Answer

        self._publish(document, Answer((), (), (), document.text), None)  # type: ignore[arg-type]
