"""The entries of CoderClaw's session store.

A store (`sessions.json`) maps the key of a conversation to the entry of its current session.
sessiond shares it with running gateways: it uses their lock and keeps members that it does not
know. Methods that only read never write.
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
    Meta(description="An entry of a store, with all its members."),
]


@wire
class StoreParams:
    """The store of a request."""

    agentId: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "The agent of a key that names none; absent: that of the connection, else the"
                " default agent of the configuration."
            )
        ),
    ] = UNSET
    storePath: Annotated[
        Path | UnsetType | None,
        Meta(
            description=(
                "Path of the store; `{agentId}` is replaced by the agent. Absent: `session.store`,"
                " else that of the agent (only with the profile of a gateway)."
            )
        ),
    ] = UNSET
    config: Annotated[
        Config,
        Meta(
            description=(
                "`session`, `agents`, `channels` and `cron` of a CoderClaw configuration;"
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
                "`corruptStore`: the store is not valid; it is copied before it is replaced."
                " `unreadableStore`: the store cannot be read; the answer about other stores is"
                " complete. `unreadableEntry`: an entry or its transcript cannot be read; the"
                " answer about other entries is complete. `notAnEntry`: a value that is not an"
                " entry. `invalidSessionId`, `invalidSessionFile`: an entry whose session cannot"
                " continue. `archiveFailed`: a transcript of an old session that could not be"
                " renamed. `replacedStore`: OpenClaw keeps these sessions in the database at"
                " `path`, which cannot be read; the store is outdated."
            ),
            extra_json_schema={
                "x-knownValues": [
                    "corruptStore",
                    "unreadableStore",
                    "unreadableEntry",
                    "notAnEntry",
                    "invalidSessionId",
                    "invalidSessionFile",
                    "archiveFailed",
                    "replacedStore",
                ]
            },
        ),
    ]
    message: Annotated[str, Meta(description="Text for people.")]
    sessionKey: Annotated[str | UnsetType, Meta(description="Key of the value in the store.")] = (
        UNSET
    )
    path: Annotated[str | UnsetType, Meta(description="Path of the file, or of its copy.")] = UNSET


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
    agentId: Annotated[str, Meta(description="The agent whose store has the session.")]
    entry: Annotated[StoreEntry | None, Meta(description="null: there is none.")]
    transcript: Annotated[
        str | UnsetType,
        Meta(
            description=(
                "Absolute path of the transcript, or where it would lie if there is none; absent:"
                " the entry names no valid session, or one outside the roots."
            )
        ),
    ] = UNSET
    storePath: Annotated[str, Meta(description="Absolute path of the store.")]
    problems: StoreProblems = UNSET
    configProblems: Problems = UNSET


METHODS = (
    Method(
        "gateway/get",
        StoreGetParams,
        StoreGetResult,
        "Read the entry of a session.",
        ("PathNotAllowed", "ReadFailed", "Busy", "Unsupported"),
        repeatable=True,
    ),
)
