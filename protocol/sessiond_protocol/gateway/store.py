"""The entries of CoderClaw's session store.

A store (`sessions.json`) maps the key of a conversation to the entry of its current session.
sessiond shares it with running gateways: it takes their lock and keeps everything it does not know.
Methods that only read never write.
"""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.gateway.keys import Config, JsonObject, Problems
from sessiond_protocol.method import Method
from sessiond_protocol.wire import Path, wire

StoreEntry: TypeAlias = Annotated[
    JsonObject,
    Meta(description="An entry of a store, with every member it has there."),
]


@wire
class StoreParams:
    """Whose store is meant."""

    agentId: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "Whose a key without an agent is; absent: the connection's, else the default agent"
                " of the configuration."
            )
        ),
    ] = UNSET
    storePath: Annotated[
        Path | UnsetType | None,
        Meta(
            description=(
                "The store; `{agentId}` in it stands for the agent. Absent: `session.store`, else"
                " the agent's own, which takes the profile of a gateway."
            )
        ),
    ] = UNSET
    config: Annotated[
        Config,
        Meta(
            description=(
                "`session`, `agents`, `channels` and `models` of a CoderClaw configuration;"
                " absent: the agent's configuration file."
            )
        ),
    ] = UNSET


@wire
class StoreProblem:
    """A problem in a store. The value that caused it was skipped and is still stored."""

    kind: Annotated[
        str,
        Meta(
            description=(
                "`corruptStore`: cannot be understood, and is copied aside before it is written"
                " over. `unreadableStore`: cannot be read; what is said of others holds."
                " `unreadableEntry`: an entry, or its transcript, that cannot be read, likewise."
                " `notAnEntry`: a value that is no entry. `invalidSessionId`,"
                " `invalidSessionFile`: an entry whose session cannot go on. `maintenance`: a"
                " session that maintenance would take out if it were enforced. `archiveFailed`: a"
                " transcript of an old session that is still where it was. `moveFailed`: a file or"
                " a session of a legacy directory that is still there. `replacedStore`:"
                " OpenClaw keeps these sessions in the database at `path`; what the store says is"
                " out of date, and it cannot be written."
            ),
            extra_json_schema={
                "x-knownValues": [
                    "corruptStore",
                    "unreadableStore",
                    "unreadableEntry",
                    "notAnEntry",
                    "invalidSessionId",
                    "invalidSessionFile",
                    "maintenance",
                    "archiveFailed",
                    "moveFailed",
                    "replacedStore",
                ]
            },
        ),
    ]
    message: Annotated[str, Meta(description="Text for people.")]
    sessionKey: Annotated[str | UnsetType, Meta(description="Key of the value in the store.")] = (
        UNSET
    )
    path: Annotated[str | UnsetType, Meta(description="The file; a copy, if one was made.")] = UNSET


StoreProblems: TypeAlias = Annotated[
    list[StoreProblem] | UnsetType, Meta(description="Absent: there are none.")
]


@wire
class StoreGetParams(StoreParams):
    """A session by its key."""

    sessionKey: Annotated[
        str, Meta(description="Key of the session, in any spelling that a gateway accepts.")
    ]


@wire
class StoreGetResult:
    """The entry of a session."""

    sessionKey: Annotated[str, Meta(description="The key as it is spelled in the store.")]
    entry: Annotated[StoreEntry | None, Meta(description="null: there is none.")]
    storePath: Annotated[str, Meta(description="Absolute path of the store.")]
    problems: StoreProblems = UNSET
    configProblems: Problems = UNSET


METHODS = (
    Method(
        "gateway/get",
        StoreGetParams,
        StoreGetResult,
        "Read the entry of a session.",
        ("PathNotAllowed", "ReadFailed"),
        repeatable=True,
    ),
)
