"""Create, open and close sessions. Every method that opens one answers its state."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.json_members import EntryJson
from sessiond_protocol.method import Method
from sessiond_protocol.session.state import SessionState
from sessiond_protocol.wire import (
    NULL_IS_A_VALUE,
    ChosenHandle,
    Path,
    required_unless,
    sent_by_clients,
    wire,
)

Follow: TypeAlias = Annotated[
    bool | None,
    Meta(
        description=(
            "Move the handle's leaf whenever the leaf of the file moves, so that appends of others"
            " and own ones continue one branch. A handle that is moved to another entry stops"
            " following."
        )
    ),
]


WithResults: TypeAlias = Annotated[
    bool | None,
    Meta(
        description=(
            "If `leafId` is an answer with tool calls, also copy the results of these calls; else"
            " the copy ends with calls without results, which providers refuse."
        )
    ),
]


@wire
class SessionParams:
    """Params of methods that take only a session."""

    session: Annotated[str, Meta(description="Handle of the session.")]


@wire
class CreateParams:
    """A new session; its file is created with the first user or assistant message."""

    cwd: Annotated[str, Meta(description="Working directory; resolved, `~` expanded.")]
    sessionDir: Annotated[
        Path | UnsetType | None,
        Meta(description="Directory for the file, instead of the profile's."),
    ] = UNSET
    id: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "Id of the new session: letters, digits, `-`, `_` and `.`, with a letter or"
                " digit at both ends. Absent: a UUID version 7."
            )
        ),
    ] = UNSET
    parentSession: Annotated[
        str | UnsetType | None,
        Meta(description="Path of the parent session; stored in the header."),
    ] = UNSET
    follow: Follow = False
    session: ChosenHandle = UNSET


@wire
class OpenParams:
    """A session to open, by its file or its id.

    If the file is missing or empty, a new session is created there. A missing file whose name does
    not end in `.jsonl`, such as an id, is `SessionNotFound`.
    """

    path: Annotated[
        Path | UnsetType | None,
        Meta(description="The session file; absent: `id` names the session."),
        required_unless("id"),
    ] = UNSET
    id: Annotated[
        Annotated[str, Meta(min_length=1)] | UnsetType | None,
        Meta(
            description=(
                "Instead of `path`: the whole id of a session in any directory that the daemon"
                " serves; of several files with one id the latest counts. An unknown id is"
                " `SessionNotFound`."
            )
        ),
    ] = UNSET
    sessionDir: Annotated[
        Path | UnsetType | None,
        Meta(
            description=(
                "Directory for sessions branched off this one; absent: the directory of the file."
            )
        ),
    ] = UNSET
    cwd: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "Working directory to use instead of the one in the header; with `id`: only a"
                " session of this working directory."
            )
        ),
    ] = UNSET
    readOnly: Annotated[
        bool | None,
        Meta(description="Refuse writes; a file of an older version is migrated in memory only."),
    ] = False
    leafId: Annotated[
        str | UnsetType | None,
        NULL_IS_A_VALUE,
        Meta(
            description=(
                "The handle's leaf (null: before the first entry), such as the one it had on an"
                " earlier connection. Absent, or while the file has no such entry: the leaf of the"
                " file."
            )
        ),
    ] = UNSET
    follow: Follow = False
    mustExist: Annotated[
        bool | None,
        Meta(description="Refuse a missing file (`SessionNotFound`)."),
        sent_by_clients(True),
    ] = False
    session: ChosenHandle = UNSET


@wire
class ContinueRecentParams:
    """The most recent session of a working directory, or a new one if there is none."""

    cwd: Annotated[str, Meta(description="Working directory; resolved, `~` expanded.")]
    sessionDir: Annotated[
        Path | UnsetType | None,
        Meta(description="Directory to search instead of the profile's."),
    ] = UNSET
    follow: Follow = False
    session: ChosenHandle = UNSET


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
        Meta(description="Initial entries, in file order; a header may come first."),
    ] = UNSET
    follow: Follow = False
    session: ChosenHandle = UNSET


@wire
class ForkFromParams:
    """A session to copy into a new file, which names it as its parent."""

    sourcePath: Annotated[Path, Meta(description="The session file to copy.")]
    targetCwd: Annotated[str, Meta(description="Working directory of the new session.")]
    sessionDir: Annotated[
        Path | UnsetType | None,
        Meta(description="Directory for the new file, instead of the profile's."),
    ] = UNSET
    id: Annotated[
        str | UnsetType | None, Meta(description="Id of the new session, as in `session/create`.")
    ] = UNSET
    leafId: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "Copy only the branch that ends with this entry, as"
                " `session/createBranchedSession` does; absent: the whole session."
            )
        ),
    ] = UNSET
    withResults: WithResults = False
    follow: Follow = False
    session: ChosenHandle = UNSET


@wire
class NewSessionParams:
    """A new session for an existing handle; the working directory stays the same."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    id: Annotated[
        str | UnsetType | None, Meta(description="Id of the new session, as in `session/create`.")
    ] = UNSET
    parentSession: Annotated[
        str | UnsetType | None,
        Meta(description="Path of the parent session; stored in the header."),
    ] = UNSET


