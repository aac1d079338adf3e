"""A session as a file for others: for pi, for readers of Markdown, for a browser."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.method import Method
from sessiond_protocol.wire import NULL_IS_A_VALUE, Path, wire


@wire
class ExportParams:
    """Which session to export, exactly one of `path` and `session`, and as what."""

    path: Annotated[
        Path | UnsetType | None, Meta(description="A session file; it is only read.")
    ] = UNSET
    session: Annotated[
        str | UnsetType | None, Meta(description="The handle of an open session, written or not.")
    ] = UNSET
    format: Annotated[
        Literal["html", "markdown", "jsonl"],
        Meta(
            description=(
                "`jsonl`: a session of its own as pi exports it, with a new header of the same id"
                " and only the branch, chained anew, labels and settings included; entries keep"
                " their bytes. `markdown`: the branch to read. `html`: one page that needs nothing"
                " else, with all branches, opened at the branch."
            )
        ),
    ]
    outputPath: Annotated[
        Path | UnsetType | None,
        Meta(
            description=(
                "File to write, mode 0600, its directories made with mode 0700; absent: the content"
                " comes in the answer. A file that is there is replaced (as pi) and keeps its mode,"
                " but never a session: that is `AlreadyExists`."
            )
        ),
    ] = UNSET
    leafId: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "Last entry of the branch; null: before any entry, so an empty one; absent: the"
                " handle's leaf, of a file its last entry."
            )
        ),
        NULL_IS_A_VALUE,
    ] = UNSET


@wire
class ExportResult:
    """Where the export is, or the export itself."""

    path: Annotated[
        str | UnsetType, Meta(description="Absolute path of the file that was written.")
    ] = UNSET
    content: Annotated[
        str | UnsetType, Meta(description="The export, where no `outputPath` was given.")
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
