"""The store of an agent: its file `sessions.json`, or the database that has replaced it.

The file is shared with running gateways under their lock, and is replaced in one step. What is not
changed keeps its bytes.
"""

from __future__ import annotations

import asyncio
import errno
import os
import re
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TypeVar

import attrs
from sessiond_protocol.gateway.store import StoreProblem

from sessiond.agents.sessions import database_at
from sessiond.files import disk, journal, workers
from sessiond.files.identity import FileState, OpenedFile, read_from, stat_regular
from sessiond.files.lock_file import HeldLock, lock_file
from sessiond.files.temporary import temporary
from sessiond.gateway import keys
from sessiond.gateway.database import database_of, places
from sessiond.gateway.entry import Items, NonEntry, StoreEntry, entry_in, store_text
from sessiond.gateway.keys import KeyRules
from sessiond.gateway.places import STORE_NAME, Layout
from sessiond.runtime.errors import (
    AlreadyExists,
    Busy,
    GatewayRejected,
    PathNotAllowed,
    ReadFailed,
    SessionNotFound,
    StoreChanged,
    Unsupported,
    WriteFailed,
)
from sessiond.text.nesting import depth_exceeds
from sessiond.text.parts import object_members
from sessiond.text.spans import is_json, raw_members
from sessiond.text.utf8 import is_utf8

UNREADABLE = (ReadFailed, PathNotAllowed, Busy)
"""Why one store cannot be read, while those of other agents can."""
NOT_SESSIONS = {"constructor", "__proto__"}
"""Names that every JavaScript object has, so CoderClaw cannot use them as keys."""

_MODE = 0o600
_STALE_SECONDS = 30.0
"""A lock of a store older than this is stale."""
_ROUNDS = 3
"""How often a change is tried while writers without the lock change the store meanwhile."""
_MOST_BYTES = 64 * 1024 * 1024
_MOST_SNAPSHOTS = 16
"""How many stores are kept in memory between requests."""
_EVERY_DECODER = 100
"""A depth that every decoder supports."""
_BOM = b"\xef\xbb\xbf"
_OBJECT = re.compile(rb"[ \t\r\n]*\{")

_T = TypeVar("_T")
_Key = tuple[str, tuple[str, ...] | None]
"""The real path of a store, and the roots of the context."""


@attrs.frozen(eq=False)
class Snapshot:
    """A store as it was read."""

    items: Items = attrs.field(factory=dict)
    problems: tuple[StoreProblem, ...] = ()
    size: int = 0
    """Length of the text in bytes."""
    damaged: bytes | None = None
    """The content of a damaged file."""
    state: FileState | None = None
    """None if there is no file."""


@attrs.define(eq=False)
class Draft:
    """The content of a store that is being changed under its lock."""

    before: Items
    problems: list[StoreProblem]
    items: dict[str, StoreEntry | NonEntry] = attrs.field(init=False)
    """The items to save; an edit changes this dict."""
    created: list[str] = attrs.field(factory=list)
    """Files that the edit created; they are removed if the store is not saved."""

    def __attrs_post_init__(self) -> None:
        self.items = dict(self.before)

    def put(self, key: str, entry: StoreEntry) -> StoreEntry:
        """Store an entry under a key; the entry."""
        self.items[key] = entry
        return entry


class Stores:
    """The memory of a process about stores. `listeners` are called with the path of a saved one."""

    def __init__(self, lock_timeout: float) -> None:
        self.listeners: list[Callable[[str], None]] = []
        self.lock_timeout = lock_timeout
        self._turns: weakref.WeakValueDictionary[_Key, asyncio.Lock] = weakref.WeakValueDictionary()
        self._snapshots: OrderedDict[_Key, tuple[Snapshot, int]] = OrderedDict()

    def turn(self, path: str) -> asyncio.Lock:
        """Held by the request of this process that changes the store."""
        return self._turns.setdefault(_key(path), asyncio.Lock())

    def read(self, path: str) -> Snapshot:
        """The file of a store. A missing, empty or damaged one has no items. Blocking.

        Raises ReadFailed. An earlier reading counts if `stat` is unchanged and was taken some time
        after the file was last changed: within one tick of the system's clock two files can look
        alike.
        """
        state, key = stat_regular(path), _key(path)
        before, seen_at = self._snapshots.pop(key, (Snapshot(), 0))
        if state is None:
            return Snapshot()
        if before.state is None or not (
            before.state.matches(state) and before.state.would_show(seen_at)
        ):
            if state.st_size > _MOST_BYTES:
                raise ReadFailed(path, OSError(errno.EFBIG, "A store has at most 64 MB"))
            seen_at = time.time_ns()
            before = _read(path)
        self._snapshots[key] = before, seen_at
        if len(self._snapshots) > _MOST_SNAPSHOTS:
            self._snapshots.popitem(last=False)
        return before

    def tell(self, path: str) -> None:
        for listener in tuple(self.listeners):
            listener(path)


