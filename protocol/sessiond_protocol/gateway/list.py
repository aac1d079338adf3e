"""List the sessions of all agents."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.gateway.change import Name
from sessiond_protocol.gateway.keys import JsonObject, Problems
from sessiond_protocol.gateway.store import StoreParams, StoreProblems
from sessiond_protocol.method import Method
from sessiond_protocol.wire import wire

Text: TypeAlias = str | UnsetType
Number: TypeAlias = float | UnsetType
AtLeastOne: TypeAlias = Annotated[int, Meta(ge=1)]


@wire
class StoreListParams(StoreParams):
    """Which sessions are wanted; everything that is given must fit.

    Without a single store for all, the stores of all agents count: of those in `agents.list`, else
    of those with a directory.
    """

    agentId: Annotated[
        Name | UnsetType | None, Meta(description="Only sessions of this agent.")
    ] = UNSET
    limit: Annotated[
        AtLeastOne | UnsetType | None,
        Meta(description="Maximum number of sessions; the latest are listed."),
    ] = UNSET
    activeMinutes: Annotated[
        AtLeastOne | UnsetType | None,
        Meta(description="Only sessions used within this number of minutes."),
    ] = UNSET
    includeGlobal: Annotated[bool | None, Meta(description="Include the session `global`.")] = False
    includeUnknown: Annotated[bool | None, Meta(description="Include the session `unknown`.")] = (
        False
    )
    includeDerivedTitles: Annotated[
        bool | None, Meta(description="Add `derivedTitle`, for which transcripts are read.")
    ] = False
    includeLastMessage: Annotated[
        bool | None, Meta(description="Add `lastMessagePreview`, for which transcripts are read.")
    ] = False
    label: Annotated[
        Annotated[str, Meta(min_length=1, max_length=64)] | UnsetType | None,
        Meta(description="The whole label."),
    ] = UNSET
    spawnedBy: Annotated[
        Name | UnsetType | None, Meta(description="Key of the session that spawned it.")
    ] = UNSET
    search: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "Text that occurs in name, label, subject, session id or key; not case-sensitive."
            )
        ),
    ] = UNSET


@wire
class SessionRow:
    """A session. A member its entry does not have, or not with such a value, is left out."""

    key: Annotated[str, Meta(description="In the case of stored keys, with its agent.")]
    kind: Literal["global", "unknown", "group", "direct"]
    label: Text = UNSET
    displayName: Annotated[
        Text, Meta(description="Its name, else the group's, else the label, else its origin's.")
    ] = UNSET
    derivedTitle: Annotated[
        Text,
        Meta(
            description=(
                "Name, else subject, else the beginning of the first user message, else of the"
                " session id with the day."
            )
        ),
    ] = UNSET
    lastMessagePreview: Annotated[
        Text, Meta(description="Text of the last user or assistant message.")
    ] = UNSET
    channel: Text = UNSET
    subject: Text = UNSET
    groupChannel: Text = UNSET
    space: Text = UNSET
    chatType: Text = UNSET
    origin: JsonObject | UnsetType = UNSET
    updatedAt: Annotated[
        float | None, Meta(description="Milliseconds since the epoch; null: unknown.")
    ]
    sessionId: Text = UNSET
    systemSent: bool | UnsetType = UNSET
    abortedLastRun: bool | UnsetType = UNSET
    thinkingLevel: Text = UNSET
    verboseLevel: Text = UNSET
    reasoningLevel: Text = UNSET
    elevatedLevel: Text = UNSET
    sendPolicy: Text = UNSET
    inputTokens: Number = UNSET
    outputTokens: Number = UNSET
    totalTokens: Annotated[Number, Meta(description="Absent unless it is known to hold.")] = UNSET
    totalTokensFresh: Annotated[bool, Meta(description="Whether `totalTokens` is known to hold.")]
    responseUsage: Text = UNSET
    modelProvider: Annotated[
        Text, Meta(description="That of the last run, else the chosen one, else the default.")
    ] = UNSET
    model: Annotated[
        Text, Meta(description="That of the last run, else the chosen one, else the default.")
    ] = UNSET
    contextTokens: Number = UNSET
    deliveryContext: JsonObject | UnsetType = UNSET
    lastChannel: Text = UNSET
    lastTo: Text = UNSET
    lastAccountId: Text = UNSET


@wire
class ListDefaults:
    """What holds where a session says nothing, by `agents.defaults`."""

    modelProvider: Annotated[str | None, Meta(description="null: not configured.")]
    model: Annotated[str | None, Meta(description="null: not configured.")]
    contextTokens: Annotated[
        float,
        Meta(
            description=(
                "`agents.defaults.contextTokens`, else what `models.providers` says of the model,"
                " else 200,000."
            )
        ),
    ]


@wire
class StoreListResult:
    """Sessions, the latest first. It contains cron jobs, but not their runs."""

    ts: Annotated[int, Meta(description="Time of the answer, milliseconds since the epoch.")]
    path: Annotated[
        str,
        Meta(
            description=(
                "The store; the path with `{agentId}` as it was given; `(multiple)`: each agent's"
                " own."
            )
        ),
    ]
    count: Annotated[int, Meta(description="Number of sessions in `sessions`.")]
    defaults: ListDefaults
    sessions: list[SessionRow]
    problems: StoreProblems = UNSET
    configProblems: Problems = UNSET


METHODS = (
    Method(
        "gateway/list",
        StoreListParams,
        StoreListResult,
        "List the sessions of all agents.",
        ("PathNotAllowed", "ReadFailed"),
        repeatable=True,
    ),
)
