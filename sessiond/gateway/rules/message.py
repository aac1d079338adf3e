"""An inbound message, and the members of an entry that describe its source."""

from __future__ import annotations

import attrs

from sessiond.gateway.entry import StoreEntry, encoded
from sessiond.gateway.keys import group_names, inbound
from sessiond.gateway.keys.identity import token, trim
from sessiond.gateway.keys.inbound import Group
from sessiond.gateway.rules.freshness import normal_channel
from sessiond.jsontext.spans import raw_members


@attrs.frozen(kw_only=True)
class InboundMessage:
    """The content of a message's context, unchanged; None means absent."""

    source: inbound.MessageSource = attrs.field(factory=inbound.MessageSource)
    text: str = ""
    """The text that is searched for commands."""
    to: str | None = None
    originating_to: str | None = None
    originating_channel: str | None = None
    surface: str | None = None
    account_id: str | None = None
    thread_id: str | float | None = None
    """0 and the empty string also name a thread."""
    thread_label: str | None = None
    thread_starter: str | None = None
    parent_key: str | None = None
    group_subject: str | None = None
    group_channel: str | None = None
    group_space: str | None = None
    sender_name: str | None = None
    label: str | None = None

    @property
    def chat_type(self) -> str | None:
        """`direct`, `group` or `channel`; None for anything else."""
        chat_type = token(self.source.chat_type)
        if chat_type == "dm":
            return "direct"
        return chat_type if chat_type in {"direct", "group", "channel"} else None

    @property
    def is_in_thread(self) -> bool:
        """Whether any member names a thread."""
        texts = (self.thread_label, self.thread_starter, self.parent_key)
        return self.thread_id is not None or any(trim(text or "") for text in texts)


def origin_of(message: InboundMessage) -> dict[str, str | float]:
    """The members of an entry's `origin` that the message gives."""
    source = message.source
    provider = message.originating_channel or message.surface or source.provider
    to = message.to if message.originating_to is None else message.originating_to
    members = {
        "label": _label(message),
        "provider": normal_channel(provider),
        "surface": token(message.surface),
        "chatType": message.chat_type,
        "from": trim(source.sender or ""),
        "to": trim(to or ""),
        "accountId": trim(message.account_id or ""),
        "threadId": message.thread_id,
    }
    return {name: value for name, value in members.items() if value is not None and value != ""}


def origin_members(
    message: InboundMessage, before: StoreEntry | None
) -> dict[str, dict[str, bytes]]:
    """The `origin` of an entry, updated from the message; empty if the message gives nothing.

    Values are JSON text, so that unknown members are kept.
    """
    told = {name: encoded(value) for name, value in origin_of(message).items()}
    if not told:
        return {}
    known = raw_members(before.members["origin"]) if before and before.object("origin") else {}
    return {"origin": known | told}


def _label(message: InboundMessage) -> str:
    """The display name of the conversation."""
    sender = trim(message.source.sender or "")
    named = _first_filled(message.label, message.thread_label)
    if named:
        return named
    if message.chat_type == "direct":
        return _first_filled(message.sender_name, sender)
    place = _first_filled(message.group_channel, message.group_subject, message.group_space, sender)
    number = next((part for part in reversed(sender.split(":")) if part), "")
    is_id = (number.isascii() and number.isdigit()) or "@g.us" in number
    says_it = number in place or " id:" in place.lower() or place.startswith(("#", "@"))
    return f"{place} id:{number}" if place and is_id and not says_it else place


def _first_filled(*texts: str | None) -> str:
    return next(filter(None, (trim(text or "") for text in texts)), "")


def group_members(
    message: InboundMessage, group: Group, key: str, before: StoreEntry | None
) -> dict[str, str]:
    """The members of an entry that describe its group; `before` gives what the message omits.

    Blank members of the message are neither stored nor filled from `before`.
    """
    subject, space = _trimmed(message.group_subject), _trimmed(message.group_space)
    channel = _trimmed(message.group_channel)
    if channel is None and group.kind == "channel" and subject and subject.startswith("#"):
        channel = subject
    if channel:
        subject = None

    def known(said: str | None, name: str) -> str | None:
        return before.string(name) if said is None and before is not None else said

    members = {
        "displayName": group_names.group_name(
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


def _trimmed(text: str | None) -> str | None:
    return None if text is None else trim(text)
