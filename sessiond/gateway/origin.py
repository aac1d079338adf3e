"""The origin of a message, and the route of replies in an entry."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from msgspec import UnsetType
from sessiond_protocol.gateway.begin import MessageContext
from sessiond_protocol.wire import given

from sessiond.gateway import message_key
from sessiond.gateway.config import is_number
from sessiond.gateway.entry import ABSENT, StoreEntry, encoded
from sessiond.gateway.expiry import normal_channel
from sessiond.gateway.keys import token, trim
from sessiond.gateway.message_key import Group
from sessiond.text.spans import raw_members


def text_of(message: MessageContext) -> str:
    """The text in which a reset trigger is looked for."""
    texts = (message.BodyForCommands, message.CommandBody, message.RawBody, message.Body)
    return next((text for text in map(given, texts) if text is not None), "")


def chat_type(message: MessageContext) -> str | None:
    """`direct`, `group` or `channel`; None for anything else."""
    said = token(given(message.ChatType))
    if said == "dm":
        return "direct"
    return said if said in {"direct", "group", "channel"} else None


def thread_of(message: MessageContext) -> str | float | None:
    """The thread of the message; 0 and the empty string are threads, too."""
    thread = message.MessageThreadId
    # mypy infers `object` for a union passed through `given`.
    return None if isinstance(thread, UnsetType) else thread


def is_in_thread(message: MessageContext) -> bool:
    """Whether any member names a thread."""
    texts = (message.ThreadLabel, message.ThreadStarterBody, message.ParentSessionKey)
    return thread_of(message) is not None or any(trim(given(text) or "") for text in texts)


def origin_members(
    message: MessageContext, before: StoreEntry | None
) -> dict[str, dict[str, bytes]]:
    """The `origin` of an entry, updated from the message; empty if the message gives nothing.

    Values are JSON text, so that unknown members are kept.
    """
    surface = given(message.Surface)
    provider = given(message.OriginatingChannel) or surface or given(message.Provider)
    replies_to = given(message.OriginatingTo)
    to = given(message.To) if replies_to is None else replies_to
    members = {
        "label": _label(message),
        "provider": normal_channel(provider),
        "surface": token(surface),
        "chatType": chat_type(message),
        "from": trim(given(message.From) or ""),
        "to": trim(to or ""),
        "accountId": trim(given(message.AccountId) or ""),
        "threadId": thread_of(message),
    }
    texts = {name: encoded(text) for name, text in members.items() if text not in {None, ""}}
    if not texts:
        return {}
    before_members = (
        raw_members(before.members["origin"]) if before and before.object("origin") else {}
    )
    return {"origin": before_members | texts}


def _label(message: MessageContext) -> str:
    """The display name of the conversation."""
    sender = trim(given(message.From) or "")
    named = _first_filled(given(message.ConversationLabel), given(message.ThreadLabel))
    if named:
        return named
    if chat_type(message) == "direct":
        return _first_filled(given(message.SenderName), sender)
    group = (message.GroupChannel, message.GroupSubject, message.GroupSpace)
    place = _first_filled(*map(given, group), sender)
    number = next((part for part in reversed(sender.split(":")) if part), "")
    is_id = (number.isascii() and number.isdigit()) or "@g.us" in number
    says_it = number in place or " id:" in place.lower() or place.startswith(("#", "@"))
    return f"{place} id:{number}" if place and is_id and not says_it else place


def _first_filled(*texts: str | None) -> str:
    return next(filter(None, (trim(text or "") for text in texts)), "")


def group_members(
    message: MessageContext, group: Group, key: str, before: StoreEntry | None
) -> dict[str, str]:
    """The members of an entry that describe its group; `before` gives what the message omits.

    Blank members of the message are neither stored nor filled from `before`.
    """
    named = map(given, (message.GroupSubject, message.GroupSpace, message.GroupChannel))
    subject, space, channel = (None if text is None else trim(text) for text in named)
    if channel is None and group.kind == "channel" and subject and subject.startswith("#"):
        channel = subject
    if channel:
        subject = None

    def known(said: str | None, name: str) -> str | None:
        if said is not None or before is None:
            return said
        return before.with_present_names().string(name)

    members = {
        "displayName": message_key.group_name(
            key,
            group.channel,
            group_channel=known(channel, "groupChannel"),
            subject=known(subject, "subject"),
            space=known(space, "space"),
            id_=group.id,
        ),
        "chatType": group.kind,
        "channel": group.channel,
        "groupId": group.id,
        "subject": subject,
        "groupChannel": channel,
        "space": space,
    }
    return {name: value for name, value in members.items() if value}


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
    present = entry.with_present_names()
    context, origin = entry.object("deliveryContext") or {}, entry.object("origin") or {}
    threads = (entry.get("lastThreadId"), context.get("threadId"), origin.get("threadId"))
    last = {
        "channel": present.get("lastChannel") or present.get("channel"),
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
    present = None if before is None else before.with_present_names()

    def stored(name: str) -> Any:
        return None if present is None else present.get(name)

    return normal_route(
        {
            "channel": given(message.OriginatingChannel) or stored("lastChannel"),
            "to": given(message.OriginatingTo) or given(message.To) or stored("lastTo"),
            "accountId": given(message.AccountId) or stored("lastAccountId"),
            "threadId": thread_of(message) or (stored("lastThreadId") if in_thread else None),
        }
    )
