"""The present work of an agent, as it says itself or as its session shows."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.method import Method
from sessiond_protocol.wire import wire

_KNOWN: Any = {"x-knownValues": ["idle", "running", "waiting"]}


@wire
class SessionActivity:
    """The present work of the agent of a session."""

    state: Annotated[
        str,
        Meta(
            description="`waiting`: for a person. Later versions may add states.",
            extra_json_schema=_KNOWN,
        ),
    ]
    text: Annotated[
        str | UnsetType, Meta(description="Its work, or the thing it waits for; text for people.")
    ] = UNSET


@wire
class SetActivityParams:
    """The work of the agent behind a handle from now on."""

    session: Annotated[str, Meta(description="Handle of the session; it may be read-only.")]
    state: Annotated[
        Literal["idle", "running", "waiting"],
        Meta(description="`waiting`: for a person, such as for a permission."),
    ]
    text: Annotated[
        Annotated[str, Meta(max_length=1000)] | UnsetType | None,
        Meta(description="Its work, or the thing it waits for; text for people."),
    ] = UNSET


METHODS = (
    Method(
        "session/setActivity",
        SetActivityParams,
        None,
        "Say in lists what the agent of a session does, until the handle is closed. Nothing is"
        " stored. Of several handles, one that waits counts before one that runs.",
        ("UnknownSession",),
        repeatable=True,
    ),
)
