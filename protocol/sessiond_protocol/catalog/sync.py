"""The same sessions in two places."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.method import Method
from sessiond_protocol.wire import Path, WorkDoneToken, closed, wire


@closed
@wire
class MappedDirectory:
    """A directory that has another path on the other side."""

    here: Annotated[Path, Meta(description="The directory on this side.")]
    there: Annotated[Path, Meta(description="The one in its place; `~` is the home there.")]


@wire
class SyncParams:
    """Another place, and what moves between it and this one; `host` or `directory` is required."""

    host: Annotated[
        Path | UnsetType | None,
        Meta(
            description="A machine as `ssh` names it, on which sessiond is installed.",
        ),
    ] = UNSET
    directory: Annotated[
        Path | UnsetType | None,
        Meta(
            description=(
                "A folder with a replica of the sessions, which other machines may use, too. It is"
                " created if it is missing."
            )
        ),
    ] = UNSET
    program: Annotated[
        Path | UnsetType | None,
        Meta(description="How sessiond is called on `host`; default `sessiond`."),
    ] = UNSET
    direction: Annotated[
        Literal["pull", "push"] | UnsetType | None,
        Meta(description="`pull`: change only this side. `push`: only the other. Default: both."),
    ] = UNSET
    dryRun: Annotated[
        bool | None, Meta(description="Report what would move, and write nothing.")
    ] = False
    deletions: Annotated[
        bool | None,
        Meta(
            description=(
                "Move a session to the trash if the other side has it, unchanged, in its trash. By"
                " default it stays, and does not come back there."
            )
        ),
    ] = False
    agents: Annotated[
        list[str] | UnsetType | None,
        Meta(
            description=(
                "Only sessions of these agents, by the names of their profiles; default: the"
                " profile of the client, or all that it lists."
            )
        ),
    ] = UNSET
    project: Annotated[
        Path | UnsetType | None,
        Meta(
            description="Only sessions of the project of this directory, as in `session/listAll`."
        ),
    ] = UNSET
    since: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "Only sessions whose file changed on one of the sides on this day (`YYYY-MM-DD`) or"
                " later, or at this time (ISO 8601) or later."
            )
        ),
    ] = UNSET
    map: Annotated[
        list[MappedDirectory] | UnsetType | None,
        Meta(
            description=(
                "Directories with other paths on the other side. Those below the home directory"
                " need none: they are below the home there."
            )
        ),
    ] = UNSET
    workDoneToken: WorkDoneToken = UNSET


@wire
class SyncMove:
    """A session that has moved, or a part of it."""

    session: Annotated[
        str, Meta(description="Its id; of a subagent, the id of its parent and a path below it.")
    ]
    agent: Annotated[str, Meta(description="The agent whose session it is.")]
    kind: Annotated[
        str,
        Meta(
            description=(
                "`session`: a file that one side did not have. `entries`: entries that it lacked."
                " `bytes`: the continuation of a file that only its agent writes. `deletion`: a"
                " session that moved to the trash. Later versions may add kinds."
            ),
            extra_json_schema={"x-knownValues": ["session", "entries", "bytes", "deletion"]},
        ),
    ]
    direction: Annotated[
        str,
        Meta(
            description="`pull`: to this side. `push`: to the other.",
            extra_json_schema={"x-knownValues": ["pull", "push"]},
        ),
    ]
    cwd: Annotated[
        str, Meta(description="Its working directory, with `~` for the home; may be empty.")
    ]
    entries: Annotated[
        int | UnsetType,
        Meta(description="Number of entries that moved; absent for other content."),
    ] = UNSET


@wire
class SyncProblem:
    """A session or a file that was left alone."""

    name: Annotated[str, Meta(description="The session, as in `SyncMove`, or a path.")]
    message: Annotated[str, Meta(description="Text for people.")]


@wire
class SyncResult:
    """Everything that moved, and what was left alone."""

    moves: Annotated[list[SyncMove], Meta(description="In a dry run, those that would be made.")]
    problems: Annotated[list[SyncProblem], Meta(description="Empty if nothing was left alone.")]
    compared: Annotated[int, Meta(description="Number of sessions on both sides together.")]


METHODS = (
    Method(
        "catalog/sync",
        SyncParams,
        SyncResult,
        "Give this machine and another place the same sessions.",
        ("PathNotAllowed", "ReadOnly", "Unsupported", "ReadFailed", "WriteFailed"),
        repeatable=True,
    ),
)
