"""Plan the repair of a damaged session file. Nothing is read or written here.

A correct line keeps its bytes. Every entry that can be read, or extracted from a damaged line, is
kept. Problems that only the author could solve remain: `missingTarget`, `invalidTimestamp` and
`unknownVersion`, which readers can handle, and `malformedEntry`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import attrs

from sessiond.format.entries import Diagnostic
from sessiond.format.header import CURRENT_VERSION, LATEST_VERSION, Header, with_version
from sessiond.format.load import TITLE_SLOT, BadLine, Loaded, Loader, NotASession
from sessiond.format.migrate import migrate
from sessiond.format.repair.relink import LostEntry, Row, relink
from sessiond.format.repair.salvage import identity, is_entry, is_old_entry, salvage
from sessiond.format.requirements import check_entry
from sessiond.format.tree.tree import Tree
from sessiond.runtime.errors import InvalidParams
from sessiond.runtime.isolation import go_on
from sessiond.runtime.limits import MAX_DEPTH
from sessiond.text.lines import split
from sessiond.text.nesting import depth_exceeds
from sessiond.text.parts import object_members, string_of
from sessiond.text.spans import Buffer, js_trim

_BOM = b"\xef\xbb\xbf"


@attrs.frozen
class RepairPlan:
    """The problems of a file, the actions to repair it, and its contents afterwards."""

    problems: list[Diagnostic]
    actions: list[Diagnostic]
    """Empty if the file does not change."""
    parts: list[Buffer]


def problems(
    loaded: Loaded, tree: Tree, malformed: Iterable[Diagnostic] | None = None
) -> list[Diagnostic]:
    """Report all problems of a whole file, in order of lines.

    `malformed` are those of `malformed_entries`, if the caller knows them already.
    """
    unreadable = list(malformed_entries(tree) if malformed is None else malformed)
    lines = {each.line for each in unreadable}
    findings = loaded.diagnostics() + unreadable
    # pi ends at an entry that it cannot read, before it looks for what the entry names.
    findings += [
        each for each in tree.problems() if each.kind != "missingTarget" or each.line not in lines
    ]
    if loaded.open_ended:
        message = "The last line has no newline: the next entry may be written to the same line."
        findings.append(Diagnostic(loaded.lines, "missingNewline", message))
    return sorted(findings, key=lambda diagnostic: diagnostic.line)


def malformed_entries(tree: Tree, first: int = 0, stop: int | None = None) -> Iterator[Diagnostic]:
    """Yield the entries from index `first` up to `stop` that pi cannot read."""
    for entry in tree.entries[first:stop]:
        go_on()
        try:
            check_entry(entry.raw)
        except InvalidParams as error:
            message = f"pi cannot read the entry: {error.message}"
            yield Diagnostic(entry.line, "malformedEntry", message)


def plan(pieces: Iterable[Buffer]) -> RepairPlan:
    """Plan the repair of the file in `pieces`. Raises NotASession, also for an empty file."""
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
        self._tree = Tree(self._loaded.entries)
        self._lines = lines
        if loaded.bom:
            lines[0] = lines[0].removeprefix(_BOM)
        self._is_v1 = loaded.header.version < 2
        self._actions: list[Diagnostic] = []
        self._lost: dict[str, LostEntry] = {}

    def plan(self, unchanged_parts: list[Buffer]) -> RepairPlan:
        findings = problems(self._loaded, self._tree)
        if self._header.version > LATEST_VERSION:
            # The rules of the version are unknown, so nothing can be called damage.
            return RepairPlan(findings, [], unchanged_parts)
        items = self._items()
        rows = [item for item in items if isinstance(item, Row)]
        relink(rows, self._header.id, self._lost, self._report, linear=self._is_v1)
        if not self._actions:
            return RepairPlan(findings, [], unchanged_parts)
        if self._migrated is not None:
            self._report(
                self._loaded.header_number, "oldVersion", "Migrate the file to version 3 as well."
            )
        parts = _parts(items)
        if not _shows(parts, self._tree.by_id):
            return RepairPlan(findings, [], unchanged_parts)
        self._actions.sort(key=lambda action: action.line)
        return RepairPlan(findings, self._actions, parts)

    def _report(self, line: int, kind: str, message: str) -> None:
        self._actions.append(Diagnostic(line, kind, message))

    def _items(self) -> list[Row | bytes]:
        """Convert the lines of the file, in order, to entries and to whole other lines."""
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
            self._report(1, "byteOrderMark", "Remove the byte order mark.")
        if loaded.open_ended:
            self._report(loaded.lines, "missingNewline", "Add a newline to the last line.")
        return items

    def _other_line(self, number: int, raw: bytes) -> list[Row | bytes]:
        """A blank line, or what follows the last newline."""
        if number < len(self._lines):
            return [raw + b"\n"]
        if js_trim(raw.decode(errors="replace")):
            return self._salvage(raw, number, "tornTail")
        return [raw] if raw else []

    def _entry(self, index: int, raw: bytes) -> Row:
        entry = self._tree.entries[index]
        readable = entry.line not in self._loaded.raw_lines
        if not readable:
            self._report_unreadable(entry.line)
        unchanged = readable and self._migrated is None
        wire = entry.raw
        return Row(
            entry.line, wire, entry.type, entry.id, entry.parent_id, raw if unchanged else None
        )

    def _header_line(self, raw: bytes) -> bytes:
        header = self._loaded.header or self._header
        number = self._loaded.header_number
        line = raw if self._migrated is None else header.raw
        if math.isnan(header.version):
            message = "Set the version in the header to 3, because the file is read by its rules."
            self._report(number, "unknownVersion", message)
            line = with_version(header.raw, CURRENT_VERSION)
        try:
            raw.decode()
        except UnicodeDecodeError:
            self._report_unreadable(number)
            return header.raw if line is raw else line
        return line

    def _report_unreadable(self, line: int) -> None:
        message = "Replace bytes that are not UTF-8 by U+FFFD, which readers see already."
        self._report(line, "invalidUtf8", message)

    def _damaged(self, bad: BadLine) -> list[Row | bytes]:
        if bad.kind == TITLE_SLOT:
            return [bad.raw + b"\n"]
        if bad.kind == "missingId":
            return [_without_id(bad)]
        if bad.kind != "malformedLine":
            what = "the additional header" if bad.kind == "secondHeader" else "the line"
            self._report(bad.line, bad.kind, f"Remove {what}; the backup contains it.")
            return []
        if depth_exceeds(bad.raw, MAX_DEPTH):
            # The agent may be able to read what our decoders cannot.
            return [bad.raw + b"\n"]
        return self._salvage(bad.raw, bad.line, bad.kind)

    def _salvage(self, raw: bytes, line: int, kind: str) -> list[Row | bytes]:
        """Extract the entries that a damaged line still contains."""
        salvaged = salvage(raw, is_old_entry if self._is_v1 else is_entry)
        lost_ids = identity(salvaged.rest)
        if lost_ids is not None:
            entry_id, parent_id = lost_ids
            self._lost[entry_id] = LostEntry(line, parent_id)
        message = "Remove the damaged line; the backup contains it."
        if salvaged.entries:
            message = "Move the entries in the line to lines of their own"
            message += "; the backup contains the rest." if salvaged.rest else "."
        self._report(line, kind, message)
        return [self._new_row(entry, line) for entry in salvaged.entries]

    def _new_row(self, wire: bytes, line: int) -> Row:
        members = object_members(wire)
        entry_id = None if self._is_v1 else string_of(members.get("id"))
        parent_id = None if self._is_v1 else string_of(members.get("parentId"))
        kind = string_of(members.get("type")) or ""
        return Row(line, wire, kind, entry_id, parent_id, is_detached=self._is_v1)


def _without_id(bad: BadLine) -> Row:
    wire = js_trim(bad.raw.decode(errors="replace")).encode()
    members = object_members(wire)
    return Row(
        bad.line,
        wire,
        string_of(members.get("type")) or "",
        None,
        string_of(members.get("parentId")),
        is_detached="parentId" not in members,
    )


def _shows(parts: Iterable[Buffer], ids: Iterable[str]) -> bool:
    """Check that a repaired file can be read and still has all entries it had before.

    The rules above guarantee it. This check prevents that an error in them replaces a file by a
    worse one.
    """
    loader = Loader()
    try:
        for part in parts:
            loader.feed(part)
        loaded = loader.finish()
    except NotASession:
        return False
    entry_ids = {entry.id for entry in loaded.entries}
    return all(entry_id in entry_ids for entry_id in ids)


def _parts(items: list[Row | bytes]) -> list[Buffer]:
    parts: list[Buffer] = []
    for item in items:
        if not isinstance(item, Row):
            parts.append(item)
        elif not item.dropped:
            parts.append((item.wire if item.raw is None else item.raw) + b"\n")
    return parts
