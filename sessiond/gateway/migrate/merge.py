"""Merge the entries of a legacy store into the current store.

Pure: the clock and the new paths of transcripts are passed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import attrs

from sessiond.gateway.keys import session_key
from sessiond.gateway.keys.identity import MAIN, UNKNOWN, trim
from sessiond.gateway.keys.session_key import KeyRules
from sessiond.gateway.store.entry import NonEntry, StoreEntry
from sessiond.gateway.store.snapshot import Items

Relocate = Callable[[str], str | None]
"""Gives the new `sessionFile` for an old one; None to keep it."""

_JID = "@g.us"
"""The end of ids of WhatsApp groups."""
_OWN_DOINGS = ("subagent:", "acp:", "cron:", "hook:")
"""Sessions that are not conversations with a person."""


def canonical_key(key: str, rules: KeyRules) -> str:
    """The canonical key of a session in a legacy store.

    Keys without an agent belong to the default agent. A blank key is returned unchanged.
    """
    rules = attrs.evolve(rules, main_agent=rules.default_agent)
    lower = session_key.folded(key, rules.dialect)
    return session_key.canonical(_group_key(lower) or lower, rules) or key


def _group_key(lower: str) -> str | None:
    """The current form, with the channel, of an old group key; None for other keys."""
    head, colon, rest = lower.partition(":")
    group_id = trim(rest)
    if head == "group" and group_id:
        return f"{'whatsapp' if _JID in group_id else UNKNOWN}:group:{group_id}"
    if not colon and _JID in lower:
        return f"whatsapp:group:{lower}"
    if head == "whatsapp" and _JID in group_id:
        return f"whatsapp:group:{trim(group_id.removeprefix('group:'))}"
    return None


@attrs.define
class Merged:
    """A store merged with a legacy one."""

    items: dict[str, StoreEntry | NonEntry]
    migrated: list[str] = attrs.field(factory=list)
    """Keys that were added, or whose entry was replaced by a newer one."""
    dropped: list[str] = attrs.field(factory=list)
    """Legacy keys without a session id, or for which a newer entry exists."""
    blocked: list[str] = attrs.field(factory=list)
    """Legacy keys blocked by a value in the store that is not an entry."""


def merge(stored: Items, legacy: Items, rules: KeyRules, now: int, relocate: Relocate) -> Merged:
    """Merge a legacy store into a store: for each key the newer entry, at a tie the stored one.

    If the store has no main session, the newest legacy conversation becomes it as well. Unknown
    members are kept, and values that are not entries are copied if their key is free. Paths of
    moved transcripts are corrected in all entries.
    """
    merged = Merged(
        {
            key: _relocated(item, relocate) if isinstance(item, StoreEntry) else item
            for key, item in stored.items()
        }
    )
    by_key = _by_key(merged, legacy, rules)
    present = _spellings(merged.items, rules)
    final: dict[str, StoreEntry] = {}
    for key, (given, legacy_entry) in by_key.items():
        spellings = present.get(key, {})
        entry = _put(merged, key, given, legacy_entry, spellings, now=now, relocate=relocate)
        if entry is not None:
            final[key] = entry
    _add_non_entries(merged, stored, legacy)
    main = canonical_key(MAIN, rules)
    conversations = [entry for key, entry in final.items() if _is_conversation(key, entry, rules)]
    if conversations and main not in merged.items and main not in present:
        merged.items[main] = max(conversations, key=lambda entry: entry.last_update)
        merged.migrated.append(main)
    return merged


def _put(
    merged: Merged,
    key: str,
    given: str,
    legacy: StoreEntry,
    present: Mapping[str, StoreEntry],
    *,
    now: int,
    relocate: Relocate,
) -> StoreEntry | None:
    """Add a legacy entry unless the store has a newer one; the entry of the key afterwards.

    None if a value that is not an entry blocks the key. `given` is the legacy key, `present` the
    entries of the store whose keys mean the same.
    """
    newest = max(present.values(), key=lambda entry: entry.last_update, default=None)
    if newest is not None and newest.last_update >= legacy.last_update:
        merged.dropped.append(given)
        return newest
    if isinstance(merged.items.get(key), NonEntry):
        merged.blocked.append(given)
        return None
    for other in present:
        if other != key:
            del merged.items[other]
    entry = _today(legacy, now, relocate)
    merged.items[key] = entry
    merged.migrated.append(key)
    return entry


def _add_non_entries(merged: Merged, stored: Items, legacy: Items) -> None:
    """Add legacy values that are not entries where their key is free."""
    for key, item in legacy.items():
        if not isinstance(item, NonEntry):
            continue
        if merged.items.setdefault(key, item).text != item.text:
            merged.blocked.append(key)
        elif key not in stored:
            merged.migrated.append(key)


def _by_key(done: Merged, legacy: Items, rules: KeyRules) -> dict[str, tuple[str, StoreEntry]]:
    """Legacy entries by their canonical key, each with its legacy key."""
    newest: dict[str, tuple[str, StoreEntry]] = {}
    for given, entry in _entries(legacy):
        if entry.string("sessionId") is None:
            done.dropped.append(given)
            continue
        key = canonical_key(given, rules)
        loser = given
        best = newest.get(key)
        if best is None or _rank(key, given, entry) > _rank(key, *best):
            newest[key] = given, entry
            loser = given if best is None else best[0]
        if best is not None:
            done.dropped.append(loser)
    return newest


def _rank(key: str, given: str, entry: StoreEntry) -> tuple[float, bool]:
    return entry.last_update, given == key


def _spellings(items: Items, rules: KeyRules) -> dict[str, dict[str, StoreEntry]]:
    """Entries of a store by canonical key; among its spellings the canonical one comes first."""
    grouped: dict[str, dict[str, StoreEntry]] = {}
    for given, entry in _entries(items):
        key = canonical_key(given, rules)
        others = grouped.setdefault(key, {})
        grouped[key] = {given: entry, **others} if given == key else {**others, given: entry}
    return grouped


def _entries(items: Items) -> Iterator[tuple[str, StoreEntry]]:
    return ((key, item) for key, item in items.items() if isinstance(item, StoreEntry))


def _today(entry: StoreEntry, now: int, relocate: Relocate) -> StoreEntry:
    if entry.number("updatedAt") is None:
        entry = entry.changed({"updatedAt": now})
    return _relocated(entry, relocate)


def _relocated(entry: StoreEntry, relocate: Relocate) -> StoreEntry:
    session_file = relocate(entry.string("sessionFile") or "")
    return entry if session_file is None else entry.changed({"sessionFile": session_file})


def _is_conversation(key: str, entry: StoreEntry, rules: KeyRules) -> bool:
    parsed = session_key.parse(key)
    return (
        parsed is not None
        and parsed.agent_id == rules.default_agent
        and session_key.kind(key, entry.string("chatType")) == "direct"
        and not parsed.rest.startswith(_OWN_DOINGS)
    )