def _key(path: str) -> _Key:
    directory, name = os.path.split(path)
    return os.path.join(disk.realname(directory), name), disk.roots()


@attrs.frozen
class Store:
    """The store of one agent. If a database has replaced the file, it is only read."""

    path: str
    layout: Layout
    agent_id: str
    stores: Stores

    def databases(self) -> frozenset[str]:
        """The paths at which the database may appear that replaces the store."""
        return frozenset(places(self.layout, self.agent_id, self.path))

    async def read(self) -> Snapshot:
        """The current content: of the database, if there is one. Raises ReadFailed and Busy.

        If the database cannot be read, this is the store as it was before, and `problems` say so.
        """
        return await workers.reading(workers.LONG, self._read)

    def _read(self) -> Snapshot:
        database = database_of(self.layout, self.agent_id, self.path)
        if database is None:
            return self.stores.read(self.path)
        try:
            return _read_database(database)
        except (ReadFailed, Unsupported, SessionNotFound, PathNotAllowed) as error:
            snapshot = self.stores.read(self.path)
            said = database_at(database).explain(database)
            why = f"{said}, and {self.path} is out of date. {error.message}"
            problem = StoreProblem(kind="replacedStore", message=why, path=database)
            return attrs.evolve(snapshot, problems=(problem, *snapshot.problems))

    async def change(self, edit: Callable[[Draft], _T]) -> tuple[_T, list[StoreProblem]]:
        """Edit the store under its lock, and save what has changed; the result and the problems.

        `edit` runs in a worker, again if a writer without the lock has changed the store
        meanwhile. Nothing is saved if it raises, and nothing created if it changes nothing. The
        database is searched for before anything is created, after the lock is held, and right
        before the rename. An edit that has begun is finished even if the caller is cancelled.
        Raises Busy, ReadFailed, WriteFailed, Unsupported,
        and GatewayRejected for a file that is not a store.
        """
        self.check_in_use()
        async with self.stores.turn(self.path):
            for _ in range(_ROUNDS - 1):
                with suppress(StoreChanged):
                    return await self._change(edit)
            return await self._change(edit)

    async def _change(self, edit: Callable[[Draft], _T]) -> tuple[_T, list[StoreProblem]]:
        async with lock_file(self.path, self.stores.lock_timeout, _STALE_SECONDS) as lock:
            result, draft = await workers.undisturbed(self._edit, edit, lock)
        if draft.items != draft.before:
            self.stores.tell(self.path)
        return result, draft.problems

    def _edit(self, edit: Callable[[Draft], _T], lock: HeldLock) -> tuple[_T, Draft]:
        self.check_in_use()
        before = self.stores.read(self.path)
        draft = Draft(before.items, list(before.problems))
        try:
            result, kept = edit(draft), None
            if draft.items != before.items:
                kept = _save(self, draft.items, before, lock)
        except BaseException:
            for path in draft.created:
                with suppress(OSError):
                    disk.unlink(path)
            raise
        if kept is not None:
            message = f"The damaged store was copied to {kept}"
            draft.problems.append(StoreProblem(kind="corruptStore", message=message, path=kept))
        return result, draft

    def check_in_use(self) -> None:
        """Raise Unsupported if a database has replaced the store."""
        database = database_of(self.layout, self.agent_id, self.path)
        if database is not None:
            kind = database_at(database)
            raise Unsupported(
                f"{kind.explain(database)} and no longer in {self.path}, which is not changed."
                f" {kind.instead}",
                database,
                kind.instead,
            )


