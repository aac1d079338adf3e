"""Connections that leave no trace: no byte is written, no file created, and no lock kept.

A reader in SQLite's WAL mode normally creates or changes `-wal` and `-shm` files, and its locks
stay until it closes. So a connection is closed after each reading (or soon: see `kept`), and:

* it opens files for reading only and deletes none (`_ReadOnlyFiles`);
* it maps `-shm` for reading only (`readonly_shm`). If no program has the database open, SQLite then
  uses a copy of its index in memory (https://sqlite.org/wal.html#readonly);
* it reads a database without `-wal` as `immutable`, without any lock;
* it reads a `-wal` without `-shm`, as in a copy, with an index in memory, also without any lock:
  SQLite does so in its exclusive locking mode. Every program that opens the database creates the
  `-shm` first.

A reading without locks is done again if one of the files has changed or appeared when it ends.

Readers in WAL mode never wait for the writer, nor the writer for them.
"""

from __future__ import annotations

import enum
import errno
import functools
import os
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import quote

import apsw
import attrs

from sessiond.agents import many_readings as kept
from sessiond.errors import Busy, ReadFailed, SessiondError, SessionNotFound, Unsupported
from sessiond.files import disk
from sessiond.files.identity import FileState, stat_regular

_T = TypeVar("_T")

_BUSY_MS = 1000
"""How long a reading waits for a lock, which others hold only while they recover a database."""

_TRIES = 5
_SHM_BYTES = 32 * 1024
"""The size of the parts in which SQLite maps a `-shm` file."""

_WRITING = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
_FLAGS = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI


class _UnlockedFile(apsw.VFSFile):
    """A file on which no lock is ever taken."""

    def xLock(self, level: int) -> None:  # noqa: N802 - the name is SQLite's
        pass

    def xUnlock(self, level: int) -> None:  # noqa: N802 - likewise
        pass


