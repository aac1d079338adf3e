"""Read the tree of a session and move the leaf.

Every answer reflects the file at the moment of the request.
"""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, Raw, UnsetType

from sessiond_protocol.json_members import EntriesJson, EntryJson
from sessiond_protocol.method import Method
from sessiond_protocol.session.open import SessionParams
from sessiond_protocol.session.view import ViewItem
from sessiond_protocol.wire import NULL_IS_A_VALUE, Count, raw, wire


@wire
class LeafIdResult:
    """The handle's position."""

    leafId: Annotated[str | None, Meta(description="null: before the first entry.")]


@wire
class EntryResult:
    """One entry, if it exists."""

    entry: Annotated[EntryJson | None, Meta(description="null: there is no such entry.")]


@wire
class EntriesResult:
    """Entries, in the order that the method defines."""

    entries: EntriesJson


@wire
class GetEntryParams:
    """The id of an entry."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    id: Annotated[str, Meta(description="Id of the entry.")]


@wire
class GetEntriesParams:
    """Which page of the file's entries to read."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    cursor: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "Start after this position: the `nextCursor` of the page before, or the id of an"
                " entry, of which the last occurrence counts."
            )
        ),
    ] = UNSET
    limit: Annotated[
        Count | UnsetType | None, Meta(description="Maximum number of entries in the answer.")
    ] = UNSET
    last: Annotated[
        Count | UnsetType | None,
        Meta(
            description=(
                "Start at most this number of entries before the end of the file, if that is after"
                " the `cursor`."
            )
        ),
    ] = UNSET
    views: Annotated[
        bool | UnsetType | None, Meta(description="Whether to answer `views` also.")
    ] = UNSET


@wire
class GetEntriesResult:
    """Entries in file order."""

    entries: EntriesJson
    total: Annotated[int, Meta(description="Number of entries in the file.")]
    nextCursor: Annotated[
        str | UnsetType, Meta(description="Where the next page begins; absent: this is the last.")
    ] = UNSET
    views: Annotated[
        list[ViewItem] | UnsetType,
        Meta(
            description=(
                "What a person sees of each of the `entries`, as `session/getView` answers it;"
                " a call does not name its result, which another branch may not have, and always"
                " shows its diff."
            )
        ),
    ] = UNSET


@wire
class GetSourceParams:
    """The entry whose source is read."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    entryId: Annotated[str, Meta(description="Id of the entry.")]
    maxBytes: Annotated[
        Count | UnsetType | None,
        Meta(description="Maximum number of bytes of each record; absent: 65536."),
    ] = UNSET


@wire
class SourceRecord:
    """A line of a file or a row of a database, as the agent wrote it."""

    path: Annotated[
        str | UnsetType, Meta(description="The file; absent: the session has none.")
    ] = UNSET
    line: Annotated[
        int | UnsetType,
        Meta(description="Number of the line, from 1; absent: it is no line of a file."),
    ] = UNSET
    byteOffset: Annotated[int | UnsetType, Meta(description="Number of bytes before the line.")] = (
        UNSET
    )
    sizeBytes: Annotated[int, Meta(description="Number of bytes, without a line feed.")]
    text: Annotated[
        str,
        Meta(description="Its beginning; bytes that are not UTF-8 are shown as U+FFFD."),
    ]
    truncated: Annotated[
        bool, Meta(description="Whether the text is only the beginning of the record.")
    ]


@wire
class GetSourceResult:
    """What an entry was made of, in the order of the file."""

    records: Annotated[
        list[SourceRecord],
        Meta(
            description=(
                "Several where an agent keeps parts of a message apart. Without `line` where no"
                " line of a file has the entry's id: in databases, in memory, in files of"
                " version 1."
            )
        ),
    ]


@wire
class EntryCountResult:
    """The number of entries, without the header."""

    count: int


@wire
class GetBranchParams:
    """The branch to read."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    fromId: Annotated[
        str | UnsetType | None, Meta(description="Last entry of the branch; absent: the leaf.")
    ] = UNSET


