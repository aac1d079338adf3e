"""Rename, delete, restore, check and repair session files."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.catalog.scope import CatalogScope
from sessiond_protocol.method import Method
from sessiond_protocol.session.state import Diagnostic, FileProblem, FileProblems, SessionInfo
from sessiond_protocol.wire import Path, wire

ChangeName = Annotated[
    str | UnsetType | None,
    Meta(
        description=(
            "Any name of the change; with one, `catalog/undo` can take it back. Deletions in a row"
            " with the same name are taken back together."
        )
    ),
]

Undoable = Annotated[
    bool | UnsetType,
    Meta(
        description=(
            "Whether `catalog/undo` can take it back: not with `--root` or `--store`. Absent: the"
            " change had no name."
        )
    ),
]


@wire
class RenameParams:
    """A new name for a session, which need not be open."""

    path: Annotated[Path, Meta(description="The session file, which must exist.")]
    name: Annotated[
        str,
        Meta(
            description=(
                "Line breaks become a space and white space at the ends is removed; an"
                " empty name clears it."
            )
        ),
    ]
    change: ChangeName = UNSET


@wire
class RenameResult:
    """The entry that stores the name.

    It is appended under the last entry of the file, so that no part of the transcript leaves the
    active branch.
    """

    id: Annotated[str, Meta(description="Id of the `session_info` entry.")]
    undoable: Undoable = UNSET


@wire
class EntryLabelParams:
    """A label for an entry of a session, which need not be open."""

    path: Annotated[Path, Meta(description="The session file, which must exist.")]
    entryId: Annotated[str, Meta(description="The entry to label.")]
    label: Annotated[
        str | UnsetType | None,
        Meta(description="The label; absent, null or empty: the label is removed."),
    ] = UNSET
    change: ChangeName = UNSET


@wire
class EntryLabelResult:
    """The entry that stores the label, appended under the last entry of the file."""

    id: Annotated[str, Meta(description="Id of the `label` entry.")]
    undoable: Undoable = UNSET


@wire
class DeleteParams:
    """A session to delete."""

    path: Annotated[Path, Meta(description="The session file.")]
    permanently: Annotated[
        bool | None, Meta(description="Delete permanently, without the trash.")
    ] = False
    force: Annotated[
        bool | None,
        Meta(
            description=(
                "Delete it even if a program has it open for writing. A handle that is"
                " still open creates the file again with its next append."
            )
        ),
    ] = False
    change: ChangeName = UNSET


@wire
class DeleteResult:
    """What was done."""

    trashed: Annotated[
        bool, Meta(description="Whether the file is in the trash and can be restored.")
    ]
    undoable: Undoable = UNSET


@wire
class UndoneChange:
    """A change that was taken back."""

    kind: Annotated[
        Literal["delete", "rename", "label"], Meta(description="The change that there was.")
    ]
    path: Annotated[str, Meta(description="The session file.")]
    name: Annotated[
        str | UnsetType,
        Meta(
            description="The name that the session has again; only for `rename`, and maybe empty."
        ),
    ] = UNSET
    entryId: Annotated[str | UnsetType, Meta(description="The entry, for `label`.")] = UNSET
    label: Annotated[
        str | UnsetType,
        Meta(description="The label that the entry has again; only for `label`, and maybe empty."),
    ] = UNSET


@wire
class UndoResult:
    """The changes that were taken back, and those that could not be; none if nothing is left."""

    changes: list[UndoneChange]
    problems: Annotated[
        list[FileProblem] | UnsetType,
        Meta(
            description=(
                "Why something was not taken back; `changed`: it was changed again since, and"
                " stays. Other failures are tried again by the next `catalog/undo`."
            )
        ),
    ] = UNSET


@wire
class RestoreParams:
    """A session to restore from the trash."""

    path: Annotated[
        Path,
        Meta(
            description=(
                "Path of the file before it was deleted. If several files with this path"
                " were deleted, the latest is restored. An existing file is never replaced."
            )
        ),
    ]


@wire
class TrashedSession:
    """A session in the trash."""

    path: Annotated[str, Meta(description="Where it was, and what `catalog/restore` takes.")]
    file: Annotated[str, Meta(description="Where it is now.")]
    deleted: Annotated[
        str | UnsetType,
        Meta(description="When it was deleted, ISO 8601 UTC; absent: the trash does not say."),
    ] = UNSET
    info: Annotated[
        SessionInfo, Meta(description="What lists would say of it; its `path` is the former one.")
    ]


@wire
class ListTrashResult:
    """The sessions in the trash that were deleted from a scope, the latest first."""

    sessions: list[TrashedSession]
    problems: FileProblems = UNSET


@wire
class CheckParams(CatalogScope):
    """The files to check: those of a scope, or a single one."""

    path: Annotated[
        Path | UnsetType | None, Meta(description="A single file, without members of a scope.")
    ] = UNSET


@wire
class UnknownLines:
    """Lines or rows of another agent's format that sessiond does not know yet."""

    type: Annotated[str, Meta(description="Their type, as the agent names it.")]
    count: int


