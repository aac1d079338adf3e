"""Record usage and compactions of a session after a turn.

The methods change the entry of a session in its store. If the store has no entry for it, they write
nothing and answer null.
"""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.gateway.keys import JsonObject, Problems
from sessiond_protocol.gateway.store import StoreEntry, StoreParams, StoreProblems
from sessiond_protocol.method import Method
from sessiond_protocol.wire import Count, wire

Amount: TypeAlias = Annotated[float, Meta(ge=0, le=2**53 - 1)]
"""A number of tokens."""


@wire
class TokenCounts:
    """Numbers of tokens, with the names of pi's `usage`; its other members are ignored."""

    input: Annotated[
        Amount | UnsetType | None, Meta(description="Of prompts, without those in the cache.")
    ] = UNSET
    output: Annotated[Amount | UnsetType | None, Meta(description="Of answers.")] = UNSET
    cacheRead: Annotated[
        Amount | UnsetType | None, Meta(description="Of prompts, read from the cache.")
    ] = UNSET
    cacheWrite: Annotated[
        Amount | UnsetType | None, Meta(description="Of prompts, written to the cache.")
    ] = UNSET
    totalTokens: Annotated[
        Amount | UnsetType | None,
        Meta(description="The sum; it is used if the parts of the prompt are unknown."),
    ] = UNSET


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
        Meta(description="null: the store has no entry under the key; nothing was written."),
    ]
    problems: StoreProblems = UNSET
    configProblems: Problems = UNSET


@wire
class RecordUsageParams(RecordParams):
    """The usage of a run.

    If `usage` has a count above 0, `inputTokens` and `outputTokens` become those of the run, and
    `totalTokens` becomes the size of the last prompt: `promptTokens`, else input and cache of
    `lastCallUsage`, else its sum, else its input. If none of these is known, `totalTokens` is
    removed and `totalTokensFresh` is false.
    """

    usage: Annotated[
        TokenCounts | UnsetType | None, Meta(description="Sum over all calls of the run.")
    ] = UNSET
    lastCallUsage: Annotated[
        TokenCounts | UnsetType | None, Meta(description="Usage of the last call.")
    ] = UNSET
    promptTokens: Annotated[
        Amount | UnsetType | None,
        Meta(description="Size of the last prompt, if it is known exactly; 0: unknown."),
    ] = UNSET
    model: Annotated[
        str | UnsetType | None, Meta(description="The model that answered; absent: unchanged.")
    ] = UNSET
    provider: Annotated[
        str | UnsetType | None, Meta(description="Provider of the model; absent: unchanged.")
    ] = UNSET
    contextWindow: Annotated[
        Amount | UnsetType | None,
        Meta(
            description=(
                "The model's context window. Absent or 0: `agents.defaults.contextTokens`, else the"
                " previous value, else 200,000."
            )
        ),
    ] = UNSET
    systemPromptReport: Annotated[
        JsonObject | UnsetType | None,
        Meta(description="The parts of the system prompt; absent: unchanged."),
    ] = UNSET


@wire
class RecordCompactionParams(RecordParams):
    """A compaction that took place; at most one is counted per run."""

    tokensAfter: Annotated[
        Amount | UnsetType | None,
        Meta(
            description=(
                "Estimated tokens of the context now, if not above the number before; it also"
                " removes `inputTokens` and `outputTokens`. Absent or 0: unknown."
            )
        ),
    ] = UNSET


@wire
class RecordCompactionResult(RecordResult):
    """The entry after the change."""

    count: Annotated[
        float | None, Meta(description="Compactions of the session, with this one; null: no entry.")
    ]


@wire
class RecordMemoryFlushParams(RecordParams):
    """A turn that saved memories successfully."""

    compactions: Annotated[
        Count | None,
        Meta(
            description=(
                "Number of compactions that ended during the turn; more than one count as one. The"
                " next flush is due only after another compaction."
            )
        ),
    ] = 0


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
        "Record that memories were saved, so that they are not saved again too early.",
        _ERRORS,
        writes_store=True,
    ),
)
