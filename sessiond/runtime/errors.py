"""The errors of the contract as exceptions, with their form on the wire."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, ClassVar

from sessiond_protocol.errors import ERROR_KINDS

profile_name: ContextVar[Callable[[], str]] = ContextVar("profile name", default=lambda: "pi")
"""Returns the name of the profile of the client that this context serves."""


class SessiondError(Exception):
    """An error kind of the contract. On the wire `data` also has `kind` and `retryable`."""

    kind: ClassVar[str]

    def __init__(self, message: str, **data: Any) -> None:
        super().__init__(message)
        self.message = message
        self.data = data

    @property
    def code(self) -> int:
        return ERROR_KINDS[self.kind].code

    @property
    def retryable(self) -> bool:
        return ERROR_KINDS[self.kind].retryable


_TYPES = {
    b'"': "a string",
    b"{": "an object",
    b"[": "an array",
    b"t": "a boolean",
    b"f": "a boolean",
    b"n": "null",
}
"""First byte of a JSON value → its type; all others begin a number."""


_STEP = re.compile(r"\.([^.\[\]]+)|\[([0-9]+)\]")
"""One step of a JSON path: a member's name, or an index. Keys of maps are not named (`[...]`)."""


class InvalidParams(Exception):
    """Params that violate the contract (-32602); `path` is a JSON path such as `$.message.role`.

    The message begins with the path: `$.message.role: expected a string, got a number`. On the wire
    `data.pointer` names the same place.
    """

    def __init__(self, problem: str, path: str = "$") -> None:
        self.message = f"{path}: {problem}"
        self.path = path
        super().__init__(self.message)

    @property
    def pointer(self) -> str:
        """The place as a JSON pointer (RFC 6901) into the params: `/message/role`."""
        steps = (name or index for name, index in _STEP.findall(self.path))
        return "".join(f"/{step.replace('~', '~0').replace('/', '~1')}" for step in steps)

    @classmethod
    def misfit(cls, expected: str, sent: bytes | None, path: str) -> InvalidParams:
        """Return the error for a value of the wrong type; None: it is missing."""
        if sent is None:
            return cls("required member is missing", path)
        return cls(f"expected {expected}, got {_TYPES.get(sent[:1], 'a number')}", path)


class InvalidRequest(Exception):
    """A request that is not allowed at this moment (-32600)."""


class ProtocolError(Exception):
    """An error of a protocol that is based on JSON-RPC: its code, and `data` if there is any."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = {} if data is None else {"data": data}


class UnknownSession(SessiondError):
    kind = "UnknownSession"

    def __init__(self, session: str) -> None:
        super().__init__(
            f"No open session has the handle {session}; open it again", session=session
        )


class SessionNotFound(SessiondError):
    kind = "SessionNotFound"

    def __init__(self, path: str) -> None:
        super().__init__(f"Session file not found: {path}", path=path)

    @classmethod
    def by_id(cls, session_id: str) -> SessionNotFound:
        """Return the error for an id that no session has."""
        error = cls(session_id)
        error.message = f"No session has the id {session_id}"
        return error


class InvalidSessionFile(SessiondError):
    """The file is neither empty nor a session. It was not changed.

    The message names the profile of the client that gets it, as pi does. Clients with different
    profiles may use the same document, so it is not known where the error is raised.
    """

    kind = "InvalidSessionFile"

    def __init__(self, path: str, line: int) -> None:
        super().__init__("", path=path, line=line)

    @property
    def message(self) -> str:
        name = profile_name.get()()
        return self._message or f"Session file is not a valid {name} session: {self.data['path']}"

    @message.setter
    def message(self, message: str) -> None:
        self._message = message

    def __str__(self) -> str:
        return self.message


class EntryNotFound(SessiondError):
    kind = "EntryNotFound"

    def __init__(self, entry_id: str) -> None:
        super().__init__(f"Entry {entry_id} not found", entryId=entry_id)


class NotEditable(SessiondError):
    kind = "NotEditable"

    def __init__(self, message: str, entry_id: str) -> None:
        super().__init__(message, entryId=entry_id)


class LeafConflict(SessiondError):
    kind = "LeafConflict"

    def __init__(self, what: str, expected: str | None, leaf: str | None, tip: str | None) -> None:
        actual = leaf if what == "leaf" else tip
        super().__init__(
            f"Expected the {what} to be {expected or 'before any entry'},"
            f" but it is {actual or 'before any entry'}; read the new entries and try again",
            expected=expected,
            leafId=leaf,
            tipId=tip,
        )


class IdConflict(SessiondError):
    kind = "IdConflict"

    def __init__(self, entry_id: str) -> None:
        super().__init__(
            f"Another entry has the id {entry_id}; nothing was written", entryId=entry_id
        )


class _FileError(SessiondError):
    verb: ClassVar[str]

    def __init__(self, path: str, error: OSError) -> None:
        strerror = error.strerror or os.strerror(error.errno or 0)
        super().__init__(
            f"Cannot {self.verb} {path}: {strerror}",
            path=path,
            errno=error.errno or 0,
            strerror=strerror,
        )


class WriteFailed(_FileError):
    kind = "WriteFailed"
    verb = "write"


class ReadFailed(_FileError):
    kind = "ReadFailed"
    verb = "read"


class PathTooLong(ReadFailed):
    """No file can have such a path; the error has only its beginning."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path[:80]}…", OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
        )


