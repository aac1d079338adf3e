"""The notification that reports the progress of a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, Raw, UnsetType

from sessiond_protocol.method import Method
from sessiond_protocol.session.state import SessionInfo
from sessiond_protocol.wire import Token, raw, wire


@wire
class WorkDoneProgress:
    """The progress of a request: one `begin`, any number of `report`s, one `end`."""

    kind: Literal["begin", "report", "end"]
    message: Annotated[str | UnsetType, Meta(description="Text for people.")] = UNSET
    percentage: Annotated[float | UnsetType, Meta(description="From 0 to 100.")] = UNSET
    loaded: Annotated[int | UnsetType, Meta(description="Number of items done.")] = UNSET
    total: Annotated[int | UnsetType, Meta(description="Number of items in all.")] = UNSET


@wire
class PartialSessions:
    """The sorted list of the sessions read so far, up to the `limit` of the request."""

    sessions: list[SessionInfo]


if TYPE_CHECKING:
    ProgressValueJson: TypeAlias = WorkDoneProgress | PartialSessions | Raw
else:
    ProgressValueJson = raw("ProgressValue")


@wire
class ProgressParams:
    """Progress of the request that carried the token."""

    token: Annotated[Token, Meta(description="The token from the request.")]
    value: Annotated[
        ProgressValueJson,
        Meta(description="`WorkDoneProgress` or `PartialSessions`, depending on the token."),
    ]


NOTIFICATIONS = (
    Method(
        "$/progress",
        ProgressParams,
        None,
        "The progress of a request that carried a token.",
        (),
        "notification",
    ),
)
