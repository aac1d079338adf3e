"""The route of an entry's replies: its normal form, changes to it, and old names of members."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from sessiond.agents.agent_ids import normal_name
from sessiond.agents.dialect import USUAL, Dialect
from sessiond.gateway.config.reader import is_number
from sessiond.gateway.keys.identity import DEFAULT_ACCOUNT, trim
from sessiond.gateway.rules.freshness import normal_channel
from sessiond.gateway.rules.message import InboundMessage
from sessiond.gateway.store.entry import ABSENT, StoreEntry, encoded
from sessiond.jsontext.spans import raw_members

Route = Mapping[str, str | int]
"""`channel`, `to`, `accountId` and `threadId`, in this order, without the unknown ones."""

ROUTE = ("channel", "to", "accountId", "threadId")
"""The members of a route, in this order."""
_OF_OLD = re.compile(rb'"(?:provider|lastProvider|room)":')
_LAST = ("lastChannel", "lastTo", "lastAccountId", "lastThreadId")


def migrated(entry: StoreEntry) -> StoreEntry:
    """The entry with `provider`, `lastProvider` and `room` renamed to their current names.

    As CoderClaw does on loading: `provider` is kept if there is a `channel`, `room` is always
    removed.
    """
    if not _OF_OLD.search(entry.text):
        return entry
    changes: dict[str, Any] = {}
    for new, old in (("channel", "provider"), ("lastChannel", "lastProvider")):
        if old in entry and entry.string(new) is None and entry.string(old) is not None:
            changes |= {new: entry.members[old], old: ABSENT}
    if "room" in entry:
        if entry.string("groupChannel") is None and entry.string("room") is not None:
            changes["groupChannel"] = entry.members["room"]
        changes["room"] = ABSENT
    return entry.changed(changes) if changes else entry


def normal_route(values: Mapping[str, Any]) -> dict[str, str | int]:
    """A route in normal form, without empty values and values of other types."""
    channel, to, account = (_string(values.get(name)) for name in ROUTE[:3])
    members = {
        "channel": normal_channel(channel) if channel else None,
        "to": to,
        "accountId": account,
        "threadId": _thread(values.get("threadId")),
    }
    return {name: value for name, value in members.items() if value not in {None, ""}}


def _string(value: object) -> str | None:
    return trim(value) if isinstance(value, str) else None


def _thread(value: object) -> str | int | None:
    if is_number(value):
        return math.trunc(value) if math.isfinite(value) else None
    return _string(value)


def route_of(entry: StoreEntry) -> dict[str, str | int]:
    """The route of a session: its `last…` members over its `deliveryContext`."""
    context, origin = entry.object("deliveryContext") or {}, entry.object("origin") or {}
    last = {
        "channel": _first(entry.get("lastChannel"), entry.get("channel")),
        "to": entry.get("lastTo"),
        "accountId": entry.get("lastAccountId"),
        # The thread of `origin` returns at every save, even if a message has just removed it.
        "threadId": _first(
            entry.get("lastThreadId"), context.get("threadId"), origin.get("threadId")
        ),
    }
    over, under = normal_route(last), normal_route(context)
    merged = under | over
    return {name: merged[name] for name in ROUTE if name in merged}


def _first(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)


def settled(entry: StoreEntry, dialect: Dialect = USUAL) -> StoreEntry:
    """The entry with its route in normal form in both places, as every save writes it."""
    route = route_of(entry)
    if dialect.accounts_are_slugs and "accountId" in route:
        route["accountId"] = normal_name(str(route["accountId"]), DEFAULT_ACCOUNT)
    context = entry.object("deliveryContext") or {}
    if _is_settled(entry, context, route):
        return entry
    return entry.changed(route_members(entry, route))


def route_members(entry: StoreEntry, route: Route) -> dict[str, Any]:
    """The changes that store a normal route in both places.

    Unknown members of `deliveryContext` are kept.
    """
    texts = {name: encoded(value) for name, value in route.items()}
    if entry.object("deliveryContext"):
        stored = raw_members(entry.members["deliveryContext"])
        texts |= {name: text for name, text in stored.items() if name not in ROUTE}
    changes: dict[str, Any] = {"deliveryContext": texts or ABSENT}
    changes |= {last: route.get(name, ABSENT) for name, last in zip(ROUTE, _LAST, strict=True)}
    return changes


def _is_settled(entry: StoreEntry, context: Mapping[str, Any], route: Route) -> bool:
    for name, last in zip(ROUTE, _LAST, strict=True):
        wanted, stored = route.get(name), entry.get(last)
        if not (_same(context.get(name), wanted) and _same(stored, wanted)):
            return False
        if stored is None and last in entry:
            # null is not absent.
            return False
    return True


def _same(stored: object, wanted: object) -> bool:
    # In JavaScript 1.0 and 1 are equal, true and 1 are not.
    return stored == wanted and isinstance(stored, bool) == isinstance(wanted, bool)


def route_from(
    message: InboundMessage, before: StoreEntry | None, *, in_thread: bool
) -> dict[str, str | int]:
    """The route of replies: the source of the message, else the route in `before`."""

    def stored(name: str) -> Any:
        return None if before is None else before.get(name)

    return normal_route(
        {
            "channel": message.originating_channel or stored("lastChannel"),
            "to": message.originating_to or message.to or stored("lastTo"),
            "accountId": message.account_id or stored("lastAccountId"),
            "threadId": message.thread_id or (stored("lastThreadId") if in_thread else None),
        }
    )
