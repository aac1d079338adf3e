"""The contents of a session file: its index, and its lines or where they are."""

from __future__ import annotations

import errno
import logging
from collections.abc import Callable, Sequence
from itertools import accumulate, count
from typing import NamedTuple

import attrs

from sessiond.errors import FileChanged, WriteFailed
from sessiond.files.kept.held_file import LOST, HeldFile
from sessiond.format.entries import Diagnostic, Entry, make_entry
from sessiond.format.header import Header
from sessiond.format.load import Loaded, Loader, adopt, load
from sessiond.format.migrate import file_lines, migrate
from sessiond.format.stored_lines import StoredLines
from sessiond.format.tree.tree import Tree
from sessiond.jsontext.spans import Buffer
from sessiond.limits import INLINE_ENTRIES, TAIL_BYTES

logger = logging.getLogger(__name__)

_ENTRY_BYTES = 250
"""Approximate memory of an index record, its strings and its place in the index."""


class Addition(NamedTuple):
    """New lines without newlines, and the entries that they become."""

    lines: Sequence[bytes]
    entries: list[Entry]

    @property
    def size(self) -> int:
        return sum(map(len, self.lines))


@attrs.define(eq=False)
class Contents:
    """Lines and index of one file, always in format version 3 or newer."""

    loaded: Loaded
    """Kept up to date as the file grows; its entries are those of the tree."""
    tree: Tree
    tail: bytearray
    """The file's bytes before `offset`, at least TAIL_BYTES of them (or all)."""
    migrated: bool
    """Whether the file on disk still has an older format version than these contents."""
    source: HeldFile | None = None
    """The file that lines are read from when they are needed; None if they are in memory."""
    _incomplete: bool = False
    """Whether lines of the file could not be added to memory."""
    _counted_bad: tuple[int, int] = (0, 0)
    """How many bad lines `nbytes` has counted so far, and their bytes."""

    @classmethod
    def of(cls, loaded: Loaded, tail: bytes, source: HeldFile | None = None) -> Contents:
        """Contents of what was read from a file, migrated if it is of an older version.

        `source` is what the loader was given. Migrated lines are in memory.
        """
        current = migrate(loaded)
        kept = current or loaded
        tree = Tree(kept.text, kept.entries)
        kept.entries = tree.entries
        # Most checks for problems run here, because this may run in a worker thread.
        tree.check()
        return cls(kept, tree, bytearray(tail), current is not None, None if current else source)

    @classmethod
    def new(cls, header_line: bytes) -> Contents:
        """Contents of a new session that has no file yet."""
        line = header_line + b"\n"
        return cls.of(load(line), line)

    @property
    def header(self) -> Header:
        header = self.loaded.header
        assert header is not None, "contents are of whole files"  # noqa: S101
        return header

    @property
    def offset(self) -> int:
        """Length of the file in bytes up to the end of its last complete line."""
        return self.loaded.offset

    @property
    def nbytes(self) -> int:
        """Approximate memory use in bytes."""
        counted = self._counted_bad
        if counted[0] != len(self.loaded.bad):
            more = sum(len(line.raw) for line in self.loaded.bad[counted[0] :])
            counted = self._counted_bad = len(self.loaded.bad), counted[1] + more
        bad = counted[1]
        text = self.tree.text
        lines = text.nbytes - text.stored
        return lines + len(self.tail) + bad + _ENTRY_BYTES * len(self.tree)

    @property
    def stale(self) -> bool:
        """Whether the file must be read again: a line in it has changed, or could not be added."""
        return self._incomplete or (self.source is not None and self.source.stale)

    @property
    def ended(self) -> bool:
        """Whether the file's last line ends with a newline."""
        return not self.loaded.torn and not self.loaded.open_ended

    @property
    def suspects(self) -> int:
        """How many lines and entries `diagnostics` examines."""
        return len(self.loaded.bad) + len(self.loaded.raw_lines) + self.tree.suspects

    def diagnostics(self) -> list[Diagnostic]:
        """Problems of lines and between entries, in order of lines."""
        return self.diagnosing()()

    def diagnosing(self) -> Callable[[], list[Diagnostic]]:
        """Return a function that computes `diagnostics` as of now, even while the file grows."""
        loaded, tree = self.loaded, self.tree
        if self.suspects > INLINE_ENTRIES:
            loaded, tree = loaded.copy(), tree.snapshot()

        def diagnose() -> list[Diagnostic]:
            problems = loaded.diagnostics() + tree.problems()
            return sorted(problems, key=lambda diagnostic: diagnostic.line)

        return diagnose

    def made(self, make: Callable[[], Sequence[bytes]]) -> Addition:
        """Return the lines of `make` with their entries. Raises ValueError for no entry."""
        lines = make()
        start, first = self.tree.text.end, self.loaded.lines + 1
        starts = accumulate((len(line) + 1 for line in lines), initial=start)
        return Addition(lines, list(map(_only_line, lines, starts, count(first))))

    def framed(self, lines: Sequence[bytes]) -> bytes:
        """The bytes that append lines to the file; end the last line first if it has no end."""
        # Joining releases the interpreter, `+` does not.
        return b"\n".join((*lines, b"") if self.ended else (b"", *lines, b""))

    def add(self, added: Addition) -> list[Entry]:
        """Add lines that were written as `framed` says; returns their entries.

        For want of memory the contents are `stale` from then on. That raises nothing: the lines are
        in the file, so the append must not be refused.
        """
        was, self._incomplete = self._incomplete, True
        entries = added.entries
        try:
            if self.ended:
                for entry, line in zip(entries, added.lines, strict=True):
                    self._add(entry, line)
            else:
                data = self.loaded.torn + self.framed(added.lines)
                loader = self.loader()
                loader.feed(data)
                self.grow(loader.finish(), data)
                entries = self.tree.entries[-len(entries) :]
        except MemoryError:
            logger.warning("No memory for an appended entry; the file will be read again")
        else:
            self._incomplete = was
        return entries

    def _add(self, entry: Entry, line: bytes) -> None:
        loaded = self.loaded
        if self.source is None:
            self.tree.text.add(line)
        else:
            stored = StoredLines.of(self.source, self.offset, line, [(0, len(line))])
            self.tree.text.add(stored)
            self.source.put(self.offset, line)
        self.tree.add(entry)
        loaded.offset += len(line) + 1
        loaded.lines += 1
        if loaded.hasher is not None:
            loaded.hasher.update(line)
            loaded.hasher.update(b"\n")
        self._extend_tail(line[-TAIL_BYTES:] + b"\n", whole=len(line) <= TAIL_BYTES)

    def loader(self) -> Loader:
        """A loader for the bytes after the last complete line."""
        return Loader(
            expect_header=False,
            first_line=self.loaded.lines + 1,
            first_index=len(self.tree),
            open_ended=self.loaded.open_ended,
            source=self.source,
            at=self.offset,
            hasher=self.loaded.hasher and self.loaded.hasher.copy(),
        )

    def grow(self, grown: Loaded, tail: bytes) -> int:
        """Add the result of such a loader; returns the number of entries added.

        `tail` is the last part of the bytes loaded, up to the end of their last complete line. If a
        step raises, the contents are `stale` from then on.
        """
        was, self._incomplete = self._incomplete, True
        self._grow(grown, tail)
        self._incomplete = was
        return len(grown.entries)

    def _grow(self, grown: Loaded, tail: bytes) -> None:
        loaded, tree = self.loaded, self.tree
        for entry in adopt(tree.text, grown):
            tree.add(entry)
        loaded.bad += grown.bad
        loaded.raw_lines.update(grown.raw_lines)
        if grown.offset:
            loaded.open_ended = grown.open_ended
        loaded.offset += grown.offset
        loaded.hasher = grown.hasher
        loaded.torn, loaded.torn_line = grown.torn, grown.torn_line
        loaded.lines = grown.lines
        loaded.crlf |= grown.crlf
        self._extend_tail(tail)

    def read_lines(self) -> None:
        """Keep all lines in memory from now on; raises ReadFailed."""
        self.tree.text.read_all()
        self.source = None

    def lines(self) -> list[bytes]:
        """All lines of the file without newlines; blank lines are omitted."""
        return file_lines(self.loaded)

    def lines_and(self, more: Sequence[bytes]) -> list[bytes]:
        """The lines of the whole file and some more, each with its line feed.

        Raises WriteFailed if another program has overwritten lines that have no copy.
        """
        try:
            return [known + b"\n" for known in (*self.lines(), *more)]
        except FileChanged as error:
            raise WriteFailed(error.data["path"], OSError(errno.ENODATA, LOST)) from None

    def same_as(self, other: Contents) -> bool:
        """Whether both show the same session, line by line."""
        return (
            len(self.tree) == len(other.tree)
            and self.loaded.bad == other.loaded.bad
            and self.loaded.torn == other.loaded.torn
            and self.continues(other)
        )

    def continues(self, other: Contents) -> bool:
        """Whether this equals the other, line by line, possibly with more lines after it."""
        mine, theirs = self.tree, other.tree
        count = len(theirs)
        raw_lines = {n: raw for n, raw in self.loaded.raw_lines.items() if n < count}
        return (
            len(mine) >= count
            and self.loaded.header_line == other.loaded.header_line
            and self.loaded.bad[: len(other.loaded.bad)] == other.loaded.bad
            and raw_lines == other.loaded.raw_lines
            and all(
                mine.text.digest(one.start, one.end) == theirs.text.digest(two.start, two.end)
                for one, two in zip(mine.entries[:count], theirs.entries, strict=True)
            )
        )

    def _extend_tail(self, data: bytes, *, whole: bool = True) -> None:
        """Add to the tail what the file has grown by; if not `whole`, its last part."""
        if not whole:
            self.tail.clear()
        self.tail += data
        if len(self.tail) > 2 * TAIL_BYTES:
            del self.tail[:-TAIL_BYTES]


def _only_line(line: bytes, start: int, number: int) -> Entry:
    if b"\n" in line:
        raise ValueError("an entry must be a single line")
    return make_entry(line, start, number)


def render(pieces: Sequence[Buffer]) -> list[Buffer]:
    """Render a whole file, given in pieces, in format version 3.

    Opening an older file for writing replaces it by this. Lines that cannot be read keep their
    bytes; an incomplete last line stays incomplete. Raises NotASession.
    """
    loader = Loader()
    for piece in pieces:
        loader.feed(piece)
    current = migrate(loader.finish())
    if current is None:
        return list(pieces)
    parts: list[Buffer] = [line + b"\n" for line in file_lines(current)]
    if current.torn.strip():
        parts[-1] = current.torn
    return parts