class PathNotAllowed(SessiondError):
    kind = "PathNotAllowed"

    def __init__(self, path: str) -> None:
        super().__init__(f"Path lies outside the allowed roots: {path}", path=path)


class ReadOnly(SessiondError):
    kind = "ReadOnly"

    def __init__(self, path: str | None, reason: str = "") -> None:
        """`reason`: why, for people; "" if it was opened so."""
        message = f"Session is open for reading only: {path or '(in memory)'}"
        super().__init__(f"{message} ({reason})" if reason else message, path=path or "")


class InvalidSessionId(SessiondError):
    kind = "InvalidSessionId"

    def __init__(self, session_id: str) -> None:
        super().__init__(
            "Session id must be non-empty, contain only alphanumeric characters, '-', '_', and '.',"
            " and start and end with an alphanumeric character",
            id=session_id,
        )


class TooLarge(SessiondError):
    kind = "TooLarge"

    def __init__(self, what: str, limit: int) -> None:
        super().__init__(f"{what} is larger than the limit of {limit} bytes", limit=limit)


class AlreadyExists(SessiondError):
    kind = "AlreadyExists"

    def __init__(self, path: str) -> None:
        super().__init__(f"File exists already: {path}", path=path)


class Busy(SessiondError):
    kind = "Busy"

    def __init__(self, path: str, owner: str) -> None:
        super().__init__(f"{path} is locked by {owner}; try again later", path=path, owner=owner)


class StoreChanged(Busy):
    """A process that ignores locks changed a store at the same time."""

    def __init__(self, path: str) -> None:
        super().__init__(path, "another process, which writes it without a lock")


class InvalidQuery(SessiondError):
    kind = "InvalidQuery"


class TimedOut(SessiondError):
    kind = "TimedOut"


class InvalidCursor(SessiondError):
    kind = "InvalidCursor"


class Unsupported(SessiondError):
    """The operation is impossible for `path`; `instead` tells people what to do."""

    kind = "Unsupported"

    def __init__(self, message: str, path: str, instead: str) -> None:
        super().__init__(message, path=path, instead=instead)


class UnsupportedVersion(SessiondError):
    """The client speaks none of the protocol versions that this daemon speaks."""

    kind = "UnsupportedVersion"

    def __init__(self, supported: str) -> None:
        super().__init__(f"This daemon speaks protocol version {supported}", supported=[supported])


def how_to_install(package: str, extra: str) -> str:
    """Return what to do where a package is missing that only an extra of sessiond needs."""
    return (
        f"install the package {package} beside sessiond, or sessiond with this extra: pip install"
        f" '.[{extra}]' in a checkout of it"
    )


class GatewayRejected(SessiondError):
    kind = "GatewayRejected"

    def __init__(self, message: str, rule: str) -> None:
        super().__init__(message, rule=rule)


class InUse(SessiondError):
    kind = "InUse"

    def __init__(self, path: str, writers: Mapping[int, str], message: str | None = None) -> None:
        """`writers` has the names of the programs by process; an empty name is not known."""
        if message is None:
            programs = ", ".join(
                f"{name or 'another program'} (process {pid})" for pid, name in writers.items()
            )
            message = f"Session is open for writing in {programs}: {path}"
        super().__init__(message, path=path, pids=list(writers))


class OutOfResources(SessiondError):
    """The process has too few descriptors, too little memory or too few threads."""

    kind = "OutOfResources"

    def __init__(self, strerror: str) -> None:
        super().__init__(
            f"The daemon is short of resources: {strerror}; try again later", strerror=strerror
        )

    @classmethod
    def of(cls, error: BaseException) -> OutOfResources | None:
        """Convert an exception of Python; None if it means anything else."""
        if isinstance(error, MemoryError):
            return cls(os.strerror(errno.ENOMEM))
        if isinstance(error, OSError) and error.errno in _SHORTAGES:
            return cls(os.strerror(error.errno))
        if isinstance(error, ReadFailed) and error.data["errno"] in _SHORTAGES:
            # Nothing is wrong with the file.
            return cls(os.strerror(error.data["errno"]))
        if isinstance(error, RuntimeError) and str(error) == "can't start new thread":
            return cls("No thread can be started")
        if isinstance(error, ImportError):
            # Of a library that is loaded, only a text is passed on.
            texts = (*map(os.strerror, _SHORTAGES), *_LOADER_TEXTS)
            return next((cls(text) for text in texts if text in str(error)), None)
        return None


_LOADER_TEXTS = ("failed to map segment", "cannot map zero-fill pages")
_SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS)
