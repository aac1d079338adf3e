"""The text of a store, taken apart."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Literal, TypeAlias

import attrs

from sessiond.files.identity import FileState
from sessiond.gateway.config.dialect import Dialect
from sessiond.gateway.rules.route import migrated, settled
from sessiond.gateway.store.entry import NonEntry, StoreEntry, indented
from sessiond.jsontext.nesting import depth_exceeds
from sessiond.jsontext.parts import object_members
from sessiond.jsontext.spans import is_json, raw_members
from sessiond.jsontext.utf8 import is_utf8

logger = logging.getLogger(__name__)

Items: TypeAlias = Mapping[str, StoreEntry | NonEntry]
"""Everything in a store by its key, in order."""

_BOM = b"\xef\xbb\xbf"
_OBJECT = re.compile(rb"[ \t\r\n]*\{")
_BLANK = re.compile(rb"\s*\Z")
_PIECE = 1 << 20
"""Bytes of a store that are decoded in one go: other threads wait while a decoder works."""
_BETWEEN = b',\n  "'
"""What stands between two entries as gateways write them."""
_EVERY_DECODER = 100
"""Levels that none of our decoders finds too many."""
_MOST_ODD = 100
"""Values that are no entries, of those that are reported one by one: every answer carries them."""
NOT_SESSIONS = {"constructor", "__proto__"}
"""Keys of which CoderClaw finds something in every object."""


def entry_in(items: Items, key: str) -> StoreEntry | None:
    """The entry under a key; None if there is none, or a value that is no entry."""
    found = items.get(key)
    return found if isinstance(found, StoreEntry) else None


@attrs.frozen
class StoreProblem:
    """Something in a store that a rule steps over, for people to look at."""

    kind: Literal[
        "corruptStore",
        "unreadableStore",
        "unreadableEntry",
        "notAnEntry",
        "invalidSessionId",
        "invalidSessionFile",
        "maintenance",
        "archiveFailed",
        "moveFailed",
        "replacedStore",
    ]
    message: str
    session_key: str | None = None
    path: str | None = None


@attrs.frozen(eq=False)
class StoreSnapshot:
    """A store as it was read."""

    items: Items = attrs.field(factory=dict)
    """With today's names of members."""
    sources: Mapping[str, bytes] = attrs.field(factory=dict)
    """The text each was made from."""
    problems: tuple[StoreProblem, ...] = ()
    damaged: bytes | None = None
    """What the file holds, if it cannot be understood."""
    text: bytes = b""
    """What the file holds."""
    state: FileState | None = None
    """None: there is no file, or it was not looked at since it was written."""

    def entry(self, key: str) -> StoreEntry | None:
        """The entry under a key; None if there is none, or a value that is no entry."""
        return entry_in(self.items, key)


def parse(path: str, text: bytes, known: StoreSnapshot) -> StoreSnapshot:
    """Take a store apart. Entries that are `known` from the same text are the same objects."""
    if text == known.text:
        return known
    body = text.removeprefix(_BOM)
    if _BLANK.match(body):
        return StoreSnapshot(text=text)
    damaged = None
    if not is_utf8(body):
        # As Node reads it; but what is replaced here must not be lost.
        body, damaged = body.decode(errors="replace").encode(), text
    try:
        sources = _members(body)
    except ValueError:
        message = f"{path} is not a JSON object; it counts as empty, and is kept when it is written"
        problem = StoreProblem("corruptStore", message, path=path)
        return StoreSnapshot(problems=(problem,), damaged=text, text=text)
    items = {key: _safely_read(path, key, source, known) for key, source in sources.items()}
    problems = _problems(items)
    if damaged is not None:
        message = f"{path} holds bytes that are no UTF-8; it is kept when it is written"
        problems = (*problems, StoreProblem("corruptStore", message, path=path))
    return StoreSnapshot(items, _shared(sources, items), problems, damaged, text)


def written(items: Items, text: bytes, known: StoreSnapshot) -> StoreSnapshot:
    """What `parse` makes of the text that was just made of these items."""
    found = dict(items)
    for key, item in items.items():
        if known.items.get(key) is not item:
            found[key] = _current(key, item)
    sources = {key: item.text for key, item in items.items()}
    return StoreSnapshot(found, sources, _problems(found), None, text)


def _members(body: bytes) -> dict[str, bytes]:
    """The store's members; what is in them may nest however deep. Raises ValueError."""
    if not _OBJECT.match(body):
        # Something else may be large, and is not worth decoding.
        raise ValueError("not a JSON object")
    try:
        return _members_by_pieces(body)
    except ValueError:
        # It may be spelled in another way.
        pass
    try:
        return raw_members(body)
    except ValueError:
        if not (depth_exceeds(body, _EVERY_DECODER) and is_json(body)):
            raise
        return object_members(body)


def _members_by_pieces(body: bytes) -> dict[str, bytes]:
    """The same for a text that can be cut between entries.

    Lists of members with commas between them are a list of members, so what is valid piece by
    piece is valid as a whole, however it was meant. Raises ValueError where a piece is not.
    """
    at, end = body.index(b"{") + 1, body.rindex(b"}")
    if not _BLANK.match(body, end + 1):
        raise ValueError("text after the object")
    found: dict[str, bytes] = {}
    while at < end or not found:
        cut = body.find(_BETWEEN, at + _PIECE, end)
        stop = end if cut < 0 else cut
        found |= raw_members(b"{%b}" % body[at:stop])
        if stop == end:
            break
        at = stop + 1
    return found


def _safely_read(path: str, key: str, source: bytes, known: StoreSnapshot) -> StoreEntry | NonEntry:
    """What a key stands for; a value that nothing can be made of is kept as it is."""
    try:
        return _item(key, source, known)
    except Exception:
        logger.exception("%s in %s is passed over", key, path)
        return NonEntry(source)


def _item(key: str, source: bytes, known: StoreSnapshot) -> StoreEntry | NonEntry:
    before = known.items.get(key)
    if before is not None and known.sources[key] == source:
        return before
    if source.startswith(b"{") and key not in NOT_SESSIONS:
        return migrated(StoreEntry.read(source))
    return NonEntry(indented(source, 1))


def to_save(
    path: str, key: str, item: StoreEntry | NonEntry, dialect: Dialect
) -> StoreEntry | NonEntry:
    """What is written for a value: an entry with its route in order, if that can be done."""
    try:
        return settled(item, dialect) if isinstance(item, StoreEntry) else item
    except Exception:
        logger.exception("%s in %s is saved as it is", key, path)
        return item


def _current(key: str, item: StoreEntry | NonEntry) -> StoreEntry | NonEntry:
    if isinstance(item, NonEntry):
        return item
    return NonEntry(item.text) if key in NOT_SESSIONS else migrated(item)


def _shared(sources: Mapping[str, bytes], items: Items) -> Mapping[str, bytes]:
    """The sources, those that are their item's text being the same object."""
    return {
        key: items[key].text if items[key].text == source else source
        for key, source in sources.items()
    }


def _problems(items: Items) -> tuple[StoreProblem, ...]:
    odd = [key for key, item in items.items() if isinstance(item, NonEntry)]
    found = [
        StoreProblem("notAnEntry", f"{key} is no session; it is kept and passed over", key)
        for key in odd[:_MOST_ODD]
    ]
    if len(odd) > _MOST_ODD:
        more = len(odd) - _MOST_ODD
        message = f"{more} more values are no sessions; they are kept and passed over"
        found.append(StoreProblem("notAnEntry", message))
    return tuple(found)
