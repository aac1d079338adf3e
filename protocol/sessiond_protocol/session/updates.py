"""Read a session as the notifications of the Agent Client Protocol."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.content import Anything
from sessiond_protocol.method import Method
from sessiond_protocol.wire import Count, wire


@wire
class GetUpdatesParams:
    """Which part of a branch to read."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    leafId: Annotated[
        str | UnsetType | None, Meta(description="Last entry of the branch; absent: the leaf.")
    ] = UNSET
    cursor: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "Start after this position: the `nextCursor` of the page before, or the id of an"
                " entry of the branch."
            )
        ),
    ] = UNSET
    limit: Annotated[
        Count | UnsetType | None,
        Meta(description="Maximum number of entries in a page; each may be several updates."),
    ] = UNSET


@wire
class SessionUpdate:
    """The params of one `session/update`, ready to be sent."""

    sessionId: Annotated[str, Meta(description="Id in the session's header.")]
    update: Annotated[Anything, Meta(description="A `SessionUpdate` of ACP, version 1.")]


@wire
class GetUpdatesResult:
    """A page of a branch, the oldest first."""

    updates: Annotated[list[SessionUpdate], Meta(description="In the order in which to send them.")]
    total: Annotated[int, Meta(description="Number of entries on the branch.")]
    nextCursor: Annotated[
        str | UnsetType, Meta(description="Where the next page begins; absent: this is the last.")
    ] = UNSET


METHODS = (
    Method(
        "session/getUpdates",
        GetUpdatesParams,
        GetUpdatesResult,
        "Read a branch as `session/update` notifications of the Agent Client Protocol, version 1:"
        " messages, thoughts, tool calls with diffs and locations, and plans.",
        ("UnknownSession", "ReadFailed", "EntryNotFound"),
        repeatable=True,
    ),
)
