"""Finding a session in a store, under its key or under one that older stores have it by."""

from __future__ import annotations

from sessiond.gateway.keys import session_key
from sessiond.gateway.keys.session_key import KeyRules
from sessiond.gateway.store.entry import StoreEntry
from sessiond.gateway.store.snapshot import Items, entry_in
from sessiond.gateway.store.store import Draft


def spellings(items: Items, found: str, key: str, rules: KeyRules) -> list[str]:
    """The keys of a store that mean `found`, asked for as `key`: itself first, then aliases."""
    wanted = [found, *session_key.aliases(found, key, rules)]
    dialect = rules.dialect
    same = {session_key.folded(name, dialect) for name in wanted}
    exact = [name for name in wanted if name in items]
    others = (name for name in items if session_key.folded(name, dialect) in same)
    return list(dict.fromkeys([*exact, *others]))


def find(items: Items, found: str, key: str, rules: KeyRules) -> StoreEntry | None:
    """The entry of a session, under whichever spelling of its key comes first."""
    entry = entry_in(items, found)
    if entry is not None:
        # Nearly always; to look through all keys takes a while in a big store.
        return entry
    present = (entry_in(items, name) for name in spellings(items, found, key, rules))
    return next((entry for entry in present if entry is not None), None)


def claim(draft: Draft, found: str, key: str, rules: KeyRules) -> StoreEntry | None:
    """The same, moved to `found` if it stood elsewhere; every alias goes. NonEntry values stay.

    Where an odd value stands in its place the entry stays where it is, under its other key.
    """
    entry = find(draft.items, found, key, rules)
    if entry is None or not isinstance(draft.items.setdefault(found, entry), StoreEntry):
        return entry
    for name in spellings(draft.items, found, key, rules):
        if name != found and draft.entry(name) is not None:
            del draft.items[name]
    return draft.entry(found)
