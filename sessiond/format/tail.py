"""Shorten a session to its last lines.

The header stays, and references to removed entries are changed to refer to entries that remain, so
that the result is a valid session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from sessiond.format.entries import COMPACTION, LEAF, RESET, Entry
from sessiond.format.header import LATEST_VERSION
from sessiond.format.load import Loader
from sessiond.format.loaded import Loaded, NotASession
from sessiond.format.migrate import migrate
from sessiond.format.tree.ancestors import Ancestors, followed
from sessiond.format.tree.tree import Tree
from sessiond.jsontext.lines import split
from sessiond.jsontext.parts import object_members, string_of
from sessiond.jsontext.spans import Buffer, js_string, js_trim, replace_member

_BOM = b"\xef\xbb\xbf"


class LaterVersion(Exception):
    """The session has a version that is not known, so its references are not known either."""

    def __init__(self, version: float) -> None:
        super().__init__(f"unknown version {version:g}")
        self.version = version


@attrs.define(eq=False)
class Tail:
    """The last `keep` lines of a file: `look` finds the first to keep, `render` writes them."""

    keep: int
    lines: int = 0
    """Number of lines in the file that are not blank."""
    first: int | None = None
    """Number of the first line after the header that stays; None if all lines stay."""

    def look(self, pieces: Sequence[Buffer]) -> None:
        """Find the lines to remove. Damaged lines count as well.

        Raises NotASession and LaterVersion if lines would be removed.
        """
        filled = [number for number, line in enumerate(split(pieces), 1) if not _is_blank(line)]
        self.lines = len(filled)
        gone, kept = filled[: -self.keep], filled[-self.keep :]
        if gone:
            loaded = _load(pieces)
            if loaded.header is None:
                raise NotASession(1)
            self.first = kept[0] if set(gone) != {loaded.header_number} else None

    def render(self, pieces: Sequence[Buffer]) -> list[Buffer]:
        """The new content, of this file or of one that has grown since. Raises as `look`."""
        loaded = _load(pieces)
        lines = split(pieces)
        if loaded.bom:
            lines[0] = lines[0].removeprefix(_BOM)
        return _Cut(loaded, lines, self.first or 1).parts()


def _is_blank(line: bytes) -> bool:
    return not line.startswith(b"{") and not js_trim(line.decode(errors="replace"))


def _load(pieces: Sequence[Buffer]) -> Loaded:
    loader = Loader()
    for piece in pieces:
        loader.feed(piece)
    loaded = loader.finish()
    if loaded.header is not None and loaded.header.version > LATEST_VERSION:
        raise LaterVersion(loaded.header.version)
    return loaded


class _Cut:
    """The part of a file from a given line on."""

    def __init__(self, loaded: Loaded, lines: list[bytes], first: int) -> None:
        # Entries of version 1 refer to parents by position only.
        self._migrated = migrate(loaded)
        self._loaded = self._migrated or loaded
        self._lines = lines
        self._first = first
        self._tree = Tree(self._loaded.text, self._loaded.entries)
        self._links = _RemainingLinks(self._tree, first)

    def parts(self) -> list[Buffer]:
        loaded, lines = self._loaded, self._lines
        header = loaded.header_line + b"\n"
        parts: list[Buffer] = [header] if loaded.header_number < self._first else []
        entries = {entry.line: index for index, entry in enumerate(self._tree.entries)}
        for number in range(self._first, len(lines) + 1):
            raw = lines[number - 1]
            if number in entries:
                parts.append(self._entry(entries[number], raw) + b"\n")
            elif number == loaded.header_number:
                parts.append(header)
            elif not _is_blank(raw):
                # Text after the last newline may be an incomplete line.
                parts.append(raw if number == len(lines) else raw + b"\n")
        return parts

    def _entry(self, index: int, raw: bytes) -> bytes:
        entry = self._tree.entries[index]
        wire = self._tree.line(entry)
        line = raw if self._migrated is None else self._loaded.raw_lines.get(index, wire)
        for name, value in self._links.changes(entry, wire).items():
            try:
                line = replace_member(line, name, value)
            except ValueError:
                # The name of a member is not valid UTF-8.
                line = replace_member(wire, name, value)
        return line


class _RemainingLinks:
    """The new parents of the entries that stay, and their other references."""

    def __init__(self, tree: Tree, first: int) -> None:
        self._entries = tree.entries
        self._old = tree.parent_of
        self._by_id = tree.by_id
        self._above: dict[str, str | None] = {}
        """Removed entries → the nearest ancestor that stays."""
        self._parents: dict[str, str | None] = {}
        """Entries that stay → their new parents."""
        self._moved: dict[int, str | None] = {}
        """New parents by line, for ids that occur more than once."""
        self._cut: set[str] = set()
        """Entries whose branch began before the first line that stays."""
        self._answered: set[str] = set()
        """Assistant messages, and entries below one."""
        self._above_stray: dict[str, str | None] = {}
        """Tool results whose calls are removed, and the entries above: no model accepts them, so no
        entry may follow them."""
        self._kept = {entry.id for entry in tree.entries if entry.line >= first}
        for index, entry in enumerate(tree.entries):
            if entry.line >= first:
                self._place(index, entry)
        self._old_branches = Ancestors([self._index_of(entry.parent_id) for entry in tree.entries])
        self._new_branches = Ancestors(
            [self._index_of(self._parents.get(entry.id)) for entry in tree.entries]
        )
        self._roots = self._root_ids()

    def changes(self, entry: Entry, wire: bytes) -> dict[str, bytes]:
        """The members of a line whose references change."""
        changes: dict[str, bytes] = {}
        parent = self._moved[entry.line]
        if parent != entry.parent_id:
            changes["parentId"] = b"null" if parent is None else js_string(parent)
        if entry.type == LEAF:
            changes |= self._leaf_changes(object_members(wire))
        if entry.type in {COMPACTION, RESET}:
            target = string_of(object_members(wire).get("firstKeptEntryId"))
            meant = None if target is None else self._first_kept(entry, target)
            if meant is not None and meant != target:
                changes["firstKeptEntryId"] = js_string(meant)
        return changes

    def _leaf_changes(self, members: Mapping[str, bytes]) -> dict[str, bytes]:
        """The new targets of a leaf line whose targets are removed: the nearest ancestors that
        stay.
        """
        changes: dict[str, bytes] = {}
        for name in ("targetId", "appendParentId"):
            target = string_of(members.get(name))
            if target in self._by_id and target not in self._kept:
                remaining = self._nearest(target)
                changes[name] = b"null" if remaining is None else js_string(remaining)
        return changes

    def _place(self, index: int, entry: Entry) -> None:
        parent = self._parent(index, entry)
        is_cut = parent in self._cut if parent else entry.parent_id in self._by_id
        answered = entry.role == "assistant" or parent in self._answered
        if entry.role == "toolResult" and is_cut and not answered:
            self._above_stray[entry.id] = parent
        else:
            end = followed(self._above_stray, parent)
            parent = None if end in self._above_stray else end
        if is_cut:
            self._cut.add(entry.id)
        if answered:
            self._answered.add(entry.id)
        self._parents[entry.id] = self._moved[entry.line] = parent

    def _parent(self, index: int, entry: Entry) -> str | None:
        """The nearest ancestor that stays; a parent that never existed is kept."""
        parent = entry.parent_id
        if parent is None or parent in self._kept or parent not in self._by_id:
            return parent
        ancestor = self._nearest(self._old(index))
        return None if ancestor == entry.id else ancestor

    def _nearest(self, at: str | None) -> str | None:
        """The entry itself if it stays, else its nearest ancestor that does."""
        passed: dict[str, None] = {}
        while at is not None and at not in self._kept and at not in self._above:
            if at in passed or at not in self._by_id:
                at = None
                break
            passed[at] = None
            at = self._old(self._by_id[at])
        ancestor = None if at is None else self._above.get(at, at)
        self._above.update(dict.fromkeys(passed, ancestor))
        return ancestor

    def _first_kept(self, entry: Entry, target: str) -> str:
        """The first kept entry of a compaction; if it is removed, the first one on its branch."""
        at = self._by_id.get(target)
        before = self._index_of(entry.parent_id)
        if at is None or before is None or not self._old_branches.is_above(at, before):
            return target
        parent = self._index_of(self._moved[entry.line])
        if parent is None:
            # A compaction that names itself keeps no entries.
            return entry.id
        return target if self._new_branches.is_above(at, parent) else self._roots[parent]

    def _index_of(self, entry_id: str | None) -> int | None:
        return None if entry_id is None else self._by_id.get(entry_id)

    def _root_ids(self) -> list[str]:
        """The id of the first entry on the new branch of each entry, by index."""
        roots = [entry.id for entry in self._entries]
        for index in self._new_branches.order:
            parent = self._index_of(self._parents.get(roots[index]))
            if parent is not None:
                roots[index] = roots[parent]
        return roots
