"""Reading session files into memory: whole, or what was added since. Blocking, on values."""

from __future__ import annotations

import attrs

from sessiond.files import journal
from sessiond.files.contents import Contents
from sessiond.files.identity import FileState, OpenedFile
from sessiond.format.load import Loaded, Loader, NotASession
from sessiond.limits import TAIL_BYTES


@attrs.frozen
class Reading:
    """A file as it was found.

    `state` is from before the first byte was read, so whatever happened since shows in the next
    comparison.
    """

    state: FileState
    contents: Contents | None
    """None for an empty file and for one that is no session."""
    bad_line: int = 0
    """Where it showed that this is no session."""
    same: bool = False
    """Whether it shows the same session as the one it was compared with."""
    continues: bool = False
    """Whether it shows that one and perhaps more lines after it."""


@attrs.frozen
class Growth:
    """What was added to a file, and the end of its whole lines as they are now."""

    state: FileState
    loaded: Loaded
    tail: bytes


def read(path: str, known: Contents | None = None) -> Reading:
    """The whole file, compared with what is `known`.

    Raises SessionNotFound and ReadFailed.
    """
    with OpenedFile(path) as (descriptor, state):
        loader = Loader()
        try:
            for chunk in journal.chunks(descriptor, 0, state.size):
                loader.feed(chunk)
            loaded = loader.finish()
        except NotASession as error:
            return Reading(state, None, bad_line=error.line)
        if loaded.header is None:
            return Reading(state, None)
        contents = Contents.of(loaded, _tail(descriptor, loaded.offset))
    if known is None:
        return Reading(state, contents)
    same = contents.same_as(known)
    return Reading(state, contents, same=same, continues=same or contents.continues(known))


def read_growth(path: str, known: Contents, inode: tuple[int, int]) -> Growth | None:
    """What was added to the file `inode` (device and inode) after the last whole line known.

    None if that is not all that happened: the path names another file, or the bytes before are not
    those that were read. Raises SessionNotFound and ReadFailed.
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
