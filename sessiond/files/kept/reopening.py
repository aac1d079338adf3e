"""Open a session file with its kept index, and keep an index of a file that was read."""

from __future__ import annotations

from collections.abc import Callable

import attrs
from xxhash import xxh3_128

from sessiond.errors import ReadFailed
from sessiond.files import journal
from sessiond.files.contents import Contents
from sessiond.files.identity import FileState
from sessiond.files.kept.held_file import HeldFile
from sessiond.files.kept.index_files import IndexFiles, KeptIndex
from sessiond.format.kept_index import decode, encode, prepare
from sessiond.limits import STORED_FROM_BYTES, TAIL_BYTES


@attrs.frozen
class OpenedSession:
    """A session file that is open for reading."""

    path: str
    descriptor: int
    state: FileState
    looked_at: int
    """When its state was taken, or before; nanoseconds since the epoch."""


def reopen(
    files: IndexFiles, opened: OpenedSession
) -> tuple[Contents, Callable[[str], None] | None] | None:
    """Read the contents with the kept index and the later growth; None without a valid index.

    The second result makes a new index if this one is out of date: see `keeping`. Raises OSError.
    """
    kept = files.load(opened.state)
    if kept is None or kept.size > opened.state.size:
        return None
    hasher = None
    if not (kept.sure and kept.state == opened.state):
        # This also notices a change in place long before the growth.
        hasher = xxh3_128()
        for chunk in journal.chunks(opened.descriptor, 0, kept.size):
            hasher.update(chunk)
        if hasher.digest() != kept.digest:
            return None
    try:
        contents = _contents(kept, opened)
        if contents is None:
            return None
        keep = None
        if hasher is not None:
            for chunk in journal.chunks(opened.descriptor, kept.size, opened.state.size):
                hasher.update(chunk)
            keep = keeping(files, opened, contents, hasher.digest())
        if opened.state.size < STORED_FROM_BYTES:
            contents.read_lines()
    except (ValueError, LookupError, TypeError, ArithmeticError, ReadFailed):
        files.remove(opened.state)
        return None
    return contents, keep


def _contents(kept: KeptIndex, opened: OpenedSession) -> Contents | None:
    source = HeldFile.of(opened.path, opened.descriptor)
    if source is None:
        return None
    descriptor, size = opened.descriptor, opened.state.size
    loaded, tree = decode(kept.index, source)
    tail = journal.read_from(descriptor, max(0, loaded.offset - TAIL_BYTES), loaded.offset)
    contents = Contents(loaded, tree, bytearray(tail), migrated=False, source=source)
    if size > loaded.offset:
        if loaded.open_ended:
            # The growth may continue the last line.
            return None
        offset = loaded.offset
        loader = contents.loader()
        for chunk in journal.chunks(descriptor, offset, size):
            loader.feed(chunk)
        grown = loader.finish()
        end = offset + grown.offset
        contents.grow(grown, journal.read_from(descriptor, max(offset, end - TAIL_BYTES), end))
        tree.check()
    return contents


def keeping(
    files: IndexFiles, opened: OpenedSession, contents: Contents, digest: bytes
) -> Callable[[str], None] | None:
    """Return a function that keeps an index of these contents; None if none can be kept.

    `digest` is that of all bytes of the file. The function takes long and raises nothing; its
    argument is not used. The document may change meanwhile.
    """
    prepared = None if contents.migrated else prepare(contents.loaded, contents.tree)
    if prepared is None:
        return None
    state, sure = opened.state, opened.state.would_show(opened.looked_at)

    def keep(_: str) -> None:
        try:
            index = encode(prepared)
        except ValueError:
            # An id with half a surrogate pair.
            return
        times = state.mtime_ns, state.ctime_ns
        files.save(KeptIndex(*state.key, state.size, *times, sure, digest, index))

    return keep
