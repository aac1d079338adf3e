"""Subscribe to changes of the session files."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.catalog.scope import CatalogScope
from sessiond_protocol.method import Method
from sessiond_protocol.session.state import FileProblems, Hidden, PinnedFirst, SessionInfo, Tag
from sessiond_protocol.wire import ChosenHandle, Count, required_if, wire


@wire
class CatalogSubscribeParams(CatalogScope):
    """The sessions to follow."""

    subagents: Annotated[
        bool | None, Meta(description="Also sessions that agents began, for their subagents.")
    ] = False
    tag: Tag = UNSET
    hidden: Hidden = UNSET
    pinnedFirst: PinnedFirst = False
    subscription: ChosenHandle = UNSET
    resumeToken: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "From an earlier answer, also of another daemon: only what changed since then is"
                " answered. One that belongs to other params is ignored."
            )
        ),
    ] = UNSET
    limit: Annotated[
        Count | UnsetType | None,
        Meta(
            description=(
                "Maximum number of sessions in the snapshot, the latest; changes are reported of"
                " all. Without effect where only changes are answered."
            )
        ),
    ] = UNSET


@wire
class CatalogSubscribeResult:
    """A snapshot, or what changed since an earlier one.

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
    sessions: Annotated[
        list[SessionInfo],
        Meta(
            description=(
                "The latest `modified` first: all, or those that were added or changed since."
            )
        ),
    ]
    resumeToken: Annotated[
        str | UnsetType,
        Meta(description="For a later subscription: what the client knows now; opaque."),
    ] = UNSET
    removed: Annotated[
        list[str] | UnsetType,
        Meta(
            description=(
                "Present if only changes are answered: paths of the sessions that are gone since."
            )
        ),
    ] = UNSET
    nextCursor: Annotated[
        str | UnsetType,
        Meta(
            description=(
                "Present if `limit` left sessions out: `session/list` (or `session/listAll`"
                " without `cwd`) goes on with it."
            )
        ),
    ] = UNSET
    problems: FileProblems = UNSET


@wire
class CatalogUnsubscribeParams:
    """A subscription to end."""

    subscription: str


@wire
class CatalogChange:
    """A change of one file, or of the marks of its session.

    A session that leaves or enters the list by its marks is `removed` or `added`. A rename is
    `removed` and `added`. A file that can no longer be read is `removed`, and `added` when it can
    be read again.
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
