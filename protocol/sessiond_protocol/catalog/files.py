"""Looking after session files: names, the trash, damage."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.method import Method
from sessiond_protocol.session.state import Diagnostic, SessionInfo
from sessiond_protocol.wire import Path, wire


@wire
class RenameParams:
    """A new name for a session that need not be open."""

    path: Annotated[Path, Meta(description="The session file, which must exist.")]
    name: Annotated[
        str,
        Meta(
            description="Runs of line breaks become a space; trimmed; an empty one clears the name."
        ),
    ]


@wire
class RenameResult:
    """The name is kept by an entry under the last one of the file, so no transcript is hidden."""

    id: Annotated[str, Meta(description="Id of the `session_info` entry.")]


@wire
class DeleteParams:
    """A session to be rid of."""

    path: Annotated[Path, Meta(description="The session file.")]
    permanently: Annotated[
        bool | None, Meta(description="Do not keep it in the trash. Nothing brings it back.")
    ] = False
    force: Annotated[
        bool | None,
        Meta(
            description=(
                "Even if it is open. A handle that is still open brings the file back with its"
                " next append."
            )
        ),
    ] = False


@wire
class DeleteResult:
    """What became of it."""

    trashed: Annotated[bool, Meta(description="Whether it is in the trash and can be restored.")]


@wire
class RestoreParams:
    """A session to take out of the trash."""

    path: Annotated[
        Path,
        Meta(
            description=(
                "Where it was. Of several that were deleted there the latest comes back; a file"
                " that is there now is never replaced."
            )
        ),
    ]


@wire
class CheckParams:
    """Which files to look at: exactly one of the three."""

    path: Annotated[Path | UnsetType | None, Meta(description="A single file.")] = UNSET
    cwd: Annotated[
        str | UnsetType | None, Meta(description="The session files of this working directory.")
    ] = UNSET
    all: Annotated[
        bool | None, Meta(description="The session files of all working directories.")
    ] = False


@wire
class CheckedFile:
    """What is wrong with one file."""

    path: Annotated[str, Meta(description="Absolute path of the file.")]
    ok: Annotated[bool, Meta(description="Whether no problem was found.")]
    problems: Annotated[list[Diagnostic], Meta(description="In order of lines.")]


@wire
class CheckResult:
    """Every file that was looked at. None was changed."""

    files: Annotated[list[CheckedFile], Meta(description="In order of directories and names.")]


@wire
class RepairParams:
    """A file to repair."""

    path: Annotated[Path, Meta(description="The session file.")]
    dryRun: Annotated[
        bool | None, Meta(description="Only say what would be done. Send false to do it.")
    ] = True


@wire
class RepairAction:
    """One thing that repairing does, or would do."""

    kind: Annotated[
        str,
        Meta(
            description=(
                "Kind of the problem it answers, or `oldVersion`: a damaged file of version 1 or 2"
                " is migrated as well."
            )
        ),
    ]
    line: Annotated[
        int | UnsetType, Meta(description="Line in the file as it was; absent: the whole file.")
    ] = UNSET
    message: Annotated[str, Meta(description="For people.")]


@wire
class RepairResult:
    """What was found and done. Problems without an action are left: reading goes on around them."""

    problems: Annotated[list[Diagnostic], Meta(description="As found, in order of lines.")]
    actions: Annotated[
        list[RepairAction], Meta(description="In order of lines; empty: nothing is to be done.")
    ]
    backup: Annotated[
        str | UnsetType,
        Meta(
            description=(
                "The file as it was, beside it as `<file>.bak-<time>`; absent: nothing was written."
            )
        ),
    ] = UNSET


METHODS = (
    Method(
        "catalog/rename",
        RenameParams,
        RenameResult,
        "Name a session under the leaf of its file; no handle's leaf moves.",
        (
            "SessionNotFound",
            "InvalidSessionFile",
            "WriteFailed",
            "PathNotAllowed",
            "ReadOnly",
            "Busy",
            "ReadFailed",
        ),
    ),
    Method(
        "catalog/delete",
        DeleteParams,
        DeleteResult,
        "Move a session to the trash, or delete it permanently; refused while it is open.",
        (
            "SessionNotFound",
            "InvalidSessionFile",
            "WriteFailed",
            "PathNotAllowed",
            "ReadOnly",
            "ReadFailed",
            "InUse",
        ),
    ),
    Method(
        "catalog/restore",
        RestoreParams,
        SessionInfo,
        "Take a session out of the trash, back to where it was.",
        (
            "SessionNotFound",
            "WriteFailed",
            "PathNotAllowed",
            "ReadOnly",
            "AlreadyExists",
            "Unsupported",
            "ReadFailed",
        ),
    ),
    Method(
        "catalog/check",
        CheckParams,
        CheckResult,
        "Look for damage in session files; reads only.",
        ("SessionNotFound", "PathNotAllowed", "ReadFailed"),
        repeatable=True,
    ),
    Method(
        "catalog/repair",
        RepairParams,
        RepairResult,
        "Repair a session file, keeping a backup; by default only say what would be done.",
        (
            "SessionNotFound",
            "InvalidSessionFile",
            "WriteFailed",
            "PathNotAllowed",
            "ReadOnly",
            "Busy",
            "ReadFailed",
        ),
    ),
)
