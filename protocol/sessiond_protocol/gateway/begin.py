"""CoderClaw's session layer: the session an inbound message continues, or starts.

A `config` is read as in `gateway`.
"""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.gateway.keys import InboundContext, Moment, Problems
from sessiond_protocol.gateway.rules import ResetPolicy, ResetType
from sessiond_protocol.gateway.store import StoreEntry, StoreParams, StoreProblems
from sessiond_protocol.method import Method
from sessiond_protocol.wire import Path, wire


@wire
class MessageContext(InboundContext):
    """An inbound message, in CoderClaw's names. Members that no rule reads are ignored."""

    CommandSource: Annotated[
        str | UnsetType | None, Meta(description="`native`: a command of the channel's own.")
    ] = UNSET
    CommandTargetSessionKey: Annotated[
        str | UnsetType | None,
        Meta(description="Of a native command: the session it is for, in place of `SessionKey`."),
    ] = UNSET
    BodyForCommands: Annotated[
        str | UnsetType | None,
        Meta(description="What is looked through for reset triggers; else `CommandBody`."),
    ] = UNSET
    CommandBody: Annotated[str | UnsetType | None, Meta(description="Else `RawBody`.")] = UNSET
    RawBody: Annotated[str | UnsetType | None, Meta(description="Else `Body`.")] = UNSET
    Body: Annotated[
        str | UnsetType | None,
        Meta(description="The message, perhaps with history, time stamps and names around it."),
    ] = UNSET
    To: Annotated[
        str | UnsetType | None, Meta(description="Whom it was sent to; replies go there.")
    ] = UNSET
    OriginatingTo: Annotated[
        str | UnsetType | None, Meta(description="Where replies go; before `To`.")
    ] = UNSET
    OriginatingChannel: Annotated[
        str | UnsetType | None, Meta(description="Channel that replies go to.")
    ] = UNSET
    Surface: Annotated[
        str | UnsetType | None, Meta(description="Channel the message was seen on.")
    ] = UNSET
    AccountId: Annotated[
        str | UnsetType | None, Meta(description="The agent's account on the channel.")
    ] = UNSET
    MessageThreadId: Annotated[
        str | float | UnsetType | None,
        Meta(description="Thread or topic; 0 and the empty string are some."),
    ] = UNSET
    ThreadLabel: Annotated[
        str | UnsetType | None, Meta(description="The thread's name; becomes the session's.")
    ] = UNSET
    ThreadStarterBody: Annotated[
        str | UnsetType | None, Meta(description="The message the thread is about.")
    ] = UNSET
    ParentSessionKey: Annotated[
        str | UnsetType | None,
        Meta(description="Key of the session whose transcript a new thread takes along."),
    ] = UNSET
    GroupSubject: Annotated[str | UnsetType | None, Meta(description="The group's title.")] = UNSET
    GroupChannel: Annotated[
        str | UnsetType | None, Meta(description="The channel's name, as `#general`.")
    ] = UNSET
    GroupSpace: Annotated[
        str | UnsetType | None, Meta(description="Server or workspace the channel is in.")
    ] = UNSET
    SenderName: Annotated[
        str | UnsetType | None, Meta(description="Name of who wrote the message.")
    ] = UNSET
    ConversationLabel: Annotated[
        str | UnsetType | None, Meta(description="What people call the conversation.")
    ] = UNSET


@wire
class BeginParams(StoreParams):
    """A message, and how it is to be taken."""

    context: Annotated[MessageContext, Meta(description="The message.")]
    authorized: Annotated[
        bool | None,
        Meta(
            description="Whether its sender may start a session over; who may is not decided here."
        ),
    ] = True
    dryRun: Annotated[
        bool | None, Meta(description="Only say what would happen; nothing is written.")
    ] = False
    now: Annotated[
        Moment | UnsetType | None,
        Meta(description="Milliseconds since the epoch, with `dryRun` only; absent: the clock's."),
    ] = UNSET
    timezone: Annotated[
        str | UnsetType | None,
        Meta(description="IANA name of the local time zone; absent: the host's."),
    ] = UNSET
    cwd: Annotated[
        Path | UnsetType | None,
        Meta(
            description=(
                "Working directory of a new transcript; absent: the agent's `workspace` in the"
                " configuration, else the daemon's own. A thread has its parent's."
            )
        ),
    ] = UNSET


@wire
class BeginFreshness:
    """Whether the entry was fresh before the message. Without an entry it is not."""

    fresh: bool
    dailyResetAt: Annotated[
        int | UnsetType,
        Meta(
            description=(
                "Time of the latest daily reset, in milliseconds since the epoch; absent in"
                " mode `idle`."
            )
        ),
    ] = UNSET
    idleExpiresAt: Annotated[
        float | UnsetType,
        Meta(
            description=(
                "Time until which the entry is fresh, in milliseconds since the epoch;"
                " absent: no limit, or no `updatedAt`."
            )
        ),
    ] = UNSET


@wire
class BeginResult:
    """The session of the message, and what became of the one before."""

    sessionKey: Annotated[str, Meta(description="The key as it is spelled in the store.")]
    sessionId: str
    sessionFile: Annotated[
        str,
        Meta(
            description=(
                "Absolute path of the transcript. Unless `dryRun` it is there; one that was not"
                " is made, with `sessionId` in its header."
            )
        ),
    ]
    isNewSession: Annotated[bool, Meta(description="Whether the message starts a session.")]
    resetTriggered: Annotated[bool, Meta(description="Whether because it says so.")]
    bodyStripped: Annotated[
        str | UnsetType,
        Meta(description="The message behind the trigger; absent: there is no trigger."),
    ] = UNSET
    entry: Annotated[StoreEntry, Meta(description="As it is in the store now.")]
    previousEntry: Annotated[
        StoreEntry | UnsetType,
        Meta(description="The entry whose place a new session took; absent: there was none."),
    ] = UNSET
    resetType: Annotated[ResetType, Meta(description="By which the policy was found.")]
    policy: ResetPolicy
    freshness: BeginFreshness
    archived: Annotated[
        list[str],
        Meta(
            description=(
                "New paths of the old session's transcripts, after a trigger only. With `dryRun`"
                " the paths they would have."
            )
        ),
    ]
    forkedFrom: Annotated[
        str | UnsetType,
        Meta(description="Absolute path of the transcript that a new thread took along."),
    ] = UNSET
    storePath: Annotated[str, Meta(description="Absolute path of the store.")]
    problems: StoreProblems = UNSET
    configProblems: Problems = UNSET


METHODS = (
    Method(
        "gateway/begin",
        BeginParams,
        BeginResult,
        "Decide which session an inbound message continues, or start one, and note it.",
        (
            "GatewayRejected",
            "Unsupported",
            "InvalidSessionFile",
            "PathNotAllowed",
            "ReadOnly",
            "Busy",
            "ReadFailed",
            "WriteFailed",
        ),
        writes_store=True,
    ),
)
