"""Creating, opening and closing sessions. All answer with the session's state."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.json_members import EntryJson
from sessiond_protocol.method import Method
from sessiond_protocol.session.state import SessionState
from sessiond_protocol.wire import Path, wire


@wire
class SessionParams:
    """Params of methods that need nothing but the session."""

    session: Annotated[str, Meta(description="Handle of the session.")]


@wire
class CreateParams:
    """A new session; its file appears with the first user or assistant message."""

    cwd: Annotated[str, Meta(description="Working directory; resolved, `~` expanded.")]
    sessionDir: Annotated[
        Path | UnsetType | None,
        Meta(description="Directory for the file, in place of the profile's."),
    ] = UNSET
    id: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "Id of the new session: letters, digits, `-`, `_`, `.`, a letter or digit at both"
                " ends. Absent: a UUID version 7."
            )
        ),
    ] = UNSET
    parentSession: Annotated[
        str | UnsetType | None,
        Meta(description="Path of the session this one goes back to; kept in the header."),
    ] = UNSET


@wire
class OpenParams:
    """A session file to open. One that is missing or empty becomes a new session there."""

    path: Annotated[Path, Meta(description="The session file.")]
    sessionDir: Annotated[
        Path | UnsetType | None,
        Meta(description="Directory for sessions branched off; absent: that of the file."),
    ] = UNSET
    cwd: Annotated[
        str | UnsetType | None,
        Meta(description="Working directory in place of the one in the header."),
    ] = UNSET
    readOnly: Annotated[
        bool | None,
        Meta(description="Refuse writes; an old file is migrated in memory only."),
    ] = False
    follow: Annotated[bool | None, Meta(description="Let the leaf move with that of the file.")] = (
        False
    )
    mustExist: Annotated[
        bool | None, Meta(description="Refuse a missing file (`SessionNotFound`).")
    ] = False


@wire
class ContinueRecentParams:
    """The most recent session of a working directory, or a new one if there is none."""

    cwd: Annotated[str, Meta(description="Working directory; resolved, `~` expanded.")]
    sessionDir: Annotated[
        Path | UnsetType | None,
        Meta(description="Directory to look in, in place of the profile's."),
    ] = UNSET


@wire
class InMemoryParams:
    """A session without a file."""

    cwd: Annotated[
        str | UnsetType | None,
        Meta(description="Working directory; absent: that of the daemon."),
    ] = UNSET
    id: Annotated[
        str | UnsetType | None, Meta(description="Id of the session, as in `session/create`.")
    ] = UNSET
    entries: Annotated[
        list[EntryJson] | UnsetType | None,
        Meta(description="Entries to begin with, in file order; a header may come first."),
    ] = UNSET


@wire
class ForkFromParams:
    """A session to copy whole into a new file that names it as parent."""

    sourcePath: Annotated[Path, Meta(description="The session file to copy.")]
    targetCwd: Annotated[str, Meta(description="Working directory of the new session.")]
    sessionDir: Annotated[
        Path | UnsetType | None,
        Meta(description="Directory for the new file, in place of the profile's."),
    ] = UNSET
    id: Annotated[
        str | UnsetType | None, Meta(description="Id of the new session, as in `session/create`.")
    ] = UNSET


@wire
class NewSessionParams:
    """A fresh session for a handle; the working directory stays."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    id: Annotated[
        str | UnsetType | None, Meta(description="Id of the new session, as in `session/create`.")
    ] = UNSET
    parentSession: Annotated[
        str | UnsetType | None,
        Meta(description="Path of the session this one goes back to; kept in the header."),
    ] = UNSET


@wire
class SetSessionFileParams:
    """Another file for a handle. An in-memory handle loads it and never writes it."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    path: Annotated[Path, Meta(description="The session file.")]


@wire
class CreateBranchedSessionParams:
    """A leaf whose branch becomes a session of its own; the handle moves to the new file."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    leafId: Annotated[str, Meta(description="Last entry of the branch to take.")]


_READ = ("PathNotAllowed", "ReadFailed", "Busy")
_OPEN = (*_READ, "InvalidSessionFile", "WriteFailed")

METHODS = (
    Method(
        "session/create",
        CreateParams,
        SessionState,
        "Begin a new session.",
        ("InvalidSessionId", "AlreadyExists", "PathNotAllowed", "WriteFailed"),
    ),
    Method(
        "session/open",
        OpenParams,
        SessionState,
        "Open a session file; versions 1 and 2 are migrated on disk unless `readOnly`.",
        (*_OPEN, "SessionNotFound", "AlreadyExists"),
        repeatable=True,
    ),
    Method(
        "session/continueRecent",
        ContinueRecentParams,
        SessionState,
        "Open the most recent session of a working directory, or begin one.",
        _OPEN,
    ),
    Method(
        "session/inMemory",
        InMemoryParams,
        SessionState,
        "Begin a session that has no file.",
        ("InvalidSessionId", "InvalidSessionFile"),
    ),
    Method(
        "session/forkFrom",
        ForkFromParams,
        SessionState,
        "Copy a session into a new file for another working directory and open that.",
        (*_OPEN, "SessionNotFound", "InvalidSessionId", "AlreadyExists"),
    ),
    Method(
        "session/close",
        SessionParams,
        None,
        "Let go of a handle.",
        ("UnknownSession",),
        repeatable=True,
    ),
    Method(
        "session/getState",
        SessionParams,
        SessionState,
        "The session as it is now.",
        ("UnknownSession", "ReadFailed"),
        repeatable=True,
    ),
    Method(
        "session/newSession",
        NewSessionParams,
        SessionState,
        "Begin a new session under the same handle.",
        ("UnknownSession", "InvalidSessionId", "AlreadyExists", "PathNotAllowed", "ReadOnly"),
    ),
    Method(
        "session/setSessionFile",
        SetSessionFileParams,
        SessionState,
        "Turn the handle to another session file.",
        ("UnknownSession", *_OPEN),
    ),
    Method(
        "session/createBranchedSession",
        CreateBranchedSessionParams,
        SessionState,
        "Take one branch into a new session file and turn the handle to it.",
        (
            "UnknownSession",
            "EntryNotFound",
            "ReadFailed",
            "WriteFailed",
            "AlreadyExists",
            "PathNotAllowed",
            "ReadOnly",
        ),
    ),
)
