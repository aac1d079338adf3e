"""The collection of session files."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.method import Method
from sessiond_protocol.session.state import FileProblems, SessionInfo
from sessiond_protocol.wire import Path, wire


@wire
class CatalogSubscribeParams:
    """Which sessions to follow: exactly one of the three."""

    cwd: Annotated[str | UnsetType | None, Meta(description="Those of this working directory.")] = (
        UNSET
    )
    sessionDir: Annotated[Path | UnsetType | None, Meta(description="Those in this directory.")] = (
        UNSET
    )
    all: Annotated[bool | None, Meta(description="Those of all working directories.")] = False


@wire
class CatalogSubscribeResult:
    """A snapshot. Every later change, own ones included, is a `catalog/didChange`."""

    subscription: Annotated[str, Meta(description="Opaque.")]
    sequence: Annotated[int, Meta(description="The first notification has the next one.")]
    sessions: Annotated[list[SessionInfo], Meta(description="The latest `modified` first.")]
    problems: FileProblems = UNSET


@wire
class CatalogUnsubscribeParams:
    """A subscription to end."""

    subscription: str


@wire
class CatalogChange:
    """What became of one file. A rename is `removed` and `added`.

    A file that cannot be read any more is `removed`, and `added` when it can be read again.
    """

    kind: Literal["added", "changed", "removed"]
    path: Annotated[str, Meta(description="Absolute path of the file.")]
    info: Annotated[
        SessionInfo | UnsetType, Meta(description="As it is now; absent when removed.")
    ] = UNSET


@wire
class CatalogDidChangeParams:
    """Changes of the last 100 ms or more, each file once."""

    subscription: str
    sequence: Annotated[
        int, Meta(description="Grows by one per message for the subscription, so a gap shows.")
    ]
    changes: list[CatalogChange]


METHODS = (
    Method(
        "catalog/subscribe",
        CatalogSubscribeParams,
        CatalogSubscribeResult,
        "Take a snapshot of the sessions and hear of every change after it.",
        ("PathNotAllowed", "ReadFailed"),
        repeatable=True,
    ),
    Method("catalog/unsubscribe", CatalogUnsubscribeParams, None, "Hear no more.", repeatable=True),
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