@wire
class CheckedFile:
    """The problems of one file."""

    path: Annotated[str, Meta(description="Absolute path of the file.")]
    ok: Annotated[bool, Meta(description="Whether no problem was found.")]
    problems: Annotated[list[Diagnostic], Meta(description="In order of lines.")]
    unknown: Annotated[
        list[UnknownLines] | UnsetType,
        Meta(
            description=(
                "What a newer version of an agent has written; it is shown as `custom` entries."
                " Absent: nothing."
            )
        ),
    ] = UNSET


@wire
class CheckResult:
    """All files that were checked. None was changed."""

    files: Annotated[list[CheckedFile], Meta(description="In order of directories and names.")]


@wire
class RepairParams:
    """A file to repair."""

    path: Annotated[Path, Meta(description="The session file.")]
    dryRun: Annotated[
        bool, Meta(description="true: only report what would be done. false: repair the file.")
    ]


@wire
class RepairAction:
    """One action of a repair, done or planned."""

    kind: Annotated[
        str,
        Meta(
            description=(
                "Kind of the problem that it solves, or `oldVersion`: a damaged file of"
                " version 1 or 2 is migrated as well."
            )
        ),
    ]
    line: Annotated[
        int | UnsetType,
        Meta(
            description="Number of the line in the file before the repair; absent: the whole file."
        ),
    ] = UNSET
    message: Annotated[str, Meta(description="Text for people.")]


@wire
class RepairResult:
    """The problems and the actions.

    Problems without an action stay in the file; readers skip them.
    """

    problems: Annotated[list[Diagnostic], Meta(description="As found, in order of lines.")]
    actions: Annotated[
        list[RepairAction], Meta(description="In order of lines; empty: nothing needs to be done.")
    ]
    backup: Annotated[
        str | UnsetType,
        Meta(
            description=(
                "Copy of the file before the repair, `<file>.bak-<time>` in the same"
                " directory; absent: nothing was written."
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
        "catalog/label",
        EntryLabelParams,
        EntryLabelResult,
        "Label an entry under the leaf of its file; no handle's leaf moves.",
        (
            "SessionNotFound",
            "EntryNotFound",
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
        (
            "Move a session to the trash, or delete it permanently; by default not while it is open"
            " for writing."
        ),
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
        "Restore a session from the trash to its former path.",
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
        "catalog/undo",
        None,
        UndoResult,
        "Take back the last change of this user that has a name, then the one before.",
        ("PathNotAllowed", "ReadOnly", "WriteFailed", "Unsupported"),
    ),
    Method(
        "catalog/listTrash",
        CatalogScope,
        ListTrashResult,
        "List the sessions in the trash.",
        ("PathNotAllowed", "Unsupported"),
        repeatable=True,
    ),
    Method(
        "catalog/check",
        CheckParams,
        CheckResult,
        "Check session files for damage; nothing is written.",
        ("SessionNotFound", "PathNotAllowed", "ReadFailed"),
        repeatable=True,
    ),
    Method(
        "catalog/repair",
        RepairParams,
        RepairResult,
        ("Repair a session file and keep a backup, or only report what would be done."),
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
