"""Subscribe to changes of the session files."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.catalog.scope import CatalogScope
from sessiond_protocol.method import Method
from sessiond_protocol.session.state import FileProblems, SessionInfo
from sessiond_protocol.wire import ChosenHandle, required_if, wire


@wire
class CatalogSubscribeParams(CatalogScope):
    """The sessions to follow."""

    subagents: Annotated[
        bool | None, Meta(description="Also sessions that agents began, for their subagents.")
    ] = False
    subscription: ChosenHandle = UNSET


@wire
class CatalogSubscribeResult:
    """A snapshot.

    Every later change, including the client's own, is reported by `catalog/didChange`.
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
    sessions: Annotated[list[SessionInfo], Meta(description="The latest `modified` first.")]
    problems: FileProblems = UNSET


@wire
class CatalogUnsubscribeParams:
    """A subscription to end."""

    subscription: str


@wire
class CatalogChange:
    """A change of one file.

    A rename is `removed` and `added`. A file that can no longer be read is `removed`, and `added`
    when it can be read again.
    """

    kind: Literal["added", "changed", "removed"]
    path: Annotated[str, Meta(description="Absolute path of the file.")]
    info: Annotated[
        SessionInfo | UnsetType,
        required_if("kind", "added", "changed"),
        Meta(description="The present state; absent if `kind` is `removed`."),
    ] = UNSET


@wire
class CatalogDidChangeParams:
    """The changes of the last 100 ms or more; each file occurs once."""

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
    changes: list[CatalogChange]


METHODS = (
    Method(
        "catalog/subscribe",
        CatalogSubscribeParams,
        CatalogSubscribeResult,
        "Read a snapshot of the sessions and subscribe to every later change.",
        ("PathNotAllowed", "ReadFailed"),
        repeatable=True,
    ),
    Method(
        "catalog/unsubscribe",
        CatalogUnsubscribeParams,
        None,
        "End the subscription.",
        repeatable=True,
    ),
)

NOTIFICATIONS = (
    Method(
        "catalog/didChange",
        CatalogDidChangeParams,
        None,
        "Session files were added, changed or removed.",
        (),
        "notification",
    ),
)
