"""Find a session in a store, under its canonical key or an older spelling."""

from __future__ import annotations

from sessiond.gateway.entry import Items, StoreEntry, entry_in
from sessiond.gateway.keys import session_key
from sessiond.gateway.keys.session_key import KeyRules
from sessiond.gateway.store import Draft


def spellings(items: Items, canonical_key: str, key: str, rules: KeyRules) -> list[str]:
    """The keys of a store that mean `canonical_key`: that key first, then aliases.

    `key` is the key as the client spelled it.
    """
    wanted = [canonical_key, *session_key.aliases(canonical_key, key, rules)]
    dialect = rules.dialect
    same = {session_key.folded(name, dialect) for name in wanted}
    exact = [name for name in wanted if name in items]
    others = (name for name in items if session_key.folded(name, dialect) in same)
    return list(dict.fromkeys([*exact, *others]))


def find(items: Items, canonical_key: str, key: str, rules: KeyRules) -> StoreEntry | None:
    """The entry of a session, under the first spelling of its key that the store has."""
    entry = entry_in(items, canonical_key)
    if entry is not None:
        # The common case. Comparing all keys of a big store takes long.
        return entry
    present = (entry_in(items, name) for name in spellings(items, canonical_key, key, rules))
    return next((entry for entry in present if entry is not None), None)


def claim(draft: Draft, canonical_key: str, key: str, rules: KeyRules) -> StoreEntry | None:
    """The entry of a session, moved to `canonical_key`; its aliases are removed.

    A value that is not an entry is kept; if it blocks the key, the entry keeps its old key.
    """
    entry = find(draft.items, canonical_key, key, rules)
    if entry is None or not isinstance(draft.items.setdefault(canonical_key, entry), StoreEntry):
        return entry
    for name in spellings(draft.items, canonical_key, key, rules):
        if name != canonical_key and draft.entry(name) is not None:
            del draft.items[name]
    return draft.entry(canonical_key)
