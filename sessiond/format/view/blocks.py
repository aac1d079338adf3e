"""The view of an entry for a person, as records that every surface only has to draw.

The commands, Markdown, MCP and, through `session/getView`, the editors draw these records. The
decisions are made here: what is a heading, what is a block, which text is shown, which parts are
closed at first.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import msgspec

TEXT = "text"
THINKING = "thinking"
CALL = "call"
DIFF = "diff"
RESULT = "result"
COMMAND = "command"
IMAGE = "image"
SUMMARY = "summary"
ERROR = "error"
DATA = "data"

ADDED = "added"
REMOVED = "removed"
SAME = "same"
GAP = "gap"

Safe = Callable[[str], str]
"""Changes a text before anything else is done with it, for instance masks secrets."""


class Argument(msgspec.Struct, omit_defaults=True, rename="camel"):
    """One argument of a tool call."""

    name: str
    text: str
    """The value if it is a string, otherwise its JSON."""


class Change(msgspec.Struct, omit_defaults=True, rename="camel"):
    """One line of a diff."""

    kind: str
    """`added`, `removed`, `same`, or `gap` where lines are left out."""
    text: str = ""
    line: int | None = None
    """Line number, if the source has one: in the new file for `added`, else in the old."""


class Block(msgspec.Struct, omit_defaults=True, rename="camel"):
    """A part of an entry. `kind` says which of the other members it can have.

    - `text`: Markdown, as it was written.
    - `thinking`: the thinking of a model.
    - `call`: a tool call; `text` is its main argument on one line. `tool`, `call_id`, `path`,
      `arguments`, `result_entry_id`.
    - `diff`: what a call changes in a file, or what it has changed; `text` is the diff as text.
      `path`, `call_id`, `changes`.
    - `result`: the output of a tool. `tool`, `call_id`, `call_entry_id`, `title`, `path`, `failed`,
      `exit_code`.
    - `command`: the output of a command that the user ran; `title` is the command. `failed`,
      `exit_code`.
    - `image`: `text` is its type and size. `mime_type`, `size_bytes`.
    - `summary`: the summary of a compaction or of another branch, as Markdown.
    - `error`: why an answer failed.
    - `data`: JSON of which nothing more is known; `title` is its type.
    """

    kind: str
    text: str = ""
    title: str | None = None
    closed: bool = False
    """Whether a surface that can fold shows only the beginning at first."""
    tool: str | None = None
    call_id: str | None = None
    path: str | None = None
    """The file that the call is about, as the call names it."""
    arguments: list[Argument] | None = None
    changes: list[Change] | None = None
    failed: bool = False
    exit_code: int | None = None
    mime_type: str | None = None
    size_bytes: int | None = None
    call_entry_id: str | None = None
    """The entry with the call that this is the result of."""
    result_entry_id: str | None = None
    """The entry with the result of this call."""
    omitted_chars: int | None = None
    """Number of characters that are missing in `text`."""


def _no_blocks() -> list[Block]:
    """Return no blocks. msgspec omits a default of `[]`, but not what such a function returns."""
    return []


class EntryView(msgspec.Struct, omit_defaults=True, rename="camel"):
    """One entry: its heading and its blocks."""

    entry_id: str
    type: str
    """Type of the entry."""
    role: str
    """Role of a message, else the type of the entry."""
    time: str
    """As written in the entry."""
    title: str
    """The speaker, or the setting that the entry makes, in words."""
    is_setting: bool = False
    """Whether the title says everything: a model, a name, a label and the like."""
    notes: list[str] = []
    """Short remarks for the heading, such as `aborted` or `hidden`."""
    model: str | None = None
    """Provider and model of an answer, joined by a slash."""
    tokens: int | None = None
    cost: float | None = None
    """US dollars."""
    label: str | None = None
    """The present label of the entry."""
    part_of: str | None = None
    """The entry with which an answer began that this one continues."""
    blocks: list[Block] = msgspec.field(default_factory=_no_blocks)


def as_json(view: EntryView) -> bytes:
    """Return the JSON of a view; absent members are left out."""
    try:
        return msgspec.json.encode(view)
    except UnicodeEncodeError:
        # An id or a name has half of a surrogate pair, which only an escape can express.
        return json.dumps(msgspec.to_builtins(view)).encode()


def shortened(text: str, most: int, *, middle: bool) -> tuple[str, int]:
    """Return at most `most` characters and the number of those left out.

    With `middle` the end is kept as well, because the end of an output often has the error.
    """
    if len(text) <= most:
        return text, 0
    if not middle:
        return text[:most], len(text) - most
    head = most * 2 // 3
    return f"{text[:head]}\n…\n{text[len(text) - (most - head) :]}", len(text) - most


def limit(view: EntryView, most: int) -> None:
    """Shorten every text of a view to at most `most` characters."""
    for block in view.blocks:
        middle = block.kind in {RESULT, COMMAND}
        block.text, omitted = shortened(block.text, most, middle=middle)
        left = most
        if block.changes is not None:
            block.changes, missing = _first(block.changes, most)
            omitted = max(omitted, missing)
        for argument in block.arguments or ():
            argument.text, missing = shortened(argument.text, left, middle=False)
            left -= len(argument.text)
            omitted += missing
        block.omitted_chars = omitted or None


def _first(changes: list[Change], most: int) -> tuple[list[Change], int]:
    """Return the lines of a diff up to `most` characters, and the number of those left out."""
    size = 0
    for index, change in enumerate(changes):
        size += len(change.text) + 1
        if size > most:
            return changes[:index], sum(len(each.text) + 1 for each in changes[index:])
    return changes, 0
