"""The catalogue's database: a cache of summaries, usage and texts, shared by a user's daemons.

It is one SQLite file, and correctness does not depend on it: a row counts only for a file that
exists with the same identity, size and times. If the database cannot be opened, read or written (a
full or read-only disk, another user's directory, a lock held for long), work continues without it.
A database that is damaged or of another version is removed and created again.

It has a rollback journal. SQLite's other journal, the write-ahead log
(https://www.sqlite.org/wal.html, "Concurrency"), needs a file (`-shm`) that
each process maps into its memory: whoever truncates that file ends all of them with SIGBUS. Without
it, a reader and a commit wait for each other, so no transaction here reads for long.
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

from sessiond.catalog.index.schema import NAMES, SCHEMA
from sessiond.catalog.private_directory import prepare_private
from sessiond.runtime.home import cache_directory

logger = logging.getLogger(__name__)

FILE_NAME = "catalog-v6.sqlite3"
_APPLICATION = 0x73657373
_VERSION = 15
_BUSY_SECONDS = 2.0
_LOCK_STEP = 0.01
_RETRY_SECONDS = 5.0
_STEPS = 20_000
"""Number of SQLite instructions between two calls of `alive`: less than a millisecond."""

_IDLE = 4
"""Maximum number of idle connections; each has its own page cache."""

_DAMAGED = {apsw.SQLITE_CORRUPT, apsw.SQLITE_NOTADB}
_CHECKED = "cksmvfs"
"""The SQLite VFS that keeps a checksum in each page and verifies it on every read."""
_CHECKSUM_BYTES = 8
_PAGE_BYTES = 16 * 1024
_CACHE_KIB = 8 * 1024
"""Size of a connection's page cache: SQLite's own 2 MiB hold few of the vocabulary's pages."""
_SUFFIXES = ("", "-journal")
"""The ends of the names of the database's files."""


class Unavailable(Exception):
    """The cache cannot be used now; the caller works without it."""


class _Foreign(Exception):
    """The file is not a database of this version."""


@attrs.define(eq=False)
class _Opened:
    connection: apsw.Connection
    inode: int


def cache_path(env: Mapping[str, str]) -> str:
    """Path of a user's database."""
    return f"{cache_directory(env)}/{FILE_NAME}"


