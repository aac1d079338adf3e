"""The display of the entries of a file, one row each, made once from their lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from sessiond.format.describe.preview import brief, preview
from sessiond.format.describe.tools import ToolUse, tool_use
from sessiond.format.entries import LABEL, Entry
from sessiond.format.tree.tree import Tree
from sessiond.format.view.blocks import Safe
from sessiond.text.safe import visible, visible_line

_MOST_OF_CALL = 80

_WHO = {
    "bashExecution": "Command",
    "compaction": "Compacted",
    "branch_summary": "Another branch",
    "session_info": "Name",
}


class Row(msgspec.Struct, gc=False):
    """An entry as an editor shows it."""

    entry: Entry
    length: int
    """Length of the line, in the units of the editor; 0 if the file is of an older version."""
    who: str
    said: str
    """The text of the entry on one line: a message, a setting, or an answer."""
    uses: ToolUse
    target: str
    """The entry that it labels; empty if it is no label."""
    links: tuple[tuple[int, int, str], ...]
    """Start and end, in the units of the editor, of each path of a file, and the path."""

    @property
    def line(self) -> int:
        """The number of its line, from 0."""
        return self.entry.line - 1

    def caption(self, label: str | None = None) -> str:
        """Return one line: who speaks, whether it failed, what it says, and its label."""
        said = f": {self.said}" if self.said else ""
        shown_label = f" [{visible_line(label)}]" if label else ""
        return f"{self.who}{' failed' if self.uses.failed else ''}{said}{shown_label}"


_CONTINUING = bytes(range(0x80, 0xC0))
"""Bytes of UTF-8 that begin no character."""
_OF_PAIRS = bytes(range(0xF0, 0xF5))
"""Bytes that begin a character of two units of UTF-16."""


def units(line: bytes, encoding: str) -> int:
    """Return the length of a line in units of `encoding`.

    Editors show each part that is not UTF-8 as a replacement character.
    """
    if encoding == "utf-8" or line.isascii():
        return len(line)
    return _units_of_text(line.decode("utf-8", "replace").encode(), encoding)


def _units_of_text(line: bytes, encoding: str) -> int:
    """The same for a line that is UTF-8, in half of the time."""
    if encoding == "utf-8" or line.isascii():
        return len(line)
    characters = len(line.translate(None, _CONTINUING))
    return characters if encoding == "utf-32" else characters + sum(map(line.count, _OF_PAIRS))


class RowMaker:
    """Makes rows of the entries of one file, in the units of one editor.

    `raw_lines` are those that are not UTF-8. `migrated` lines are not those of the file.
    """

    def __init__(
        self, encoding: str, safe: Safe, raw_lines: Mapping[int, bytes], *, migrated: bool
    ) -> None:
        self._encoding = encoding
        self._safe = safe
        self._raw_lines = raw_lines
        self._migrated = migrated

    def rows(self, tree: Tree, first: int, stop: int) -> list[Row]:
        """Return the rows of the entries from index `first` up to `stop`."""
        return [self._row(tree, index) for index in range(first, stop)]

    def _row(self, tree: Tree, index: int) -> Row:
        entry = tree.entries[index]
        line = entry.raw
        read = brief(entry)
        uses = tool_use(entry, read)
        kind = entry.role or entry.type
        who = uses.tool or _WHO.get(kind) or kind.replace("_", " ").capitalize()
        # A preview is on one line.
        said = visible(self._safe(preview(entry, read)))
        if uses.calls and uses.is_silent:
            calls = (f"{call.tool} {self._short(call.text)}" for call in uses.calls)
            said = "; ".join(map(visible_line, calls))
        length = 0
        links: tuple[tuple[int, int, str], ...] = ()
        if not self._migrated:
            raw = self._raw_lines.get(entry.line)
            length = (
                _units_of_text(line, self._encoding) if raw is None else units(raw, self._encoding)
            )
            links = tuple(self._links(line, uses)) if uses.calls else ()
        target = (read.targetId or "") if entry.type == LABEL else ""
        return Row(entry, length, visible_line(who) or "Entry", said, uses, target, links)

    def _short(self, text: str) -> str:
        # Cut first: an argument may have megabytes.
        return visible_line(self._safe(text[: 4 * _MOST_OF_CALL]))[: 2 * _MOST_OF_CALL]

    def _links(self, line: bytes, uses: ToolUse) -> Iterator[tuple[int, int, str]]:
        at = 0
        for call in uses.calls:
            place = line.find(call.path_json, at) if call.path else -1
            if place >= 0:
                at = place + len(call.path_json)
                start = _units_of_text(line[: place + 1], self._encoding)
                yield start, start + _units_of_text(call.path_json[1:-1], self._encoding), call.path


class Rows:
    """The rows of a file, which only grow while the file does."""

    def __init__(self, safe: Safe = str) -> None:
        self.all: list[Row] = []
        self.by_line: dict[int, Row] = {}
        self.by_id: dict[str, Row] = {}
        """The last row with an id, which is the one that counts."""
        self.labels: dict[str, list[Row]] = {}
        """By id of an entry: the entries that label it."""
        self._safe = safe
        self._callers: dict[str, tuple[Row, str]] = {}
        self._results: dict[str, list[Row]] = {}

    def add(self, row: Row) -> None:
        """Add the row of the next entry."""
        self.all.append(row)
        self.by_line[row.line] = row
        self.by_id[row.entry.id] = row
        for call in row.uses.calls:
            self._callers[call.id] = (row, call.text)
        if row.target:
            self.labels.setdefault(row.target, []).append(row)
        if row.uses.call_id:
            self._results.setdefault(row.uses.call_id, []).append(row)
            _, call_text = self._callers.get(row.uses.call_id, (row, ""))
            short = visible_line(self._safe(call_text[: 4 * _MOST_OF_CALL]))[:_MOST_OF_CALL]
            row.said = " → ".join(filter(None, (short, row.said)))

    def caller(self, row: Row) -> Row | None:
        """Return the row with the call that a row is the result of."""
        row_of_call = self._callers.get(row.uses.call_id) if row.uses.call_id else None
        return None if row_of_call is None else row_of_call[0]

    def results(self, row: Row) -> list[Row]:
        """Return the results of the calls of a row."""
        return [each for call in row.uses.calls for each in self._results.get(call.id, ())]
