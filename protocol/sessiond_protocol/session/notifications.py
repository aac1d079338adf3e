"""The notification that a session's file has changed."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.method import Method
from sessiond_protocol.session.state import Diagnostic
from sessiond_protocol.wire import required_if, wire


@wire
class EntryFacts:
    """An entry without its content."""

    id: str
    parentId: Annotated[str | None, Meta(description="null: the entry is a root.")]
    type: str
    timestamp: str


@wire
class SessionDidChangeParams:
    """A change of a session's file that was not made through this handle."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    sequence: Annotated[
        int,
        Meta(
            description=(
                "Number of this notification: one more than that of the notification before"
                " it for the handle, so that a lost one is noticed."
            )
        ),
    ]
    path: Annotated[str, Meta(description="Absolute path of the file.")]
    generation: Annotated[
        int,
        Meta(
            description=(
                "Number of times the file was loaded again because another program had"
                " rewritten it."
            )
        ),
    ]
    kind: Annotated[
        Literal["appended", "rewritten", "deleted", "invalid", "restored"],
        Meta(
            description=(
                "After `deleted` or `invalid`, reads answer the last valid state until"
                " `restored` or `rewritten`."
            )
        ),
    ]
    entries: Annotated[
        list[EntryFacts] | UnsetType,
        required_if("kind", "appended"),
        Meta(
            description=(
                "The appended entries, in file order; none if what was appended is no entry."
            )
        ),
    ] = UNSET
    leafId: Annotated[
        str | None, Meta(description="The handle's present leaf; null: before the first entry.")
    ]
    tipId: Annotated[
        str | None, Meta(description="Last entry of the file at present; null: there is none.")
    ]
    entryCount: Annotated[int, Meta(description="Present number of entries.")]
    name: Annotated[str | UnsetType, Meta(description="Present name; absent: none.")] = UNSET
    diagnostics: Annotated[
        list[Diagnostic] | UnsetType,
        Meta(
            description=(
                "The first 100 problems of lines appended since the notification before, also of a"
                " last line that has no end yet."
            )
        ),
    ] = UNSET


NOTIFICATIONS = (
    Method(
        "session/didChange",
        SessionDidChangeParams,
        None,
        "The session's file was changed, but not through this handle.",
        (),
        "notification",
    ),
)
