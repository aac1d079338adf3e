"""What would make a damaged session file whole, as a new text for it. Nothing is read or written.

Conservative: a line with nothing wrong keeps its bytes, and no entry that can be read, or taken out
of a damaged line, is left out. What only its author could put right stays (`LEFT`): readers get
along with it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import attrs

from sessiond.format.entries import Diagnostic
from sessiond.format.header import CURRENT_VERSION, LATEST_VERSION, Header, with_version
from sessiond.format.load import Loader
from sessiond.format.loaded import BadLine, Loaded, NotASession
from sessiond.format.migrate import migrate
from sessiond.format.repair.relink import Lost, Row, relink
from sessiond.format.repair.salvage import identity, salvage
from sessiond.format.tree.tree import Tree
from sessiond.jsontext.lines import split
from sessiond.jsontext.nesting import depth_exceeds
from sessiond.jsontext.parts import object_members, string_of
from sessiond.jsontext.spans import Buffer, js_trim
from sessiond.limits import MAX_DEPTH

_BOM = b"\xef\xbb\xbf"


@attrs.frozen
class RepairPlan:
    """What is wrong with a file, what is to be done, and the file as it is afterwards."""

    problems: list[Diagnostic]
    actions: list[Diagnostic]
    """None: the file stays as it is."""
    parts: list[Buffer]


def problems(loaded: Loaded, tree: Tree) -> list[Diagnostic]:
    """Everything that is wrong with a whole file, in order of lines."""
    found = loaded.diagnostics() + tree.problems()
    if loaded.open_ended:
        message = "The last line lacks its newline: the next entry may end up on the same line."
        found.append(Diagnostic(loaded.lines, "missingNewline", message))
    return sorted(found, key=lambda diagnostic: diagnostic.line)


def plan(pieces: Iterable[Buffer]) -> RepairPlan:
    """How to repair the file that these pieces make up. Raises NotASession, also if it is empty."""
    kept = list(pieces)
    loader = Loader()
    for piece in kept:
        loader.feed(piece)
    loaded = loader.finish()
    return _Repair(loaded, split(kept)).plan(kept)


class _Repair:
    def __init__(self, loaded: Loaded, lines: list[bytes]) -> None:
        if loaded.header is None:
            raise NotASession(1)
        self._header: Header = loaded.header
        self._migrated = migrate(loaded)
        self._loaded = self._migrated or loaded
        self._tree = Tree(self._loaded.text, self._loaded.entries)
        self._lines = lines
        if loaded.bom:
            lines[0] = lines[0].removeprefix(_BOM)
        self._is_v1 = loaded.header.version < 2
        self._actions: list[Diagnostic] = []
        self._lost: dict[str, Lost] = {}

    def plan(self, as_it_is: list[Buffer]) -> RepairPlan:
        found = problems(self._loaded, self._tree)
        if self._header.version > LATEST_VERSION:
            # By rules that are not known nothing can be called damage.
            return RepairPlan(found, [], as_it_is)
        items = self._items()
        rows = [item for item in items if isinstance(item, Row)]
        relink(rows, self._header.id, self._lost, self._tell, linear=self._is_v1)
        if not self._actions:
            return RepairPlan(found, [], as_it_is)
        if self._migrated is not None:
            self._tell(
                self._loaded.header_number, "oldVersion", "Migrate the file to version 3 as well."
            )
        parts = _parts(items)
        if not _shows(parts, self._tree.by_id):
            return RepairPlan(found, [], as_it_is)
        self._actions.sort(key=lambda action: action.line)
        return RepairPlan(found, self._actions, parts)

    def _tell(self, line: int, kind: str, message: str) -> None:
        self._actions.append(Diagnostic(line, kind, message))

    def _items(self) -> list[Row | bytes]:
        """What the file's lines become, in order: entries, and whole lines that are none."""
        loaded = self._loaded
        entries = {entry.line: index for index, entry in enumerate(self._tree.entries)}
        bad = {line.line: line for line in loaded.bad}
        items: list[Row | bytes] = []
        early: list[Row] = []
        for number, raw in enumerate(self._lines, 1):
            if number in entries:
                items.append(self._entry(entries[number], raw))
            elif number == loaded.header_number:
                items += [self._header_line(raw) + b"\n", *early]
            elif number in bad:
                repaired = self._damaged(bad[number])
                if number < loaded.header_number:
                    # No entry may come before the header: a reader takes the first value of a
                    # file as its header, and refuses the file if it is not one.
                    early += [item for item in repaired if isinstance(item, Row)]
                    repaired = [item for item in repaired if not isinstance(item, Row)]
                items += repaired
            else:
                items += self._other_line(number, raw)
        if loaded.bom:
            self._tell(1, "byteOrderMark", "Take out the byte order mark.")
        if loaded.open_ended:
            self._tell(loaded.lines, "missingNewline", "End the last line.")
        return items

    def _other_line(self, number: int, raw: bytes) -> list[Row | bytes]:
        """A blank line, or what follows the last newline."""
        if number < len(self._lines):
            return [raw + b"\n"]
        if js_trim(raw.decode(errors="replace")):
            return self._take_apart(raw, number, "tornTail")
        return [raw] if raw else []

    def _entry(self, index: int, raw: bytes) -> Row:
        entry = self._tree.entries[index]
        readable = index not in self._loaded.raw_lines
        if not readable:
            self._tell_unreadable(entry.line)
        unchanged = readable and self._migrated is None
        wire = self._tree.line(entry)
        return Row(
            entry.line, wire, entry.type, entry.id, entry.parent_id, raw if unchanged else None
        )

    def _header_line(self, raw: bytes) -> bytes:
        header = self._loaded.header or self._header
        number = self._loaded.header_number
        line = raw if self._migrated is None else header.raw
        if math.isnan(header.version):
            message = "Make the header's version 3, by whose rules the file is read."
            self._tell(number, "unknownVersion", message)
            line = with_version(header.raw, CURRENT_VERSION)
        try:
            raw.decode()
        except UnicodeDecodeError:
            self._tell_unreadable(number)
            return header.raw if line is raw else line
        return line

    def _tell_unreadable(self, line: int) -> None:
        message = "Put U+FFFD, which readers see, in place of bytes that are not UTF-8."
        self._tell(line, "invalidUtf8", message)

    def _damaged(self, bad: BadLine) -> list[Row | bytes]:
        if bad.kind == "missingId":
            return [_without_id(bad)]
        if bad.kind != "malformedLine":
            what = "the further header" if bad.kind == "secondHeader" else "the line"
            self._tell(bad.line, bad.kind, f"Take out {what}; the backup has it.")
            return []
        if depth_exceeds(bad.raw, MAX_DEPTH):
            # Not ours to judge: the agent may read what our decoders do not.
            return [bad.raw + b"\n"]
        return self._take_apart(bad.raw, bad.line, bad.kind)

    def _take_apart(self, raw: bytes, line: int, kind: str) -> list[Row | bytes]:
        """The entries that a damaged line still holds."""
        found = salvage(raw, with_ids=not self._is_v1)
        gone = identity(found.rest)
        if gone is not None:
            self._lost[gone[0]] = Lost(line, gone[1])
        message = "Take out the damaged line; the backup has it."
        if found.entries:
            message = "Put what is whole in the line on lines of its own"
            message += "; the backup has the rest." if found.rest else "."
        self._tell(line, kind, message)
        return [self._new_row(entry, line) for entry in found.entries]

    def _new_row(self, wire: bytes, line: int) -> Row:
        members = object_members(wire)
        entry_id = None if self._is_v1 else string_of(members.get("id"))
        parent_id = None if self._is_v1 else string_of(members.get("parentId"))
        kind = string_of(members.get("type")) or ""
        return Row(line, wire, kind, entry_id, parent_id, adrift=self._is_v1)


def _without_id(bad: BadLine) -> Row:
    wire = js_trim(bad.raw.decode(errors="replace")).encode()
    members = object_members(wire)
    return Row(
        bad.line,
        wire,
        string_of(members.get("type")) or "",
        None,
        string_of(members.get("parentId")),
        adrift="parentId" not in members,
    )


def _shows(parts: Iterable[Buffer], ids: Iterable[str]) -> bool:
    """Whether a repaired file can be read and shows at least the entries it showed before.

    The rules above see to that. This makes sure of it: no file is replaced by a worse one.
    """
    loader = Loader()
    try:
        for part in parts:
            loader.feed(part)
        loaded = loader.finish()
    except NotASession:
        return False
    shown = {entry.id for entry in loaded.entries}
    return all(entry_id in shown for entry_id in ids)


def _parts(items: list[Row | bytes]) -> list[Buffer]:
    parts: list[Buffer] = []
    for item in items:
        if not isinstance(item, Row):
            parts.append(item)
        elif not item.dropped:
            parts.append((item.wire if item.raw is None else item.raw) + b"\n")
    return parts
