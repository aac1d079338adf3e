"""A store of a subscription, and its changes since the last notification of the client."""

from __future__ import annotations

import logging
from typing import Literal

import attrs
from msgspec import UNSET
from sessiond_protocol.gateway.store import StoreProblem
from sessiond_protocol.gateway.subscribe import StoreChange

from sessiond.files import workers
from sessiond.gateway.entry import Items, StoreEntry
from sessiond.gateway.store import UNREADABLE, Store
from sessiond.text.spans import minify

logger = logging.getLogger(__name__)

Problems = tuple[StoreProblem, ...]


@attrs.frozen
class StoreNews:
    """The changes of a store; `problems` is None if they have not changed."""

    changes: list[StoreChange]
    problems: Problems | None


@attrs.define(eq=False)
class Followed:
    """One store of a subscription; `sent` are the items that the client knows."""

    agent_id: str
    path: str
    store: Store
    sent: Items = attrs.field(factory=dict)
    sent_problems: Problems = ()
    names: frozenset[str] = frozenset()
    """The paths under which changes of the file, or of what replaces it, may be reported."""
    is_doubtful: bool = False
    """Whether all entries were missing in the last reading."""
    failures: int = 0
    """How often in succession it could not be read."""
    size: int = 0
    """Size of the file in bytes in the last reading."""

    def entries(self) -> dict[str, StoreEntry]:
        return _entries(self.sent)

    async def take_snapshot(self) -> Problems:
        """Read the store for the first time; returns its problems."""
        try:
            snapshot = await self.store.read()
        except UNREADABLE as error:
            self.failures = 1
            return (StoreProblem(kind="unreadableStore", message=error.message, path=self.path),)
        self.sent, self.sent_problems = snapshot.items, snapshot.problems
        self.size = snapshot.size
        return snapshot.problems

    async def look(self) -> StoreNews:
        """Read the store and return its news; a store that cannot be read has none.

        Whoever calls tries a store with `failures` again, also when another store has changed.
        If all entries are missing, the store is read once more before the removals are reported:
        while a gateway rotates the store or an editor saves it, the file is missing, empty or
        incomplete for a moment.
        """
        try:
            snapshot = await self.store.read()
        except Exception as error:
            if not isinstance(error, UNREADABLE):
                logger.exception("%s cannot be read", self.path)
            self.is_doubtful = False
            self.failures += 1
            return StoreNews([], None)
        self.failures = 0
        before, items = self.sent, snapshot.items
        is_empty = not any(isinstance(item, StoreEntry) for item in items.values())
        had_some = any(isinstance(item, StoreEntry) for item in before.values())
        self.is_doubtful = had_some and is_empty and not self.is_doubtful
        if self.is_doubtful:
            return StoreNews([], None)
        self.size = snapshot.size
        changes = await workers.reading(self.size, _changes, before, items)
        problems = None if snapshot.problems == self.sent_problems else snapshot.problems
        self.sent, self.sent_problems = items, snapshot.problems
        return StoreNews(changes, problems)


def _entries(items: Items) -> dict[str, StoreEntry]:
    return {key: item for key, item in items.items() if isinstance(item, StoreEntry)}


def _changes(earlier: Items, items: Items) -> list[StoreChange]:
    before, after = _entries(earlier), _entries(items)
    changes = []
    for key, entry in after.items():
        previous = before.get(key)
        if previous is not None and (previous is entry or previous.text == entry.text):
            continue
        if previous is None or minify(previous.text) != minify(entry.text):
            kind: Literal["changed", "added"] = "added" if previous is None else "changed"
            changes.append(StoreChange(kind=kind, sessionKey=key, entry=entry.compact()))
    gone = [key for key in before if key not in after]
    return changes + [StoreChange(kind="removed", sessionKey=key, entry=UNSET) for key in gone]
