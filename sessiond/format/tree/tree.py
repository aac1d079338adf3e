"""The index of a document's entries: ids, branches, children, labels, name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cmp_to_key

import attrs

from sessiond.format.entries import LABEL, LEAF, NAMING, Diagnostic, Entry
from sessiond.format.line import Line, name_of, parse_line
from sessiond.format.tree.ancestors import cycles
from sessiond.format.tree.navigation import Navigation
from sessiond.format.tree.problems import find_problems
from sessiond.runtime.limits import INLINE_ENTRIES, INLINE_READ_BYTES
from sessiond.text.dates import parse_js_date

_ENTRY_COST = INLINE_READ_BYTES // INLINE_ENTRIES


@attrs.frozen
class Label:
    """The label of an entry and when it was set."""

    text: str
    timestamp: str


@attrs.frozen
class Forest:
    """The whole tree: indices of the roots, and the children of each entry that has some."""

    roots: list[int]
    children: dict[int, Sequence[int]]


class Tree:
    """Entries of a document by id, by parent and in order; `add` takes constant time."""

    def __init__(self, entries: Iterable[Entry] = (), name: str | None = None) -> None:
        """`name` is what the session is called until an entry names it."""
        self.entries: list[Entry] = []
        """All entries in file order; their number is the contract's `entryCount`."""
        self.nbytes = 0
        """Length of the lines of all entries."""
        self.by_id: dict[str, int] = {}
        """Index of the last entry with an id, in the order in which ids first appeared. Its length
        is what getEntryCount of pi 1.6.0 returns (`byId.size`)."""
        self.labels: dict[str, Label] = {}
        """Labels by target, in the order of a JavaScript Map."""
        self.name = name
        """Trimmed name in the last entry that names the session; None if it is empty."""
        self.has_conversation = False
        """Whether there is a user or assistant message."""
        self._navigation: Navigation | None = None
        self._snapshot: Tree | None = None
        self._diagnostics: tuple[int, list[Diagnostic]] = 0, []
        """The number of entries whose problems are known, and the problems."""
        self.extend(entries)

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def tip(self) -> Entry | None:
        """The last entry of the file, which may be a leaf line or a side entry.

        Compare it to detect growth; the session continues from `leaf_id`.
        """
        return self.entries[-1] if self.entries else None

    @property
    def tip_id(self) -> str | None:
        return self.entries[-1].id if self.entries else None

    @property
    def leaf_id(self) -> str | None:
        """The leaf of the file when it is opened; None means before any entry.

        The last entry, except in some files of OpenClaw: see `navigation.py`.
        """
        return self.tip_id if self._navigation is None else self._navigation.leaf_id

    @property
    def has_navigation(self) -> bool:
        """Whether there are leaf lines or side entries of OpenClaw."""
        return self._navigation is not None

    def visible(self, entry_id: str | None) -> str | None:
        """Return the id itself, or the target of a leaf line; None means before any entry."""
        return entry_id if self._navigation is None else self._navigation.visible(entry_id)

    def parent_of(self, index: int) -> str | None:
        """Return the id of the entry that the entry at `index` continues; may not be `parentId`."""
        entry = self.entries[index]
        navigation = self._navigation
        return entry.parent_id if navigation is None else navigation.parent(index, entry)

    def parents(self) -> list[int | None]:
        """Return the index of the entry that each entry continues; None for roots and orphans."""
        find = self.by_id.get
        if self._navigation is None:
            # None is no id.
            return [find(entry.parent_id) for entry in self.entries]  # type: ignore[arg-type]
        continued = map(self.parent_of, range(len(self.entries)))
        return [None if name is None else find(name) for name in continued]

    @property
    def cost(self) -> int:
        """Estimated cost of reading all entries, in bytes that take the same time."""
        return self.nbytes + len(self.entries) * _ENTRY_COST

    def snapshot(self) -> Tree:
        """Return a copy that a worker may read while this tree grows.

        Lines are shared and the index is copied, which takes some milliseconds for 200,000 entries.
        The copy is reused until the next entry is added. Nothing may be added to the copy.
        """
        if self._snapshot is None:
            copy = Tree()
            copy.entries, copy.nbytes = self.entries.copy(), self.nbytes
            copy.by_id = self.by_id.copy()
            copy.labels = self.labels.copy()
            copy.name, copy.has_conversation = self.name, self.has_conversation
            copy._diagnostics = self._diagnostics
            if self._navigation is not None:
                copy._navigation = self._navigation.copy()
            self._snapshot = copy
        return self._snapshot

    def extend(self, entries: Iterable[Entry]) -> None:
        """Add several entries in file order."""
        for entry in entries:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """Add one entry."""
        index = len(self.entries)
        self._snapshot = None
        role = entry.role
        if self._navigation is not None or entry.side or (role is None and entry.type == LEAF):
            self._navigate(index, entry)
        self.entries.append(entry)
        self.nbytes += len(entry.raw)
        self.by_id[entry.id] = index
        if role is not None:
            if role in ("user", "assistant"):
                self.has_conversation = True
        elif entry.type == LABEL:
            self._set_label(entry)
        elif entry.type in NAMING:
            self.name = name_of(parse_line(entry.raw) or Line())

    def _navigate(self, index: int, entry: Entry) -> None:
        """Process an entry of a file whose leaf may not be the last entry."""
        if self._navigation is None:
            self._navigation = Navigation(self.entries)
        self._navigation.take(index, entry, self.by_id)

    def _set_label(self, entry: Entry) -> None:
        line = parse_line(entry.raw)
        if line is None or line.target_id is None:
            return
        if line.label:
            self.labels[line.target_id] = Label(line.label, entry.timestamp)
        else:
            self.labels.pop(line.target_id, None)

    def get(self, entry_id: str) -> Entry | None:
        """Return the entry with an id; the last one if there are several."""
        index = self.by_id.get(entry_id)
        return None if index is None else self.entries[index]

    def __contains__(self, entry_id: object) -> bool:
        return entry_id in self.by_id

    def branch(self, leaf_id: str | None) -> list[Entry]:
        """Return the entries from the root to `leaf_id`; none for None and for an unknown id.

        A leaf line is replaced by its target. If parents form a cycle, every entry occurs once (pi
        1.6.0 would not return).
        """
        entries, by_id = self.entries, self.by_id
        path: list[Entry] = []
        remaining = len(by_id)
        if self._navigation is not None:
            return self._navigated_branch(self._navigation.visible(leaf_id))
        index = None if leaf_id is None else by_id.get(leaf_id)
        while index is not None and remaining > 0:
            entry = entries[index]
            path.append(entry)
            remaining -= 1
            index = by_id.get(entry.parent_id) if entry.parent_id else None
        if index is not None:
            # As many steps as entries, and there is still a parent: a cycle.
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
        """Return the direct children (for None: entries without parent), in order of `by_id`."""
        entries, places = self.entries, self.by_id.values()
        if self._navigation is None:
            return [entry for index in places if (entry := entries[index]).parent_id == parent_id]
        return [entries[index] for index in places if self.parent_of(index) == parent_id]

    def label(self, entry_id: str) -> str | None:
        label = self.labels.get(entry_id)
        return label.text if label else None

    def forest(self) -> Forest:
        """Return the whole tree as pi's getTree does, but with every id exactly once.

        Roots are in file order: entries without parent, orphans, self-parents, and of each cycle
        the first entry in the file. Children are sorted by timestamp; see `_sort_by_time`. Of
        entries with the same id the last one counts.
        """
        parents = self.parents()
        first_of_cycle = {members[0] for members in cycles(parents)}
        roots: list[int] = []
        children: dict[int, Sequence[int]] = {}
        for index in self.by_id.values():
            parent = parents[index]
            if parent is None or parent == index or index in first_of_cycle:
                roots.append(index)
            else:
                _put_child(children, parent, index)
        for siblings in children.values():
            if isinstance(siblings, list):
                _sort_by_time(siblings, self.entries)
        return Forest(roots, children)

    def count_branches(self) -> int:
        """Count the entries that no other entry continues, without leaf lines."""
        forest = self.forest()
        if self._navigation is None:
            return len(self.by_id) - len(forest.children)
        entries = {index for index in self.by_id.values() if self.entries[index].type != LEAF}
        return sum(entries.isdisjoint(forest.children.get(index, ())) for index in entries)

    @property
    def unexamined(self) -> int:
        """Number of entries that `problems` examines: none if it did before and none was added."""
        return 0 if self._diagnostics[0] == len(self.entries) else len(self.entries)

    def problems(self) -> list[Diagnostic]:
        """Report problems between entries, in order of lines; see `find_problems`."""
        if self.unexamined:
            diagnostics = find_problems(self.entries, self.by_id, self.parents)
            self._diagnostics = len(self.entries), diagnostics
        findings = self._diagnostics[1].copy()
        if self._navigation is None or not self._navigation.ignored:
            return findings
        findings += [
            Diagnostic(self.entries[index].line, "missingTarget", f"The line is ignored: {why}.")
            for index, why in self._navigation.ignored.items()
        ]
        return sorted(findings, key=lambda diagnostic: diagnostic.line)


def _put_child(children: dict[int, Sequence[int]], parent: int, index: int) -> None:
    """Add a child to its parent.

    A single child, the usual case, is stored in a tuple. The garbage collector does not traverse
    tuples of numbers; hundreds of thousands of lists would make it block every thread.
    """
    siblings = children.get(parent)
    if siblings is None:
        children[parent] = (index,)
    elif isinstance(siblings, list):
        siblings.append(index)
    else:
        children[parent] = [*siblings, index]


def _sort_by_time(siblings: list[int], entries: Sequence[Entry]) -> None:
    """Sort indices of entries by timestamp; an invalid timestamp compares as equal to any other."""
    times = {index: parse_js_date(entries[index].timestamp) for index in siblings}
    if None not in times.values():
        siblings.sort(key=times.__getitem__)  # type: ignore[arg-type]
        return

    def compare(one: int, other: int) -> int:
        left, right = times[one], times[other]
        return 0 if left is None or right is None else int(left - right)

    siblings.sort(key=cmp_to_key(compare))
