"""A session as it is at one moment, for answers that may be worked out beside the event loop."""

from __future__ import annotations

import attrs
from msgspec import UNSET

from sessiond.errors import EntryNotFound
from sessiond.format.entries import Entry
from sessiond.format.header import Header
from sessiond.format.tree.tree import Tree
from sessiond.limits import INLINE_READ_BYTES
from sessiond.session.view import View


@attrs.frozen
class Moment:
    """What a reading answer is made of. Nothing in it changes once the turn is given back.

    Of a small session it is the tree itself: its answer is made before the turn is given back.
    """

    header: Header
    tree: Tree
    leaf_id: str | None

    @classmethod
    def of(cls, view: View) -> Moment:
        """The session as its handle sees it now. Needs the turn."""
        tree = view.document.tree
        if tree.cost > INLINE_READ_BYTES:
            tree = tree.snapshot()
        return cls(view.document.header, tree, view.leaf_id)

    def entry(self, entry_id: str) -> Entry:
        """The entry with that id; raises EntryNotFound."""
        found = self.tree.get(entry_id)
        if found is None:
            raise EntryNotFound(entry_id)
        return found

    def leaf_or(self, given: object) -> str | None:
        """The leaf a reading request means: the given one, else the handle's.

        `null` means before any entry. Raises EntryNotFound.
        """
        if given is UNSET:
            return self.leaf_id
        if isinstance(given, str):
            return self.entry(given).id
        return None
