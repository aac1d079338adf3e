"""The union of two replicas of a session: where the entries go that one of them lacks.

Nothing here does I/O. pi takes the last line of a file as its leaf (pi: session-manager.ts,
`_buildIndex`), so the place of a line decides on which branch somebody continues.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import attrs

from sessiond.files.contents import render
from sessiond.format.load import Loaded, Loader, load
from sessiond.format.migrate import migrate

DIGEST_BYTES = 16


def digest(line: bytes) -> bytes:
    """Return the digest of a line, by which replicas compare entries."""
    return hashlib.blake2b(line, digest_size=DIGEST_BYTES).digest()


@attrs.frozen
class EntryLine:
    """An entry with its line as it is in a file, without the line feed."""

    id: str
    parent_id: str | None
    line: bytes


@attrs.frozen
class Union:
    """The entries that a replica lacks, parents before their children."""

    appended: list[EntryLine]
    """Entries that continue its leaf."""
    inserted: list[EntryLine]
    """Entries of other branches: they go before its last entry, so that the leaf stays."""
    conflicts: list[str]
    """Ids that both have with different content, each once."""


def lines_of(loaded: Loaded) -> list[EntryLine]:
    """Return the entries in the order of their file, with the bytes of the file."""
    odd = loaded.raw_lines
    return [
        EntryLine(each.id, each.parent_id, odd[each.line].strip() if each.line in odd else each.raw)
        for each in loaded.entries
    ]


def load_current(data: bytes) -> tuple[bytes, Loaded]:
    """Load a session file; an older one becomes the bytes that a migration writes.

    Raises NotASession.
    """
    loaded = load(data)
    if migrate(loaded) is None:
        return data, loaded
    current = b"".join(render([data]))
    return current, load(current)


def parse(block: bytes) -> list[EntryLine]:
    """Return the entries of lines that another replica has sent; what is no entry is left out."""
    loader = Loader(expect_header=False)
    loader.feed(block)
    return lines_of(loader.finish())


def unite(own: Sequence[EntryLine], incoming: Iterable[EntryLine]) -> Union:
    """Decide where a replica with the entries `own` gets those of another one that it lacks."""
    lines = {each.line for each in own}
    taken = {each.id for each in own}
    missing: dict[str, EntryLine] = {}
    conflicts: dict[str, None] = {}
    for each in incoming:
        if each.line in lines:
            continue
        if each.id in taken:
            conflicts[each.id] = None
            continue
        taken.add(each.id)
        lines.add(each.line)
        missing[each.id] = each
    leaf = own[-1].id if own else None
    appended: dict[str, EntryLine] = {}
    inserted: list[EntryLine] = []
    for each in parents_first(missing.values()):
        if not own or each.parent_id == leaf or each.parent_id in appended:
            appended[each.id] = each
        else:
            inserted.append(each)
    return Union(list(appended.values()), inserted, list(conflicts))


def parents_first(entries: Iterable[EntryLine]) -> Iterator[EntryLine]:
    """Yield entries in their order, except that parents come before their children.

    Of several with one id only the first is yielded.
    """
    done: set[str] = set()
    by_id: dict[str, EntryLine] = {}
    for each in entries:
        by_id.setdefault(each.id, each)
    for each in by_id.values():
        chain: list[EntryLine] = []
        above: EntryLine | None = each
        while above is not None and above.id not in done:
            # Marked on the way up, so that a circle ends.
            done.add(above.id)
            chain.append(above)
            above = None if above.parent_id is None else by_id.get(above.parent_id)
        yield from reversed(chain)


@attrs.frozen
class United:
    """A file after a union."""

    union: Union
    head: bytes
    """The bytes before the inserted lines."""
    tail: bytes
    """The bytes after them, up to the end of the old file."""
    end: bytes
    """A line feed if the old file needs one before lines follow it, else nothing."""
    is_torn: bool
    """Whether the last line of the old file is incomplete: somebody may be writing it."""
    is_migrated: bool

    @property
    def is_same(self) -> bool:
        return not (self.union.appended or self.union.inserted)

    @property
    def only_appends(self) -> bool:
        return not (self.union.inserted or self.is_migrated)

    @property
    def addition(self) -> bytes:
        """The bytes that follow the old file."""
        lines = _joined(self.union.appended)
        return self.end + lines if lines else b""

    @property
    def data(self) -> bytes:
        """The whole file."""
        return b"".join((self.head, _joined(self.union.inserted), self.tail, self.addition))


def unite_file(data: bytes, incoming: Sequence[EntryLine]) -> United:
    """Unite the bytes of a session file with entries of another replica.

    An older file is compared as migrated, and migrated if it gets an entry. All other bytes stay.
    Raises NotASession.
    """
    current, loaded = load_current(data)
    union = unite(lines_of(loaded), incoming)
    is_ended = not loaded.torn and not loaded.open_ended
    at = _start_of(current, loaded) if union.inserted else len(current)
    return United(
        union,
        current[:at],
        current[at:],
        b"" if is_ended else b"\n",
        bool(loaded.torn.strip()),
        current != data,
    )


def _start_of(data: bytes, loaded: Loaded) -> int:
    """Return where the line of the last entry begins."""
    # What is after the last line feed belongs to no whole line, unless it is the last entry.
    lines = loaded.lines - loaded.entries[-1].line
    at = len(data) if loaded.open_ended else data.rfind(b"\n", 0, loaded.offset)
    for _ in range(lines):
        at = data.rfind(b"\n", 0, at)
    return data.rfind(b"\n", 0, at) + 1


def _joined(entries: Sequence[EntryLine]) -> bytes:
    return b"".join(each.line + b"\n" for each in entries)
