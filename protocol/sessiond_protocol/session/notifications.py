"""The notification that a session's file has changed."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.method import Method
from sessiond_protocol.wire import wire


@wire
class EntryFacts:
    """An entry without its content."""

    id: str
    parentId: Annotated[str | None, Meta(description="null: the entry is a root.")]
    type: str
    timestamp: str


@wire
class SessionDidChangeParams:
    """A change of a session's file that this handle did not make itself."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    sequence: Annotated[
        int, Meta(description="Grows by one per message for the handle, so a gap shows.")
    ]
    path: Annotated[str, Meta(description="Absolute path of the file.")]
    generation: Annotated[
        int, Meta(description="Number of reloads caused by somebody rewriting the file.")
    ]
    kind: Annotated[
        Literal["appended", "rewritten", "deleted", "invalid", "restored"],
        Meta(
            description=(
                "`deleted`, `invalid`: reads answer the last good state until `restored` or"
                " `rewritten`."
            )
        ),
    ]
    entries: Annotated[
        list[EntryFacts] | UnsetType, Meta(description="What was appended, in file order.")
    ] = UNSET
    leafId: Annotated[
        str | None, Meta(description="The handle's leaf now; null: before any entry.")
    ]
    tipId: Annotated[
        str | None, Meta(description="Last entry of the file now; null: there is none.")
    ]
    entryCount: Annotated[int, Meta(description="Number of entries now.")]
    name: Annotated[str | UnsetType, Meta(description="Name now; absent: none.")] = UNSET


NOTIFICATIONS = (
    Method(
        "session/didChange",
        SessionDidChangeParams,
        None,
        "Somebody else changed the session's file.",
        (),
        "notification",
    ),
)
