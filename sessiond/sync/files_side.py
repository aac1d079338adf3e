"""A side whose sessions are files on this machine."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

import attrs
import msgspec

from sessiond.agents.agent import Agent
from sessiond.agents.directories import Directories, directories
from sessiond.agents.sessions import SUFFIX
from sessiond.catalog.moving_files import Arriving
from sessiond.files import disk, journal, workers
from sessiond.files.identity import OpenedFile, chunks, read_file, stat_regular
from sessiond.format.header import PARENT
from sessiond.format.load import load
from sessiond.runtime.errors import (
    InvalidParams,
    InvalidSessionFile,
    SessiondError,
    SessionNotFound,
    Unsupported,
)
from sessiond.runtime.home import absolute, cache_directory
from sessiond.runtime.isolation import Abandoned, Faults, go_on
from sessiond.sync.digests import DigestSet, Part
from sessiond.sync.facts import Memory, digests_of, entries_at, expect_text
from sessiond.sync.shelves import (
    AgentShelf,
    FolderShelf,
    SessionFile,
    Shelf,
    agents_to_sync,
    part_path,
)
from sessiond.sync.side import (
    Content,
    Delivery,
    Inventory,
    Item,
    Outcome,
    Problem,
    Ref,
    Side,
    Want,
)
from sessiond.sync.union import DIGEST_BYTES, EntryLine, digest, load_current, parents_first, parse
from sessiond.sync.writing import continue_bytes, write_union

_T = TypeVar("_T")

_SESSION = "session:"
"""Begins a `parentSession` that names a session by its id, because paths differ."""

_REMEMBERED = 64 * 1024 * 1024
"""Bytes of files whose digests are kept between two questions about them."""


@attrs.define
class _Replica:
    """A session with the files that have it here; more than one only in a folder."""

    item: Item
    paths: list[str]


class FilesSide(Side):
    """Sessions in files, either of the agents of this user or in a folder."""

    def __init__(
        self,
        env: Mapping[str, str],
        patience: float,
        folder: str | None = None,
        own: Directories | None = None,
        *,
        has_memory: bool = True,
    ) -> None:
        """`patience`: how many seconds to wait for locks. `folder`: where a neutral replica is.

        `own`: the directories of an agent that are not those of its variables. `has_memory`:
        whether facts about files are kept in the cache of the user.
        """
        self._has_memory = has_memory
        self._own = own
        self._env = env
        self._patience = patience
        self._folder = folder
        self._shelves: dict[str, Shelf] = {}
        self._replicas: dict[Ref, _Replica] = {}
        self._subagents: dict[tuple[Ref, str, str], list[Ref]] = {}
        """The subagents in a folder by session, directory and id."""
        self._refs: dict[str, Ref] = {}
        """The sessions by their paths."""
        self._planned: dict[Ref, str] = {}
        """Where the sessions of a delivery will be."""
        self._sets: dict[Ref, DigestSet] = {}
        self._set_bytes = 0

    @property
    def home(self) -> str:
        return "" if self._folder is not None else absolute("~", self._env)

    # What there is.

    async def inventory(self, agents: Sequence[str]) -> Inventory:
        return await workers.scanning(self._inventory, agents_to_sync(agents))

    def _inventory(self, agents: Sequence[Agent]) -> Inventory:
        faults, problems = Faults(), list[Problem]()
        self._check_folder()
        self._replicas.clear()
        self._subagents.clear()
        self._sets.clear()
        deleted: list[Item] = []
        for agent in agents:
            shelf = self._shelf(agent)
            memory = Memory(self._memory_path(agent))
            # The names of copies are longer than that of their file.
            replicas = self._examine(shelf, memory, faults)
            for replica in sorted(replicas, key=lambda each: len(each.paths[0])):
                self._add(replica, problems)
            deleted += self._examine_trash(shelf, memory, faults)
            memory.save()
        self._unite_copies(faults)
        problems += [Problem(_readable(fault.path), _readable(fault.message)) for fault in faults]
        self._refs = {path: ref for ref, each in self._replicas.items() for path in each.paths}
        return Inventory([each.item for each in self._replicas.values()], deleted, problems)

    def _shelf(self, agent: Agent) -> Shelf:
        shelf = self._shelves.get(agent.name)
        if shelf is None:
            shelf = self._shelves[agent.name] = self._new_shelf(agent)
        return shelf

    def _new_shelf(self, agent: Agent) -> Shelf:
        if self._folder is not None:
            return FolderShelf(agent, self._folder)
        return AgentShelf(self._where(agent), self._env)

    def _where(self, agent: Agent) -> Directories:
        if self._own is not None and self._own.agent is agent:
            return self._own
        # Settings of the working directory count for new sessions alone.
        return directories(agent, {**self._env, "PWD": "/"})

    def _check_folder(self) -> None:
        """Raise Unsupported for a folder in which an agent looks for sessions."""
        if self._folder is None:
            return
        real = disk.realname(self._folder)
        for agent in agents_to_sync(()):
            where = self._where(agent)
            own = disk.realname(where.sessions_dir)
            if real == own or real.startswith(f"{own}/") or own.startswith(f"{real}/"):
                raise Unsupported(
                    f"{self._folder} and the sessions of {agent.name} in {own} are not separate",
                    self._folder,
                    "Name a folder of its own",
                )

    def _memory_path(self, agent: Agent) -> str | None:
        if not self._has_memory:
            return None
        place = self._folder or self._where(agent).sessions_dir
        name = hashlib.blake2b(place.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        return f"{cache_directory(self._env)}/sync/{agent.name}-{name}"

    def _examine(self, shelf: Shelf, memory: Memory, faults: Faults) -> list[_Replica]:
        replicas: list[_Replica] = []
        mains: dict[str, str] = {}
        for file in shelf.files(faults):
            with faults.isolate(file.path):
                item = _item(shelf, memory, file, mains.get(file.main, ""))
                if item is not None:
                    mains.setdefault(file.path, item.ref.session)
                    replicas.append(_Replica(item, [file.path]))
                    self._remember(item, memory.fresh.pop(file.path, None))
        return replicas

    def _examine_trash(self, shelf: Shelf, memory: Memory, faults: Faults) -> list[Item]:
        items = []
        for file in shelf.trashed(faults):
            with faults.isolate(file.path), disk.unconfined():
                item = _item(shelf, memory, file, "")
                if item is not None:
                    items.append(item)
        return items

    def _add(self, replica: _Replica, problems: list[Problem]) -> None:
        """Add a session; several files with one id are replicas of it in a folder alone."""
        ref = replica.item.ref
        other = self._replicas.get(ref) or self._original(replica.item)
        if other is None:
            self._replicas[ref] = replica
            return
        # They may be those of either file.
        self._sets.pop(ref, None)
        (path,) = replica.paths
        if self._folder is None or not replica.item.has_entries:
            why = f"has the same id as {other.paths[0]}, which is synced instead"
            problems.append(Problem(_readable(path), _readable(why)))
            return
        other.paths.append(path)

    def _original(self, item: Item) -> _Replica | None:
        """Return the subagent in a folder of which a file synchroniser has made this copy."""
        ref = item.ref
        if self._folder is None or not (ref.part and item.has_entries):
            return None
        directory = f"{ref.part.rpartition('/')[0]}/".removeprefix("/")
        siblings = self._subagents.setdefault((ref.main, directory, item.id), [])
        name = ref.part.removeprefix(directory)
        for each in siblings:
            stem = each.part.removeprefix(directory).removesuffix(SUFFIX)
            if name.startswith(stem):
                return self._replicas[each]
        siblings.append(ref)
        return None

    def _unite_copies(self, faults: Faults) -> None:
        """Let the copies of a file synchroniser count as one replica of their session."""
        for replica in self._replicas.values():
            if len(replica.paths) > 1:
                with faults.isolate(replica.paths[0]):
                    self._unite(replica)

    def _unite(self, replica: _Replica) -> None:
        self._sets.pop(replica.item.ref, None)
        # A sync writes the first. Names of copies are longer than that of their file.
        replica.paths.sort(key=lambda path: (len(path), path))
        total = digests_of(self._entries(replica.paths)).total()
        first = digests_of(self._entries(replica.paths[:1])).total()
        replica.item = msgspec.structs.replace(replica.item, digest=total, is_split=total != first)

    def _entries(self, paths: Sequence[str]) -> list[EntryLine]:
        """Return the entries of all replicas of a session, as one file would have them."""
        entries: list[EntryLine] = []
        lines: set[bytes] = set()
        for path in paths:
            read = entries_at(path)
            for each in () if read is None else read[2]:
                if each.line not in lines:
                    lines.add(each.line)
                    entries.append(each)
        return entries

    # What differs.

    async def parts(self, questions: Sequence[tuple[Ref, list[str]]]) -> list[list[Part]]:
        return await workers.scanning(self._parts, questions)

    def _parts(self, questions: Sequence[tuple[Ref, list[str]]]) -> list[list[Part]]:
        results = []
        for ref, prefixes in questions:
            go_on()
            digests = self._digests(ref)
            results.append([digests.part(each) for each in prefixes])
        return results

    def _digests(self, ref: Ref) -> DigestSet:
        digests = self._sets.get(ref)
        if digests is None:
            replica = self._replicas.get(ref)
            try:
                digests = digests_of(self._entries(replica.paths if replica else ()))
            except SessiondError:
                # It is gone, or cannot be read any more: reading says so.
                digests = DigestSet(())
            if replica is not None:
                self._remember(replica.item, digests)
        return digests

    def _remember(self, item: Item, digests: DigestSet | None) -> None:
        """Keep the digests of a session for the questions about it, if there are not too many."""
        if digests is None:
            return
        self._set_bytes += item.size
        if self._set_bytes > _REMEMBERED:
            self._sets.clear()
            self._set_bytes = item.size
        self._sets[item.ref] = digests

    async def prefixes(self, questions: Sequence[tuple[Ref, int]]) -> list[bytes]:
        return await workers.scanning(self._prefixes, questions)

    def _prefixes(self, questions: Sequence[tuple[Ref, int]]) -> list[bytes]:
        results = []
        for ref, size in questions:
            content = hashlib.blake2b(digest_size=DIGEST_BYTES)
            read = 0
            try:
                with OpenedFile(self.path(ref)) as (descriptor, _):
                    for chunk in chunks(descriptor, 0, size):
                        content.update(chunk)
                        read += len(chunk)
            except SessiondError:
                read = -1
            results.append(content.digest() if read == size else b"")
        return results

    def path(self, ref: Ref) -> str:
        """Return where a session is. Raises SessionNotFound."""
        replica = self._replicas.get(ref)
        if replica is None:
            raise SessionNotFound(str(ref))
        return replica.paths[0]

    # Reading.

    async def read(self, wants: Sequence[Want]) -> list[Content]:
        return await workers.scanning(self._read_all, wants)

    def _read_all(self, wants: Sequence[Want]) -> list[Content]:
        return [_isolated(lambda want=want: self._read(want), _failed_content) for want in wants]  # type: ignore[misc]

    def _read(self, want: Want) -> Content:
        path = self.path(want.ref)
        replica = self._replicas[want.ref]
        if want.digests is not None:
            digests = set(want.digests)
            entries = self._entries(replica.paths)
            lines = [each.line for each in entries if digest(each.line).hex() in digests]
            return Content(b"".join(line + b"\n" for line in lines))
        data = read_file(path)
        if not replica.item.has_entries:
            return Content(_whole_lines(path, data)[want.start :])
        if replica.paths[1:]:
            # A copy may lack the parents of entries that another one has.
            ordered = parents_first(self._entries(replica.paths))
            header = Arriving.of(path, data).header.raw
            data = b"".join(line + b"\n" for line in (header, *(each.line for each in ordered)))
        return Content(self._neutral(want.ref, path, data))

    def _neutral(self, ref: Ref, path: str, data: bytes) -> bytes:
        """Return a session file with a header that other machines can read."""
        data, loaded = load_current(data)
        # A line that somebody is still writing is sent the next time.
        data = data[: loaded.offset]
        header = Arriving.of(path, data).header
        shelf = self._shelves[ref.agent]
        members = {} if header.cwd is None else {"cwd": shelf.neutral(header.cwd)}
        parent = header.parent_session
        if parent is not None and b'"parentSession"' in header.raw:
            parent_ref = self._refs.get(parent)
            name = shelf.neutral(parent) if parent_ref is None else f"{_SESSION}{parent_ref}"
            members[PARENT] = name
        return Arriving.of(path, data, **_changes(header.cwd, parent, members)).data

    # Writing.

    async def write(self, deliveries: Sequence[Delivery]) -> list[Outcome]:
        self._plan(deliveries)
        return [await self._outcome(self._write(each)) for each in deliveries]

    def _plan(self, deliveries: Sequence[Delivery]) -> None:
        """Note where new sessions will be, so that forks find parents that come after them."""
        self._planned.clear()
        for each in deliveries:
            item = each.item
            if each.is_new and item.has_entries and not item.ref.part:
                with contextlib.suppress(InvalidParams, SessiondError):
                    self._planned[item.ref] = self._target(item)

    def _target(self, item: Item) -> str:
        """Return the path of a new session. Raises InvalidParams and Unsupported."""
        (agent,) = agents_to_sync([item.ref.agent])
        return self._shelf(agent).target(item)

    async def delete(self, items: Sequence[Item]) -> list[Outcome]:
        return [await self._outcome(self._delete(each)) for each in items]

    async def _outcome(self, work: Awaitable[Outcome]) -> Outcome:
        try:
            return await work
        except (InvalidParams, SessiondError, OSError) as error:
            return Outcome(error=_text(error))

    async def _write(self, delivery: Delivery) -> Outcome:
        ref = delivery.item.ref
        (agent,) = agents_to_sync([ref.agent])
        shelf = self._shelf(agent)
        self._sets.pop(ref, None)
        if delivery.is_new:
            return await workers.undisturbed(self._create, shelf, delivery)
        path = self.path(ref)
        if not shelf.has_entries:
            content = await workers.reading(workers.LONG, read_file, path)
            if len(content) != delivery.start or digest(content) != delivery.prefix:
                return Outcome(error="it has changed meanwhile")
            await continue_bytes(path, content, delivery.data, self._patience)
            return Outcome(1)
        incoming = await workers.computing(len(delivery.data), parse, delivery.data)
        copies = self._replicas[ref].paths[1:]
        if copies:
            incoming += await workers.scanning(self._entries, copies)
        union = await write_union(path, incoming, self._patience)
        count = len(union.appended) + len(union.inserted)
        return Outcome(count, [_readable(each) for each in union.conflicts])

    def _create(self, shelf: Shelf, delivery: Delivery) -> Outcome:
        item, data, ref = delivery.item, delivery.data, delivery.item.ref
        if not shelf.has_entries:
            count = 1
        else:
            members = {}
            header = Arriving.of(str(ref), data).header
            if header.cwd is not None:
                members["cwd"] = shelf.local(item.cwd or header.cwd)
            parent = header.parent_session
            if parent is not None and b'"parentSession"' in header.raw:
                members[PARENT] = self._parent(shelf, ref.agent, parent)
            if not ref.part and header.id != ref.session:
                raise InvalidSessionFile(str(ref), 1)
            changes = _changes(header.cwd, parent, members)
            data = Arriving.of(str(ref), data, **changes).data
            count = len(load(data).entries)
        path = part_path(self.path(ref.main), ref.part) if ref.part else self._target(item)
        journal.create(path, [data], settled=True)
        self._replicas[ref] = _Replica(item, [path])
        self._refs[path] = ref
        return Outcome(count)

    def _parent(self, shelf: Shelf, agent: str, parent: str) -> str:
        """Return the path of the session that another one names as its parent."""
        if not parent.startswith(_SESSION):
            return shelf.local(parent)
        if self._folder is not None:
            return parent
        session, _, part = parent.removeprefix(_SESSION).partition("/")
        ref = Ref(agent, session, part)
        replica = self._replicas.get(ref)
        return self._planned.get(ref, parent) if replica is None else replica.paths[0]

    async def _delete(self, item: Item) -> Outcome:
        path = self.path(item.ref)
        if self._replicas[item.ref].item.digest != item.digest:
            return Outcome(error="it has changed meanwhile")
        await workers.undisturbed(self._delete_file, path, item)
        return Outcome(1)

    def _delete_file(self, path: str, item: Item) -> None:
        read = entries_at(path)
        status = stat_regular(path)
        if read is None or status is None or digests_of(read[2]).total() != item.digest:
            raise SessionNotFound(path)
        self._shelves[item.ref.agent].delete(path, item.ref)


def _item(shelf: Shelf, memory: Memory, file: SessionFile, main: str) -> Item | None:
    """Return what is known of a file; None if it is no session, or belongs to none."""
    if file.part and not main:
        return None
    expect_text(file.path, file.part, file.place, file.cwd or "")
    facts = memory.of(file.path, file.status, has_entries=shelf.has_entries)
    if facts is None:
        return None
    ref = Ref(shelf.agent.name, main if file.part else facts.session, file.part)
    return Item(
        ref,
        shelf.has_entries,
        facts.digest,
        file.status.st_size,
        file.status.st_mtime_ns / 1e6,
        facts.created,
        shelf.neutral(facts.cwd) if file.cwd is None else file.cwd,
        facts.version,
        file.place,
        facts.session if shelf.has_entries else "",
    )


def _whole_lines(path: str, data: bytes) -> bytes:
    """Return what an agent has finished writing to a file of lines; all of any other file."""
    return data[: data.rfind(b"\n") + 1] if path.endswith(".jsonl") else data


def _changes(cwd: str | None, parent: str | None, members: dict[str, str]) -> dict[str, str]:
    """Return the members that differ, so that an equal header keeps its bytes."""
    before = {"cwd": cwd, PARENT: parent}
    return {name: value for name, value in members.items() if before[name] != value}


def _isolated(work: Callable[[], _T], failed: Callable[[str], _T]) -> _T:
    go_on()
    try:
        return work()
    except Abandoned:
        raise
    except (SessiondError, OSError) as error:
        return failed(_text(error))


def _failed_content(why: str) -> Content:
    return Content(b"", why)


def _text(error: Exception) -> str:
    if isinstance(error, SessiondError | InvalidParams):
        return _readable(error.message)
    return _readable(str(error))


def _readable(text: str) -> str:
    """Return a text that other machines can read: a name of a file may have any bytes."""
    return text.encode(errors="backslashreplace").decode()
