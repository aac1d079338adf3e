"""Export formats, and writing an export to a file. Blocking."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable, Iterator

from sessiond.catalog.discover import read_header
from sessiond.catalog.export.html import html
from sessiond.catalog.export.jsonl import jsonl
from sessiond.catalog.export.markdown import markdown
from sessiond.catalog.snapshot import SessionSnapshot
from sessiond.errors import AlreadyExists, ReadFailed, WriteFailed
from sessiond.files import disk, journal
from sessiond.files.identity import stat_regular
from sessiond.format.describe.secrets import MASK, holds_secret
from sessiond.jsontext.spans import Buffer, js_string

_JOINED_BYTES = 256 * 1024
"""Small parts are joined: hundreds of thousands of them would be work for the event loop."""

FORMATS: dict[str, Callable[[SessionSnapshot], Iterator[bytes]]] = {
    "html": html,
    "markdown": markdown,
    "jsonl": jsonl,
}
"""Functions that yield the parts of an export; each part is valid UTF-8 by itself."""


def prepared(
    snapshot: SessionSnapshot, wanted: str, mask: bool | None, conversation: bool
) -> tuple[SessionSnapshot, int | None]:
    """Reduce a session as the params of `catalog/export` say.

    Also returns how many exported entries have secrets; None if `mask` is None.
    """
    if conversation:
        snapshot = snapshot.reduced(mask=False, conversation=True)
    if mask is None:
        return snapshot, None
    before = _exported_lines(snapshot, wanted)
    if not mask:
        return snapshot, sum(holds_secret(line.decode(errors="replace")) for line in before)
    masked = snapshot.reduced(mask=True, conversation=False)
    after = _exported_lines(masked, wanted)
    return masked, sum(
        new.count(MASK) > old.count(MASK) for old, new in zip(before, after, strict=True)
    )


def _exported_lines(snapshot: SessionSnapshot, wanted: str) -> list[bytes]:
    tree = snapshot.tree()
    entries = tree.entries if wanted == "html" else snapshot.branch(tree)
    return [entry.raw for entry in entries]


def content(snapshot: SessionSnapshot, wanted: str) -> list[Buffer]:
    """The export as a JSON string, in parts."""
    parts: list[Buffer] = [b'"']
    # Part by part: encoding many megabytes in one call holds the interpreter and so the event
    # loop, although this runs in a worker thread.
    run = bytearray()
    for part in FORMATS[wanted](snapshot):
        run += js_string(part.decode())[1:-1]
        if len(run) >= _JOINED_BYTES:
            parts.append(run)
            run = bytearray()
    return [*parts, run, b'"']


def write(snapshot: SessionSnapshot, wanted: str, path: str) -> None:
    """Write the export to a file; see `place`."""
    place(path, FORMATS[wanted](snapshot))


def place(path: str, parts: Iterable[Buffer]) -> None:
    """Write a file at `path` completely or not at all; missing directories get mode 0700.

    A new file gets mode 0600. An existing file is replaced and its mode kept, but a session is
    never replaced: raises AlreadyExists. Raises WriteFailed if the file cannot be written or is
    not a regular file, and what making the parts raises.
    """
    try:
        seen = stat_regular(path)
        # An unreadable file may be a session.
        is_session = seen is not None and read_header(path) is not None
    except ReadFailed as error:
        reason = OSError(error.data["errno"], error.data["strerror"])
        raise WriteFailed(path, reason) from None
    if is_session:
        raise AlreadyExists(path)
    if seen is None:
        journal.create(path, parts)
    else:
        journal.replace(path, parts, stat.S_IMODE(seen.st_mode))


def is_taken(path: str, opened: Iterable[str]) -> bool:
    """Whether `path` leads to one of the `opened` files, which need not exist yet."""
    target = disk.realname(path)
    return any(disk.realname(other) == target for other in opened)


__all__ = ["FORMATS", "content", "is_taken", "place", "prepared", "write"]
