"""Find or start the session of an inbound message, by CoderClaw's rules.

A `config` is read as in `keys`.
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
    """An inbound message, with CoderClaw's names. Members that no rule reads are ignored."""

    CommandSource: Annotated[
        str | UnsetType | None, Meta(description="`native`: a native command of the channel.")
    ] = UNSET
    CommandTargetSessionKey: Annotated[
        str | UnsetType | None,
        Meta(description="Session of a native command, used instead of `SessionKey`."),
    ] = UNSET
    BodyForCommands: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "The text alone, at whose start a reset trigger is looked for; absent:"
                " `CommandBody`."
            )
        ),
    ] = UNSET
    CommandBody: Annotated[
        str | UnsetType | None, Meta(description="Used instead of an absent `BodyForCommands`.")
    ] = UNSET
    RawBody: Annotated[
        str | UnsetType | None,
        Meta(description="Used instead of an absent `CommandBody`; absent: `Body`."),
    ] = UNSET
    Body: Annotated[
        str | UnsetType | None,
        Meta(description="The message, possibly with history, timestamps and names around it."),
    ] = UNSET
    To: Annotated[
        str | UnsetType | None, Meta(description="The recipient; replies are sent to it.")
    ] = UNSET
    OriginatingTo: Annotated[
        str | UnsetType | None, Meta(description="Where replies are sent; overrides `To`.")
    ] = UNSET
    OriginatingChannel: Annotated[
        str | UnsetType | None, Meta(description="Channel to which replies are sent.")
    ] = UNSET
    Surface: Annotated[
        str | UnsetType | None, Meta(description="Channel on which the message was received.")
    ] = UNSET
    AccountId: Annotated[
        str | UnsetType | None, Meta(description="The agent's account on the channel.")
    ] = UNSET
    MessageThreadId: Annotated[
        str | float | UnsetType | None,
        Meta(description="Thread or topic; 0 and the empty string are valid."),
    ] = UNSET
    ThreadLabel: Annotated[
        str | UnsetType | None, Meta(description="Name of the thread; becomes that of the session.")
    ] = UNSET
    ThreadStarterBody: Annotated[
        str | UnsetType | None, Meta(description="The first message of the thread.")
    ] = UNSET
    ParentSessionKey: Annotated[
        str | UnsetType | None,
        Meta(description="Key of the parent session, whose transcript a new thread copies."),
    ] = UNSET
    GroupSubject: Annotated[str | UnsetType | None, Meta(description="The group's title.")] = UNSET
    GroupChannel: Annotated[
        str | UnsetType | None, Meta(description="The channel's name, as `#general`.")
    ] = UNSET
    GroupSpace: Annotated[
        str | UnsetType | None, Meta(description="Server or workspace of the channel.")
    ] = UNSET
    SenderName: Annotated[str | UnsetType | None, Meta(description="Name of the sender.")] = UNSET
    ConversationLabel: Annotated[
        str | UnsetType | None, Meta(description="Display name of the conversation.")
    ] = UNSET


@wire
class BeginParams(StoreParams):
    """A message and options for handling it."""

    context: Annotated[MessageContext, Meta(description="The message.")]
    authorized: Annotated[
        bool | None,
        Meta(description="Whether the sender may reset a session; the client decides that."),
    ] = True
    dryRun: Annotated[
        bool | None, Meta(description="Only report what would happen; nothing is written.")
    ] = False
    now: Annotated[
        Moment | UnsetType | None,
        Meta(description="Milliseconds since the epoch, only with `dryRun`; absent: the clock."),
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
                " configuration, else that of the daemon. A thread uses that of its parent."
            )
        ),
    ] = UNSET


@wire
class BeginFreshness:
    """Whether the entry was fresh before the message; false if there was no entry."""

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
    """The session of the message, and the one that it replaced."""

    sessionKey: Annotated[str, Meta(description="The key as it is spelled in the store.")]
    sessionId: str
    sessionFile: Annotated[
        str,
        Meta(
            description=(
                "Absolute path of the transcript. A missing one is created with `sessionId` in its"
                " header, except with `dryRun`."
            )
        ),
    ]
    isNewSession: Annotated[bool, Meta(description="Whether the message starts a session.")]
    resetTriggered: Annotated[
        bool, Meta(description="Whether a reset trigger in the message starts the session.")
    ]
    bodyStripped: Annotated[
        str | UnsetType,
        Meta(description="The text after the trigger; absent: there is no trigger."),
    ] = UNSET
    entry: Annotated[StoreEntry, Meta(description="The present entry in the store.")]
    previousEntry: Annotated[
        StoreEntry | UnsetType,
        Meta(description="The entry that a new session replaced; absent: there was none."),
    ] = UNSET
    resetType: Annotated[ResetType, Meta(description="The type by which the policy was chosen.")]
    policy: ResetPolicy
    freshness: BeginFreshness
    archived: Annotated[
        list[str],
        Meta(
            description=(
                "New paths of the old session's transcripts, only after a trigger; none with"
                " `dryRun`."
            )
        ),
    ]
    forkedFrom: Annotated[
        str | UnsetType,
        Meta(description="Absolute path of the transcript that was copied for a new thread."),
    ] = UNSET
    storePath: Annotated[str, Meta(description="Absolute path of the store.")]
    problems: StoreProblems = UNSET
    configProblems: Problems = UNSET


METHODS = (
    Method(
        "gateway/begin",
        BeginParams,
        BeginResult,
        "Find or start the session of an inbound message, and record it.",
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
