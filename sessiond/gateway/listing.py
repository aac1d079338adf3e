"""The sessions of several stores as one list: which, in which order, under which titles."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs
import msgspec
from sessiond_protocol.gateway.list import StoreListParams
from sessiond_protocol.wire import given

from sessiond.agents.agent_ids import normal_agent_id
from sessiond.agents.sessions import opened_session, stat_session, translation_of
from sessiond.files.identity import FileState
from sessiond.gateway import keys
from sessiond.gateway.entry import Items, StoreEntry
from sessiond.gateway.keys import GLOBAL, UNKNOWN, KeyRules, token, trim
from sessiond.gateway.message_key import group_name, parse_group_key
from sessiond.runtime.isolation import go_on
from sessiond.text.spans import JS_SPACES, loads

_MINUTE = 60_000
_HEAD_BYTES = 8192
_TAIL_BYTES = 16_384
_HEAD_LINES = 10
_TAIL_LINES = 20
_LONGEST = 60
"""The maximum length of a title in characters."""
_LEAST_CUT = 36
"""A title is cut at a blank only if it lies beyond this index."""
_ID_LENGTH = 8
_RESET = b'{"type":"reset"'
# Tuples and not sets, because values in a file may not be hashable.
_SPEAKERS = ("user", "assistant")
_TEXTS = ("text", "input_text", "output_text")


class Listed(msgspec.Struct, frozen=True, eq=False, gc=False):
    """A session in the list."""

    key: str
    entry: StoreEntry
    agent_id: str
    """The agent of its store."""
    store_path: str


@attrs.frozen
class AgentItems:
    """The items of one agent's store."""

    agent_id: str
    store_path: str
    items: Items


def sessions_of(stores: Iterable[AgentItems], rules: KeyRules) -> dict[str, Listed]:
    """Return the sessions of several stores by key.

    Where a key occurs twice, the older entry adds what the newer one lacks; of two that are equally
    old the later one counts as newer. CoderClaw merges them in the same way.
    """
    sessions: dict[str, Listed] = {}
    for store in stores:
        for stored, item in store.items.items():
            if isinstance(item, StoreEntry):
                key = listed_key(stored, store.agent_id, rules)
                session = Listed(key, item, store.agent_id, store.store_path)
                other = sessions.get(key)
                sessions[key] = session if other is None else _merged(other, session)
    return sessions


def _merged(first: Listed, second: Listed) -> Listed:
    older, newer = sorted((first, second), key=_updated_at)
    below, above = older.entry.with_present_names(), newer.entry.with_present_names()
    return msgspec.structs.replace(newer, entry=below.changed(above.members))


def _updated_at(session: Listed) -> float:
    # An entry without a time counts as the oldest.
    return session.entry.number("updatedAt") or 0


def listed_key(key: str, agent_id: str, rules: KeyRules) -> str:
    """The key in the list: in the case of stored keys, with the agent of its store.

    `main` is treated like any other name.
    """
    lower = keys.folded(key, rules.dialect)
    if lower in {GLOBAL, UNKNOWN} or lower.startswith("agent:"):
        return lower
    return f"agent:{agent_id}:{lower}"


def _spawner(session: Listed, rules: KeyRules) -> str | None:
    """The canonical key of the session that spawned it."""
    named = session.entry.string("spawnedBy")
    if named is None:
        return None
    own = attrs.evolve(rules, main_agent=session.agent_id, default_agent=session.agent_id)
    return keys.canonical(named, own) or None


def filtered(
    sessions: Mapping[str, Listed], query: StoreListParams, now: int, rules: KeyRules
) -> list[Listed]:
    """The sessions that pass the filters, the latest first. `now` in epoch milliseconds."""
    general = {GLOBAL: query.includeGlobal, UNKNOWN: query.includeUnknown}
    search, minutes = token(given(query.search)), given(query.activeMinutes)
    oldest = -math.inf if minutes is None else now - minutes * _MINUTE
    kept: list[tuple[float, Listed]] = []
    for key, session in sessions.items():
        if not general.get(key, True) or keys.is_cron_run(key):
            continue
        go_on()
        at = _updated_at(session)
        fits = at >= oldest and _fits(session, query, rules)
        if fits and (not search or _mentions(session, search)):
            kept.append((-at, session))
    kept.sort(key=lambda timed: timed[0])
    return [session for _, session in kept[: given(query.limit)]]


def _fits(session: Listed, query: StoreListParams, rules: KeyRules) -> bool:
    agent, spawner = given(query.agentId), given(query.spawnedBy)
    if agent:
        parsed = keys.parse(session.key)
        if parsed is None or normal_agent_id(parsed.agent_id) != normal_agent_id(agent):
            return False
    if spawner and (session.key in {GLOBAL, UNKNOWN} or _spawner(session, rules) != spawner):
        return False
    archived = given(query.archived)
    if archived is not None and archived == (session.entry.number("archivedAt") is None):
        return False
    label = trim(given(query.label) or "")
    return not label or session.entry.get("label") == label


