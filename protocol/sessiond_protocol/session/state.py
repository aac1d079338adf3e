"""The state of a session, its row in a list, and the problems found in its file."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.json_members import HeaderJson
from sessiond_protocol.prices import Calculated
from sessiond_protocol.session.activity import SessionActivity
from sessiond_protocol.session.drafts import Draft
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
    "malformedEntry",
    "notASession",
    "unreadable",
    "internalError",
)
"""The kinds of diagnostics and problems; later versions may add to them."""


@wire
class Diagnostic:
    """A problem with a line of a session file. The line stays in the file unchanged."""

    line: Annotated[int, Meta(description="Number of the line, from 1; 0: the whole file.")]
    kind: Annotated[
        str,
        Meta(
            description="Kind of the problem; later versions may add kinds.",
            extra_json_schema={"x-knownValues": list(DIAGNOSTIC_KINDS)},
        ),
    ]
    message: Annotated[str, Meta(description="Text for people.")]


@wire
class FileProblem:
    """The reason why a file, or a directory with its content, is missing from an answer."""

    path: Annotated[str, Meta(description="Absolute path of the file or directory.")]
    kind: Annotated[
        str,
        Meta(
            description=(
                "`unreadable`: the system refuses to read it. `internalError`: the daemon"
                " failed to handle it; the log has the details. `timedOut`: there was no time left"
                " to search it. Later versions may add kinds."
            ),
            extra_json_schema={"x-knownValues": ["unreadable", "internalError", "timedOut"]},
        ),
    ]
    message: Annotated[str, Meta(description="Text for people.")]


FileProblems: TypeAlias = Annotated[
    list[FileProblem] | UnsetType,
    Meta(
        description=("Files and directories that could not be read and are left out; absent: none.")
    ),
]
"""In answers that are made from many files: one that fails hides no other."""


@wire
class OtherProcesses:
    """Other processes that have the session open for writing, as far as is known."""

    pids: Annotated[list[int], Meta(description="Ids of the processes.")]


@wire
class SessionHome:
    """The file in which a mirrored session is written; its copy in the store is read-only."""

    host: Annotated[str, Meta(description="Name of the host, as its mirror gives it.")]
    path: Annotated[str, Meta(description="Absolute path of the file on that host.")]


_AGENT = Meta(
    description="With `allAgents`: profile of its agent; absent: it is in no agent's place."
)
_HOME = Meta(
    description=(
        "Where the session is written, if this is a copy that a mirror keeps in the store; absent:"
        " here."
    )
)


@wire
class SessionState:
    """An open session as its handle sees it."""

    session: Annotated[
        str, Meta(description="The handle: an opaque string, valid on this connection only.")
    ]
    sessionId: Annotated[str, Meta(description="Id in the session's header.")]
    sessionFile: Annotated[
        str | None,
        Meta(
            description=(
                "Absolute path of the file, also before it is written; null for a session"
                " in memory."
            )
        ),
    ]
    sessionDir: Annotated[
        str,
        Meta(
            description=(
                "Directory for sessions branched off this one; empty for a session in memory."
            )
        ),
    ]
    cwd: Annotated[str, Meta(description="Working directory of the session.")]
    agent: Annotated[str | UnsetType, _AGENT] = UNSET
    persisted: Annotated[bool, Meta(description="Whether the session belongs to a file.")]
    readOnly: Annotated[
        bool,
        Meta(
            description=(
                "Whether appends are refused: the session was opened for reading only, only its"
                " agent may write it, or it has a `home` elsewhere."
            )
        ),
    ]
    readOnlyReason: Annotated[
        str | UnsetType,
        Meta(
            description=(
                "Why the session cannot be written, and what to do instead; text for people."
                " Absent: it can, or the client chose to read only."
            )
        ),
    ] = UNSET
    home: Annotated[SessionHome | UnsetType, _HOME] = UNSET
    leafId: Annotated[
        str | None,
        Meta(
            description=(
                "Entry under which the next one is appended; null: before the first entry."
                " In a file just opened it is the last entry, unless a `leaf` line or"
                " entries with `appendMode: side` of OpenClaw say otherwise."
            )
        ),
    ]
    tipId: Annotated[
        str | None,
        Meta(
            description=(
                "Last entry of the file, including `leaf` lines and entries appended with"
                " `appendMode: side`; null: there is none."
            )
        ),
    ]
    entryCount: Annotated[int, Meta(description="Number of entries, without the header.")]
    version: Annotated[int, Meta(description="Version of the file format, after migration.")]
    name: Annotated[str | UnsetType, Meta(description="Name given by a user; absent: none.")] = (
        UNSET
    )
    generation: Annotated[
        int,
        Meta(
            description=(
                "Number of times the file was loaded again because another program had"
                " rewritten it."
            )
        ),
    ]
    header: HeaderJson
    inUse: Annotated[
        OtherProcesses | UnsetType,
        Meta(description="Present if other processes have the session open for writing."),
    ] = UNSET
    draft: Annotated[
        Draft | UnsetType,
        Meta(
            description=(
                "An answer in progress that another handle has published; `session/didChangeDraft`"
                " reports how it goes on."
            )
        ),
    ] = UNSET
    diagnostics: Annotated[
        list[Diagnostic],
        Meta(description="The first 100 problems of the file; `catalog/check` reports all."),
    ]
    diagnosticCount: Annotated[
        int | UnsetType,
        Meta(description="Number of problems of the file; absent: `diagnostics` has all of them."),
    ] = UNSET


@wire
class SubagentRun:
    """What is known of a session that an agent began."""

    kind: Annotated[
        str | UnsetType, Meta(description="Kind of the subagent, as its agent names it.")
    ] = UNSET
    toolCallId: Annotated[
        str | UnsetType, Meta(description="The tool call in the parent session that began it.")
    ] = UNSET


@wire
class SessionUsage:
    """What the entries of a session have recorded, including those that it shares with others."""

    tokens: Annotated[int, Meta(description="Tokens of all kinds.")]
    cost: Annotated[
        float | UnsetType, Meta(description="US dollars; absent: no cost is recorded.")
    ] = UNSET
    withoutCost: Annotated[
        int,
        Meta(
            description=(
                "Number of entries that used tokens without a recorded cost; if it is not 0, the"
                " true cost is higher."
            )
        ),
    ]
    calculated: Calculated = UNSET
    models: Annotated[list[str], Meta(description="`provider/model` of each model, as recorded.")]


@wire
class SessionMarks:
    """The marks that a person gave a session in sessiond."""

    pinned: Annotated[bool, Meta(description="Whether lists may have it first.")]
    hidden: Annotated[bool, Meta(description="Whether lists may leave it out.")]
    tags: Annotated[list[str], Meta(description="Sorted; empty: none.")]


Tag: TypeAlias = Annotated[str | UnsetType | None, Meta(description="Only sessions with this tag.")]
"""A param of lists."""

Hidden: TypeAlias = Annotated[
    Literal["include", "exclude", "only"] | UnsetType | None,
    Meta(description="Whether hidden sessions are in the list: `include` by default."),
]
"""A param of lists."""

PinnedFirst: TypeAlias = Annotated[
    bool | None, Meta(description="Pinned sessions come before all others.")
]
"""A param of lists."""


@wire
class SessionInfo:
    """A session as lists show it. All times are ISO 8601 UTC with milliseconds."""

    path: Annotated[str, Meta(description="Absolute path of the file.")]
    id: Annotated[str, Meta(description="Id in the session's header.")]
    cwd: Annotated[str, Meta(description="Working directory; empty: the header has none.")]
    agent: Annotated[str | UnsetType, _AGENT] = UNSET
    name: Annotated[str | UnsetType, Meta(description="Name given by a user; absent: none.")] = (
        UNSET
    )
    parentSessionPath: Annotated[
        str | UnsetType,
        Meta(
            description=(
                "Path of the session it was forked from, from the header; of a subagent's session,"
                " that of the session that began it."
            )
        ),
    ] = UNSET
    subagent: Annotated[
        SubagentRun | UnsetType, Meta(description="Present: an agent began the session.")
    ] = UNSET
    isPast: Annotated[
        bool | UnsetType,
        Meta(description="True: a gateway put the transcript away when its conversation ended."),
    ] = UNSET
    created: Annotated[str, Meta(description="Time from the header.")]
    modified: Annotated[
        str,
        Meta(
            description=(
                "Time of the latest user or assistant message; without one, that of the"
                " header or of the file."
            )
        ),
    ]
    lastUsed: Annotated[
        str | UnsetType,
        Meta(
            description=(
                "When a fork was created, if it has no later message; absent: `modified` says when"
                " the session was last used."
            )
        ),
    ] = UNSET
    messageCount: Annotated[int, Meta(description="Number of message entries of any role.")]
    firstMessage: Annotated[
        str, Meta(description="Text of the first user message, or `(no messages)`.")
    ]
    sizeBytes: int
    revision: Annotated[
        str | UnsetType,
        Meta(description="Differs whenever the session has changed, also by a rename; opaque."),
    ] = UNSET
    marks: Annotated[
        SessionMarks | UnsetType,
        Meta(description="Set by `catalog/setMarks`; absent: the session has none."),
    ] = UNSET
    home: Annotated[SessionHome | UnsetType, _HOME] = UNSET
    inUse: Annotated[
        OtherProcesses | UnsetType,
        Meta(
            description=(
                "Present if other processes have the session open for writing through sessiond."
                " Agents that write by themselves, such as pi, are not seen so: see `activeSince`."
            )
        ),
    ] = UNSET
    activeSince: Annotated[
        str | UnsetType,
        Meta(
            description=(
                "Time of the last write of another program to the file, as far as the daemon knows;"
                " absent: only this daemon has written to it, or it is in a store."
            )
        ),
    ] = UNSET
    activity: Annotated[
        SessionActivity | UnsetType,
        Meta(
            description=(
                "As a handle has set it in this daemon (`session/setActivity`), or `running` if"
                " another program wrote to the file in the last minute, or in the last 30 with a"
                " prompt, a call or a result as its last message. Absent: nothing is known."
            )
        ),
    ] = UNSET
    allMessagesText: Annotated[
        str | UnsetType,
        Meta(description="Text of all user and assistant messages; only with `includeText`."),
    ] = UNSET
    shortId: Annotated[
        str | UnsetType,
        Meta(
            description=(
                "Only with `includeShortId`: the shortest beginning of the id, of at least 8"
                " characters, that names this session alone among all of the directory or profile."
                " If not all ids are known it has 13 characters, which say when the session was"
                " created (UUID version 7)."
            )
        ),
    ] = UNSET
    usage: Annotated[
        SessionUsage | UnsetType,
        Meta(description="Only with `includeUsage`; absent: the session has recorded none."),
    ] = UNSET
