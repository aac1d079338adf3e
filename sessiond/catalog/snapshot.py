"""A session as it stood at one moment, to be worked on beside the event loop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import attrs

from sessiond.format.entries import Entry
from sessiond.format.header import Header
from sessiond.format.text import Text
from sessiond.format.tree.tree import Tree


@attrs.frozen
class SessionSnapshot:
    """Lines, index and the branch that is meant; nothing in it changes when the session does."""

    header: Header
    cwd: str
    """Working directory, resolved."""
    leaf_id: str | None
    """Last entry of the branch; None: before any entry."""
    text: Text
    entries: list[Entry]

    @classmethod
    def of(cls, header: Header, cwd: str, leaf_id: str | None, tree: Tree) -> SessionSnapshot:
        """Take one of a session that goes on changing. Chunks of text are shared, not copied."""
        return cls(header, cwd, leaf_id, tree.text.snapshot(), list(tree.entries))

    @property
    def size(self) -> int:
        """Bytes of its lines."""
        return self.text.nbytes

    def tree(self) -> Tree:
        """An index of its own. Takes a moment for a big session."""
        return Tree(self.text, self.entries)

    def lines(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, bytes]]:
        """Each entry with its JSON."""
        return ((entry, self.text.slice(entry.start, entry.end)) for entry in entries)