def _mentions(session: Listed, search: str) -> bool:
    entry = session.entry
    texts = (display_name(session), entry.string("label"), entry.string("subject"))
    return any(
        text is not None and search in text.lower()
        for text in (*texts, entry.string("sessionId"), session.key)
    )


def channel_of(session: Listed) -> str | None:
    """The channel of the entry, else that of its group key."""
    named = session.entry.with_present_names().string("channel")
    if named is not None:
        return named
    group = parse_group_key(session.key)
    return None if group is None else group.channel


def display_name(session: Listed) -> str | None:
    """The entry's name, else that of its group, else its label, else the label of its origin."""
    entry = session.entry.with_present_names()
    named = entry.string("displayName")
    if named is not None:
        return named
    channel = channel_of(session)
    if channel:
        group = parse_group_key(session.key)
        return group_name(
            session.key,
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


def named(entry: StoreEntry) -> str:
    """The title that an entry gives its session: label, name or subject; empty if it has none."""
    names = (entry.string(name) for name in ("label", "displayName", "subject"))
    return next(filter(None, (trim(name or "") for name in names)), "")


def title(entry: StoreEntry, first_text: str | None) -> str | None:
    """The title of a session: its name, else the first user message, else its id."""
    said = named(entry) or trim(JS_SPACES.sub(" ", first_text or ""))
    if len(said) > _LONGEST:
        cut = said[: _LONGEST - 1]
        blank = cut.rfind(" ")
        return (cut[:blank] if blank > _LEAST_CUT else cut) + "…"
    return said or (entry.string("sessionId") or "")[:_ID_LENGTH] or None


def ends_of(paths: Iterable[str]) -> tuple[str | None, str | None]:
    """The first message of the user and the last message, in the first of these files that exists.

    After a reset line only what follows it counts. Blocking. Raises ReadFailed and what reading a
    session raises.
    """
    for path in paths:
        state = stat_session(path)
        if state is not None:
            return _ends(path, FileState.of(state))
    return None, None


@functools.lru_cache(5000)
def _ends(path: str, _state: FileState) -> tuple[str | None, str | None]:
    """The result of `ends_of`; the state tells one content of the file from another."""
    with opened_session(path) as (descriptor, _, end):
        if translation_of(path) is None:
            head = os.pread(descriptor, _HEAD_BYTES, 0)
            tail = os.pread(descriptor, _TAIL_BYTES, max(end - _TAIL_BYTES, 0))
        else:
            # Only these have lines of resets, and are in memory as a whole.
            data = os.pread(descriptor, end, 0)
            data = data[max(data.rfind(_RESET), 0) :]
            head, tail = data[:_HEAD_BYTES], data[-_TAIL_BYTES:]
    return first_user_text(head.split(b"\n")), last_text(tail.split(b"\n"))


def first_user_text(lines: Sequence[bytes]) -> str | None:
    """The text of the first user message that no other session has sent."""
    sent = (each for each in _messages(lines[:_HEAD_LINES]) if each.get("role") == "user")
    texts = (_text_of(each.get("content")) for each in sent if not _is_from_session(each))
    return next(filter(None, texts), None)


def last_text(lines: Sequence[bytes]) -> str | None:
    """The text of the last user or assistant message."""
    filled = [line for line in lines if line.strip()]
    latest = _messages(filled[: -_TAIL_LINES - 1 : -1])
    texts = (_text_of(each.get("content")) for each in latest if each.get("role") in _SPEAKERS)
    return next(filter(None, texts), None)


def _messages(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """The message of each line that has one.

    The first and the last line of a part of a file may be incomplete. Lines that are not JSON are
    passed over, and bytes that are not UTF-8 become U+FFFD.
    """
    for line in lines:
        try:
            entry = loads(line.decode(errors="replace").encode())
        except ValueError:
            continue
        message = entry.get("message") if isinstance(entry, dict) else None
        if isinstance(message, dict):
            yield message


def _is_from_session(message: dict[str, Any]) -> bool:
    provenance = message.get("provenance")
    return isinstance(provenance, dict) and provenance.get("kind") == "inter_session"


def _text_of(content: object) -> str | None:
    """The text of a message: the content itself, or its first text part that is not blank."""
    if isinstance(content, str):
        return trim(content) or None
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") in _TEXTS:
            text = part.get("text")
            if isinstance(text, str) and trim(text):
                return trim(text)
    return None
