"""An immutable copy of a session at one moment, for work in a thread."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs

from sessiond.format.entries import Entry
from sessiond.format.header import Header
from sessiond.format.text import Text
from sessiond.format.tree.tree import Tree


@attrs.frozen
class SessionSnapshot:
    """Lines, index and selected branch of a session, unaffected by its later changes."""

    header: Header
    cwd: str
    """Working directory, resolved."""
    leaf_id: str | None
    """Last entry of the branch; None: before any entry."""
    text: Text
    entries: list[Entry]

    @classmethod
    def of(cls, header: Header, cwd: str, leaf_id: str | None, tree: Tree) -> SessionSnapshot:
        """Copy the index of a session; chunks of text are shared."""
        return cls(header, cwd, leaf_id, tree.text.snapshot(), list(tree.entries))

    @property
    def size(self) -> int:
        """Length of all lines in bytes."""
        return self.text.nbytes

    def tree(self) -> Tree:
        """Build a separate index. Takes time in proportion to the number of entries."""
        return Tree(self.text, self.entries)

    def lines(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, bytes]]:
        """Each entry with its JSON."""
        return ((entry, self.text.slice(entry.start, entry.end)) for entry in entries)
