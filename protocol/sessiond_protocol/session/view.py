"""Read what a person sees of a session: headings and blocks, ready to be drawn."""
# ruff: noqa: N815 - fields bear the names they have on the wire

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from sessiond_protocol.method import Method
from sessiond_protocol.wire import Count, wire


def _known(*values: str) -> Any:
    """Return the schema of a string whose values may become more."""
    return {"x-knownValues": list(values)}


@wire
class GetViewParams:
    """Which part of a branch to read."""

    session: Annotated[str, Meta(description="Handle of the session.")]
    leafId: Annotated[
        str | UnsetType | None, Meta(description="Last entry of the branch; absent: the leaf.")
    ] = UNSET
    cursor: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "Start after this position: the `nextCursor` of the page before, or the id of an"
                " entry of the branch."
            )
        ),
    ] = UNSET
    last: Annotated[
        Count | UnsetType | None,
        Meta(
            description=(
                "Start at most this number of entries before the end of the branch, if that is"
                " after the `cursor`."
            )
        ),
    ] = UNSET
    around: Annotated[
        str | UnsetType | None,
        Meta(
            description=(
                "Id of an entry, as of a search hit: start at half of `limit` before it. If the"
                " branch does not have it, the branch that ends at it is read. Replaces `cursor`"
                " and `last`."
            )
        ),
    ] = UNSET
    limit: Annotated[
        Count | UnsetType | None, Meta(description="Maximum number of entries in the answer.")
    ] = UNSET
    maxChars: Annotated[
        Count | UnsetType | None,
        Meta(
            description=(
                "Maximum number of characters of each text; `omittedChars` tells how many are"
                " missing. Absent: all of them."
            )
        ),
    ] = UNSET


@wire
class ViewArgument:
    """One argument of a tool call."""

    name: Annotated[str, Meta(description="Name of the argument.")]
    text: Annotated[str, Meta(description="The value if it is a string, otherwise its JSON.")]


@wire
class ViewChange:
    """One line of a diff."""

    kind: Annotated[
        str,
        Meta(
            description=("`gap`: lines are left out here; `text` may be a heading of the diff."),
            extra_json_schema=_known("added", "removed", "same", "gap"),
        ),
    ]
    text: Annotated[str | UnsetType, Meta(description="The line; absent: it is empty.")] = UNSET
    line: Annotated[
        int | UnsetType,
        Meta(
            description=(
                "Line number, if the source of the diff has one: in the new file for `added`, else"
                " in the old one."
            )
        ),
    ] = UNSET


@wire
class ViewBlock:
    """A part of an entry. A kind that is not known is drawn as its `text`."""

    kind: Annotated[
        str,
        Meta(
            description=(
                "`text`: Markdown as it was written; `thinking`; `call`: a tool call, whose text is"
                " its main argument on one line; `diff`: the change of a file by a call; `result`:"
                " the output of a tool; `command`: the output of a command of the user; `image`:"
                " its type and size; `summary`: Markdown; `error`: why an answer failed; `data`:"
                " JSON."
            ),
            extra_json_schema=_known(
                "text",
                "thinking",
                "call",
                "diff",
                "result",
                "command",
                "image",
                "summary",
                "error",
                "data",
            ),
        ),
    ]
    text: Annotated[
        str | UnsetType,
        Meta(description="What it says, without terminal sequences; absent: it is empty."),
    ] = UNSET
    title: Annotated[
        str | UnsetType,
        Meta(
            description=(
                "Of a `command` the command itself, of a `result` the main argument of its call, of"
                " `data` its type."
            )
        ),
    ] = UNSET
    closed: Annotated[
        bool | UnsetType,
        Meta(description="Whether a client that can fold shows only the beginning at first."),
    ] = UNSET
    tool: Annotated[str | UnsetType, Meta(description="Name of the tool.")] = UNSET
    callId: Annotated[
        str | UnsetType, Meta(description="Id of the call that this block belongs to.")
    ] = UNSET
    path: Annotated[
        str | UnsetType, Meta(description="The file that the call is about, as the call names it.")
    ] = UNSET
    arguments: Annotated[
        list[ViewArgument] | UnsetType,
        Meta(description="Arguments of a call, without those that a `diff` shows."),
    ] = UNSET
    changes: Annotated[list[ViewChange] | UnsetType, Meta(description="Lines of a diff.")] = UNSET
    failed: Annotated[bool | UnsetType, Meta(description="Whether the tool or command failed.")] = (
        UNSET
    )
    exitCode: Annotated[
        int | UnsetType, Meta(description="Exit code of a command, if it is recorded.")
    ] = UNSET
    mimeType: Annotated[str | UnsetType, Meta(description="Such as `image/png`.")] = UNSET
    sizeBytes: Annotated[int | UnsetType, Meta(description="Size of an image.")] = UNSET
    callEntryId: Annotated[
        str | UnsetType, Meta(description="The entry with the call that this is the result of.")
    ] = UNSET
    resultEntryId: Annotated[
        str | UnsetType, Meta(description="The entry with the result of this call.")
    ] = UNSET
    omittedChars: Annotated[
        int | UnsetType, Meta(description="Number of characters that `maxChars` has cut.")
    ] = UNSET


@wire
class ViewItem:
    """One entry as a person sees it."""

    entryId: Annotated[str, Meta(description="Id of the entry.")]
    type: Annotated[str, Meta(description="Type of the entry.")]
    role: Annotated[str, Meta(description="Role of a message, else the type of the entry.")]
    time: Annotated[str, Meta(description="As written in the entry.")]
    title: Annotated[str, Meta(description="Who speaks, or what the entry sets, in words.")]
    isSetting: Annotated[
        bool | UnsetType,
        Meta(description="Whether the title says everything: a model, a name, a label."),
    ] = UNSET
    notes: Annotated[
        list[str] | UnsetType,
        Meta(description="Short remarks for the heading, such as `aborted` or `hidden`."),
    ] = UNSET
    model: Annotated[
        str | UnsetType, Meta(description="Provider and model of an answer, joined by a slash.")
    ] = UNSET
    tokens: Annotated[
        int | UnsetType, Meta(description="Tokens that the entry records, of all kinds.")
    ] = UNSET
    cost: Annotated[float | UnsetType, Meta(description="In US dollars, if recorded.")] = UNSET
    label: Annotated[str | UnsetType, Meta(description="The present label.")] = UNSET
    partOf: Annotated[
        str | UnsetType,
        Meta(
            description=(
                "Some agents keep an answer in several entries: the id of the first one, if this is"
                " a later one. It needs no heading of its own."
            )
        ),
    ] = UNSET
    blocks: Annotated[
        list[ViewBlock] | UnsetType,
        Meta(description="Empty if there is none, as for a setting; 0.2 left it out then."),
    ] = UNSET


@wire
class GetViewResult:
    """Entries of a branch as a person sees them, the oldest first."""

    items: Annotated[list[ViewItem], Meta(description="One for each entry.")]
    total: Annotated[int, Meta(description="Number of entries on the branch.")]
    nextCursor: Annotated[
        str | UnsetType, Meta(description="Where the next page begins; absent: this is the last.")
    ] = UNSET


METHODS = (
    Method(
        "session/getView",
        GetViewParams,
        GetViewResult,
        "Read the entries from the root to the leaf as a person sees them, page by page. A result"
        " knows its call; what a call changed is shown once, by its result if that has a diff."
        " After new results read the entries with their calls again.",
        ("UnknownSession", "ReadFailed", "EntryNotFound"),
        repeatable=True,
    ),
)