@wire
class SetSessionFileParams:
    """Another file for an existing handle.

    A handle in memory loads the file and never writes it.
    """

    session: Annotated[str, Meta(description="Handle of the session.")]
    path: Annotated[Path, Meta(description="The session file.")]


@wire
class CreateBranchedSessionParams:
    """The branch that becomes a session of its own; the handle moves to the new file."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    leafId: Annotated[str, Meta(description="Last entry of the branch to copy.")]
    withResults: WithResults = False


_READ = ("PathNotAllowed", "ReadFailed", "Busy")
_OPEN = (*_READ, "InvalidSessionFile", "WriteFailed")

METHODS = (
    Method(
        "session/create",
        CreateParams,
        SessionState,
        "Create a session.",
        ("InvalidSessionId", "AlreadyExists", "PathNotAllowed", "WriteFailed"),
    ),
    Method(
        "session/open",
        OpenParams,
        SessionState,
        "Open a session; files of versions 1 and 2 are migrated on disk unless `readOnly`.",
        (*_OPEN, "SessionNotFound", "AlreadyExists"),
        repeatable=True,
    ),
    Method(
        "session/continueRecent",
        ContinueRecentParams,
        SessionState,
        "Open the most recent session of a working directory, or create one.",
        _OPEN,
    ),
    Method(
        "session/inMemory",
        InMemoryParams,
        SessionState,
        "Create a session that has no file.",
        ("InvalidSessionId", "InvalidSessionFile"),
    ),
    Method(
        "session/forkFrom",
        ForkFromParams,
        SessionState,
        ("Copy a session into a new file for another working directory and open the copy."),
        (*_OPEN, "SessionNotFound", "EntryNotFound", "InvalidSessionId", "AlreadyExists"),
    ),
    Method(
        "session/close",
        SessionParams,
        None,
        "Close a handle; one that is not open stays closed.",
        (),
        repeatable=True,
    ),
    Method(
        "session/getState",
        SessionParams,
        SessionState,
        "Read the present state of a session.",
        ("UnknownSession", "ReadFailed"),
        repeatable=True,
    ),
    Method(
        "session/newSession",
        NewSessionParams,
        SessionState,
        "Create a session under the same handle.",
        ("UnknownSession", "InvalidSessionId", "AlreadyExists", "PathNotAllowed", "ReadOnly"),
    ),
    Method(
        "session/setSessionFile",
        SetSessionFileParams,
        SessionState,
        "Switch the handle to another session file.",
        ("UnknownSession", *_OPEN),
    ),
    Method(
        "session/createBranchedSession",
        CreateBranchedSessionParams,
        SessionState,
        "Copy one branch into a new session file and switch the handle to it.",
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
