"""The sessions that a request of the catalogue is about."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.wire import Path, WorkDoneToken, wire


@wire
class CatalogScope:
    """A part of the agent's sessions; without `cwd` and `sessionDir` all of them."""

    cwd: Annotated[
        str | UnsetType | None,
        Meta(description="Only sessions of this working directory; resolved, `~` expanded."),
    ] = UNSET
    sessionDir: Annotated[
        Path | UnsetType | None,
        Meta(
            description=(
                "Directory of sessions instead of the profile's; with `cwd` as in `session/list`."
            )
        ),
    ] = UNSET
    workDoneToken: WorkDoneToken = UNSET