class SearchCache:
    """The database at a path. One worker thread at a time uses a connection; the loop uses none."""

    def __init__(self, path: str, *, busy_seconds: float | None = None) -> None:
        """`busy_seconds` is how long to wait for the lock of others, by default 2 s."""
        self.path = path
        self._patience = _BUSY_SECONDS if busy_seconds is None else busy_seconds
        self._idle: list[_Opened] = []
        self._guard = threading.Lock()
        self._closed = False
        self._retry_at = 0.0

    @contextlib.contextmanager
    def connection(
        self, *, writing: bool = False, alive: Callable[[], None] | None = None
    ) -> Iterator[apsw.Connection]:
        """A connection for the body; with `writing`, in a transaction that an exception rolls back.

        `alive` is called regularly while a statement runs; the statement fails if it raises.

        Raises Unavailable, also instead of SQLite errors in the body. Blocking.
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
        """Close idle connections; those in use are closed when they are returned."""
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
            # Another daemon has removed the file since.
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
            logger.warning("The catalogue cache is damaged (%s); creating it again", error)
            with contextlib.suppress(OSError), self._opening():
                if _inode(self.path) == opened.inode:
                    self._remove()
        else:
            logger.info("The catalogue cache cannot be used now: %s", error)

    def _open(self) -> _Opened:
        if time.monotonic() < self._retry_at:
            raise Unavailable("It could not be opened a moment ago")
        try:
            prepare_private(os.path.dirname(self.path), follows_links=True)
            with self._opening():
                try:
                    return self._connect()
                except (apsw.Error, _Foreign) as error:
                    if isinstance(error, apsw.Error) and not _is_damaged(error):
                        raise
                    logger.info("Creating the catalogue cache again: %s", error)
                    self._remove()
                    return self._connect()
        except (OSError, apsw.Error, _Foreign) as error:
            self._retry_at = time.monotonic() + _RETRY_SECONDS
            logger.info("Continuing without the catalogue cache %s: %s", self.path, error)
            raise Unavailable(str(error)) from error

    @contextlib.contextmanager
    def _opening(self) -> Iterator[None]:
        """Hold the lock for opening, so that no daemon removes a file that another is opening."""
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(f"{os.path.dirname(self.path)}/catalog.lock", flags, 0o600)
        try:
            until = time.monotonic() + self._patience
            while not _locked(descriptor):
                if time.monotonic() > until:
                    raise OSError(errno.EAGAIN, "another process is opening it")
                time.sleep(_LOCK_STEP)
            yield
        finally:
            os.close(descriptor)

    def _connect(self) -> _Opened:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        # SQLite would create it with the mode of the umask; its other files get the mode of this.
        os.close(os.open(self.path, flags, 0o600))
        connection = apsw.Connection(self.path, vfs=_checked())
        try:
            connection.set_busy_timeout(int(self._patience * 1000))
            connection.reserve_bytes("main", _CHECKSUM_BYTES)
            # A few large pages of words and texts are faster than many small ones.
            connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
            connection.execute("PRAGMA journal_mode = TRUNCATE")
            connection.execute("PRAGMA synchronous = NORMAL")
            # What was deleted must not stay in free pages.
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("PRAGMA temp_store = MEMORY")
            connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
            # A transaction locks readers out when it ends, and not before.
            connection.execute("PRAGMA cache_spill = OFF")
            self._check(connection)
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
                f"BEGIN; {SCHEMA} PRAGMA application_id = {_APPLICATION};"
                f" PRAGMA user_version = {_VERSION}; COMMIT;"
            )
        elif (application, version) != (_APPLICATION, _VERSION) or not names >= NAMES:
            raise _Foreign(f"it is of version {version}")
        # A database written without the VFS, or with a damaged first page, has no checksums.
        if str(connection.pragma("checksum_verification")) != "1":
            raise _Foreign("it has no checksums")

    def _remove(self) -> None:
        # Daemons that still have it open keep the old files; SQLite detects that they are gone and
        # does not touch the new ones. Renamed, the texts of deleted sessions would stay.
        for suffix in _SUFFIXES:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.path + suffix)


def _locked(descriptor: int) -> bool:
    """Take a lock; whether nobody else holds it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _asking(alive: Callable[[], None]) -> Callable[[], bool]:
    """A progress handler for SQLite; an exception of `alive` interrupts the statement."""

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
    # The low byte is the kind of the error, the others are details.
    code = getattr(error, "extendedresult", 0)
    return code & 0xFF in _DAMAGED or code == apsw.SQLITE_IOERR_DATA


@functools.cache
def _checked() -> str:
    """Load the VFS with checksums once; returns its name. Raises OSError if it is missing."""
    with contextlib.closing(apsw.Connection(":memory:")) as connection:
        try:
            _load(connection, "cksumvfs")
        except (LookupError, apsw.Error) as error:
            raise OSError(errno.ENOTSUP, f"SQLite has no checksums here: {error}") from None
    return _CHECKED


def _load(connection: apsw.Connection, extension: str) -> None:
    """Load an extension of apsw. Raises LookupError and apsw.Error."""
    path = os.path.join(os.path.dirname(apsw.__file__), "sqlite_extra_binaries", extension)
    connection.enable_load_extension(True)
    try:
        connection.load_extension(path)
    except apsw.ExtensionLoadingError:
        # apsw looks for it in every way, which takes as long as a list of a thousand sessions.
        from apsw import sqlite_extra

        try:
            sqlite_extra.load(connection, extension)
        except sqlite_extra.NotAvailable as error:
            raise LookupError(str(error)) from None
    finally:
        connection.enable_load_extension(False)


def _close(opened: _Opened) -> None:
    with contextlib.suppress(apsw.Error):
        opened.connection.close()
