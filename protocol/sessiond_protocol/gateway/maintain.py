"""Keep a store small."""
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
    """The store of one agent. `session.maintenance` and `cron` define what is removed."""

    mode: Annotated[
        Literal["enforce", "warn"] | UnsetType | None,
        Meta(
            description=(
                "`warn`: only report what `enforce` would do. Absent: that of the configuration,"
                " else `warn`."
            )
        ),
    ] = UNSET
    dryRun: Annotated[
        bool | None,
        Meta(description="Only report what would be done."),
    ] = False


@wire
class MaintainResult:
    """What was done, or with `dryRun` and in mode `warn`, what would be done."""

    mode: Literal["enforce", "warn"]
    storePath: Annotated[str, Meta(description="Absolute path of the store.")]
    pruned: Annotated[
        list[str],
        Meta(description="Keys of sessions unused for longer than `pruneAfter`."),
    ]
    capped: Annotated[
        list[str],
        Meta(description="Keys of sessions beyond `maxEntries`; their transcripts stay."),
    ]
    reaped: Annotated[
        list[str],
        Meta(
            description=(
                "Keys of cron runs older than `cron.sessionRetention`; their transcripts stay."
            )
        ),
    ]
    archived: Annotated[
        list[str],
        Meta(
            description=(
                "New paths of the transcripts of pruned sessions, or their paths if nothing was"
                " done. A transcript that another session uses is not archived."
            )
        ),
    ]
    removed: Annotated[
        list[str],
        Meta(
            description=(
                "Archives of deleted sessions older than `pruneAfter`; they were deleted from the"
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