def spellings(items: Items, canonical_key: str, key: str, rules: KeyRules) -> list[str]:
    """The keys of a store that mean `canonical_key`: that key first, then aliases.

    `key` is the key as the client spelled it.
    """
    names = [canonical_key, *keys.aliases(canonical_key, key, rules)]
    dialect = rules.dialect
    same = {keys.folded(name, dialect) for name in names}
    exact = [name for name in names if name in items]
    others = (name for name in items if keys.folded(name, dialect) in same)
    return list(dict.fromkeys([*exact, *others]))


def find_session(items: Items, canonical_key: str, key: str, rules: KeyRules) -> StoreEntry | None:
    """The entry of a session, under the first spelling of its key that the store has."""
    entry = entry_in(items, canonical_key)
    if entry is not None:
        # The common case. Comparing all keys of a big store takes long.
        return entry
    present = (entry_in(items, name) for name in spellings(items, canonical_key, key, rules))
    return next(filter(None, present), None)


def claim_session(draft: Draft, canonical_key: str, key: str, rules: KeyRules) -> StoreEntry | None:
    """The entry of a session, moved to `canonical_key`; its aliases are removed.

    A value that is not an entry is kept; if it blocks the key, the entry keeps its old key.
    """
    entry = find_session(draft.items, canonical_key, key, rules)
    if entry is None or not isinstance(draft.items.setdefault(canonical_key, entry), StoreEntry):
        return entry
    for name in spellings(draft.items, canonical_key, key, rules):
        if name != canonical_key and entry_in(draft.items, name) is not None:
            del draft.items[name]
    return entry_in(draft.items, canonical_key)


def parse(path: str, text: bytes) -> Snapshot:
    """Parse the text of a store."""
    body = text.removeprefix(_BOM)
    if not body.strip():
        message = f"{path} is empty, as after a power cut; it is read as a store without sessions"
        return Snapshot(problems=(StoreProblem(kind="corruptStore", message=message, path=path),))
    damaged = None
    if not is_utf8(body):
        # Decoded as Node does; the original bytes are kept in `damaged`.
        body, damaged = body.decode(errors="replace").encode(), text
    try:
        values = _members(body)
    except ValueError:
        message = (
            f"{path} is not a JSON object; it is read as empty, and copied before it is overwritten"
        )
        problem = StoreProblem(kind="corruptStore", message=message, path=path)
        return Snapshot(problems=(problem,), damaged=text)
    items, problems = _items(values)
    if damaged is not None:
        message = f"{path} is not valid UTF-8; it is copied before it is overwritten"
        problems.append(StoreProblem(kind="corruptStore", message=message, path=path))
    return Snapshot(items, tuple(problems), len(text), damaged)


def _members(body: bytes) -> dict[str, bytes]:
    """The members of a store, nested to any depth. Raises ValueError."""
    if not _OBJECT.match(body):
        # Do not decode a large file that is not an object.
        raise ValueError("not a JSON object")
    try:
        return raw_members(body)
    except ValueError:
        if not (depth_exceeds(body, _EVERY_DECODER) and is_json(body)):
            raise
        return object_members(body)


def _items(
    values: Mapping[str, bytes],
) -> tuple[dict[str, StoreEntry | NonEntry], list[StoreProblem]]:
    items: dict[str, StoreEntry | NonEntry] = {}
    problems = []
    for key, text in values.items():
        if text.startswith(b"{") and key not in NOT_SESSIONS:
            items[key] = StoreEntry(text)
        else:
            items[key] = NonEntry(text)
            message = f"{key} is not a session; it is kept and skipped"
            problems.append(StoreProblem(kind="notAnEntry", message=message, sessionKey=key))
    return items, problems


def _read(path: str) -> Snapshot:
    try:
        with OpenedFile(path) as (descriptor, state):
            text = read_from(descriptor, 0)
    except SessionNotFound:
        return Snapshot()
    return attrs.evolve(parse(path, text), state=state)


