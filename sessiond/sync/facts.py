"""Facts about files of sessions, remembered as long as the files do not change.

They are kept in a file of the cache of the user. It has ids, directories and digests, and no text.
What cannot be kept is read again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time

import msgspec

from sessiond.agents.sessions import SUFFIX, header_at
from sessiond.agents.source import PACKED
from sessiond.catalog.discover import read_header
from sessiond.files import disk, journal
from sessiond.files.identity import FileState, OpenedFile, read_file, read_from
from sessiond.format.header import CURRENT_VERSION, Header
from sessiond.format.load import Loaded, NotASession
from sessiond.runtime.errors import ReadFailed, SessiondError, SessionNotFound, Unsupported
from sessiond.sync.digests import DigestSet
from sessiond.sync.union import EntryLine, digest, lines_of, load_current

_VERSION = 1
_CHECKSUM = 16


class Facts(msgspec.Struct, frozen=True, array_like=True):
    """The facts about a file that a sync needs."""

    state: FileState
    session: str
    """The id in its header; empty for a file that is no session."""
    digest: bytes
    version: int
    created: str
    cwd: str


class _Kept(msgspec.Struct, array_like=True):
    version: int
    facts: dict[bytes, Facts]


_decode = msgspec.msgpack.Decoder(_Kept).decode


class Memory:
    """The facts of files by path. Everything here blocks."""

    def __init__(self, path: str | None) -> None:
        """`path`: where they are kept; None: nowhere."""
        self._path = path
        self._facts: dict[bytes, Facts] | None = None
        self._new: dict[bytes, Facts] = {}
        self._is_changed = False
        self.fresh: dict[str, DigestSet] = {}
        """The digests of files that were read, until somebody takes them."""

    def of(self, path: str, status: os.stat_result, *, has_entries: bool) -> Facts | None:
        """Return the facts of a file; None if it is no session. Raises as `OpenedFile` does."""
        if self._facts is None:
            self._facts = {} if self._path is None else self._load(self._path)
        key = os.fsencode(path)
        facts = self._facts.get(key)
        if facts is None or not facts.state.matches(status):
            self._is_changed = True
            began = time.time_ns()
            facts = self._entry_facts(path) if has_entries else _byte_facts(path)
            expect_text(path, facts.session, facts.created, facts.cwd)
            if not facts.state.would_show(began):
                return facts if facts.session else None
        self._new[key] = facts
        return facts if facts.session else None

    def _entry_facts(self, path: str) -> Facts:
        read = entries_at(path)
        if read is None:
            with OpenedFile(path) as (_, state):
                return Facts(state, "", b"", 0, "", "")
        state, header, entries = read
        version = max(CURRENT_VERSION, header.whole_version) if header.is_known else 0
        digests = self.fresh[path] = digests_of(entries)
        total, cwd = digests.total(), header.cwd or ""
        return Facts(state, header.id, total, version, header.timestamp, cwd)

    def save(self) -> None:
        """Keep what was asked for since the last time, and nothing else."""
        self.fresh.clear()
        if self._path is None:
            return
        if not self._is_changed and len(self._new) == len(self._facts or ()):
            return
        self._facts, self._new, self._is_changed = self._new, {}, False
        data = msgspec.msgpack.encode(_Kept(_VERSION, self._facts))
        checksum = hashlib.blake2b(data, digest_size=_CHECKSUM).digest()
        with contextlib.suppress(OSError, SessiondError), disk.unconfined():
            disk.makedirs(os.path.dirname(self._path), journal.DIRECTORY_MODE)
            journal.replace(self._path, [checksum, data], journal.FILE_MODE)

    def _load(self, path: str) -> dict[bytes, Facts]:
        with (
            contextlib.suppress(SessiondError, OSError, msgspec.MsgspecError),
            disk.unconfined(),
        ):
            data = read_file(path)
            checksum = hashlib.blake2b(data[_CHECKSUM:], digest_size=_CHECKSUM).digest()
            if data[:_CHECKSUM] == checksum:
                kept = _decode(data[_CHECKSUM:])
                return kept.facts if kept.version == _VERSION else {}
        return {}


def expect_text(path: str, *texts: str) -> None:
    """Raise Unsupported if another machine could not read one of these texts."""
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        message = "an id, a time, a name or a directory is not valid Unicode"
        raise Unsupported(message, path, "Correct it") from None


def entries_at(path: str) -> tuple[FileState, Header, list[EntryLine]] | None:
    """Read the entries of a session file as migrated; None if it is none.

    Blocking. Raises as `OpenedFile` does.
    """
    with OpenedFile(path) as (descriptor, state):
        data = read_from(descriptor, 0)
    loaded = _loaded(data)
    if loaded is None or loaded.header is None:
        return None
    return state, header_at(path, loaded.header), lines_of(loaded)


def _loaded(data: bytes) -> Loaded | None:
    try:
        return load_current(data)[1] if data else None
    except NotASession:
        return None


def digests_of(entries: list[EntryLine]) -> DigestSet:
    """Return the digests of entries."""
    return DigestSet(digest(each.line) for each in entries)


def _byte_facts(path: str) -> Facts:
    with OpenedFile(path) as (descriptor, state):
        content = digest(read_from(descriptor, 0))
    header = None
    if path.endswith((SUFFIX, PACKED)):
        with contextlib.suppress(ReadFailed, SessionNotFound):
            header = read_header(path)
    cwd, created = ("", "") if header is None else (header.cwd or "", header.timestamp)
    return Facts(state, os.path.basename(path), content, 0, created, cwd)
