"""Keep a store small.

Under `enforce` the rules also apply whenever a store is saved; this method applies them on request.
"""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.gateway.keys import Problems
from sessiond_protocol.gateway.store import StoreParams, StoreProblems
from sessiond_protocol.method import Method
from sessiond_protocol.wire import wire


@wire
class MaintainParams(StoreParams):
    """The store of one agent. What goes is said by `session.maintenance` and `cron`."""

    mode: Annotated[
        Literal["enforce", "warn"] | UnsetType | None,
        Meta(
            description=(
                "`warn`: nothing is touched, and `problems` say what `enforce` would take out."
                " Absent: the configuration's, else `warn`."
            )
        ),
    ] = UNSET
    dryRun: Annotated[
        bool | None,
        Meta(
            description="Only report what would be done; the names of archives are then estimates."
        ),
    ] = False


@wire
class MaintainResult:
    """What was done: entries were removed from the store, and transcripts were renamed."""

    mode: Literal["enforce", "warn"]
    storePath: Annotated[str, Meta(description="Absolute path of the store.")]
    pruned: Annotated[
        list[str],
        Meta(description="Keys of sessions unused for longer than `pruneAfter`."),
    ]
    capped: Annotated[
        list[str],
        Meta(description="Keys of those beyond `maxEntries`; their transcripts stay."),
    ]
    reaped: Annotated[
        list[str],
        Meta(
            description=(
                "Keys of runs of jobs older than `cron.sessionRetention`; their transcripts stay."
            )
        ),
    ]
    rotated: Annotated[
        str | None,
        Meta(description="The store as it was, if it was larger than `rotateBytes`."),
    ]
    archived: Annotated[
        list[str],
        Meta(
            description=(
                "Transcripts of pruned sessions, as they are called now. One that a session still"
                " uses stays."
            )
        ),
    ]
    removed: Annotated[
        list[str],
        Meta(
            description=(
                "Archives of deleted sessions that were older than `pruneAfter`, deleted from"
                " directories in which something was archived."
            )
        ),
    ]
    problems: StoreProblems = UNSET
    configProblems: Problems = UNSET


METHODS = (
    Method(
        "gateway/maintain",
        MaintainParams,
        MaintainResult,
        "Remove old or excess sessions from a store.",
        (
            "GatewayRejected",
            "Unsupported",
            "PathNotAllowed",
            "ReadOnly",
            "Busy",
            "ReadFailed",
            "WriteFailed",
        ),
        writes_store=True,
    ),
)
