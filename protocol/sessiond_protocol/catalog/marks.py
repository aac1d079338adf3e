"""Mark sessions: pin them, hide them, tag them."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.method import Method
from sessiond_protocol.session.state import SessionMarks
from sessiond_protocol.wire import Path, wire

_Tags = Annotated[
    list[str] | UnsetType | None,
    Meta(
        description=(
            "Words of at most 64 characters, without white space, commas and control characters."
        )
    ),
]


@wire
class SetMarksParams:
    """Sessions, and the marks that all of them get or lose; absent ones stay as they are."""

    paths: Annotated[
        list[Path], Meta(description="The session files, which must exist; at most 1000.")
    ]
    pinned: Annotated[
        bool | UnsetType | None, Meta(description="Whether they are pinned from now on.")
    ] = UNSET
    hidden: Annotated[
        bool | UnsetType | None, Meta(description="Whether they are hidden from now on.")
    ] = UNSET
    addTags: _Tags = UNSET
    removeTags: Annotated[
        list[str] | UnsetType | None,
        Meta(description="Tags that they lose; a tag that is in `addTags`, too, stays."),
    ] = UNSET


@wire
class SetMarksResult:
    """The marks that the sessions have now."""

    marks: Annotated[list[SessionMarks], Meta(description="In the order of `paths`.")]


METHODS = (
    Method(
        "catalog/setMarks",
        SetMarksParams,
        SetMarksResult,
        (
            "Pin, hide or tag sessions. No session file is changed: the daemon keeps marks in a"
            " file of its own, by agent and session id. All of them are changed, or none."
        ),
        (
            "SessionNotFound",
            "InvalidSessionFile",
            "WriteFailed",
            "PathNotAllowed",
            "ReadOnly",
            "Busy",
            "ReadFailed",
            "Unsupported",
        ),
        repeatable=True,
    ),
)
