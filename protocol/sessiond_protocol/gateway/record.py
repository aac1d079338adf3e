"""Record usage, compactions and routes of a session after a turn.

The methods change the entry of a session in its store. If the store has no entry for it, they write
nothing and answer null, except for `gateway/recordRoute`, which adds an entry.
"""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.gateway.begin import MessageContext
from sessiond_protocol.gateway.keys import JsonObject, Problems
from sessiond_protocol.gateway.store import StoreEntry, StoreParams, StoreProblems
from sessiond_protocol.method import Method
from sessiond_protocol.wire import Count, wire

Amount: TypeAlias = Annotated[float, Meta(ge=0, le=2**53 - 1)]
"""A number of tokens."""

Used: TypeAlias = Annotated[
    JsonObject | UnsetType | None,
    Meta(
        description=(
            "Token counts under the names of whoever counted them. Input: `input`, `inputTokens`,"
            " `input_tokens`, `promptTokens`, `prompt_tokens`. Output: `output`, `outputTokens`,"
            " `output_tokens`, `completionTokens`, `completion_tokens`. Cache: `cacheRead`,"
            " `cache_read`, `cache_read_input_tokens`, `cacheWrite`, `cache_write`,"
            " `cache_creation_input_tokens`. Sum: `total`, `totalTokens`, `total_tokens`. Of each"
            " the first that is not null counts, if it is a finite number."
        )
    ),
]


@wire
class RecordParams(StoreParams):
    """A session by its key."""

    sessionKey: Annotated[
        str, Meta(description="Key of the session, in any spelling that a gateway accepts.")
    ]


@wire
class RecordResult:
    """The entry after the change."""

    entry: Annotated[
        StoreEntry | None,
        Meta(description="null: there is none, or what is there is no entry; nothing was written."),
    ]
    problems: StoreProblems = UNSET
    configProblems: Problems = UNSET


@wire
class RecordUsageParams(RecordParams):
    """What a run used.

    If `usage` says that anything was, `inputTokens` and `outputTokens` become those of the run, and
    `totalTokens` the size of the last prompt: `promptTokens`, else input and cache of
    `lastCallUsage`, else its sum, else its input. If none of these is known `totalTokens` goes, and
    `totalTokensFresh` is false.
    """

    usage: Annotated[Used, Meta(description="Added up over all calls of the run.")] = UNSET
    lastCallUsage: Annotated[Used, Meta(description="Of its last call alone.")] = UNSET
    promptTokens: Annotated[
        Amount | UnsetType | None,
        Meta(description="Size of the last prompt, where it is known better; 0: it is not."),
    ] = UNSET
    modelUsed: Annotated[
        str | UnsetType | None, Meta(description="The model that answered; absent: as before.")
    ] = UNSET
    providerUsed: Annotated[
        str | UnsetType | None, Meta(description="Whose model that is; absent: as before.")
    ] = UNSET
    contextTokensUsed: Annotated[
        Amount | UnsetType | None,
        Meta(
            description=(
                "The model's context window. Absent or 0: `agents.defaults.contextTokens`, else as"
                " before, else 200,000."
            )
        ),
    ] = UNSET
    systemPromptReport: Annotated[
        JsonObject | UnsetType | None,
        Meta(description="What the system prompt was made of; absent: as before."),
    ] = UNSET


@wire
class RecordCompactionParams(RecordParams):
    """A compaction that took place. A run counts as one at most."""

    tokensAfter: Annotated[
        Amount | UnsetType | None,
        Meta(
            description=(
                "Tokens the context has now, where an estimate is known that is not above what it"
                " had; `inputTokens` and `outputTokens` go then. Absent or 0: unknown."
            )
        ),
    ] = UNSET


@wire
class RecordCompactionResult(RecordResult):
    """The entry after the change."""

    count: Annotated[
        float | None, Meta(description="Its compactions, this one included; null as `entry`.")
    ]


@wire
class RecordMemoryFlushParams(RecordParams):
    """A turn that saved memories has succeeded."""

    compactions: Annotated[
        Count | None,
        Meta(
            description=(
                "How many compactions ended during the turn; more than one count as one. The next"
                " flush is due only after a further one."
            )
        ),
    ] = 0


@wire
class Route:
    """The destination of replies. Absent and blank members are ignored."""

    channel: Annotated[
        str | UnsetType | None, Meta(description="Channel, in any spelling a gateway understands.")
    ] = UNSET
    to: Annotated[str | UnsetType | None, Meta(description="Whom they are sent to.")] = UNSET
    accountId: Annotated[
        str | UnsetType | None, Meta(description="The agent's account on the channel.")
    ] = UNSET
    threadId: Annotated[
        str | float | UnsetType | None,
        Meta(
            description=(
                "Thread or topic; a number is cut down. A blank one keeps the thread that is"
                " stored, even in a new place."
            )
        ),
    ] = UNSET


@wire
class RecordRouteParams(RecordParams):
    """Where replies of a session go, and where a message to it came from.

    What is not said stays as it was, but a new `channel` or `to` without a thread takes the thread
    away; a save brings back the one that `origin` names. None of this is activity: `updatedAt`
    stays, so that it does not keep a session from expiring.
    """

    channel: Annotated[
        str | UnsetType | None, Meta(description="As in `deliveryContext`, which goes before it.")
    ] = UNSET
    to: Annotated[str | UnsetType | None, Meta(description="Likewise.")] = UNSET
    accountId: Annotated[str | UnsetType | None, Meta(description="Likewise.")] = UNSET
    threadId: Annotated[
        str | float | UnsetType | None, Meta(description="Likewise; an empty one is not said.")
    ] = UNSET
    deliveryContext: Route | UnsetType | None = UNSET
    context: Annotated[
        MessageContext | UnsetType | None,
        Meta(description="A message, for `origin` and the members that tell of a group."),
    ] = UNSET


_ERRORS = (
    "GatewayRejected",
    "Unsupported",
    "ReadOnly",
    "PathNotAllowed",
    "Busy",
    "ReadFailed",
    "WriteFailed",
)

METHODS = (
    Method(
        "gateway/recordUsage",
        RecordUsageParams,
        RecordResult,
        "Record the usage of a run: tokens, model and context window.",
        _ERRORS,
        writes_store=True,
    ),
    Method(
        "gateway/recordCompaction",
        RecordCompactionParams,
        RecordCompactionResult,
        "Count a compaction, and record the tokens that it left.",
        _ERRORS,
        writes_store=True,
    ),
    Method(
        "gateway/recordMemoryFlush",
        RecordMemoryFlushParams,
        RecordResult,
        "Record that memories were saved, so that they are not saved again at once.",
        _ERRORS,
        writes_store=True,
    ),
    Method(
        "gateway/recordRoute",
        RecordRouteParams,
        RecordResult,
        "Record where replies of a session go; a missing entry is added.",
        _ERRORS,
        writes_store=True,
    ),
)
