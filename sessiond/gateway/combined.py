"""Merge the sessions of several stores into one list, and filter it. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping

import attrs
import msgspec

from sessiond.agents.agent_ids import normal_agent_id
from sessiond.gateway.entry import ABSENT, Items, StoreEntry
from sessiond.gateway.keys import session_key
from sessiond.gateway.keys.group_names import group_name, parse_group_key
from sessiond.gateway.keys.identity import UNKNOWN, token, trim
from sessiond.gateway.keys.session_key import GLOBAL, KeyRules
from sessiond.isolation import go_on

_MINUTE = 60_000


class Listed(msgspec.Struct, frozen=True, eq=False, gc=False):
    """A session in the list."""

    key: str
    entry: StoreEntry
    agent_id: str
    """The agent of its store."""
    store_path: str


Sessions = dict[str, Listed]


@attrs.frozen
class AgentItems:
    """The items of one agent's store."""

    agent_id: str
    store_path: str
    items: Items


def add_store(sessions: Sessions, store: AgentItems, rules: KeyRules) -> None:
    """Add the sessions of a store; for a key that is present, the newer entry's members win."""
    for given, item in store.items.items():
        if isinstance(item, StoreEntry):
            key = listed_key(given, store.agent_id, rules)
            new = Listed(key, item, store.agent_id, store.store_path)
            before = sessions.get(key)
            sessions[key] = new if before is None else _merged(before, new, rules)


def listed_key(key: str, agent_id: str, rules: KeyRules) -> str:
    """The key in the list: in the case of stored keys, with the agent of its store.

    `main` is treated like any other name.
    """
    lower = session_key.folded(key, rules.dialect)
    if lower in {GLOBAL, UNKNOWN} or lower.startswith("agent:"):
        return lower
    return f"agent:{agent_id}:{lower}"


def _merged(old: Listed, new: Listed, rules: KeyRules) -> Listed:
    newer, older = (old, new) if old.entry.last_update > new.entry.last_update else (new, old)
    entry = older.entry.changed(newer.entry.members)
    spawner = _spawner(newer, rules) or _spawner(older, rules)
    return msgspec.structs.replace(newer, entry=entry.changed({"spawnedBy": spawner or ABSENT}))


def _spawner(listed: Listed, rules: KeyRules) -> str | None:
    """The canonical key of the session that spawned it."""
    named = listed.entry.string("spawnedBy")
    if named is None:
        return None
    own = attrs.evolve(rules, main_agent=listed.agent_id, default_agent=listed.agent_id)
    return session_key.canonical(named, own) or None


@attrs.frozen
class ListFilter:
    """Which sessions to list; None and empty texts select all."""

    agent_id: str | None = None
    spawned_by: str | None = None
    label: str | None = None
    search: str | None = None
    include_global: bool = False
    include_unknown: bool = False
    active_minutes: int | None = None
    limit: int | None = None


def filtered(
    sessions: Mapping[str, Listed], wanted: ListFilter, now: int, rules: KeyRules
) -> list[Listed]:
    """The sessions that pass the filter, the latest first. `now` in epoch milliseconds."""
    hidden = set()
    if not wanted.include_global:
        hidden.add(GLOBAL)
    if not wanted.include_unknown:
        hidden.add(UNKNOWN)
    search = token(wanted.search)
    minutes = wanted.active_minutes
    oldest = -math.inf if minutes is None else now - minutes * _MINUTE
    kept: list[tuple[float, Listed]] = []
    for key, listed in sessions.items():
        if key in hidden or session_key.is_cron_run(key):
            continue
        go_on()
        at = listed.entry.last_update
        fits = at >= oldest and _fits(listed, wanted, rules)
        if fits and (not search or _mentions(listed, search)):
            kept.append((-at, listed))
    kept.sort(key=lambda timed: timed[0])
    return [listed for _, listed in kept[: wanted.limit]]


def _fits(listed: Listed, wanted: ListFilter, rules: KeyRules) -> bool:
    if wanted.agent_id:
        parsed = session_key.parse(listed.key)
        agent = normal_agent_id(wanted.agent_id)
        if parsed is None or normal_agent_id(parsed.agent_id) != agent:
            return False
    if wanted.spawned_by and (
        listed.key in {GLOBAL, UNKNOWN} or _spawner(listed, rules) != wanted.spawned_by
    ):
        return False
    label = trim(wanted.label or "")
    return not label or listed.entry.get("label") == label


def _mentions(listed: Listed, search: str) -> bool:
    entry = listed.entry
    texts = (display_name(listed), entry.string("label"), entry.string("subject"))
    return any(
        text is not None and search in text.lower()
        for text in (*texts, entry.string("sessionId"), listed.key)
    )


def channel_of(listed: Listed) -> str | None:
    """The channel of the entry, else that of its group key."""
    entry = listed.entry
    # The second name is older.
    named = entry.string("channel") if "channel" in entry else entry.string("provider")
    if named is not None:
        return named
    group = parse_group_key(listed.key)
    return None if group is None else group.channel


def display_name(listed: Listed) -> str | None:
    """The entry's name, else that of its group, else its label, else the label of its origin."""
    entry = listed.entry
    named = entry.string("displayName")
    if named is not None:
        return named
    channel = channel_of(listed)
    if channel:
        group = parse_group_key(listed.key)
        return group_name(
            listed.key,
            channel,
            group_channel=entry.string("groupChannel"),
            subject=entry.string("subject"),
            space=entry.string("space"),
            id_=None if group is None else group.id,
        )
    label = entry.string("label")
    if label is not None:
        return label
    origin = (entry.object("origin") or {}).get("label")
    return origin if isinstance(origin, str) else None
