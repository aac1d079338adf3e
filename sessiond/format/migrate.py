"""Migrate versions 1 and 2 of the format to version 3 by editing the lines in place.

pi 1.6.0: session-manager.js, `migrateSessionEntries`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import count

import attrs
import msgspec

from sessiond.format.entries import COMPACTION, Entry
from sessiond.format.header import CURRENT_VERSION, parse_header, with_version
from sessiond.format.ids import derived_id
from sessiond.format.load import BadLine, Loaded
from sessiond.text.parts import object_members
from sessiond.text.spans import js_string, replace_member, without_member

_LEGACY_ROLE = "hookMessage"
_NUMBERS = {bytes([first]) for first in b"-0123456789"}


def migrate(loaded: Loaded) -> Loaded | None:
    """Return the session in version 3; None if it needs no migration or has no header.

    Version 1: every entry gets a new id and the previous entry as its parent, replacing what it
    had (as pi), and `firstKeptEntryIndex` becomes `firstKeptEntryId`. Version 2: the message role
    `hookMessage` becomes `custom`. New members come at the end, in pi's order; all other bytes
    stay. Ids are derived from the session id and line numbers, so a migration in memory (of a
    session opened for reading) and a later one on disk give the same ids. Line numbers remain
    those of the file that was read. `loaded` is not changed.
    """
    header = loaded.header
    # In JavaScript NaN is neither below 2 nor below 3, yet pi rewrites the file.
    if header is None or header.version >= CURRENT_VERSION or math.isnan(header.version):
        return None
    ids = _new_ids(header.id, loaded.entries) if header.version < 2 else None
    targets = _counted(loaded) if ids is not None else []
    entries: list[Entry] = []
    raw_lines: dict[int, bytes] = {}
    for index, entry in enumerate(loaded.entries):
        changes: Changes = {}
        entry_id, parent_id = entry.id, entry.parent_id
        if ids is not None:
            entry_id, parent_id = ids[index], ids[index - 1] if index else None
            above = b"null" if parent_id is None else js_string(parent_id)
            changes = {"id": js_string(entry_id), "parentId": above}
            if entry.type == COMPACTION:
                changes |= _first_kept(entry.raw, index, targets, ids)
        is_hook = entry.role == _LEGACY_ROLE
        migrated = _changed(entry.raw, changes, is_hook=is_hook)
        if entry.line in loaded.raw_lines:
            try:
                file_line = loaded.raw_lines[entry.line].strip(b" \t\r\n")
                raw_lines[entry.line] = _changed(file_line, changes, is_hook=is_hook)
            except ValueError:
                # The name of a member is not UTF-8: write the line as readers see it.
                raw_lines[entry.line] = migrated
        entries.append(
            Entry(
                entry_id,
                parent_id,
                entry.type,
                entry.timestamp,
                "custom" if is_hook else entry.role,
                migrated,
                entry.line,
                entry.side,
            )
        )
    return attrs.evolve(
        loaded,
        header=parse_header(with_version(header.raw, CURRENT_VERSION)),
        header_line=_with_new_version(loaded.header_line, header.raw),
        entries=entries,
        raw_lines=raw_lines,
        bad=[_migrated_bad(bad) for bad in loaded.bad],
    )


Changes = dict[str, bytes | None]
"""New values of members, in this order; None removes one."""


def _changed(line: bytes, changes: Changes, *, is_hook: bool) -> bytes:
    for name, value in changes.items():
        if value is None:
            line = without_member(line, name)
        elif b'"%b"' % name.encode() in line or b"\\u" in line:
            line = replace_member(line, name, value)
        else:
            # A name that does not occur in the line can be appended without parsing it.
            line = line[:-1] + b',"%b":%b}' % (name.encode(), value)
    if is_hook:
        message = object_members(line)["message"]
        line = replace_member(line, "message", replace_member(message, "role", b'"custom"'))
    return line


def _first_kept(line: bytes, index: int, targets: list[int | None], ids: list[str]) -> Changes:
    """Return the changes that make an id of the index of the first kept entry."""
    raw = object_members(line).get("firstKeptEntryIndex", b"")
    if raw[:1] not in _NUMBERS:
        return {}
    number = float(raw)
    is_index = number.is_integer() and 0 <= number < len(targets)
    target = targets[int(number)] if is_index else None
    if target is None:
        return {"firstKeptEntryIndex": None}
    if target > index:
        # In pi the target has no id at that moment, and undefined members are not written.
        return {"firstKeptEntryIndex": None, "firstKeptEntryId": None}
    return {"firstKeptEntryId": js_string(ids[target]), "firstKeptEntryIndex": None}


def _counted(loaded: Loaded) -> list[int | None]:
    """List the values pi's loader keeps, with the header: the entry's index, or None for others."""
    indices = count()
    lines = _in_file_order(loaded)
    kept = (line for line in lines if not isinstance(line, BadLine) or line.counts)
    return [next(indices) if isinstance(line, Entry) else None for line in kept]


def _in_file_order(loaded: Loaded) -> Iterator[BadLine | Entry | None]:
    """Yield bad lines, entries, and None for the header, in the order of the file."""
    before = [bad for bad in loaded.bad if bad.line < loaded.header_number]
    yield from before
    yield None
    rest: list[BadLine | Entry] = [*loaded.bad[len(before) :], *loaded.entries]
    yield from sorted(rest, key=lambda each: each.line)


def _new_ids(session_id: str, entries: list[Entry]) -> list[str]:
    taken: dict[str, None] = {}
    for entry in entries:
        taken[derived_id(session_id, entry.line, taken)] = None
    return list(taken)


def _migrated_bad(bad: BadLine) -> BadLine:
    """Set the version of additional headers too (as pi); other bad lines stay unchanged."""
    if bad.kind != "secondHeader":
        return bad
    return msgspec.structs.replace(bad, raw=_with_new_version(bad.raw, bad.raw))


def _with_new_version(file_line: bytes, otherwise: bytes) -> bytes:
    try:
        return with_version(file_line.strip(b" \t\r\n"), CURRENT_VERSION)
    except ValueError:
        # The name of a member is not UTF-8.
        return otherwise if otherwise is file_line else with_version(otherwise, CURRENT_VERSION)


def file_lines(loaded: Loaded) -> list[bytes]:
    """Return all lines of the file to write, without newlines.

    Bad lines and lines that are not UTF-8 keep their bytes, and a torn tail becomes a line. Blank
    lines and a byte order mark are omitted.
    """
    lines = []
    for line in _in_file_order(loaded):
        if line is None:
            lines.append(loaded.header_line.rstrip(b"\r"))
        else:
            lines.append(loaded.raw_lines.get(line.line, line.raw))
    if loaded.torn.strip():
        lines.append(loaded.torn)
    return lines
