"""Follow the leaf in files of OpenClaw, where it is not always the last entry.

In a file of pi the last entry is the leaf. OpenClaw has two exceptions (since 2026.6):

* `{"type":"leaf","id":…,"parentId":…,"targetId":…}` makes the target the leaf; null means before
  any entry. The target must precede the line in the file, or the line is ignored. A leaf line is
  never part of a branch: an entry whose parent is a leaf line continues from its target.
* An entry with `appendMode: "side"` does not move the leaf. The next normal entry may still name it
  as its parent, because OpenClaw chains lines in the order it appends them. Such an entry continues
  from the leaf. A leaf line names the entry to chain to as `appendParentId`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sessiond.format.entries import LEAF, Entry
from sessiond.format.tree.ancestors import followed
from sessiond.text.parts import object_members, string_of

Members = Mapping[str, bytes]


class Navigation:
    """The leaf of a file with leaf lines or side entries, and parents that differ from `parentId`.

    Created at the first such line. `before` are the entries before it; the last one is the leaf.
    """

    def __init__(self, before: Sequence[Entry]) -> None:
        self.leaf_id: str | None = before[-1].id if before else None
        self.ignored: dict[int, str] = {}
        """By index of an ignored leaf line: the reason."""
        self._appended = self.leaf_id
        """The id that OpenClaw's next entry names as its parent; not always the leaf."""
        self._parents: dict[int, str | None] = {}
        self._targets: dict[str, str | None] = {}
        """By id of a leaf line: the id of its target."""
        self._void: set[str] = set()
        """Ids of ignored leaf lines, which cannot be targets."""

    def copy(self) -> Navigation:
        """Copy the state, for a copy of the index."""
        copy = Navigation(())
        copy.leaf_id, copy._appended = self.leaf_id, self._appended
        copy.ignored, copy._parents = self.ignored.copy(), self._parents.copy()
        copy._targets, copy._void = self._targets.copy(), self._void.copy()
        return copy

    def take(self, index: int, entry: Entry, by_id: Mapping[str, int]) -> None:
        """Process the next entry of the file; `by_id` are the ids before it."""
        if entry.type == LEAF:
            self._take_leaf(index, entry, object_members(entry.raw), by_id)
            return
        self._targets.pop(entry.id, None)
        self._void.discard(entry.id)
        if not entry.side:
            if entry.parent_id == self._appended != self.leaf_id:
                self._parents[index] = self.leaf_id
            self.leaf_id = entry.id
        self._appended = entry.id

    def parent(self, index: int, entry: Entry) -> str | None:
        """Return the id of the entry this one continues; for a leaf line its own `parentId`."""
        parent_id = self._parents.get(index, entry.parent_id)
        return parent_id if entry.type == LEAF else self.visible(parent_id)

    def visible(self, entry_id: str | None) -> str | None:
        """Return the id itself, or the target of a leaf line; None means before any entry."""
        end = followed(self._targets, entry_id)
        return None if end in self._targets else end

    def _take_leaf(
        self, index: int, entry: Entry, members: Members, by_id: Mapping[str, int]
    ) -> None:
        target = string_of(members.get("targetId"))
        appended = string_of(members["appendParentId"]) if "appendParentId" in members else target
        why = self._why_ignored(members, by_id)
        if why is not None:
            self.ignored[index] = why
            self._targets[entry.id] = entry.parent_id
            self._void.add(entry.id)
            return
        self._targets[entry.id] = target
        self._void.discard(entry.id)
        self.leaf_id = self.visible(target)
        self._appended = appended

    def _why_ignored(self, members: Members, by_id: Mapping[str, int]) -> str | None:
        """Return why a leaf line is ignored; None if it is valid."""
        for name in ("targetId", "appendParentId"):
            if name not in members and name == "appendParentId":
                continue
            named = string_of(members.get(name))
            if not named and members.get(name) != b"null":
                return f"{name} is neither an id nor null"
            if named and (named not in by_id or named in self._void):
                return f"{name} names {named}, which does not come before it"
        if members.get("appendMode", b'"side"') != b'"side"':
            return "appendMode is not `side`"
        return None
