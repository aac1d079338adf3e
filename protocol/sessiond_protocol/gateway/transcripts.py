"""Preview the transcripts of a store's sessions."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta

from sessiond_protocol.gateway.keys import Problems
from sessiond_protocol.gateway.store import StoreParams, StoreProblems
from sessiond_protocol.method import Method
from sessiond_protocol.wire import wire


@wire
class StorePreviewParams(StoreParams):
    """Sessions by their keys."""

    keys: Annotated[
        Annotated[list[str], Meta(min_length=1)],
        Meta(description="The first 64 that are not blank are used."),
    ]
    limit: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(
            description=("Maximum number of messages to read, at most 50; some may have no text.")
        ),
    ] = 12
    maxChars: Annotated[
        Annotated[int, Meta(ge=20)] | None,
        Meta(description="Maximum length of a text with `...`, in UTF-16 code units, up to 2000."),
    ] = 240


@wire
class PreviewItem:
    """One message."""

    role: Annotated[
        Literal["user", "assistant", "system", "tool", "other"],
        Meta(description="`tool`: a message that calls tools. `other`: also tool results."),
    ]
    text: Annotated[
        str,
        Meta(
            description=(
                "Text of the message; else `call a, b +2` with the tools it calls; else `[type]` of"
                " its first block."
            )
        ),
    ]


@wire
class SessionPreview:
    """The last messages of a session's transcript, on any branch."""

    key: Annotated[str, Meta(description="As it was sent, without white space around it.")]
    status: Annotated[
        Literal["ok", "empty", "missing", "error"],
        Meta(
            description=(
                "`missing`: the session does not exist. `empty`: no transcript, or no text in it."
                " `error`: the transcript or the store could not be read."
            )
        ),
    ]
    items: list[PreviewItem]


@wire
class StorePreviewResult:
    """One preview per key, in the order of the keys."""

    ts: Annotated[int, Meta(description="Time of the answer, milliseconds since the epoch.")]
    previews: list[SessionPreview]
    problems: StoreProblems = UNSET
    configProblems: Problems = UNSET


METHODS = (
    Method(
        "gateway/preview",
        StorePreviewParams,
        StorePreviewResult,
        "Read the last messages of sessions, shortened.",
        ("PathNotAllowed",),
        repeatable=True,
    ),
)
