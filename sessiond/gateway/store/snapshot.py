"""Parse the text of a store."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Literal, TypeAlias

import attrs
import msgspec

from sessiond.agents.dialect import Dialect
from sessiond.files.identity import FileState
from sessiond.gateway.rules.route import migrated, settled
from sessiond.gateway.store.entry import NonEntry, StoreEntry, indented
from sessiond.jsontext.nesting import depth_exceeds
from sessiond.jsontext.parts import object_members
from sessiond.jsontext.spans import is_json, raw_members
from sessiond.jsontext.utf8 import is_utf8

logger = logging.getLogger(__name__)

Items: TypeAlias = Mapping[str, StoreEntry | NonEntry]
"""All values of a store by key, in order."""

_BOM = b"\xef\xbb\xbf"
_OBJECT = re.compile(rb"[ \t\r\n]*\{")
_BLANK = re.compile(rb"\s*\Z")
_PIECE = 1 << 20
"""Bytes of a store that are decoded in one call: a decoder blocks other threads."""
_BETWEEN = b',\n  "'
"""The separator of two entries as gateways write it."""
_EVERY_DECODER = 100
"""A depth that every decoder supports."""
_MOST_ODD = 100
"""The most values that are reported one by one as not entries: every answer carries them."""
NOT_SESSIONS = {"constructor", "__proto__"}
"""Names that every JavaScript object has, so CoderClaw cannot use them as keys."""


def entry_in(items: Items, key: str) -> StoreEntry | None:
    """The entry under a key; None if there is none or the value is not an entry."""
    item = items.get(key)
    return item if isinstance(item, StoreEntry) else None


@attrs.frozen
class StoreProblem:
    """A problem in a store that does not stop the request."""

    kind: Literal[
        "corruptStore",
        "unreadableStore",
        "unreadableEntry",
        "notAnEntry",
        "invalidSessionId",
        "invalidSessionFile",
        "maintenance",
        "archiveFailed",
        "replacedStore",
    ]
    message: str
    session_key: str | None = None
    path: str | None = None


@attrs.frozen(eq=False)
class StoreSnapshot:
    """A store as it was read."""

    items: Items = attrs.field(factory=dict)
    """With current names of members."""
    sources: Mapping[str, bytes] = attrs.field(factory=dict)
    """The text from which each item was made."""
    problems: tuple[StoreProblem, ...] = ()
    damaged: bytes | None = None
    """The content of a damaged file."""
    text: bytes = b""
    """The content of the file."""
    state: FileState | None = None
    """None if there is no file, or it was not examined after it was written."""
    database: str | None = None
    """The database from which it was read; None for the file."""

    def entry(self, key: str) -> StoreEntry | None:
        """The entry under a key; None if there is none or the value is not an entry."""
        return entry_in(self.items, key)


def parse(path: str, text: bytes, known: StoreSnapshot) -> StoreSnapshot:
    """Parse a store. Entries with the same text as in `known` are reused."""
    if text == known.text and known.state is not None:
        return known
    body = text.removeprefix(_BOM)
    if _BLANK.match(body):
        message = f"{path} is empty, as after a power cut; it is read as a store without sessions"
        problem = StoreProblem("corruptStore", message, path=path)
        return StoreSnapshot(problems=(problem,), text=text)
    damaged = None
    if not is_utf8(body):
        # Decoded as Node does; the original bytes are kept in `damaged`.
        body, damaged = body.decode(errors="replace").encode(), text
    try:
        sources = _members(body)
    except ValueError:
        message = (
            f"{path} is not a JSON object; it is read as empty, and copied before it is overwritten"
        )
        problem = StoreProblem("corruptStore", message, path=path)
        return StoreSnapshot(problems=(problem,), damaged=text, text=text)
    items = {key: _safely_read(path, key, source, known) for key, source in sources.items()}
    problems = _problems(items)
    if damaged is not None:
        message = f"{path} is not valid UTF-8; it is copied before it is overwritten"
        problems = (*problems, StoreProblem("corruptStore", message, path=path))
    return StoreSnapshot(items, _shared(sources, items), problems, damaged, text)


def of_sources(database: str, sources: Mapping[str, bytes], known: StoreSnapshot) -> StoreSnapshot:
    """The snapshot of the values in a database. Entries with the same text are reused."""
    if sources == known.sources:
        return known
    valid = {key: source for key, source in sources.items() if _is_value(source)}
    items = {key: _safely_read(database, key, source, known) for key, source in valid.items()}
    damaged = [
        StoreProblem("unreadableEntry", f"The entry of {key} is not valid JSON", key, database)
        for key in sources
        if key not in valid
    ]
    problems = (*_problems(items), *damaged)
    text = b"".join(sources.values())
    return StoreSnapshot(items, sources, problems, text=text, database=database)


def _is_value(source: bytes) -> bool:
    try:
        msgspec.json.decode(source, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return is_utf8(source) and is_json(source)
    return True


def written(items: Items, text: bytes, known: StoreSnapshot) -> StoreSnapshot:
    """The snapshot that `parse` would make of the text just written for these items."""
    current = dict(items)
    for key, item in items.items():
        if known.items.get(key) is not item:
            current[key] = _current(key, item)
    sources = {key: item.text for key, item in items.items()}
    return StoreSnapshot(current, sources, _problems(current), None, text)


def _members(body: bytes) -> dict[str, bytes]:
    """The members of a store, nested to any depth. Raises ValueError."""
    if not _OBJECT.match(body):
        # Do not decode a large file that is not an object.
        raise ValueError("not a JSON object")
    try:
        return _members_by_pieces(body)
    except ValueError:
        # The text may be formatted differently.
        pass
    try:
        return raw_members(body)
    except ValueError:
        if not (depth_exceeds(body, _EVERY_DECODER) and is_json(body)):
            raise
        return object_members(body)


def _members_by_pieces(body: bytes) -> dict[str, bytes]:
    """The members of a text that can be cut between entries.

    Lists of members joined by commas are a list of members, so pieces that are valid one by one are
    valid as a whole. Raises ValueError if a piece is invalid.
    """
    at, end = body.index(b"{") + 1, body.rindex(b"}")
    if not _BLANK.match(body, end + 1):
        raise ValueError("text after the object")
    members: dict[str, bytes] = {}
    while at < end or not members:
        cut = body.find(_BETWEEN, at + _PIECE, end)
        stop = end if cut < 0 else cut
        members |= raw_members(b"{%b}" % body[at:stop])
        if stop == end:
            break
        at = stop + 1
    return members


def _safely_read(path: str, key: str, source: bytes, known: StoreSnapshot) -> StoreEntry | NonEntry:
    """The item of a key; a value that fails to parse is kept unchanged."""
    try:
        return _item(key, source, known)
    except Exception:
        logger.exception("%s in %s is skipped", key, path)
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
    """The item to write: an entry with its route settled, if that succeeds."""
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
    """The sources, sharing the item's text object where both are equal."""
    return {
        key: items[key].text if items[key].text == source else source
        for key, source in sources.items()
    }


def _problems(items: Items) -> tuple[StoreProblem, ...]:
    odd = [key for key, item in items.items() if isinstance(item, NonEntry)]
    problems = [
        StoreProblem("notAnEntry", f"{key} is not a session; it is kept and skipped", key)
        for key in odd[:_MOST_ODD]
    ]
    if len(odd) > _MOST_ODD:
        more = len(odd) - _MOST_ODD
        message = f"{more} more values are not sessions; they are kept and skipped"
        problems.append(StoreProblem("notAnEntry", message))
    return tuple(problems)
