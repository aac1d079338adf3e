"""Migrate sessions from the time before each agent had its own directory."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta

from sessiond_protocol.gateway.keys import Problems
from sessiond_protocol.gateway.store import StoreParams, StoreProblems
from sessiond_protocol.method import Method
from sessiond_protocol.wire import wire


@wire
class MigrateParams(StoreParams):
    """Whose the sessions become that lie in `sessions` in the state directory."""

    dryRun: Annotated[
        bool | None,
        Meta(
            description=(
                "Only report what would be done; the new name of the legacy directory is"
                " then an estimate."
            )
        ),
    ] = False


@wire
class MigrateResult:
    """What was done; nothing if there is no legacy directory."""

    migrated: Annotated[
        list[str], Meta(description="Keys in the store that hold a legacy session now.")
    ]
    dropped: Annotated[
        list[str],
        Meta(
            description=(
                "Keys of the legacy store that were not taken over: without a `sessionId`, or the"
                " same session as a newer one."
            )
        ),
    ]
    moved: Annotated[
        list[str],
        Meta(description="New paths of transcripts and other files, beside the agent's own."),
    ]
    kept: Annotated[
        list[str],
        Meta(
            description=(
                "Paths of what was not moved: no file, or of a name that is taken; what else it may"
                " be, `problems` tell."
            )
        ),
    ]
    leftover: Annotated[
        str | None,
        Meta(
            description=(
                "The legacy directory as it is called now; null: it is gone, or where it was."
            )
        ),
    ]
    storePath: Annotated[str, Meta(description="Absolute path of the store.")]
    problems: StoreProblems = UNSET
    configProblems: Problems = UNSET


METHODS = (
    Method(
        "gateway/migrate",
        MigrateParams,
        MigrateResult,
        ("Migrate legacy sessions, as a gateway does when it starts; only on request."),
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
