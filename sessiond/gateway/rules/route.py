"""The route of an entry's replies: its normal form, and changes to it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from sessiond_protocol.gateway.begin import MessageContext
from sessiond_protocol.wire import given

from sessiond.gateway.config.reader import is_number
from sessiond.gateway.entry import ABSENT, StoreEntry, encoded
from sessiond.gateway.keys.identity import trim
from sessiond.gateway.rules.freshness import normal_channel
from sessiond.gateway.rules.message import thread_of
from sessiond.jsontext.spans import raw_members

Route = Mapping[str, str | int]
"""`channel`, `to`, `accountId` and `threadId`, in this order, without the unknown ones."""

ROUTE = ("channel", "to", "accountId", "threadId")
"""The members of a route, in this order."""
_LAST = ("lastChannel", "lastTo", "lastAccountId", "lastThreadId")


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


def with_normal_route(entry: StoreEntry) -> StoreEntry:
    """The entry with its route in normal form in both places, as a gateway saves it.

    The `last…` members come before `deliveryContext`. The thread of `origin` returns at every save,
    even if a message has just removed it.
    """
    context, origin = entry.object("deliveryContext") or {}, entry.object("origin") or {}
    threads = (entry.get("lastThreadId"), context.get("threadId"), origin.get("threadId"))
    last = {
        "channel": entry.get("lastChannel") or entry.get("channel"),
        "to": entry.get("lastTo"),
        "accountId": entry.get("lastAccountId"),
        "threadId": next((thread for thread in threads if thread is not None), None),
    }
    merged = normal_route(context) | normal_route(last)
    return entry.changed(
        route_members(entry, {name: merged[name] for name in ROUTE if name in merged})
    )


def route_from(
    message: MessageContext, before: StoreEntry | None, *, in_thread: bool
) -> dict[str, str | int]:
    """The route of replies: the source of the message, else the route in `before`."""

    def stored(name: str) -> Any:
        return None if before is None else before.get(name)

    return normal_route(
        {
            "channel": given(message.OriginatingChannel)
            or stored("lastChannel")
            or stored("lastProvider"),
            "to": given(message.OriginatingTo) or given(message.To) or stored("lastTo"),
            "accountId": given(message.AccountId) or stored("lastAccountId"),
            "threadId": thread_of(message) or (stored("lastThreadId") if in_thread else None),
        }
    )