def _read_database(database: str) -> Snapshot:
    values, damaged = {}, []
    for key, text in database_at(database).entries(database).items():
        if is_utf8(text) and is_json(text):
            values[key] = text
        else:
            message = f"The entry of {key} is not valid JSON"
            damaged.append(
                StoreProblem(kind="unreadableEntry", message=message, sessionKey=key, path=database)
            )
    items, problems = _items(values)
    return Snapshot(items, (*problems, *damaged), sum(map(len, values.values())))


def _save(store: Store, items: Items, before: Snapshot, lock: HeldLock) -> str | None:
    """Replace the file, with mode 0600; a symbolic link remains. The path of a damaged one's copy.

    Raises WriteFailed, Busy if the lock is lost, GatewayRejected, Unsupported, and StoreChanged if
    the file has changed since it was read: OpenClaw writes without the lock from 2026.5.2 on.
    """
    if not lock.exists:
        try:
            disk.makedirs(os.path.dirname(store.path), journal.DIRECTORY_MODE)
        except OSError as error:
            raise WriteFailed(store.path, error) from None
        # Again, with a lock.
        raise StoreChanged(store.path)
    target = disk.realpath(store.path)
    _check_writable(store.path)
    if not _is_store(target, before):
        # The path may be a mistake, or a link that leads elsewhere.
        named = store.path if target == store.path else f"{store.path} (that is, {target})"
        raise GatewayRejected(f"{named} is not a store; it is not overwritten", "storePath")
    kept = None
    if before.damaged is not None:
        _check_guard(store, before, lock)
        kept = _keep_damaged(store.path, before.damaged)
    try:
        with temporary(os.path.dirname(target), _MODE) as (descriptor, path):
            left = memoryview(store_text(items))
            while left:
                left = left[os.write(descriptor, left) :]
            # Without it the file may be empty after a power cut, and the old one is gone.
            os.fsync(descriptor)
            _check_guard(store, before, lock)
            disk.rename(path, target)
    except OSError as error:
        raise WriteFailed(store.path, error) from None
    return kept


def _is_store(path: str, before: Snapshot) -> bool:
    """Whether the file is a store, or may be one that is empty or damaged."""
    if os.path.basename(path) == STORE_NAME:
        return True
    if not before.items:
        return before.damaged is None or (path.endswith(".json") and _is_torn_store(before.damaged))
    entries = (item for item in before.items.values() if isinstance(item, StoreEntry))
    return any("sessionId" in entry or "updatedAt" in entry for entry in entries)


def _is_torn_store(text: bytes) -> bool:
    """Whether a text that is not a JSON object may be what is left of a store.

    Other values, lines of JSON, and text are something else.
    """
    body = text.removeprefix(_BOM)
    first, _, rest = body.partition(b"\n")
    return bool(_OBJECT.match(body)) and b'"sessionId"' in body and not (rest and is_json(first))


def _check_guard(store: Store, before: Snapshot, lock: HeldLock) -> None:
    """Check that the store may be replaced; a write between this and the rename is still lost.

    A store that has vanished is written again in full.
    """
    if not lock.still():
        # The file may now hold changes that the new text lacks.
        raise Busy(store.path, "another process, which replaced our lock")
    store.check_in_use()
    state = stat_regular(store.path)
    if state is not None and (before.state is None or not before.state.is_content_of(state)):
        raise StoreChanged(store.path)


def _check_writable(path: str) -> None:
    """Raise WriteFailed for a read-only file."""
    try:
        # A rename would replace it without this check.
        mode = disk.stat(path).st_mode
    except OSError:
        return
    if not mode & 0o222:
        raise WriteFailed(path, PermissionError(errno.EACCES, "The file is read-only"))


def _keep_damaged(path: str, text: bytes) -> str:
    """Save a damaged store as a copy before it is overwritten. Raises WriteFailed."""
    ms = time.time_ns() // 1_000_000
    while True:
        copy = f"{path}.corrupt.{ms}"
        try:
            journal.create(copy, [text], settled=True)
        except AlreadyExists:
            ms += 1
        else:
            return copy
