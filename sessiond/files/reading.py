"""Blocking functions that read session files: a whole file, or the bytes appended since."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

import attrs

from sessiond.errors import FileChanged
from sessiond.files import journal
from sessiond.files.contents import Contents
from sessiond.files.identity import FileState, OpenedFile
from sessiond.files.kept.held_file import HeldFile
from sessiond.files.kept.index_files import IndexFiles
from sessiond.files.kept.reopening import OpenedSession, keeping, reopen
from sessiond.files.kept.running_digest import RunningDigest
from sessiond.format.load import Loaded, Loader, NotASession
from sessiond.limits import KEPT_FROM_BYTES, STORED_FROM_BYTES, TAIL_BYTES

_T = TypeVar("_T")


@attrs.frozen
class Reading:
    """The result of reading a whole file.

    `state` was taken before the first byte was read, so the next comparison shows every later
    change.
    """

    state: FileState
    contents: Contents | None
    """None for an empty file and for a file that is not a session."""
    bad_line: int = 0
    """The line that proves that the file is not a session; 0 if it may be one."""
    same: bool = False
    """Whether the session equals the one it was compared with."""
    continues: bool = False
    """Whether it equals that one or only has more lines after it."""
    keep: Callable[[str], None] | None = None
    """Keeps an index of the contents, if there is no valid one yet: see `keeping`."""


@attrs.frozen
class Growth:
    """The lines appended to a file, and its last bytes up to the end of its complete lines."""

    state: FileState
    loaded: Loaded
    tail: bytes


@contextmanager
def opened_file(path: str) -> Iterator[tuple[int, FileState, int]]:
    """Open a file; yields its descriptor, its state and its size. Raises as `OpenedFile` does."""
    with OpenedFile(path) as (descriptor, state):
        yield descriptor, state, state.size


Opener = Callable[[str], AbstractContextManager[tuple[int, FileState, int]]]
"""Opens a session as a file of lines: a descriptor, the state of its file, and its length."""


def read(
    path: str,
    known: Contents | None = None,
    *,
    hold: bool = False,
    indexes: IndexFiles | None = None,
    opener: Opener = opened_file,
) -> Reading:
    """Read a whole file and compare it with the `known` contents.

    With `hold` the lines of a large file are not kept in memory: the file stays open instead. With
    `indexes` a large file that was read before is not parsed again. Raises SessionNotFound and
    ReadFailed.
    """
    looked_at = time.time_ns()
    with opener(path) as (descriptor, state, end):
        opened = OpenedSession(path, descriptor, state, looked_at)
        if end < KEPT_FROM_BYTES:
            indexes = None
        if indexes is not None and (reopened := reopen(indexes, opened)) is not None:
            contents, keep = reopened
            return Reading(state, contents, keep=keep)
        large = end >= STORED_FROM_BYTES
        held = indexes is not None or (hold and large)
        source = HeldFile.of(path, descriptor) if held else None
        try:
            loaded = _load(descriptor, end, source, RunningDigest() if hold else None)
        except NotASession as error:
            return Reading(state, None, bad_line=error.line)
        if loaded.header is None:
            return Reading(state, None)
        contents = Contents.of(loaded, _tail(descriptor, loaded.offset), source)
        keep = None
        if indexes is not None:
            keep = keeping(indexes, opened, contents)
        if not large:
            contents.read_lines()
    if known is None:
        return Reading(state, contents, keep=keep)
    same = contents.same_as(known)
    return Reading(state, contents, same=same, continues=same or contents.continues(known))


def use(path: str, work: Callable[[Reading], _T], opener: Opener = opened_file) -> _T:
    """Call `work` with a reading of the file; lines of a large file are not kept in memory.

    If another program changes the file in place meanwhile, `work` is called again with a reading
    that has all lines in memory. Raises what `work` raises, SessionNotFound and ReadFailed.
    """
    try:
        return work(read(path, hold=True, opener=opener))
    except FileChanged:
        return work(read(path, opener=opener))


def _load(
    descriptor: int, end: int, source: HeldFile | None, digest: RunningDigest | None
) -> Loaded:
    loader = Loader(source=source, hasher=digest)
    for chunk in journal.chunks(descriptor, 0, end):
        loader.feed(chunk)
    return loader.finish()


def unchanged(path: str, known: Contents, state: FileState) -> FileState | None:
    """Prove that a file with other times than in `state` still has the `known` bytes.

    Returns the file's present state; None if it is another file, or has or may have other bytes.
    Reads the file once, without parsing it. Raises SessionNotFound and ReadFailed.
    """
    digest, torn = known.loaded.hasher, known.loaded.torn
    with OpenedFile(path) as (descriptor, now):
        if now.key != state.key or now.size != known.offset + len(torn):
            return None
        if not isinstance(digest, RunningDigest) or not digest.matches(descriptor, known.offset):
            return None
        return now if journal.read_from(descriptor, known.offset, now.size) == torn else None


def read_growth(path: str, known: Contents, inode: tuple[int, int]) -> Growth | None:
    """Read what was appended to the file `inode` (device and inode) after the last known line.

    None if the file changed in another way: the path names another file, or the bytes before
    differ from those read earlier. Raises SessionNotFound and ReadFailed.
    """
    with OpenedFile(path) as (descriptor, state):
        offset = known.offset
        tail = bytes(known.tail[-TAIL_BYTES:])
        if state.key != inode or state.size < offset:
            return None
        if journal.read_from(descriptor, offset - len(tail), offset) != tail:
            return None
        loader = known.loader()
        for chunk in journal.chunks(descriptor, offset, state.size):
            loader.feed(chunk)
        loaded = loader.finish()
        if loaded.glued:
            return None
        end = offset + loaded.offset
        added = journal.read_from(descriptor, max(offset, end - TAIL_BYTES), end)
    return Growth(state, loaded, added)


def _tail(descriptor: int, end: int) -> bytes:
    return journal.read_from(descriptor, max(0, end - TAIL_BYTES), end)
