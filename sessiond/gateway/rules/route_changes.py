"""Where replies of a session go and where it came from, as somebody says. Not activity."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from sessiond.gateway.config.dialect import Dialect
from sessiond.gateway.keys import inbound
from sessiond.gateway.rules.message import Message, group_members, origin_members
from sessiond.gateway.rules.route import ROUTE, normal_route, route_members, route_of
from sessiond.gateway.store.entry import Entry


def new_entry(now: int) -> Entry:
    """Of a session that nothing is known of but that it is there from `now` (epoch ms) on."""
    return Entry.of({"sessionId": str(uuid.uuid4()), "updatedAt": now})


def route_changes(
    entry: Entry, said: Mapping[str, Any], context: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The members that change with what is said of the route; what `context` says goes first.

    The thread of the route before belongs to its place: another place is not in that thread,
    unless a thread is named, be it a blank one. Only outside of a `context` the empty string names
    none.
    """
    known, given = route_of(entry), context or {}
    new = normal_route(said) | normal_route(given)
    is_in_thread = given.get("threadId") is not None or said.get("threadId") not in {None, ""}
    if not is_in_thread and new.keys() & {"channel", "to"}:
        known.pop("threadId", None)
    merged = known | new
    return route_members(entry, {name: merged[name] for name in ROUTE if name in merged})


def source_changes(
    entry: Entry, message: Message, key: str, surfaces: frozenset[str], dialect: Dialect
) -> dict[str, Any]:
    """The members that change with a message: its group, and `origin` as far as it tells."""
    changes: dict[str, Any] = {}
    group = inbound.group_of(message.source, surfaces, dialect)
    if group is not None:
        changes |= group_members(message, group, key, entry)
    return changes | origin_members(message, entry)
