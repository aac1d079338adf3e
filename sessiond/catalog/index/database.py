"""The catalogue's file: what was learned of session files, kept from one daemon to the next.

One SQLite database for all daemons of a user. It is a cache and nothing depends on it: what is in
it counts only for a file that is there and has the same identity, size and times. Where it cannot
be opened, read or written (a full or read-only disk, another's directory, a lock held for long)
work goes on without it; one that is damaged or of another version is set aside and begun anew.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import functools
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping

import apsw
import attrs
from apsw import sqlite_extra

from sessiond.profiles import absolute

logger = logging.getLogger(__name__)

FILE_NAME = "catalog-v2.sqlite3"
_FORMER_NAMES = ("catalog-v1.sqlite3",)
_APPLICATION = 0x73657373
_VERSION = 2
_BUSY_SECONDS = 2.0
_RETRY_SECONDS = 5.0
_STEPS = 20_000
"""Instructions of SQLite between two calls of `alive`: less than a millisecond."""

_IDLE = 4
"""Connections kept open while nobody uses them; each has a cache of its own."""

_DAMAGED = {apsw.SQLITE_CORRUPT, apsw.SQLITE_NOTADB}
_CHECKED = "cksmvfs"
"""SQLite's file layer that keeps a checksum in each page and compares it whenever one is read."""
_CHECKSUM_BYTES = 8

_SCHEMA = """
CREATE TABLE summaries (
  device INTEGER, inode INTEGER, path BLOB, checksum INTEGER, summary BLOB,
  PRIMARY KEY (device, inode)
) WITHOUT ROWID;
-- Which bytes of a file are in the index: [0, offset), of which `tail` is the end. Size and times
-- are those of the file when all of it was; a negative size means that some is still missing.
CREATE TABLE indexed (
  file INTEGER PRIMARY KEY, device INTEGER, inode INTEGER, size INTEGER, mtime_ns INTEGER,
  ctime_ns INTEGER, path BLOB, offset INTEGER, unended INTEGER, tail BLOB, segments INTEGER,
  UNIQUE (device, inode)
);
-- Messages folded and joined, cut in segments: rowid is file << 20 | number of the segment. A body
-- begins with the end of the segment before (up to `own`, in bytes), so that no text is cut.
CREATE TABLE segments (id INTEGER PRIMARY KEY, own INTEGER, body BLOB, messages BLOB);
CREATE VIRTUAL TABLE trigrams USING fts5(
  text, content='', columnsize=0, detail=none, tokenize='trigram case_sensitive 1'
);
"""
_NAMES = {"summaries", "indexed", "segments", "trigrams"}


class Unavailable(Exception):
    """The store cannot be used now; the work is to be done without it."""


class _Foreign(Exception):
    """What lies there is no database of this version."""


@attrs.define(eq=False)
class _Opened:
    connection: apsw.Connection
    inode: int


def store_path(env: Mapping[str, str]) -> str:
    """Where the store of a user lies; see the XDG base directory specification."""
    cache = env.get("XDG_CACHE_HOME", "")
    # The specification has relative ones ignored.
    parent = cache if os.path.isabs(cache) else absolute("~/.cache", env)
    return f"{parent}/sessiond/{FILE_NAME}"


