"""What the daemon tells unasked."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, Raw, UnsetType

from sessiond_protocol.method import Method
from sessiond_protocol.session.state import SessionInfo
from sessiond_protocol.wire import Token, raw, wire


@wire
class WorkDoneProgress:
    """How far work has got: one `begin`, any number of `report`s, one `end`."""

    kind: Literal["begin", "report", "end"]
    message: Annotated[str | UnsetType, Meta(description="For people.")] = UNSET
    percentage: Annotated[float | UnsetType, Meta(description="From 0 to 100.")] = UNSET
    loaded: Annotated[int | UnsetType, Meta(description="Number of items done.")] = UNSET
    total: Annotated[int | UnsetType, Meta(description="Number of items in all.")] = UNSET


@wire
class PartialSessions:
    """The whole sorted list as far as it is known."""

    sessions: list[SessionInfo]


if TYPE_CHECKING:
    ProgressValueJson: TypeAlias = WorkDoneProgress | PartialSessions | Raw
else:
    ProgressValueJson = raw("ProgressValue")


@wire
class ProgressParams:
    """Progress of the request that carried the token."""

    token: Annotated[Token, Meta(description="As the request carried it.")]
    value: Annotated[
        ProgressValueJson,
        Meta(description="By the token: `WorkDoneProgress` or a partial result."),
    ]


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
        "$/progress",
        ProgressParams,
        None,
        "How far a request has got; sent when it carried a token.",
        (),
        "notification",
    ),
    Method(
        "session/didChange",
        SessionDidChangeParams,
        None,
        "Somebody else changed the session's file.",
        (),
        "notification",
    ),
)
