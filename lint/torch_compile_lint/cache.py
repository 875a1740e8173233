"""One sqlite file of content-addressed bytes; a miss is never an error.

In: a *level* (index, facts, unit, report) and a key text. Out: the bytes stored for them, or
nothing. Values are compressed JSON written by the codecs, never pickle: a cache that came with
a repository must not run code. A file that is corrupt is replaced; one that is locked, read-only
or on a full disk is left alone and the run goes on without it.
"""

from __future__ import annotations

import hashlib
import os
import time
import zlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

FOLDER = ".torch_compile_lint_cache"
FILE = "v1.sqlite"
_KEEP_DAYS = 30
_MOST_WAITING = 16_000_000  # bytes
_TABLE = (
    "CREATE TABLE IF NOT EXISTS entry"
    "(level TEXT, key BLOB, day INTEGER, value BLOB, PRIMARY KEY(level, key)) WITHOUT ROWID"
)


def tool_salt(folders: Iterable[str], parts: Iterable[str]) -> str:
    """A digest of the tool itself: version, Python, and name, size and time of its files.

    Installed packages do not change under their names and sizes, so times count only for a
    checkout: a cache then also survives a reinstall and a copy to another machine.
    """
    digest = hashlib.sha256("\0".join(parts).encode())
    for folder in folders:
        timed = "site-packages" not in folder and "dist-packages" not in folder
        waiting = [folder]
        rows: list[str] = []
        while waiting:
            try:
                entries = list(os.scandir(waiting.pop()))
            except OSError:
                continue
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in ("__pycache__", "cases") and not entry.name.startswith("."):
                        waiting.append(entry.path)
                elif entry.name.endswith((".py", ".toml", ".json")):
                    stat = entry.stat()
                    rows.append(f"{entry.path}:{stat.st_size}:{stat.st_mtime_ns if timed else ''}")
        rows.sort()
        digest.update("\n".join(r[len(folder) :] for r in rows).encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:16]


class Cache:
    """The store of one project. Only the parent process holds one."""

    def __init__(self, folder: str | None, salt: str) -> None:
        """``folder`` None: nothing is kept and everything is a miss."""
        self._salt = salt
        self._path = None if folder is None else os.path.join(folder, FILE)
        self._folder = folder
        self._db: sqlite3.Connection | None = None
        self._opened = False
        self._day = int(time.time() // 86400)
        self._stale: list[tuple[str, bytes]] = []  # rows to mark as used today
        self._waiting: list[tuple[str, bytes, int, bytes]] = []
        self._size = 0  # of what is waiting

    def key(self, *parts: str) -> bytes:
        """The key of one value: everything that decides it."""
        text = "\0".join((self._salt, *parts))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:20]

    def get(self, level: str, key: bytes) -> bytes | None:
        """The value stored under a key, or None."""
        return self.get_many(level, [key]).get(key)

    def get_many(self, level: str, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Those of ``keys`` that are stored, with their values."""
        found: dict[bytes, bytes] = {}
        db = self._open()
        if db is None:
            return found
        import sqlite3

        wanted = list(keys)
        try:
            for at in range(0, len(wanted), 500):
                some = wanted[at : at + 500]
                marks = ",".join("?" * len(some))
                rows = db.execute(
                    f"SELECT key, day, value FROM entry WHERE level = ? AND key IN ({marks})", [level, *some]
                )
                for key, day, value in rows:
                    try:
                        found[key] = zlib.decompress(value)
                    except (zlib.error, TypeError):
                        continue
                    if day != self._day:
                        self._stale.append((level, key))
        except sqlite3.Error as problem:
            self._give_up(problem)
        return found

    def put(self, level: str, values: Mapping[bytes, bytes]) -> None:
        """Keep values until ``flush``, which comes by itself when much is waiting."""
        if self._path is None:
            return
        for key, value in values.items():
            packed = zlib.compress(value, 1)
            self._waiting.append((level, key, self._day, packed))
            self._size += len(packed)
        if self._size > _MOST_WAITING:
            self.flush()

    def flush(self) -> None:
        """Write what was put; forget what nobody asked for in a month."""
        if not self._waiting and not self._stale:
            return
        import sqlite3

        self._make_folder()
        db = self._open(create=True)
        if db is None:
            return
        try:
            with db:
                db.executemany("INSERT OR REPLACE INTO entry VALUES (?, ?, ?, ?)", self._waiting)
                if self._stale:
                    db.executemany(
                        "UPDATE entry SET day = ? WHERE level = ? AND key = ?",
                        [(self._day, level, key) for level, key in self._stale],
                    )
                    db.execute("DELETE FROM entry WHERE day < ?", [self._day - _KEEP_DAYS])
        except sqlite3.Error as problem:
            self._give_up(problem)
        self._waiting.clear()
        self._size = 0
        self._stale.clear()

    def close(self) -> None:
        """Flush and let go of the file."""
        self.flush()
        if self._db is not None:
            self._db.close()
            self._db = None
        self._opened = False

    def _open(self, create: bool = False) -> sqlite3.Connection | None:
        if self._path is None or (self._opened and not create):
            return self._db
        if self._db is not None:
            return self._db
        self._opened = True
        if not create and not os.path.isfile(self._path):
            return None
        import sqlite3

        db = None
        try:
            # The analyzer runs in a thread of its own (for its stack), one at a time.
            db = sqlite3.connect(self._path, timeout=2.0, check_same_thread=False)
            db.execute("PRAGMA synchronous = OFF")
            if create:
                db.execute(_TABLE)
            self._db = db
        except sqlite3.Error as problem:
            if db is not None:
                db.close()
            self._give_up(problem)
        return self._db

    def _give_up(self, problem: Exception) -> None:
        """No cache for the rest of this run; a file that is no database is removed for the next."""
        if self._db is not None:
            self._db.close()
            self._db = None
        text = str(problem)
        if self._path is not None and ("not a database" in text or "malformed" in text):
            try:
                os.unlink(self._path)
            except OSError:
                self._path = None
            return
        if self._path is not None and "no such table" in text:
            return
        self._path = None

    def _make_folder(self) -> None:
        if self._folder is None or os.path.isdir(self._folder):
            return
        try:
            os.makedirs(self._folder, exist_ok=True)
            with open(os.path.join(self._folder, ".gitignore"), "w", encoding="utf-8") as stream:
                stream.write("*\n")
        except OSError:
            self._path = None
