"""The index over a document's entries: ids, branches, children, labels, name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from sessiond.format.entries import LABEL, LEAF, SESSION_INFO, Diagnostic, Entry
from sessiond.format.repair.problems import Problems
from sessiond.format.text import Text
from sessiond.format.tree.children import put_child, sort_by_time
from sessiond.format.tree.named import named
from sessiond.format.tree.navigation import Navigation
from sessiond.jsontext.spans import js_trim
from sessiond.limits import INLINE_ENTRIES, INLINE_READ_BYTES

_ENTRY_COST = INLINE_READ_BYTES // INLINE_ENTRIES


@attrs.frozen
class Label:
    """The label of an entry and when it was set."""

    text: str
    timestamp: str


@attrs.frozen
class Forest:
    """The whole tree: indices of the roots, and children by index where there are any."""

    roots: list[int]
    children: dict[int, Sequence[int]]


class Tree:
    """Entries of a document by id, by parent and in order; grows with `add` in constant time."""

    def __init__(self, text: Text, entries: Iterable[Entry] = ()) -> None:
        self.text = text
        self.entries: list[Entry] = []
        """All of them in file order. `len` of it is the contract's `entryCount`."""
        self.by_id: dict[str, int] = {}
        """Index of the last entry with that id, in the order ids came up first. `len` of it is
        what pi's getEntryCount counts (as pi 1.5.2: `byId.size`)."""
        self.labels: dict[str, Label] = {}
        """Labels by target, in the order of a JavaScript Map that is set and deleted from."""
        self.name: str | None = None
        """Name by the last session_info entry, trimmed; None where that is empty or missing."""
        self.has_conversation = False
        """Whether there is a user or assistant message."""
        self._children: dict[str | None, Sequence[int]] | None = None
        self._navigation: Navigation | None = None
        self._snapshot: Tree | None = None
        self._problems = Problems(text, self.entries, self.by_id)
        self.extend(entries)

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def tip(self) -> Entry | None:
        """The last entry of the file, be it a leaf line or one that was appended aside.

        Whether a file has grown shows in it; where the session goes on is `leaf_id`.
        """
        return self.entries[-1] if self.entries else None

    @property
    def tip_id(self) -> str | None:
        return self.entries[-1].id if self.entries else None

    @property
    def leaf_id(self) -> str | None:
        """Where the session goes on for someone who opens the file; None: before any entry.

        The last entry, unless lines of OpenClaw say otherwise: see `format/navigation.py`.
        """
        return self.tip_id if self._navigation is None else self._navigation.leaf_id

    def visible(self, entry_id: str | None) -> str | None:
        """The id itself, or that of the entry a leaf line leads to; None: before any entry."""
        return entry_id if self._navigation is None else self._navigation.visible(entry_id)

    def parent_of(self, index: int) -> str | None:
        """The id of the entry that one goes on from, by its index; not always its `parentId`."""
        entry = self.entries[index]
        navigation = self._navigation
        return entry.parent_id if navigation is None else navigation.parent(index, entry)

    @property
    def cost(self) -> int:
        """What it takes to look at all entries, as the bytes that take as long."""
        return self.text.nbytes + len(self.entries) * _ENTRY_COST

    def snapshot(self) -> Tree:
        """The tree as it is now, which a worker may read while this one grows.

        Lines are shared, and the index is copied: some milliseconds for 200,000 entries. Until the
        next entry it is the same one. Nothing may be added to it.
        """
        if self._snapshot is None:
            taken = Tree(self.text.snapshot())
            taken.entries = self.entries.copy()
            taken.by_id = self.by_id.copy()
            taken.labels = self.labels.copy()
            taken.name, taken.has_conversation = self.name, self.has_conversation
            taken._problems = self._problems.copy(taken.text, taken.entries, taken.by_id)
            if self._navigation is not None:
                taken._navigation = self._navigation.copy()
            self._snapshot = taken
        return self._snapshot

    @property
    def knows_children(self) -> bool:
        """Whether `children` answers without a look at all entries."""
        return self._children is not None

    def adopt_children(self, taken: Tree) -> None:
        """Keep what a snapshot of this tree has found out for `children`."""
        if taken is self._snapshot:
            # The lists grow with this tree from now on, so they are no longer the snapshot's.
            self._children, taken._children = taken._children, None

    def extend(self, entries: Iterable[Entry]) -> None:
        """Add many, in file order."""
        for entry in entries:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """Append one; its line must stand in the text already."""
        index = len(self.entries)
        self._snapshot = None
        by_id = self.by_id
        parent_id = entry.parent_id
        if parent_id is not None and parent_id not in by_id:
            self._problems.early.append(index)
        role = entry.role
        if self._navigation is not None or entry.side or (role is None and entry.type == LEAF):
            parent_id = self._navigate(index, entry)
        self.entries.append(entry)
        if entry.id in by_id:
            self._problems.repeated.append(index)
            self._children = None
        elif self._children is not None:
            put_child(self._children, parent_id, index)
        by_id[entry.id] = index
        if role is not None:
            if role in ("user", "assistant"):
                self.has_conversation = True
        elif entry.type == LABEL:
            self._set_label(entry)
        elif entry.type == SESSION_INFO:
            name = named(self.line(entry)).name
            self.name = (js_trim(name) or None) if name else None

    def _navigate(self, index: int, entry: Entry) -> str | None:
        """Follow a file in which the last entry is not always the leaf; the parent of the entry."""
        if self._navigation is None:
            self._navigation = Navigation(self.entries)
        if entry.type == LEAF:
            # What was chained to an earlier entry of this id goes on from elsewhere now.
            self._children = None
        line = self.line(entry) if entry.type == LEAF else b""
        self._navigation.take(index, entry, line, self.by_id)
        return self._navigation.parent(index, entry)

    def _set_label(self, entry: Entry) -> None:
        found = named(self.line(entry))
        if found.targetId is None:
            return
        if found.label:
            self.labels[found.targetId] = Label(found.label, entry.timestamp)
        else:
            self.labels.pop(found.targetId, None)

    def line(self, entry: Entry) -> bytes:
        """The JSON of an entry."""
        return self.text.slice(entry.start, entry.end)

    def get(self, entry_id: str) -> Entry | None:
        """The entry with that id; of several the last."""
        index = self.by_id.get(entry_id)
        return None if index is None else self.entries[index]

    def __contains__(self, entry_id: object) -> bool:
        return entry_id in self.by_id

    def branch(self, leaf_id: str | None) -> list[Entry]:
        """From the root to that entry; empty for None and for an unknown id.

        A leaf line is never part of it: its target stands in its place. Where parents form a cycle,
        every entry stands once (pi 1.5.2 would not return).
        """
        entries, by_id = self.entries, self.by_id
        path: list[Entry] = []
        left = len(by_id)
        if self._navigation is not None:
            return self._navigated_branch(self._navigation.visible(leaf_id))
        index = None if leaf_id is None else by_id.get(leaf_id)
        while index is not None and left > 0:
            entry = entries[index]
            path.append(entry)
            left -= 1
            index = by_id.get(entry.parent_id) if entry.parent_id else None
        if index is not None:
            # Every step was taken and there is still a parent: a cycle.
            path = list({entry.id: entry for entry in path}.values())
        path.reverse()
        return path

    def _navigated_branch(self, leaf_id: str | None) -> list[Entry]:
        path: dict[str, Entry] = {}
        while leaf_id is not None and leaf_id not in path and leaf_id in self.by_id:
            index = self.by_id[leaf_id]
            path[leaf_id] = self.entries[index]
            leaf_id = self.parent_of(index)
        return list(path.values())[::-1]

    def children(self, parent_id: str | None) -> list[Entry]:
        """Direct children, or the entries without parent for None, in Map order of ids."""
        return [self.entries[index] for index in self._by_parent().get(parent_id, ())]

    def _by_parent(self) -> dict[str | None, Sequence[int]]:
        if self._children is None:
            found: dict[str | None, Sequence[int]] = {}
            for index in self.by_id.values():
                put_child(found, self.parent_of(index), index)
            self._children = found
        return self._children

    def label(self, entry_id: str) -> str | None:
        found = self.labels.get(entry_id)
        return found.text if found else None

    def forest(self) -> Forest:
        """The whole tree as pi's getTree, except that nothing stands twice and nothing vanishes.

        Roots in file order: entries without parent, orphans, self-parents, and of each cycle the
        first in the file. Children by timestamp, those that are no date staying put. An id that
        occurs twice stands once, the last wins.
        """
        by_id = self.by_id
        early = self._problems.cycle_roots(self.parent_of)
        roots: list[int] = []
        children: dict[int, Sequence[int]] = {}
        for index in by_id.values():
            parent_id = self.parent_of(index)
            parent = None if parent_id is None else by_id.get(parent_id)
            if parent is None or parent == index or index in early:
                roots.append(index)
            else:
                put_child(children, parent, index)
        for siblings in children.values():
            if isinstance(siblings, list):
                sort_by_time(siblings, self.entries)
        return Forest(roots, children)

    def count_branches(self) -> int:
        """How many entries no other goes on from; leaf lines aside."""
        forest = self.forest()
        if self._navigation is None:
            return len(self.by_id) - len(forest.children)
        entries = {index for index in self.by_id.values() if self.entries[index].type != LEAF}
        return sum(entries.isdisjoint(forest.children.get(index, ())) for index in entries)

    @property
    def suspects(self) -> int:
        """How many entries `problems` looks at."""
        return self._problems.suspects

    def check(self) -> None:
        """Do ahead what `problems` does once for each entry."""
        self._problems.check()

    def problems(self) -> list[Diagnostic]:
        """What is wrong between entries, in order of lines: `duplicateId`, `selfParent`, `orphan`,
        `cycle`, `missingTarget`, `invalidTimestamp`.
        """
        found = self._problems.all(self.parent_of)
        if self._navigation is None or not self._navigation.ignored:
            return found
        found += [
            Diagnostic(self.entries[index].line, "missingTarget", f"The line is ignored: {why}.")
            for index, why in self._navigation.ignored.items()
        ]
        return sorted(found, key=lambda diagnostic: diagnostic.line)