class Store:
    """The database at a path. Every connection is used by one worker at a time, never the loop."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._idle: list[_Opened] = []
        self._guard = threading.Lock()
        self._closed = False
        self._retry_at = 0.0

    @contextlib.contextmanager
    def connection(
        self, *, writing: bool = False, alive: Callable[[], None] | None = None
    ) -> Iterator[apsw.Connection]:
        """A connection for the body; with `writing` in a transaction, which an exception undoes.

        `alive` is called now and then while a statement runs, which fails if it raises.

        Raises Unavailable, also in place of what SQLite raises in the body. Blocking.
        """
        opened = self._take()
        try:
            opened.connection.set_progress_handler(alive and _asking(alive), _STEPS)
            if writing:
                opened.connection.execute("BEGIN IMMEDIATE")
            yield opened.connection
            if writing:
                opened.connection.execute("COMMIT")
        except apsw.Error as error:
            self._drop(opened, error)
            raise Unavailable(str(error)) from error
        except BaseException:
            if opened.connection.in_transaction:
                with contextlib.suppress(apsw.Error):
                    opened.connection.execute("ROLLBACK")
            self._give_back(opened)
            raise
        self._give_back(opened)

    def close(self) -> None:
        """Close what is idle; connections in use are closed when they are given back."""
        with self._guard:
            self._closed = True
            idle, self._idle = self._idle, []
        for opened in idle:
            _close(opened)

    def _take(self) -> _Opened:
        inode = _inode(self.path)
        while True:
            with self._guard:
                if not self._idle:
                    break
                opened = self._idle.pop()
            if opened.inode == inode:
                return opened
            # Another daemon has set the file aside since.
            _close(opened)
        return self._open()

    def _give_back(self, opened: _Opened) -> None:
        with self._guard:
            if not self._closed and len(self._idle) < _IDLE:
                self._idle.append(opened)
                return
        _close(opened)

    def _drop(self, opened: _Opened, error: apsw.Error) -> None:
        _close(opened)
        if _is_damaged(error):
            logger.warning("The catalogue cache is damaged (%s): it is built anew", error)
            with contextlib.suppress(OSError), self._opening():
                if _inode(self.path) == opened.inode:
                    self._set_aside()
        else:
            logger.info("The catalogue cache cannot be used now: %s", error)

    def _open(self) -> _Opened:
        if time.monotonic() < self._retry_at:
            raise Unavailable("It could not be opened a moment ago")
        try:
            self._prepare_directory()
            self._remove_former()
            with self._opening():
                try:
                    return self._connect()
                except (apsw.Error, _Foreign) as error:
                    if isinstance(error, apsw.Error) and not _is_damaged(error):
                        raise
                    logger.info("The catalogue cache is built anew: %s", error)
                    self._set_aside()
                    return self._connect()
        except (OSError, apsw.Error, _Foreign) as error:
            self._retry_at = time.monotonic() + _RETRY_SECONDS
            logger.info("Going on without the catalogue cache %s: %s", self.path, error)
            raise Unavailable(str(error)) from error

    def _prepare_directory(self) -> None:
        directory = os.path.dirname(self.path)
        os.makedirs(os.path.dirname(directory), mode=0o700, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.mkdir(directory, 0o700)
        seen = os.stat(directory)
        if seen.st_uid != os.geteuid():
            raise PermissionError(f"{directory} belongs to somebody else")
        if seen.st_mode & 0o077:
            os.chmod(directory, 0o700)

    def _remove_former(self) -> None:
        # They hold text of sessions, which nobody would ever forget again.
        for name in _FORMER_NAMES:
            for suffix in ("", "-wal", "-shm", ".damaged", ".damaged-wal", ".damaged-shm"):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(f"{os.path.dirname(self.path)}/{name}{suffix}")

    @contextlib.contextmanager
    def _opening(self) -> Iterator[None]:
        """One at a time among all daemons: setting aside must not meet a file half opened."""
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(f"{os.path.dirname(self.path)}/catalog.lock", flags, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _connect(self) -> _Opened:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        # SQLite would create it with the umask's mode; its other files take over this one's.
        os.close(os.open(self.path, flags, 0o600))
        connection = apsw.Connection(self.path, vfs=_checked())
        try:
            connection.set_busy_timeout(int(_BUSY_SECONDS * 1000))
            connection.reserve_bytes("main", _CHECKSUM_BYTES)
            # Segments are read whole: a few large pages instead of many small ones.
            connection.execute("PRAGMA page_size = 16384")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA journal_size_limit = 33554432")
            connection.execute("PRAGMA temp_store = MEMORY")
            self._check(connection)
            connection.execute(
                "CREATE VIRTUAL TABLE temp.occurrences USING fts5vocab(main, trigrams, instance)"
            )
            return _Opened(connection, os.stat(self.path).st_ino)
        except BaseException:
            connection.close()
            raise

    def _check(self, connection: apsw.Connection) -> None:
        application, version = (
            connection.pragma(name) for name in ("application_id", "user_version")
        )
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        if (application, version, names) == (0, 0, set()):
            connection.execute(
                f"BEGIN; {_SCHEMA} PRAGMA application_id = {_APPLICATION};"
                f" PRAGMA user_version = {_VERSION}; COMMIT;"
            )
        elif (application, version) != (_APPLICATION, _VERSION) or not names >= _NAMES:
            raise _Foreign(f"it is of version {version}")
        # What SQLite wrote without that layer, or a damaged first page, has none.
        if str(connection.pragma("checksum_verification")) != "1":
            raise _Foreign("it has no checksums")

    def _set_aside(self) -> None:
        # Who still has it open keeps the old files; SQLite sees that they were moved and leaves
        # the new ones alone.
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.replace(self.path + suffix, f"{self.path}.damaged{suffix}")


def _asking(alive: Callable[[], None]) -> Callable[[], bool]:
    """As SQLite calls it: True would interrupt the statement, and so does what `alive` raises."""

    def ask() -> bool:
        alive()
        return False

    return ask


def _inode(path: str) -> int | None:
    try:
        return os.stat(path).st_ino
    except OSError:
        return None


def _is_damaged(error: apsw.Error) -> bool:
    # The lower byte tells the kind, the others the details.
    code = getattr(error, "extendedresult", 0)
    return code & 0xFF in _DAMAGED or code == apsw.SQLITE_IOERR_DATA


@functools.cache
def _checked() -> str:
    """The name of the layer with checksums, loaded once. Raises OSError where there is none."""
    with contextlib.closing(apsw.Connection(":memory:")) as connection:
        try:
            sqlite_extra.load(connection, "cksumvfs")
        except (LookupError, sqlite_extra.NotAvailable, apsw.Error) as error:
            raise OSError(errno.ENOTSUP, f"SQLite has no checksums here: {error}") from None
    return _CHECKED


def _close(opened: _Opened) -> None:
    with contextlib.suppress(apsw.Error):
        opened.connection.close()
