"""Export sessions for other programs and for people."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.method import Method
from sessiond_protocol.wire import NULL_IS_A_VALUE, Path, wire


@wire
class ExportParams:
    """The session to export, by exactly one of `path` and `session`, and the format."""

    path: Annotated[
        Path | UnsetType | None, Meta(description="A session file; it is not changed.")
    ] = UNSET
    session: Annotated[
        str | UnsetType | None,
        Meta(description="Handle of an open session, also before its file is written."),
    ] = UNSET
    format: Annotated[
        Literal["html", "markdown", "jsonl"],
        Meta(
            description=(
                "`jsonl`: a session file with a new header, the same id and only the"
                " branch, as pi exports it; labels and settings are included, and entries"
                " keep their bytes except for `parentId` and `appendMode`. `markdown`: the"
                " branch as text. `html`: one self-contained page with all branches, which"
                " first shows the branch; only the branch if `leafId` is sent."
            )
        ),
    ]
    outputPath: Annotated[
        Path | UnsetType | None,
        Meta(
            description=(
                "File to write, with mode 0600; missing directories are created with mode"
                " 0700. Absent: the answer contains the export. A page or Markdown that an"
                " export has written is replaced and keeps its mode; any other file is"
                " `AlreadyExists`, unless `force` is sent."
            )
        ),
    ] = UNSET
    leafId: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "Last entry of the branch; null: before the first entry, which gives an"
                " empty branch; absent: the handle's leaf, or the last entry of a file. If it is"
                " sent, the export has nothing that is not on this branch: no other branch, and no"
                " name or label that was given later."
            )
        ),
        NULL_IS_A_VALUE,
    ] = UNSET
    mask: Annotated[
        bool | UnsetType | None,
        Meta(
            description=(
                "true: keys and passwords of known forms are masked in everything that is exported,"
                " also in the data of a page, and the home directory becomes `~`. false: they stay."
                " With either the answer has `secrets`."
            )
        ),
    ] = UNSET
    maskAlso: Annotated[
        list[str] | UnsetType | None,
        Meta(
            description=(
                "With `mask`: further texts to mask wherever they stand, in any case, such as the"
                " name of a customer; at most 100, none empty."
            )
        ),
    ] = UNSET
    conversation: Annotated[
        bool | None,
        Meta(
            description=(
                "Export only what was said: messages of the user and texts of the agent, names, and"
                " labels of these; no thinking, tools, commands, settings and summaries."
            )
        ),
    ] = False
    force: Annotated[
        bool | None,
        Meta(
            description=(
                "Replace whatever file is at `outputPath`; but never a backup, an open session, or"
                " a file below a directory of an agent or beside the store of a gateway."
            )
        ),
    ] = False
    ownId: Annotated[
        bool | None,
        Meta(
            description=(
                "`jsonl`: give the export an id of its own and the exported file as"
                " `parentSession`, so that it can lie beside the session. By default it has the"
                " session's id and no parent, as pi exports it."
            )
        ),
    ] = False


@wire
class ExportResult:
    """The path of the export, or the export itself."""

    path: Annotated[
        str | UnsetType, Meta(description="Absolute path of the file that was written.")
    ] = UNSET
    content: Annotated[
        str | UnsetType, Meta(description="The export, if no `outputPath` was given.")
    ] = UNSET
    secrets: Annotated[
        int | UnsetType,
        Meta(
            description=(
                "If `mask` was sent: the number of exported entries with a key or password of a"
                " known form, which were masked if `mask` is true."
            )
        ),
    ] = UNSET


METHODS = (
    Method(
        "catalog/export",
        ExportParams,
        ExportResult,
        "Export a session, or a branch of it, as JSON lines, Markdown or a page.",
        (
            "UnknownSession",
            "SessionNotFound",
            "InvalidSessionFile",
            "EntryNotFound",
            "PathNotAllowed",
            "ReadOnly",
            "AlreadyExists",
            "ReadFailed",
            "WriteFailed",
        ),
    ),
)
