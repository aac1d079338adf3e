"""Sessions of before each agent had a store: what becomes of them in the store there is now.

Pure: the clock, and where transcripts lie by now, are passed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import attrs

from sessiond.gateway.keys import session_key
from sessiond.gateway.keys.identity import MAIN, UNKNOWN, trim
from sessiond.gateway.keys.session_key import KeyRules
from sessiond.gateway.store.entry import NonEntry, StoreEntry
from sessiond.gateway.store.snapshot import Items

Relocate = Callable[[str], str | None]
"""The `sessionFile` to have in place of one; None: as it is."""

_JID = "@g.us"
"""What ids of groups on WhatsApp end with."""
_OWN_DOINGS = ("subagent:", "acp:", "cron:", "hook:")
"""Sessions that nobody talks to."""


def canonical_key(key: str, rules: KeyRules) -> str:
    """The key under which a gateway keeps a session that a legacy store has as `key`.

    All those without an agent are the default agent's. A blank key stays as it is.
    """
    rules = attrs.evolve(rules, main_agent=rules.default_agent)
    lower = session_key.folded(key, rules.dialect)
    return session_key.canonical(_group_key(lower) or lower, rules) or key


def _group_key(lower: str) -> str | None:
    """Keys of groups as they were, with the channel that is in them today."""
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
    """A store with the sessions of a legacy one."""

    items: dict[str, StoreEntry | NonEntry]
    migrated: list[str] = attrs.field(factory=list)
    """Keys that were added, or whose entry was replaced by a newer one."""
    dropped: list[str] = attrs.field(factory=list)
    """Legacy keys without a session id, or of which there is something newer."""
    blocked: list[str] = attrs.field(factory=list)
    """Legacy keys in whose place there is a value that is no entry."""


def merge(stored: Items, legacy: Items, rules: KeyRules, now: int, relocate: Relocate) -> Merged:
    """Put legacy sessions in a store. Of two with one key the newer stays, else the one there was.

    Without a main session the newest legacy one that somebody talked to becomes it, too. Entries
    keep members nobody knows; values that are no entries come along where their key is free. What
    the store has already finds its transcripts, too, wherever they are moved to.
    """
    done = Merged(
        {
            key: _relocated(item, relocate) if isinstance(item, StoreEntry) else item
            for key, item in stored.items()
        }
    )
    found = _by_key(done, legacy, rules)
    present = _spellings(done.items, rules)
    final: dict[str, StoreEntry] = {}
    for key, (given, entry) in found.items():
        others = present.get(key, {})
        newest = max(others.values(), key=_updated_at, default=None)
        if newest is not None and _updated_at(newest) >= _updated_at(entry):
            done.dropped.append(given)
            final[key] = newest
        elif isinstance(done.items.get(key), NonEntry):
            done.blocked.append(given)
        else:
            for other in others:
                if other != key:
                    del done.items[other]
            done.items[key] = final[key] = _today(entry, now, relocate)
            done.migrated.append(key)
    for key, item in legacy.items():
        if isinstance(item, NonEntry) and done.items.setdefault(key, item).text != item.text:
            done.blocked.append(key)
        elif isinstance(item, NonEntry) and key not in stored:
            done.migrated.append(key)
    main = canonical_key(MAIN, rules)
    talks = [entry for key, entry in final.items() if _is_talk(key, entry, rules)]
    if talks and main not in done.items and main not in present:
        done.items[main] = max(talks, key=_updated_at)
        done.migrated.append(main)
    return done


def _by_key(done: Merged, legacy: Items, rules: KeyRules) -> dict[str, tuple[str, StoreEntry]]:
    """Legacy entries by their key of today, each with its legacy key."""
    found: dict[str, tuple[str, StoreEntry]] = {}
    for given, entry in _entries(legacy):
        if entry.string("sessionId") is None:
            done.dropped.append(given)
            continue
        key = canonical_key(given, rules)
        loser = given
        best = found.get(key)
        if best is None or _rank(key, given, entry) > _rank(key, *best):
            found[key] = given, entry
            loser = given if best is None else best[0]
        if best is not None:
            done.dropped.append(loser)
    return found


def _rank(key: str, given: str, entry: StoreEntry) -> tuple[float, bool]:
    return _updated_at(entry), given == key


def _spellings(items: Items, rules: KeyRules) -> dict[str, dict[str, StoreEntry]]:
    """Entries of a store by what their keys mean; the one under the very key first."""
    found: dict[str, dict[str, StoreEntry]] = {}
    for given, entry in _entries(items):
        key = canonical_key(given, rules)
        others = found.setdefault(key, {})
        found[key] = {given: entry, **others} if given == key else {**others, given: entry}
    return found


def _entries(items: Items) -> Iterator[tuple[str, StoreEntry]]:
    return ((key, item) for key, item in items.items() if isinstance(item, StoreEntry))


def _updated_at(entry: StoreEntry) -> float:
    # What nobody knows the age of is older than anything else.
    return entry.number("updatedAt") or 0


def _today(entry: StoreEntry, now: int, relocate: Relocate) -> StoreEntry:
    if entry.number("updatedAt") is None:
        entry = entry.changed({"updatedAt": now})
    return _relocated(entry, relocate)


def _relocated(entry: StoreEntry, relocate: Relocate) -> StoreEntry:
    session_file = relocate(entry.string("sessionFile") or "")
    return entry if session_file is None else entry.changed({"sessionFile": session_file})


def _is_talk(key: str, entry: StoreEntry, rules: KeyRules) -> bool:
    parsed = session_key.parse(key)
    return (
        parsed is not None
        and parsed.agent_id == rules.default_agent
        and session_key.kind(key, entry.string("chatType")) == "direct"
        and not parsed.rest.startswith(_OWN_DOINGS)
    )
