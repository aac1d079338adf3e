"""A snapshot of a session, for answers that are computed in a worker thread."""

from __future__ import annotations

import attrs
from msgspec import UNSET

from sessiond.format.entries import Entry
from sessiond.format.header import Header
from sessiond.format.tree.tree import Tree
from sessiond.runtime.errors import EntryNotFound
from sessiond.runtime.limits import INLINE_READ_BYTES
from sessiond.sessions.view import View


@attrs.frozen
class Moment:
    """The values that a reading answer is computed from; later writes do not change them.

    For a small session `tree` is the document's own tree and no copy: such an answer is computed
    before the event loop runs anything else.
    """

    header: Header
    tree: Tree
    leaf_id: str | None

    @classmethod
    def of(cls, view: View) -> Moment:
        """Take a snapshot of the session as its handle sees it. The caller holds the turn."""
        tree = view.document.tree
        if tree.cost > INLINE_READ_BYTES:
            tree = tree.snapshot()
        return cls(view.document.header, tree, view.leaf_id)

    def entry(self, entry_id: str) -> Entry:
        """Return the entry with this id; raises EntryNotFound."""
        entry = self.tree.get(entry_id)
        if entry is None:
            raise EntryNotFound(entry_id)
        return entry

    def leaf_or(self, given: object) -> str | None:
        """Return the leaf for a request: the given one if it was sent, else the handle's.

        A `null` leaf is the position before the first entry. Raises EntryNotFound.
        """
        if given is UNSET:
            return self.leaf_id
        if isinstance(given, str):
            return self.entry(given).id
        return None
