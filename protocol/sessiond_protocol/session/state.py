"""What is told about a session: its state, and its line in a list."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.json_members import HeaderJson
from sessiond_protocol.wire import wire

DIAGNOSTIC_KINDS = (
    "malformedLine",
    "notAnEntry",
    "missingId",
    "duplicateId",
    "orphan",
    "selfParent",
    "cycle",
    "secondHeader",
    "tornTail",
    "invalidUtf8",
    "byteOrderMark",
    "unknownVersion",
    "missingTarget",
    "invalidTimestamp",
    "missingNewline",
    "notASession",
    "unreadable",
    "internalError",
)
"""The kinds of diagnostics and problems; later versions may add to them."""


@wire
class Diagnostic:
    """Something wrong with a line of a session file. The line stays in the file as it is."""

    line: Annotated[int, Meta(description="Number of the line, from 1; 0: the whole file.")]
    kind: Annotated[
        str,
        Meta(
            description="What is wrong; readers must expect kinds they do not know.",
            extra_json_schema={"x-knownValues": list(DIAGNOSTIC_KINDS)},
        ),
    ]
    message: Annotated[str, Meta(description="For people.")]


@wire
class FileProblem:
    """Why a file, or a directory with all that is in it, is missing from an answer."""

    path: Annotated[str, Meta(description="Absolute path of the file or directory.")]
    kind: Annotated[
        str,
        Meta(
            description=(
                "`unreadable`: the system refuses to read it. `internalError`: the daemon failed"
                " with it, which its log explains. Readers must expect kinds they do not know."
            ),
            extra_json_schema={"x-knownValues": ["unreadable", "internalError"]},
        ),
    ]
    message: Annotated[str, Meta(description="For people.")]


FileProblems: TypeAlias = Annotated[
    list[FileProblem] | UnsetType,
    Meta(
        description=(
            "Files and directories that could not be read and are left out; absent: there are none."
        )
    ),
]
"""In answers that are made from many files: one that fails hides no other."""


@wire
class InUse:
    """Who else has a session open, as far as can be told."""

    pids: Annotated[list[int], Meta(description="Other processes that have it open.")]


@wire
class SessionState:
    """An open session as its handle sees it."""

    session: Annotated[
        str, Meta(description="The handle: an opaque string, good for this connection.")
    ]
    sessionId: Annotated[str, Meta(description="Id in the session's header.")]
    sessionFile: Annotated[
        str | None,
        Meta(description="Absolute path of the file, written or not yet; null: in memory."),
    ]
    sessionDir: Annotated[
        str, Meta(description="Directory for sessions branched off; empty: in memory.")
    ]
    cwd: Annotated[str, Meta(description="Working directory of the session.")]
    persisted: Annotated[bool, Meta(description="Whether the session belongs to a file.")]
    readOnly: bool
    leafId: Annotated[
        str | None,
        Meta(
            description=(
                "Entry under which the next one goes; null: before any entry. In a file just opened"
                " the last entry, unless OpenClaw's `leaf` lines or entries with `appendMode: side`"
                " leave it elsewhere."
            )
        ),
    ]
    tipId: Annotated[
        str | None,
        Meta(
            description=(
                "Last entry of the file, a `leaf` line or one appended aside included; null: there"
                " is none."
            )
        ),
    ]
    entryCount: Annotated[int, Meta(description="Number of entries, the header not counted.")]
    version: Annotated[int, Meta(description="Version of the file format, after migration.")]
    name: Annotated[str | UnsetType, Meta(description="Name a person gave it; absent: none.")] = (
        UNSET
    )
    generation: Annotated[
        int, Meta(description="Number of reloads caused by somebody rewriting the file.")
    ]
    header: HeaderJson
    inUse: Annotated[
        InUse | UnsetType, Meta(description="Present when other processes have it open.")
    ] = UNSET
    diagnostics: list[Diagnostic]


@wire
class SessionInfo:
    """A session file as lists show it; times are ISO 8601 UTC with milliseconds."""

    path: Annotated[str, Meta(description="Absolute path of the file.")]
    id: Annotated[str, Meta(description="Id in the session's header.")]
    cwd: Annotated[str, Meta(description="Working directory; empty: the header has none.")]
    name: Annotated[str | UnsetType, Meta(description="Name a person gave it; absent: none.")] = (
        UNSET
    )
    parentSessionPath: Annotated[
        str | UnsetType, Meta(description="The session it was forked from, as the header says.")
    ] = UNSET
    created: Annotated[str, Meta(description="Time in the header.")]
    modified: Annotated[
        str,
        Meta(
            description="Time of the latest user or assistant message, else of the header or file."
        ),
    ]
    messageCount: Annotated[int, Meta(description="Number of message entries of any role.")]
    firstMessage: Annotated[
        str, Meta(description="Text of the first user message, or `(no messages)`.")
    ]
    sizeBytes: int
    inUse: Annotated[
        InUse | UnsetType, Meta(description="Present when other processes have it open.")
    ] = UNSET
    allMessagesText: Annotated[
        str | UnsetType,
        Meta(description="Text of all user and assistant messages; only with `includeText`."),
    ] = UNSET
