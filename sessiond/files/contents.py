"""The contents of a session file: its lines, and what is asked for most about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import NamedTuple

import attrs

from sessiond.format.entries import Diagnostic, Entry, make_entry
from sessiond.format.header import Header
from sessiond.format.load import Loaded, Loader, load
from sessiond.format.migrate import file_lines, migrate
from sessiond.format.tree.tree import Tree
from sessiond.runtime.limits import INLINE_ENTRIES, TAIL_BYTES
from sessiond.text.spans import Buffer

_ENTRY_BYTES = 420
"""Approximate memory of an entry besides the bytes of its line: its strings, and its places in the
index."""


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

    @classmethod
    def of(cls, loaded: Loaded, tail: bytes) -> Contents:
        """Contents of what was read from a file, migrated if it is of an older version."""
        current = migrate(loaded)
        kept = current or loaded
        title = kept.header.title if kept.header is not None else None
        tree = Tree(kept.entries, title or None)
        kept.entries = tree.entries
        # Found here, because this may run in a worker thread.
        tree.problems()
        return cls(kept, tree, bytearray(tail), current is not None)

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
        bad = sum(len(line.raw) for line in self.loaded.bad)
        return self.tree.nbytes + len(self.tail) + bad + _ENTRY_BYTES * len(self.tree)

    @property
    def ended(self) -> bool:
        """Whether the file's last line ends with a newline."""
        return not self.loaded.torn and not self.loaded.open_ended

    @property
    def unexamined(self) -> int:
        """How many lines and entries `diagnostics` examines."""
        return len(self.loaded.bad) + len(self.loaded.raw_lines) + self.tree.unexamined

    def snapshot(self) -> Loaded:
        """The lines as of now, even while the file grows."""
        return attrs.evolve(self.loaded.copy(), entries=self.tree.entries.copy())

    def diagnostics(self) -> list[Diagnostic]:
        """Problems of lines and between entries, in order of lines."""
        return self.diagnosing()()

    def diagnosing(self) -> Callable[[], list[Diagnostic]]:
        """Return a function that computes `diagnostics` as of now, even while the file grows."""
        loaded, tree = self.loaded, self.tree
        if self.unexamined > INLINE_ENTRIES:
            loaded, tree = loaded.copy(), tree.snapshot()

        def diagnose() -> list[Diagnostic]:
            problems = loaded.diagnostics() + tree.problems()
            return sorted(problems, key=lambda diagnostic: diagnostic.line)

        return diagnose

    def made(self, make: Callable[[], Sequence[bytes]]) -> Addition:
        """Return the lines of `make` with their entries. Raises ValueError for no entry."""
        lines = make()
        return Addition(lines, list(map(_only_line, lines, count(self.loaded.lines + 1))))

    def framed(self, lines: Sequence[bytes]) -> bytes:
        """The bytes that append lines to the file; end the last line first if it has no end."""
        # Joining releases the interpreter, `+` does not.
        return b"\n".join((*lines, b"") if self.ended else (b"", *lines, b""))

    def add(self, added: Addition) -> list[Entry]:
        """Add lines that were written as `framed` says; returns their entries."""
        if not self.ended:
            data = self.loaded.torn + self.framed(added.lines)
            loader = self.loader()
            loader.feed(data)
            self.grow(loader.finish(), data)
            return self.tree.entries[-len(added.entries) :]
        loaded = self.loaded
        for entry, line in zip(added.entries, added.lines, strict=True):
            self.tree.add(entry)
            loaded.offset += len(line) + 1
            loaded.lines += 1
            self._extend_tail(line[-TAIL_BYTES:] + b"\n", whole=len(line) <= TAIL_BYTES)
        return added.entries

    def loader(self) -> Loader:
        """A loader for the bytes after the last complete line."""
        return Loader(
            expect_header=False,
            first_line=self.loaded.lines + 1,
            open_ended=self.loaded.open_ended,
        )

    def grow(self, grown: Loaded, tail: bytes) -> int:
        """Add the result of such a loader; returns the number of entries added.

        `tail` is the last part of the bytes loaded, up to the end of their last complete line.
        """
        loaded = self.loaded
        self.tree.extend(grown.entries)
        loaded.bad += grown.bad
        loaded.raw_lines.update(grown.raw_lines)
        if grown.offset:
            loaded.open_ended = grown.open_ended
        loaded.offset += grown.offset
        loaded.torn, loaded.torn_line = grown.torn, grown.torn_line
        loaded.lines = grown.lines
        self._extend_tail(tail)
        return len(grown.entries)

    def lines(self) -> list[bytes]:
        """All lines of the file without newlines; blank lines are omitted."""
        return file_lines(self.loaded)

    def lines_and(self, more: Sequence[bytes]) -> list[bytes]:
        """The lines of the whole file and some more, each with its line feed."""
        return [line + b"\n" for line in (*self.lines(), *more)]

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
        mine, theirs = self.loaded, other.loaded
        raw_lines = {n: raw for n, raw in mine.raw_lines.items() if n <= theirs.lines}
        return (
            len(mine.entries) >= len(theirs.entries)
            and mine.header_line == theirs.header_line
            and mine.bad[: len(theirs.bad)] == theirs.bad
            and raw_lines == theirs.raw_lines
            and all(one.raw == two.raw for one, two in zip(mine.entries, theirs.entries))  # noqa: B905
        )

    def _extend_tail(self, data: bytes, *, whole: bool = True) -> None:
        """Add to the tail what the file has grown by; if not `whole`, its last part."""
        if not whole:
            self.tail.clear()
        self.tail += data
        if len(self.tail) > 2 * TAIL_BYTES:
            del self.tail[:-TAIL_BYTES]


def _only_line(line: bytes, number: int) -> Entry:
    if b"\n" in line:
        raise ValueError("an entry must be a single line")
    return make_entry(line, number)


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
