"""Export formats, and writing an export to a file. Blocking."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Iterator

from sessiond.catalog.export.html import html
from sessiond.catalog.export.jsonl import jsonl
from sessiond.catalog.export.markdown import markdown
from sessiond.catalog.snapshot import SessionSnapshot
from sessiond.files import disk, journal
from sessiond.files.identity import OpenedFile, read_from, stat_regular
from sessiond.format.describe.secret_forms import MASK
from sessiond.format.describe.secrets import Mask, holds_secret
from sessiond.runtime.errors import AlreadyExists, ReadFailed, WriteFailed
from sessiond.text.spans import Buffer, js_string

_JOINED_BYTES = 256 * 1024
"""Small parts are joined: hundreds of thousands of them would be work for the event loop."""

FORMATS: dict[str, Callable[[SessionSnapshot], Iterator[bytes]]] = {
    "html": html,
    "markdown": markdown,
    "jsonl": jsonl,
}
"""Functions that yield the parts of an export; each part is valid UTF-8 by itself."""


def prepared(
    snapshot: SessionSnapshot, form: str, mask: Mask | None, conversation: bool, counts: bool
) -> tuple[SessionSnapshot, int | None]:
    """Reduce a session as the params of `catalog/export` say.

    Also returns how many exported entries have secrets; None if nothing is masked or counted.
    """
    if conversation:
        snapshot = snapshot.reduced(mask=None, conversation=True)
    if not counts:
        return snapshot, None
    before = _exported_lines(snapshot, form)
    if mask is None:
        return snapshot, sum(map(holds_secret, before))
    masked = snapshot.reduced(mask=mask, conversation=False)
    after = _exported_lines(masked, form)
    return masked, sum(
        new.count(MASK.encode()) > old.count(MASK.encode())
        for old, new in zip(before, after, strict=True)
    )


def _exported_lines(snapshot: SessionSnapshot, form: str) -> list[bytes]:
    tree = snapshot.tree()
    entries = tree.entries if form == "html" else snapshot.branch(tree)
    return [entry.raw for entry in entries]


def content(snapshot: SessionSnapshot, form: str) -> list[Buffer]:
    """The export as a JSON string, in parts."""
    parts: list[Buffer] = [b'"']
    # Part by part: encoding many megabytes in one call holds the interpreter and so the event
    # loop, although this runs in a worker thread.
    run = bytearray()
    for part in FORMATS[form](snapshot):
        run += js_string(part.decode())[1:-1]
        if len(run) >= _JOINED_BYTES:
            parts.append(run)
            run = bytearray()
    return [*parts, run, b'"']


MARK = b"<!-- written by sessiond -->"
"""Stands in the first line of pages and Markdown, which may replace each other."""

_MOST_OF_LINE = 4096
_STORE_NAME = "sessions.json"
_KEPT = re.compile(r"\.bak-\d|\.corrupt\.\d|\.(?:reset|deleted)\.\d")
"""Parts of the names of backups: those of repairs, and what gateways put away."""


def write(
    snapshot: SessionSnapshot,
    form: str,
    path: str,
    kept: Collection[str] = (),
    *,
    force: bool = False,
) -> None:
    """Write the export to a file; see `place`."""
    parts = FORMATS[form](snapshot)
    place(path, parts if form == "jsonl" else marked(parts), kept, force=force)


def marked(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Put the mark at the end of the first line."""
    is_marked = False
    for part in parts:
        head, feed, rest = part.partition(b"\n")
        if feed and not is_marked:
            is_marked = True
            yield head + b" " + MARK + feed + rest
        else:
            yield part


def place(
    path: str, parts: Iterable[Buffer], kept: Collection[str] = (), *, force: bool = False
) -> None:
    """Write a file at `path` completely or not at all; missing directories get mode 0700.

    A new file gets mode 0600. A file that has the mark, or is empty, is replaced and its mode kept;
    with `force` any other one, too, unless it is a backup, or lies below one of the directories
    that are `kept` or beside a gateway's store. Raises AlreadyExists otherwise. Raises WriteFailed
    if the file cannot be written or is not a regular file, and what making the parts raises.
    """
    try:
        status = stat_regular(path)
        if status is not None and _is_kept(path, kept):
            raise _refusal(path, "it belongs to an agent or is a backup, and is not replaced")
        if status is not None and not (force or status.st_size == 0 or _is_marked(path)):
            raise _refusal(
                path, "it is no page and no Markdown of an export; only `force` replaces it"
            )
    except ReadFailed as error:
        reason = OSError(error.data["errno"], error.data["strerror"])
        raise WriteFailed(path, reason) from None
    if status is None:
        journal.create(path, parts)
    else:
        journal.replace(path, parts, stat.S_IMODE(status.st_mode))


def _refusal(path: str, why: str) -> AlreadyExists:
    refusal = AlreadyExists(path)
    refusal.message = f"{refusal.message}; {why}"
    return refusal


def _is_kept(path: str, kept: Collection[str]) -> bool:
    """Whether not even `force` may replace a file: it belongs to an agent, or is a backup."""
    for each in {path, disk.realname(path)}:
        directory, name = os.path.split(each)
        if _KEPT.search(name) or disk.lexists(f"{directory}/{_STORE_NAME}"):
            return True
        if any(each.startswith(f"{place}/") for place in kept):
            return True
    return False


def _is_marked(path: str) -> bool:
    with OpenedFile(path) as (descriptor, _):
        return MARK in read_from(descriptor, 0, _MOST_OF_LINE).partition(b"\n")[0]


def is_taken(path: str, opened: Iterable[str]) -> bool:
    """Whether `path` leads to one of the `opened` files, which need not exist yet."""
    target = disk.realname(path)
    return any(disk.realname(other) == target for other in opened)


__all__ = ["FORMATS", "MARK", "content", "is_taken", "marked", "place", "prepared", "write"]
