"""Read databases of agents without a trace: no byte is written, no file created, no lock kept.

A connection is closed after each reading. SQLite opens the database for reading only, and

* beside a program that has it open, maps its `-shm` for reading only (`readonly_shm`);
* without a `-wal`, reads it as `immutable`, without any lock;
* with a `-wal` alone, as after a crash or in a copy, keeps an index in memory, also without locks:
  it does so in its exclusive locking mode. Every program that opens the database creates the
  `-shm` first.

A reading during which the files were replaced, or without locks changed, is done again. Readers in
WAL mode never wait for the writer, nor the writer for them.
"""

from __future__ import annotations

import errno
import functools
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from typing import TypeVar
from urllib.parse import quote

import apsw
import attrs

from sessiond.files import disk
from sessiond.files.identity import stat_regular
from sessiond.runtime.errors import Busy, ReadFailed, SessiondError, SessionNotFound, Unsupported

_T = TypeVar("_T")

_BUSY_MS = 1000
"""How long a reading waits for a lock, which others hold only while they recover a database."""
_TRIES = 3
_SHM_BYTES = 32 * 1024
"""The size of the parts in which SQLite maps a `-shm` file."""
_WRITING = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
_FLAGS = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
_OF_DESCRIPTORS = "/proc/self/fd"
_NS_PER_MS = 1_000_000
_MOST_MS = 2**63 // _NS_PER_MS - 1


