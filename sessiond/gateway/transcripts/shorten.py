"""Shorten a transcript to its last lines, and keep the old file beside the new one.

CoderClaw keeps the last lines as they are, and the result is no longer a valid session. Here the
header stays, and references to removed entries are changed to refer to entries that remain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import attrs

from sessiond.errors import AlreadyExists, GatewayRejected, InvalidSessionFile
from sessiond.files import disk, journal
from sessiond.files.backup import keep
from sessiond.format.entries import COMPACTION, LEAF, RESET, Entry
from sessiond.format.header import LATEST_VERSION
from sessiond.format.load import Loader
from sessiond.format.loaded import Loaded, NotASession
from sessiond.format.migrate import migrate
from sessiond.format.tree.tree import Tree
from sessiond.gateway.transcripts.archive import stamp
from sessiond.jsontext.lines import split
from sessiond.jsontext.parts import object_members, string_of
from sessiond.jsontext.spans import Buffer, js_string, js_trim, replace_member

_BOM = b"\xef\xbb\xbf"


@attrs.define(eq=False)
class Tail:
    """The last `keep` lines of a file. `look` decides from which line on, then `render` does it."""

    keep: int
    lines: int = 0
    """How many lines the file had, blank ones aside."""
    first: int | None = None
    """Number of the first line that stays, beside the header; None: all of them do."""

    def look(self, pieces: Sequence[Buffer]) -> None:
        """Find out what has to go. Lines that are damaged count as well.

        Raises NotASession, and GatewayRejected (rule `version`), if anything would have to.
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
        """The new file, of this one or of one that has grown since. Raises as `look`."""
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
        message = f"Transcript has version {loaded.header.version:g}, whose rules are not known"
        raise GatewayRejected(message, "version")
    return loaded


class _Cut:
    """A file from one of its lines on."""

    def __init__(self, loaded: Loaded, lines: list[bytes], first: int) -> None:
        # Entries of version 1 know their parents by their place only.
        self._migrated = migrate(loaded)
        self._loaded = self._migrated or loaded
        self._lines = lines
        self._first = first
        self._tree = Tree(self._loaded.text, self._loaded.entries)
        self._links = _Links(self._tree, first)

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
                # What follows the last newline may still grow.
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
                # Bytes that are no text where there should be a name.
                line = replace_member(wire, name, value)
        return line


class _Links:
    """Whose child each entry is that stays, and what else it refers to."""

    def __init__(self, tree: Tree, first: int) -> None:
        self._entries = tree.entries
        self._old = tree.parent_of
        self._by_id = tree.by_id
        self._above: dict[str, str | None] = {}
        """Entries that go → the nearest one above them that stays."""
        self._parents: dict[str, str | None] = {}
        """Entries that stay → their parents from now on."""
        self._moved: dict[int, str | None] = {}
        """The same by line, for ids that occur more than once."""
        self._cut: set[str] = set()
        """Those whose branch began before the first line that stays."""
        self._answered: set[str] = set()
        """Those with a message of the model above them, or that are one."""
        self._stray: set[str] = set()
        """Results of tools whose calls go: no model takes them, so nothing may follow them."""
        self._kept = {entry.id for entry in tree.entries if entry.line >= first}
        for index, entry in enumerate(tree.entries):
            if entry.line >= first:
                self._place(index, entry)

    def changes(self, entry: Entry, wire: bytes) -> dict[str, bytes]:
        """Members of a line that stays and is to refer to others from now on."""
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
        """Where a leaf line leads, if its entry goes: to the nearest above it that stays."""
        changes: dict[str, bytes] = {}
        for name in ("targetId", "appendParentId"):
            target = string_of(members.get(name))
            if target in self._by_id and target not in self._kept:
                found = self._nearest(target)
                changes[name] = b"null" if found is None else js_string(found)
        return changes

    def _place(self, index: int, entry: Entry) -> None:
        parent = self._parent(index, entry)
        is_cut = parent in self._cut if parent else entry.parent_id in self._by_id
        answered = entry.role == "assistant" or parent in self._answered
        if entry.role == "toolResult" and is_cut and not answered:
            self._stray.add(entry.id)
        else:
            above = _walk(self._parents.get, parent)
            parent = next((at for at in above if at not in self._stray), None)
        if is_cut:
            self._cut.add(entry.id)
        if answered:
            self._answered.add(entry.id)
        self._parents[entry.id] = self._moved[entry.line] = parent

    def _parent(self, index: int, entry: Entry) -> str | None:
        """The nearest entry above that stays; one that was never there is left alone."""
        parent = entry.parent_id
        if parent is None or parent in self._kept or parent not in self._by_id:
            return parent
        found = self._nearest(self._old(index))
        return None if found == entry.id else found

    def _nearest(self, at: str | None) -> str | None:
        """The entry itself if it stays, else the nearest above it that does."""
        passed: dict[str, None] = {}
        while at is not None and at not in self._kept and at not in self._above:
            if at in passed or at not in self._by_id:
                at = None
                break
            passed[at] = None
            at = self._old(self._by_id[at])
        found = None if at is None else self._above.get(at, at)
        self._above.update(dict.fromkeys(passed, found))
        return found

    def _first_kept(self, entry: Entry, target: str) -> str:
        """What a compaction keeps from, if its first is gone: the first there is on its branch."""
        path = list(_walk(self._parents.get, self._moved[entry.line]))
        if target in path or target not in _walk(self._old_parent, entry.parent_id):
            return target
        # Its own id keeps nothing.
        return path[-1] if path else entry.id

    def _old_parent(self, entry_id: str) -> str | None:
        index = self._by_id.get(entry_id)
        return None if index is None else self._entries[index].parent_id


def _walk(parent_of: Callable[[str], str | None], start: str | None) -> Iterator[str]:
    """The entry and those above it, each once."""
    seen: set[str] = set()
    while start is not None and start not in seen:
        seen.add(start)
        yield start
        start = parent_of(start)


@attrs.frozen
class Shortened:
    """How many lines are left; `archived` is the old file, None where nothing was done."""

    kept: int
    archived: str | None = None


def shorten(path: str, descriptor: int, keep_lines: int, now: int, product: str) -> Shortened:
    """Keep the last lines of the locked file `descriptor` at `path`, beside its header. Blocking.

    What somebody without locks appends meanwhile is in the new file as well. Raises
    InvalidSessionFile, GatewayRejected (rule `version`) and WriteFailed, the file being as it was,
    and journal.Replaced if `path` names another file by now.
    """
    tail = Tail(keep_lines)
    try:
        tail.look(list(journal.chunks(descriptor, 0)))
        if tail.first is None:
            return Shortened(tail.lines)
        backup = _keep(path, descriptor, now)
        try:
            journal.rewrite(path, descriptor, tail.render)
        except BaseException:
            disk.unlink(backup)
            raise
    except NotASession as error:
        raise InvalidSessionFile(path, error.line, product) from None
    return Shortened(keep_lines, backup)


def _keep(path: str, descriptor: int, now: int) -> str:
    while True:
        backup = f"{path}.bak.{stamp(now)}"
        try:
            keep(path, descriptor, backup)
        except AlreadyExists:
            now += 1
        else:
            return backup