class _ReadOnlyFiles(apsw.VFS):
    """The system's files, opened for reading only, by the names given."""

    def __init__(self, name: str, file: type[apsw.VFSFile]) -> None:
        super().__init__(name, base="unix")
        self._file = file

    def xOpen(  # noqa: N802 - the name is SQLite's
        self, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> apsw.VFSFile:
        flags[0] = flags[0] & ~_WRITING | apsw.SQLITE_OPEN_READONLY
        if flags[0] & apsw.SQLITE_OPEN_WAL:
            # As root, SQLite sets the owner of each `-wal` that it opens, which changes a time.
            flags[0] ^= apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_SUPER_JOURNAL
        return self._file("unix", name, [flags[0], flags[0]])

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: ARG002, N802 - likewise
        raise apsw.ReadOnlyError(filename)

    def xFullPathname(self, name: str) -> str:  # noqa: N802 - likewise
        # Links were resolved before, inside the roots.
        return name


class _Mode(enum.Enum):
    """How a database is opened: the name of its VFS, and the parameters."""

    SHARED = "sessiond-reads-only", "readonly_shm=1"
    IMMUTABLE = "sessiond-reads-only", "immutable=1"
    ALONE = "sessiond-reads-alone", "mode=ro"


@functools.cache
def _register() -> list[_ReadOnlyFiles]:
    """SQLite knows a VFS as long as its object exists."""
    return [
        _ReadOnlyFiles(_Mode.SHARED.value[0], apsw.VFSFile),
        _ReadOnlyFiles(_Mode.ALONE.value[0], _UnlockedFile),
    ]


@attrs.frozen
class _Files:
    """The files of a database as they are at one moment."""

    database: FileState
    wal: FileState | None
    has_rollback_journal: bool
    shm_bytes: int

    @classmethod
    def of(cls, database: str) -> _Files | None:
        """None if there is no database."""
        found = _state(database)
        if found is None:
            return None
        real = disk.realpath(database)
        shm = stat_regular(f"{real}-shm")
        return cls(
            found,
            _state(f"{real}-wal"),
            disk.lexists(f"{real}-journal"),
            0 if shm is None else shm.st_size,
        )

    @property
    def mode(self) -> _Mode:
        if self.wal is None:
            return _Mode.SHARED if self.has_rollback_journal else _Mode.IMMUTABLE
        # A program that reads a mapped part of a file which was cut off is ended by SIGBUS.
        return _Mode.SHARED if self.shm_bytes >= _SHM_BYTES else _Mode.ALONE

    @property
    def key(self) -> object:
        """What an open connection depends on. Without locks it sees no later state."""
        if self.mode is _Mode.SHARED:
            return self.database.key, self.shm_bytes
        return _content(self.database), None if self.wal is None else _content(self.wal)

    def explains_error(self, later: _Files | None) -> bool:
        """Whether an error may come from what changed until the later files."""
        if self.mode is not _Mode.SHARED:
            return later != self
        return later is None or (later.mode, later.database) != (self.mode, self.database)


def _content(state: FileState) -> tuple[int, ...]:
    return state.device, state.inode, state.size, state.mtime_ns, state.ctime_ns


def read(database: str, work: Callable[[apsw.Connection], _T]) -> _T:
    """Call `work` with a connection in one read transaction. Blocking.

    `work` may be called several times. Raises what it raises, SessionNotFound if there is no
    database, ReadFailed if it cannot be read or is damaged, Busy if it stays locked, and
    Unsupported if it lacks the tables or columns that `work` needs.
    """
    _register()
    for _ in range(_TRIES):
        try:
            done = _try_once(database, work)
        except FileNotFoundError:
            # A file or a directory has vanished after it was seen.
            continue
        except OSError as error:
            raise ReadFailed(database, error) from None
        if done is not None:
            return done[0]
    raise Busy(database, "OpenClaw, which opens and closes it all the time")


def _try_once(database: str, work: Callable[[apsw.Connection], _T]) -> tuple[_T] | None:
    """The result; None if the files have changed in a way that may have changed it."""
    before = _Files.of(database)
    if before is None:
        raise SessionNotFound(database)
    try:
        result = _read(database, work, before)
    except (apsw.Error, SessiondError) as error:
        if before.explains_error(_Files.of(database)):
            return None
        raise _refused(database, error) from None
    is_certain = before.mode is _Mode.SHARED or _Files.of(database) == before
    return (result,) if is_certain else None


def _read(database: str, work: Callable[[apsw.Connection], _T], before: _Files) -> _T:
    key = database, disk.roots(), before.mode, before.key
    opened = kept.take(key)
    is_new = not isinstance(opened, _OpenedDatabase)
    if not isinstance(opened, _OpenedDatabase):
        opened = _OpenedDatabase.of(database, before.mode)
    try:
        result = _in_transaction(database, opened.connection, work)
    except BaseException:
        if is_new:
            opened.close()
        else:
            kept.drop(key)
        raise
    if is_new:
        kept.keep(key, opened, opened.close)
    return result


def _in_transaction(
    database: str, connection: apsw.Connection, work: Callable[[apsw.Connection], _T]
) -> _T:
    connection.execute("BEGIN")
    try:
        result = work(connection)
    except apsw.SQLError as error:
        raise _unsupported(database, connection, str(error)) from None
    except UnicodeDecodeError as error:
        raise apsw.CorruptError(f"A text is not UTF-8: {error.reason}") from None
    connection.execute("COMMIT")
    return result


@attrs.frozen
class _OpenedDatabase:
    """A connection, and the descriptor of the directory by which it finds its files."""

    connection: apsw.Connection
    directory: int | None

    @classmethod
    def of(cls, database: str, mode: _Mode) -> _OpenedDatabase:
        vfs, how = mode.value
        name, directory = disk.realpath(database), None
        if disk.is_confined():
            # A name that cannot lead outside the roots.
            above, name = os.path.split(name)
            directory = disk.open(above, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            name = f"/proc/self/fd/{directory}/{name}"
        try:
            uri = f"file:{quote(name)}?mode=ro&{how}"
            opened = cls(apsw.Connection(uri, flags=_FLAGS, vfs=vfs), directory)
        except BaseException:
            if directory is not None:
                os.close(directory)
            raise
        try:
            opened.connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            opened.connection.set_busy_timeout(_BUSY_MS)
            if mode is _Mode.ALONE:
                opened.connection.execute("PRAGMA locking_mode=EXCLUSIVE").fetchall()
            _check_encoding(database, opened.connection)
        except BaseException:
            opened.close()
            raise
        return opened

    def close(self) -> None:
        self.connection.close()
        if self.directory is not None:
            os.close(self.directory)


def _state(database: str) -> FileState | None:
    seen = stat_regular(database)
    return None if seen is None else FileState.of(seen)


def _check_encoding(database: str, connection: apsw.Connection) -> None:
    encoding = connection.execute("PRAGMA encoding").get
    if encoding != "UTF-8":
        raise _unsupported(database, connection, f"its encoding is {encoding}")


def columns(connection: apsw.Connection, table: str) -> set[str]:
    """The columns of a table; none if there is no such table."""
    found = connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
    return {name for (name,) in found}


def _unsupported(database: str, connection: apsw.Connection, why: str) -> Unsupported:
    version = connection.execute("PRAGMA user_version").get
    return Unsupported(
        f"{database} is not a session database as OpenClaw 2026.8 to 2026.9 makes it, but of schema"
        f" {version}: {why}",
        database,
        "use a newer sessiond, or OpenClaw itself",
    )


def _refused(database: str, error: apsw.Error | SessiondError) -> SessiondError:
    if isinstance(error, SessiondError):
        return error
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return Busy(database, "OpenClaw")
    if isinstance(error, apsw.CorruptError | apsw.NotADBError | apsw.FormatError):
        return ReadFailed(database, OSError(errno.EIO, f"The database is damaged ({error})"))
    return ReadFailed(database, OSError(errno.EIO, str(error)))