class _ReadOnlyFiles(apsw.VFS):
    """The system's files, opened for reading only, by the names given."""

    def __init__(self, base: str) -> None:
        self.base = base
        super().__init__(f"reads-only-{base}", base=base)

    def xOpen(  # noqa: N802 - the name is SQLite's
        self, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> apsw.VFSFile:
        flags[0] = flags[0] & ~_WRITING | apsw.SQLITE_OPEN_READONLY
        if flags[0] & apsw.SQLITE_OPEN_WAL:
            # Of a `-wal` SQLite sets the owner for root, which a watcher would notice each time.
            flags[0] ^= apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_SUPER_JOURNAL
        return apsw.VFSFile(self.base, name, flags)

    def xFullPathname(self, name: str) -> str:  # noqa: N802 - likewise
        # Links were resolved before, inside the roots.
        return name


@functools.cache
def _register() -> list[_ReadOnlyFiles]:
    """SQLite knows a VFS as long as its object exists."""
    return [_ReadOnlyFiles("unix"), _ReadOnlyFiles("unix-none")]


_Files = tuple[object, ...]
"""How to open a database, and the states of its files on which a reading depends."""


def _files(database: str) -> _Files:
    """The present files. Raises SessionNotFound."""
    real = disk.realpath(database)
    main, wal, shm = (stat_regular(name) for name in (database, f"{real}-wal", f"{real}-shm"))
    if main is None:
        raise SessionNotFound(database)
    content = main.st_dev, main.st_ino, main.st_size, main.st_mtime_ns, main.st_ctime_ns
    if wal is None:
        if disk.lexists(f"{real}-journal"):
            return "reads-only-unix", "mode=ro", content[:2]
        return "reads-only-unix", "mode=ro&immutable=1", content
    # A program that reads a mapped part of a file which was cut off is ended by SIGBUS.
    if shm is not None and shm.st_size >= _SHM_BYTES:
        return "reads-only-unix", "mode=ro&readonly_shm=1", content[:2]
    return "reads-only-unix-none", "mode=ro", content, wal.st_ino, wal.st_size, wal.st_mtime_ns


@attrs.frozen
class Maker:
    """The program whose databases are read, for messages: its name, and its versions in words."""

    name: str
    versions: str


def read(database: str, work: Callable[[apsw.Connection], _T], maker: Maker) -> _T:
    """Call `work` with a connection in one read transaction. Blocking.

    `work` may be called several times. Raises what it raises, SessionNotFound if there is no
    database, ReadFailed if it cannot be read or is damaged, Busy if it stays locked, and
    Unsupported if it lacks the tables or columns that `work` needs.
    """
    _register()
    for _ in range(_TRIES):
        failed: apsw.Error | SessiondError | None = None
        try:
            before = _files(database)
            try:
                result = _read(database, work, maker, before)
            except (apsw.Error, SessiondError) as error:
                failed = error
            if _files(database) != before:
                continue
        except FileNotFoundError:
            # A file or a directory has vanished after it was seen.
            continue
        except OSError as error:
            raise ReadFailed(database, error) from None
        if failed is not None:
            raise _refused(database, failed, maker) from None
        return result
    raise Busy(database, f"{maker.name}, which opens and closes it all the time")


def _read(database: str, work: Callable[[apsw.Connection], _T], maker: Maker, files: _Files) -> _T:
    vfs, how, *_ = files
    with _opened(database, str(vfs), str(how)) as connection:
        try:
            encoding = connection.execute("PRAGMA encoding").get
            if encoding != "UTF-8":
                raise _unsupported(database, connection, maker, f"its encoding is {encoding}")
            return work(connection)
        except apsw.SQLError as error:
            raise _unsupported(database, connection, maker, str(error)) from None
        except UnicodeDecodeError as error:
            raise apsw.CorruptError(f"A text is not UTF-8: {error.reason}") from None


@contextmanager
def _opened(database: str, vfs: str, how: str) -> Iterator[apsw.Connection]:
    """A connection in a transaction, which it ends."""
    name, directory = disk.realpath(database), None
    if disk.is_confined() and os.path.isdir(_OF_DESCRIPTORS):  # noqa: TID251
        # A name that cannot lead outside the roots.
        above, name = os.path.split(name)
        directory = disk.open(above, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        name = f"{_OF_DESCRIPTORS}/{directory}/{name}"
    try:
        connection = apsw.Connection(f"file:{quote(name)}?{how}", flags=_FLAGS, vfs=vfs)
        try:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.set_busy_timeout(_BUSY_MS)
            if vfs.endswith("none"):
                connection.execute("PRAGMA locking_mode=EXCLUSIVE").fetchall()
            connection.execute("BEGIN")
            yield connection
        finally:
            connection.close()
    finally:
        if directory is not None:
            os.close(directory)


def state_of(
    status: os.stat_result, name: str, content: str, size: int, at_ms: int
) -> os.stat_result:
    """Return the state of a session as that of a file, which differs for every content.

    `status` is that of the database. Times have milliseconds; the rest is a digest.
    """
    inode, changes = _digest(f"{status.st_ino} {name}"), _digest(content)
    at_ns = min(at_ms, _MOST_MS) * _NS_PER_MS + changes % _NS_PER_MS
    mode = stat.S_IFREG | stat.S_IRUSR
    return os.stat_result(
        [mode, inode >> 1, status.st_dev, 1, status.st_uid, status.st_gid, size, 0, 0, 0],
        {"st_atime_ns": at_ns, "st_mtime_ns": at_ns, "st_ctime_ns": at_ns},
    )


def _digest(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest())


def columns(connection: apsw.Connection, table: str) -> set[str]:
    """The columns of a table; none if there is no such table."""
    rows = connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
    return {name for (name,) in rows}


def _unsupported(database: str, connection: apsw.Connection, maker: Maker, why: str) -> Unsupported:
    version = connection.execute("PRAGMA user_version").get
    return Unsupported(
        f"{database} is not a session database as {maker.versions} makes it, but of schema"
        f" {version}: {why}",
        database,
        f"use a newer sessiond, or {maker.name} itself",
    )


def _refused(database: str, error: apsw.Error | SessiondError, maker: Maker) -> SessiondError:
    if isinstance(error, SessiondError):
        return error
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return Busy(database, maker.name)
    if isinstance(error, apsw.CorruptError | apsw.NotADBError | apsw.FormatError):
        return ReadFailed(database, OSError(errno.EIO, f"The database is damaged ({error})"))
    return ReadFailed(database, OSError(errno.EIO, str(error)))