@wire
class GetChildrenParams:
    """The entry whose children are read."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    parentId: Annotated[
        str | None,
        NULL_IS_A_VALUE,
        Meta(description="The parent; null: read the entries without a parent."),
    ]


@wire
class GetTreeParams:
    """How much of each entry the answer contains."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    detail: Annotated[
        Literal["full", "outline"] | UnsetType | None,
        Meta(description="`full` (default): `TreeNode`s; `outline`: `OutlineNode`s."),
    ] = UNSET


@wire
class TreeNode:
    """An entry in the tree, complete."""

    id: str
    children: Annotated[list[str], Meta(description="Ids of the children, by time.")]
    label: Annotated[str | UnsetType, Meta(description="Absent: none.")] = UNSET
    labelTimestamp: Annotated[
        str | UnsetType, Meta(description="Time of the latest change of the label.")
    ] = UNSET
    entry: EntryJson


@wire
class OutlineNode:
    """An entry in the tree, without its content."""

    id: str
    parentId: Annotated[str | None, Meta(description="As in the entry.")]
    children: Annotated[list[str], Meta(description="Ids of the children, by time.")]
    type: str
    role: Annotated[str | UnsetType, Meta(description="Role of a message entry.")] = UNSET
    timestamp: str
    preview: Annotated[str, Meta(description="The beginning of its text, at most 120 characters.")]
    label: Annotated[str | UnsetType, Meta(description="Absent: none.")] = UNSET


if TYPE_CHECKING:
    NodesJson: TypeAlias = list[TreeNode] | list[OutlineNode] | Raw
else:
    NodesJson = list[raw("Node")]


@wire
class TreeResult:
    """The tree as a flat list.

    Of an id that occurs more than once, only the last entry is listed.
    """

    roots: Annotated[list[str], Meta(description="Ids of entries whose parent is not in the file.")]
    nodes: Annotated[NodesJson, Meta(description="Every id exactly once.")]


@wire
class LabelResult:
    """The present label of an entry."""

    label: Annotated[str | None, Meta(description="null: none.")]


@wire
class BranchParams:
    """The entry to continue from."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    entryId: Annotated[str, Meta(description="The new leaf.")]


_ANY = ("UnknownSession", "ReadFailed")
_BY_ID = (*_ANY, "EntryNotFound")


METHODS = (
    Method(
        "session/getLeafId",
        SessionParams,
        LeafIdResult,
        "Read the handle's leaf.",
        _ANY,
        repeatable=True,
    ),
    Method(
        "session/getLeafEntry",
        SessionParams,
        EntryResult,
        "Read the entry at the leaf.",
        _ANY,
        repeatable=True,
    ),
    Method(
        "session/getEntry",
        GetEntryParams,
        EntryResult,
        "Read the entry with this id.",
        _ANY,
        repeatable=True,
    ),
    Method(
        "session/getSource",
        GetSourceParams,
        GetSourceResult,
        "Read the lines or rows that an entry was made of, as its agent wrote them.",
        _BY_ID,
        repeatable=True,
    ),
    Method(
        "session/getEntries",
        GetEntriesParams,
        GetEntriesResult,
        "Read the entries of the file, all or page by page.",
        _BY_ID,
        repeatable=True,
    ),
    Method(
        "session/getEntryCount",
        SessionParams,
        EntryCountResult,
        "Count the entries.",
        _ANY,
        repeatable=True,
    ),
    Method(
        "session/getBranch",
        GetBranchParams,
        EntriesResult,
        "Read the entries from the root to the leaf, root first.",
        _BY_ID,
        repeatable=True,
    ),
    Method(
        "session/getChildren",
        GetChildrenParams,
        EntriesResult,
        "Read the children of an entry, in file order.",
        _BY_ID,
        repeatable=True,
    ),
    Method(
        "session/getTree",
        GetTreeParams,
        TreeResult,
        "Read the whole tree as a flat list.",
        _ANY,
        repeatable=True,
    ),
    Method(
        "session/getLabel",
        GetEntryParams,
        LabelResult,
        "Read the label of an entry.",
        _ANY,
        repeatable=True,
    ),
    Method(
        "session/branch",
        BranchParams,
        LeafIdResult,
        "Move the leaf to an entry.",
        _BY_ID,
        repeatable=True,
    ),
    Method(
        "session/resetLeaf",
        SessionParams,
        LeafIdResult,
        "Move the leaf before the first entry.",
        _ANY,
        repeatable=True,
    ),
)
