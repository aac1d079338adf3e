"""Open a session file with its kept index, and keep an index of a file that was read."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from sessiond.errors import ReadFailed
from sessiond.files import journal
from sessiond.files.contents import Contents
from sessiond.files.identity import FileState
from sessiond.files.kept.held_file import HeldFile
from sessiond.files.kept.index_files import IndexFiles, KeptIndex
from sessiond.files.kept.running_digest import RunningDigest
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
    if kept is None or kept.covered > opened.state.size:
        return None
    trusted = kept.sure and kept.state == opened.state
    if trusted:
        digest = RunningDigest(kept.covered, kept.digest)
    else:
        # This also notices a change in place long before the growth.
        digest = RunningDigest()
        for chunk in journal.chunks(opened.descriptor, 0, kept.covered):
            digest.update(chunk)
        if digest.whole() != kept.digest:
            return None
    try:
        contents = _contents(kept, opened, digest)
        if contents is None:
            return None
        keep = None if trusted else keeping(files, opened, contents)
        if opened.state.size < STORED_FROM_BYTES:
            contents.read_lines()
    except (ValueError, LookupError, TypeError, ArithmeticError, ReadFailed):
        files.remove(opened.state)
        return None
    return contents, keep


def _contents(kept: KeptIndex, opened: OpenedSession, digest: RunningDigest) -> Contents | None:
    source = HeldFile.of(opened.path, opened.descriptor)
    if source is None:
        return None
    descriptor, size = opened.descriptor, opened.state.size
    loaded, tree = decode(kept.index, source)
    if loaded.offset != kept.covered:
        raise ValueError("the index describes other bytes")
    loaded.hasher = digest
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
    files: IndexFiles, opened: OpenedSession, contents: Contents
) -> Callable[[str], None] | None:
    """Return a function that keeps an index of these contents; None if none can be kept.

    The contents have a digest of all their bytes. The function takes long and raises nothing; its
    argument is not used. The document may change meanwhile.
    """
    digest = contents.loaded.hasher
    prepared = None if contents.migrated else prepare(contents.loaded, contents.tree)
    if prepared is None or not isinstance(digest, RunningDigest):
        return None
    covered, whole = contents.offset, digest.whole()
    state, sure = opened.state, opened.state.would_show(opened.looked_at)

    def keep(_: str) -> None:
        try:
            index = encode(prepared)
        except ValueError:
            # An id with half a surrogate pair.
            return
        times = state.mtime_ns, state.ctime_ns
        files.save(KeptIndex(*state.key, state.size, *times, sure, covered, whole, index))

    return keep
