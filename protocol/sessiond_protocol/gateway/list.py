"""List the sessions of all agents."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.gateway.change import Name
from sessiond_protocol.gateway.keys import Problems
from sessiond_protocol.gateway.store import StoreEntry, StoreParams, StoreProblems
from sessiond_protocol.method import Method
from sessiond_protocol.wire import wire

Text: TypeAlias = str | UnsetType
AtLeastOne: TypeAlias = Annotated[int, Meta(ge=1)]


@wire
class StoreListParams(StoreParams):
    """Filters for the list; a session must match all of them.

    Unless all agents share a store, the stores of all agents are listed: of the agents in
    `agents.list`, or if it is absent of the agents that have a directory.
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
        bool | None, Meta(description="Add `derivedTitle`; this reads the transcripts.")
    ] = False
    includeLastMessage: Annotated[
        bool | None, Meta(description="Add `lastMessagePreview`; this reads the transcripts.")
    ] = False
    label: Annotated[
        Annotated[str, Meta(min_length=1, max_length=64)] | UnsetType | None,
        Meta(description="The whole label."),
    ] = UNSET
    spawnedBy: Annotated[
        Name | UnsetType | None, Meta(description="Key of the session that spawned it.")
    ] = UNSET
    archived: Annotated[
        bool | UnsetType | None,
        Meta(description="Only archived sessions (`archivedAt`), or only the others."),
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
    """A session: its entry, and what follows from it."""

    key: Annotated[str, Meta(description="The canonical key, with the agent.")]
    agentId: Annotated[str, Meta(description="The agent of the store.")]
    kind: Literal["global", "unknown", "group", "direct"]
    sessionId: Text = UNSET
    updatedAt: Annotated[
        float | None, Meta(description="Milliseconds since the epoch; null: unknown.")
    ]
    displayName: Annotated[
        Text, Meta(description="Name of the session, else of the group, else label, else origin.")
    ] = UNSET
    derivedTitle: Annotated[
        Text,
        Meta(
            description=(
                "Label, else name, else subject, else the beginning of the first user message after"
                " the last reset, else the beginning of the session id."
            )
        ),
    ] = UNSET
    lastMessagePreview: Annotated[
        Text, Meta(description="Text of the last user or assistant message.")
    ] = UNSET
    channel: Annotated[Text, Meta(description="Channel of the entry, else of the key.")] = UNSET
    modelProvider: Annotated[Text, Meta(description="That of the last run, else the override.")] = (
        UNSET
    )
    model: Annotated[Text, Meta(description="That of the last run, else the override.")] = UNSET
    totalTokens: Annotated[float | UnsetType, Meta(description="Absent if it may be outdated.")] = (
        UNSET
    )
    totalTokensFresh: Annotated[bool, Meta(description="Whether `totalTokens` is up to date.")]
    entry: Annotated[
        StoreEntry,
        Meta(
            description=(
                "The entry without `skillsSnapshot` and `systemPromptReport`, which `gateway/get`"
                " answers."
            )
        ),
    ]


@wire
class ListDefaults:
    """The defaults for sessions, from `agents.defaults`."""

    modelProvider: Annotated[str | None, Meta(description="null: not configured.")]
    model: Annotated[str | None, Meta(description="null: not configured.")]
    contextTokens: Annotated[
        float,
        Meta(description="`agents.defaults.contextTokens`, else 200,000."),
    ]


@wire
class StoreListResult:
    """Sessions, the latest first; cron jobs are included, their runs are not."""

    ts: Annotated[int, Meta(description="Time of the answer, milliseconds since the epoch.")]
    path: Annotated[
        str,
        Meta(
            description=(
                "Path of the store; with `{agentId}` as it was given; `(multiple)`: each agent has"
                " a store."
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
        ("PathNotAllowed", "ReadFailed", "Busy", "Unsupported"),
        repeatable=True,
    ),
)
