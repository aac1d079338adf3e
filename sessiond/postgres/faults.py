"""Errors of the database as errors of the contract."""

from __future__ import annotations

import errno
import os
import re

import psycopg
from psycopg import errors as pg

from sessiond.runtime.errors import (
    Busy,
    OutOfResources,
    ReadFailed,
    ReadOnly,
    SessiondError,
    TimedOut,
    Unsupported,
    WriteFailed,
)

_PASSING = (
    pg.TooManyConnections,
    pg.SerializationFailure,
    pg.DeadlockDetected,
    pg.LockNotAvailable,
    pg.AdminShutdown,
    pg.CrashShutdown,
    pg.CannotConnectNow,
    pg.IdleInTransactionSessionTimeout,
)
"""The server may accept the same request a moment later."""


class StoreBusy(Busy):
    """The store cannot be reached, or did not answer in time."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, "the store")
        self.message = f"The store of sessions cannot be used now: {reason}; try again later"
        self.args = (self.message,)


class StoreReadOnly(ReadOnly):
    """The database, or the rights of its user, do not allow to write."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path)
        self.message = f"The store of sessions cannot be written: {reason}"
        self.args = (self.message,)


class NewerSchema(Unsupported):
    """The schema of the store was migrated by a newer sessiond."""

    def __init__(self, path: str) -> None:
        super().__init__(
            "The store was brought to a newer version of its schema than this sessiond can use",
            path,
            "install a newer sessiond",
        )


class NoSchema(Unsupported):
    """The database has no schema of sessiond, or an older one."""

    def __init__(self, url: str, version: int, newest: int) -> None:
        what = f"version {version} of the schema" if version else "no schema of sessiond"
        super().__init__(
            f"The database has {what}; this sessiond needs version {newest}",
            url,
            "run `sessiond store migrate` as its owner",
        )


def is_passing(error: psycopg.Error) -> bool:
    """Whether the same request may succeed soon, on this connection or on another one."""
    if isinstance(error, _PASSING):
        return True
    # Without a code from the server, the connection was lost or could not be made.
    lost = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return lost and error.sqlstate is None and not _is_refused(error)


def _is_refused(error: psycopg.Error) -> bool:
    """Whether the server refused the user; while connecting, that has no code."""
    text = str(error)
    return "authentication failed" in text or "does not exist" in text


_QUOTED = re.compile(
    r"""(\b(?:server at|user|role|database) "[^"@]*"|\bhost '[^'@]*')|".*?"|'.*?'""", re.DOTALL
)
"""Text that libpq quotes; the group is what certainly is not a part of a password."""


def said(error: psycopg.Error) -> str:
    """The message of the database about an error, without parts of the URL.

    libpq quotes what it cannot read in a URL, and takes a part of a password for a host or a port
    if it was not percent-encoded.
    """
    text = str(error).strip() or type(error).__name__
    if error.sqlstate is not None:
        return text
    if isinstance(error, psycopg.ProgrammingError):
        # The URL may contain quotation marks itself.
        return re.sub(r"[\"'].*[\"']", "…", text, flags=re.DOTALL)
    return _QUOTED.sub(lambda match: match[1] or "…", text)


def reason_of(error: psycopg.Error) -> str:
    """The first line of what the database says about an error, or the name of its class."""
    return said(error).partition("\n")[0]


def translated(error: psycopg.Error, path: str, *, writes: bool = False) -> SessiondError:
    """The error of the contract for an error that trying again does not cure."""
    reason = reason_of(error)
    failure: SessiondError
    match error:
        case pg.ReadOnlySqlTransaction():
            failure = StoreReadOnly(path, "the server is a read-only replica")
        case pg.InsufficientPrivilege():
            failure = StoreReadOnly(path, reason)
        case pg.DiskFull():
            failure = WriteFailed(path, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
        case pg.OutOfMemory():
            failure = OutOfResources("the database has too little memory")
        case pg.FeatureNotSupported() | pg.UndefinedFunction() | pg.UndefinedColumn():
            failure = NewerSchema(path)
        case pg.ObjectNotInPrerequisiteState():
            failure = Unsupported(
                "The store was brought up to date, and not all its texts are made yet",
                path,
                "wait for `sessiond store migrate`, or run it again as the owner of the store",
            )
        case pg.QueryCanceled():
            failure = TimedOut("The database needs too long for the answer; ask for less")
        case _ if is_passing(error) or isinstance(error, pg.InsufficientResources):
            failure = StoreBusy(path, reason)
        case _:
            kind = WriteFailed if writes else ReadFailed
            failure = kind(path, OSError(errno.EIO, reason))
    return failure
