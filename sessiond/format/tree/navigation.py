"""Lines that say where a session goes on, as OpenClaw writes them.

In a file of pi the last entry is the leaf. OpenClaw adds two exceptions (since 2026.6):

* `{"type":"leaf","id":…,"parentId":…,"targetId":…}` makes the target the leaf; null stands for
  before any entry. The target must come before the line in the file, or the line is ignored. A leaf
  line is never part of a branch: what has it as its parent goes on from its target.
* An entry with `appendMode: "side"` does not move the leaf. The next entry that is not aside may
  name it as its parent all the same, because OpenClaw chains lines as it appends them: such an
  entry goes on from the leaf. A leaf line names the entry for that as `appendParentId`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sessiond.format.entries import LEAF, Entry
from sessiond.jsontext.parts import object_members, string_of

Members = Mapping[str, bytes]


class Navigation:
    """Where the lines of a file leave the leaf, and which parents differ from `parentId`.

    Made when the first such line comes. `before` are the entries up to there; the last of them was
    the leaf.
    """

    def __init__(self, before: Sequence[Entry]) -> None:
        self.leaf_id: str | None = before[-1].id if before else None
        self.ignored: dict[int, str] = {}
        """Index of a leaf line that moves nothing → why not."""
        self._appended = self.leaf_id
        """The entry that OpenClaw appends under next; not always the leaf."""
        self._parents: dict[int, str | None] = {}
        self._targets: dict[str, str | None] = {}
        """Leaf lines by id, and the entries they lead to."""
        self._void: set[str] = set()
        """Ids of leaf lines that are ignored: no other leads to them."""

    def copy(self) -> Navigation:
        """The same as it is now, for a copy of the index."""
        taken = Navigation(())
        taken.leaf_id, taken._appended = self.leaf_id, self._appended
        taken.ignored, taken._parents = self.ignored.copy(), self._parents.copy()
        taken._targets, taken._void = self._targets.copy(), self._void.copy()
        return taken

    def take(self, index: int, entry: Entry, line: bytes, known: Mapping[str, int]) -> None:
        """Follow the next entry of the file; `known` are the ids before it."""
        if entry.type == LEAF:
            self._take_leaf(index, entry, object_members(line), known)
            return
        self._targets.pop(entry.id, None)
        self._void.discard(entry.id)
        if not entry.side:
            if entry.parent_id == self._appended != self.leaf_id:
                self._parents[index] = self.leaf_id
            self.leaf_id = entry.id
        self._appended = entry.id

    def parent(self, index: int, entry: Entry) -> str | None:
        """The entry that this one goes on from; never a leaf line. A leaf line keeps its parent."""
        found = self._parents.get(index, entry.parent_id)
        return found if entry.type == LEAF else self.visible(found)

    def visible(self, entry_id: str | None) -> str | None:
        """The entry itself, or where it leads if it is a leaf line; None: before any entry."""
        seen: set[str] = set()
        while entry_id in self._targets:
            if entry_id in seen:
                return None
            seen.add(entry_id)
            entry_id = self._targets[entry_id]
        return entry_id

    def _take_leaf(
        self, index: int, entry: Entry, members: Members, known: Mapping[str, int]
    ) -> None:
        target = string_of(members.get("targetId"))
        appended = string_of(members["appendParentId"]) if "appendParentId" in members else target
        why = self._why_not(members, known)
        if why is not None:
            self.ignored[index] = why
            self._targets[entry.id] = entry.parent_id
            self._void.add(entry.id)
            return
        self._targets[entry.id] = target
        self._void.discard(entry.id)
        self.leaf_id = self.visible(target)
        self._appended = appended

    def _why_not(self, members: Members, known: Mapping[str, int]) -> str | None:
        """Why a leaf line is ignored; None: it is not."""
        for name in ("targetId", "appendParentId"):
            if name not in members and name == "appendParentId":
                continue
            named = string_of(members.get(name))
            if not named and members.get(name) != b"null":
                return f"{name} is neither an id nor null"
            if named and (named not in known or named in self._void):
                return f"{name} names {named}, which does not come before it"
        if members.get("appendMode", b'"side"') != b'"side"':
            return "appendMode is something else than `side`"
        return None
