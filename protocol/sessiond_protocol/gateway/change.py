"""Change single sessions of a store."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.gateway.keys import Problems
from sessiond_protocol.gateway.store import StoreEntry, StoreParams, StoreProblems
from sessiond_protocol.method import Method
from sessiond_protocol.wire import NULL_IS_A_VALUE, wire

Name: TypeAlias = Annotated[str, Meta(min_length=1)]
GivenKey: TypeAlias = Annotated[
    str, Meta(description="Key of the session, in any spelling that a gateway accepts.")
]
FoundKey: TypeAlias = Annotated[str, Meta(description="The key as it is spelled in the store.")]
Force: TypeAlias = Annotated[
    bool | None,
    Meta(
        description=(
            "Do it even if the transcript is open for writing, here or in another"
            " process, or a gateway runs a turn on it; otherwise the request then fails with"
            " `InUse`. A handle that is still open creates the file again with its next"
            " append."
        )
    ),
]


@wire
class StorePatchParams(StoreParams):
    """The settings to change; null removes one. Other values are refused with those allowed."""

    key: GivenKey
    label: Annotated[
        str | UnsetType | None,
        NULL_IS_A_VALUE,
        Meta(description="Up to 64 characters (UTF-16 code units); unique in the store."),
    ] = UNSET
    thinkingLevel: Annotated[
        str | UnsetType | None,
        NULL_IS_A_VALUE,
        Meta(description="`off`, `minimal`, `low`, `medium`, `high` or `xhigh`."),
    ] = UNSET
    verboseLevel: Annotated[
        str | UnsetType | None, NULL_IS_A_VALUE, Meta(description="`off`, `on` or `full`.")
    ] = UNSET
    reasoningLevel: Annotated[
        str | UnsetType | None,
        NULL_IS_A_VALUE,
        Meta(description="`on` or `stream`; `off` is the same as null."),
    ] = UNSET
    responseUsage: Annotated[
        str | UnsetType | None,
        NULL_IS_A_VALUE,
        Meta(description="`tokens` or `full`; `off` is the same as null."),
    ] = UNSET
    elevatedLevel: Annotated[
        str | UnsetType | None,
        NULL_IS_A_VALUE,
        Meta(description="`off`, `on`, `ask` or `full`; `off` is kept."),
    ] = UNSET
    execHost: Annotated[
        str | UnsetType | None,
        NULL_IS_A_VALUE,
        Meta(description="`sandbox`, `gateway` or `node`."),
    ] = UNSET
    execSecurity: Annotated[
        str | UnsetType | None,
        NULL_IS_A_VALUE,
        Meta(description="`deny`, `allowlist` or `full`."),
    ] = UNSET
    execAsk: Annotated[
        str | UnsetType | None,
        NULL_IS_A_VALUE,
        Meta(description="`off`, `on-miss` or `always`."),
    ] = UNSET
    execNode: Annotated[
        str | UnsetType | None, NULL_IS_A_VALUE, Meta(description="Name of a node; not blank.")
    ] = UNSET
    model: Annotated[
        str | UnsetType | None,
        NULL_IS_A_VALUE,
        Meta(
            description=(
                "`provider/model`, or a model of the default's provider. It is not checked, because"
                " the daemon has no list of models. null: no override. The recorded model and"
                " account of the last run are removed in any case."
            )
        ),
    ] = UNSET
    sendPolicy: Annotated[
        str | UnsetType | None, NULL_IS_A_VALUE, Meta(description="`allow` or `deny`.")
    ] = UNSET
    groupActivation: Annotated[
        str | UnsetType | None, NULL_IS_A_VALUE, Meta(description="`mention` or `always`.")
    ] = UNSET


@wire
class StorePatchResult:
    """The entry after the change; it is created if there was none."""

    path: Annotated[str, Meta(description="Absolute path of the store.")]
    key: FoundKey
    entry: StoreEntry
    problems: StoreProblems = UNSET
    configProblems: Problems = UNSET


@wire
class StoreResetParams(StoreParams):
    """The session to reset."""

    key: GivenKey
    reason: Annotated[
        Literal["new", "reset"] | UnsetType | None,
        Meta(description="Reason, for people; it has no effect."),
    ] = UNSET
    force: Force = False


@wire
class StoreResetResult:
    """The new session, which has no transcript yet.

    The old transcript is renamed to `….reset.<time>`.
    """

    key: FoundKey
    entry: Annotated[
        StoreEntry,
        Meta(
            description=(
                "The new entry, with a new `sessionId` and counters of 0. The levels for thinking,"
                " verbosity and reasoning, the usage footer, `model`, `contextTokens`,"
                " `sendPolicy`, `label`, `origin`, the last route, `skillsSnapshot` and unknown"
                " members are kept."
            )
        ),
    ]
    archived: Annotated[
        list[str] | UnsetType,
        Meta(description="New paths of the old transcripts: `<path>.reset.<time>`."),
    ] = UNSET
    problems: StoreProblems = UNSET
    configProblems: Problems = UNSET


@wire
class StoreDeleteParams(StoreParams):
    """The session to remove; the main session of the default agent cannot be removed."""

    key: GivenKey
    deleteTranscript: Annotated[
        bool | None,
        Meta(description="Archive the session's transcript by renaming it."),
    ] = True
    force: Force = False


@wire
class StoreDeleteResult:
    """What was done."""

    key: FoundKey
    deleted: Annotated[bool, Meta(description="Whether the store had the session.")]
    archived: Annotated[
        list[str],
        Meta(description="New paths of its transcripts: `<path>.deleted.<time>`."),
    ]
    problems: StoreProblems = UNSET
    configProblems: Problems = UNSET


_READING = ("PathNotAllowed", "ReadFailed", "Unsupported")
_WRITING = ("GatewayRejected", "ReadOnly", "Busy", "WriteFailed")

METHODS = (
    Method(
        "gateway/patch",
        StorePatchParams,
        StorePatchResult,
        "Change settings of a session: all of them, or none if one is refused.",
        (*_READING, *_WRITING),
        writes_store=True,
        repeatable=True,
    ),
    Method(
        "gateway/reset",
        StoreResetParams,
        StoreResetResult,
        "Start a new session under a key, and archive the old transcript.",
        (*_READING, *_WRITING, "InUse"),
        writes_store=True,
    ),
    Method(
        "gateway/delete",
        StoreDeleteParams,
        StoreDeleteResult,
        "Remove a session from its store, and archive its transcript.",
        (*_READING, *_WRITING, "InUse"),
        writes_store=True,
    ),
)
