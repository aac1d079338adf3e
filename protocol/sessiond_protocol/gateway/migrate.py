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
    """The agent that gets the sessions from the directory `sessions` in the state directory."""

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
                "Keys of the legacy store that were not migrated: entries without a `sessionId`, or"
                " older entries of the same session."
            )
        ),
    ]
    moved: Annotated[
        list[str],
        Meta(description="New paths of transcripts and other files, in the agent's directory."),
    ]
    kept: Annotated[
        list[str],
        Meta(
            description=(
                "Paths that were not moved: not a file, or the new name exists already. `problems`"
                " list all other reasons."
            )
        ),
    ]
    leftover: Annotated[
        str | None,
        Meta(
            description=(
                "New path of the legacy directory; null: it was removed, or it was not renamed."
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
