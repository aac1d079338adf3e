"""Subscribe to changes of session stores."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.gateway.keys import Problems
from sessiond_protocol.gateway.store import StoreEntry, StoreParams, StoreProblem, StoreProblems
from sessiond_protocol.method import Method
from sessiond_protocol.wire import ChosenHandle, required_if, wire


@wire
class GatewaySubscribeParams(StoreParams):
    """The stores to follow."""

    agentId: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "Only the store of this agent. Absent: the stores of all agents, including later"
                " ones, or the store that they share."
            )
        ),
    ] = UNSET
    subscription: ChosenHandle = UNSET


@wire
class StoredSession:
    """A session in a store."""

    agentId: Annotated[
        str,
        Meta(
            description=(
                "The agent of the store. If agents share the store: the agent of the request, else"
                " the default agent; the key names the agent of the session."
            )
        ),
    ]
    storePath: Annotated[str, Meta(description="Absolute path of the store.")]
    sessionKey: Annotated[str, Meta(description="The key as it is spelled in the store.")]
    entry: StoreEntry


@wire
class GatewaySubscribeResult:
    """A snapshot.

    Every later change, including the client's own, is reported by `gateway/didChange`.
    """

    subscription: Annotated[str, Meta(description="Opaque.")]
    sequence: Annotated[
        int,
        Meta(
            description=(
                "Sequence number of the snapshot; the first notification has the next number."
            )
        ),
    ]
    sessions: Annotated[
        list[StoredSession], Meta(description="By store, that of the default agent first.")
    ]
    problems: StoreProblems = UNSET
    configProblems: Problems = UNSET


@wire
class GatewayUnsubscribeParams:
    """A subscription to end."""

    subscription: str


@wire
class StoreChange:
    """A change of one key."""

    kind: Literal["added", "changed", "removed"]
    sessionKey: Annotated[str, Meta(description="The key as it is spelled in the store.")]
    entry: Annotated[
        StoreEntry | UnsetType,
        required_if("kind", "added", "changed"),
        Meta(description="The present state; absent if `kind` is `removed`."),
    ] = UNSET


@wire
class GatewayDidChangeParams:
    """The changes of one store in the last 100 ms or more; each key occurs once."""

    subscription: str
    sequence: Annotated[
        int,
        Meta(
            description=(
                "Number of this notification: one more than that of the notification before"
                " it in the subscription, so that a lost one is noticed."
            )
        ),
    ]
    agentId: Annotated[str, Meta(description="The agent of the store.")]
    storePath: Annotated[str, Meta(description="Absolute path of the store.")]
    changes: Annotated[
        list[StoreChange], Meta(description="May be empty if `problems` is present.")
    ]
    problems: Annotated[
        list[StoreProblem] | UnsetType,
        Meta(
            description=(
                "All present problems of the store; absent if they are the same as before."
                " `replacedStore`: OpenClaw's database has appeared and cannot be read."
            )
        ),
    ] = UNSET


METHODS = (
    Method(
        "gateway/subscribe",
        GatewaySubscribeParams,
        GatewaySubscribeResult,
        "Read a snapshot of the stores and subscribe to every later change.",
        ("PathNotAllowed", "Unsupported"),
        repeatable=True,
    ),
    Method(
        "gateway/unsubscribe",
        GatewayUnsubscribeParams,
        None,
        "End the subscription.",
        repeatable=True,
    ),
)

NOTIFICATIONS = (
    Method(
        "gateway/didChange",
        GatewayDidChangeParams,
        None,
        "Sessions of a store were added, changed or removed.",
        (),
        "notification",
    ),
)
