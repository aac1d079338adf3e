"""Answers in progress, which other handles of a session see before they are stored."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from sessiond_protocol.json_members import MessageJson, MessageOrNullJson
from sessiond_protocol.method import Method
from sessiond_protocol.session.view import ViewItem
from sessiond_protocol.wire import NULL_IS_A_VALUE, wire


@wire
class Draft:
    """An answer that is not finished and not stored."""

    message: Annotated[
        MessageJson,
        Meta(description="As it was published; members that are not known yet may be missing."),
    ]
    view: Annotated[
        ViewItem,
        Meta(description="What a person sees of it, as in `session/getView`; `entryId` is empty."),
    ]


@wire
class PublishDraftParams:
    """The present state of an answer."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    message: Annotated[
        MessageOrNullJson,
        NULL_IS_A_VALUE,
        Meta(
            description=(
                "The whole message as far as it goes, with a `role`, of at most 256 kB; null: there"
                " is none."
            )
        ),
    ]


@wire
class SessionDidChangeDraftParams:
    """The present draft of a session, unless this handle published it."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    draft: Annotated[
        Draft | None,
        NULL_IS_A_VALUE,
        Meta(description="Replaces the draft before; null: there is none any more."),
    ]


METHODS = (
    Method(
        "session/publishDraft",
        PublishDraftParams,
        None,
        "Show the other handles of the session an answer in progress, which is not stored. It ends"
        " with the next append or the end of this handle.",
        ("UnknownSession", "ReadOnly", "TooLarge"),
        repeatable=True,
    ),
)

NOTIFICATIONS = (
    Method(
        "session/didChangeDraft",
        SessionDidChangeDraftParams,
        None,
        "Another handle of the session has published a draft, or its draft has ended.",
        (),
        "notification",
    ),
)
