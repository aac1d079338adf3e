"""The key of an inbound message."""

from __future__ import annotations

import re
from typing import Literal

import attrs

from sessiond.gateway.config.dialect import CODERCLAW, Dialect
from sessiond.gateway.config.reader import Part
from sessiond.gateway.keys import session_key as keys
from sessiond.gateway.keys.identity import MAIN, UNKNOWN, token, trim
from sessiond.gateway.keys.session_key import GLOBAL, KeyRules

_SURFACES = frozenset(
    {
        *("telegram", "whatsapp", "discord", "irc", "googlechat", "slack", "signal", "imessage"),
        "webchat",
    }
)
_NOT_CHANNELS = {"defaults", "modelbychannel"}
"""Members of `channels` that are no channel."""

_NOT_DIALLED = re.compile(r"[^0-9+]")


@attrs.frozen
class MessageSource:
    """What a message's context says of where it came from, as it says it; None: absent."""

    session_key: str | None = None
    sender: str | None = None
    """`From`."""
    chat_type: str | None = None
    provider: str | None = None


@attrs.frozen
class Group:
    """The group a message came from."""

    channel: str
    kind: Literal["group", "channel"]
    id: str

    @property
    def key(self) -> str:
        return f"{self.channel}:{self.kind}:{self.id}"


def surfaces(config: Part) -> frozenset[str]:
    """Channels that can stand at the head of `From`: CoderClaw's own, and those configured."""
    configured = config.part("channels").members or {}
    return _SURFACES | ({token(name) for name in configured} - _NOT_CHANNELS - {""})


def group_of(
    source: MessageSource, known: frozenset[str] = _SURFACES, dialect: Dialect = CODERCLAW
) -> Group | None:
    """The group, if the message came from one that can be told."""
    sender, chat_type = trim(source.sender or ""), token(source.chat_type)
    is_whatsapp = sender.lower().endswith("@g.us")
    marked = any(mark in sender for mark in (":group:", ":channel:"))
    if not (marked or is_whatsapp or chat_type in {"group", "channel"}):
        return None
    parts = [part for part in sender.split(":") if part]
    head = token(parts[0]) if parts else ""
    if head in known:
        channel = head
    elif source.provider is not None:
        channel = token(source.provider)
    else:
        channel = "whatsapp" if is_whatsapp else ""
    second = token(parts[1]) if len(parts) > 1 else ""
    named = second in {"group", "channel"}
    said = ":channel:" in sender or chat_type == "channel"
    is_channel = second == "channel" if named else said
    id_ = trim(":".join(parts[2 if named else 1 :]) if head in known else sender)
    kind: Literal["group", "channel"] = "channel" if is_channel else "group"
    if not (channel and id_):
        return None
    prefix = f"{channel}:{kind}:"
    return Group(channel, kind, keys.folded(prefix + id_, dialect).removeprefix(prefix))


def derived_key(source: MessageSource, rules: KeyRules, known: frozenset[str] = _SURFACES) -> str:
    """The key before it is an agent's: the group's, or the sender's number."""
    if rules.is_global:
        return GLOBAL
    group = group_of(source, known, rules.dialect)
    if group is not None:
        return group.key
    if not source.sender:
        return UNKNOWN
    return "+" + _NOT_DIALLED.sub("", source.sender).removeprefix("+")


def message_key(source: MessageSource, rules: KeyRules, known: frozenset[str] = _SURFACES) -> str:
    """The session a message belongs to: the one it names, else its group's, else the main one.

    The agent is always `main`: who routes to another one names the key.
    """
    explicit = keys.folded(source.session_key or "", rules.dialect)
    if explicit:
        return explicit
    derived = derived_key(source, rules, known)
    if rules.is_global:
        return derived
    grouped = ":group:" in derived or ":channel:" in derived
    return f"agent:{MAIN}:{derived}" if grouped else rules.main(MAIN)


def message_agent(source: MessageSource, rules: KeyRules) -> str:
    """The agent whose store has the session of a message.

    That of the key the message names, else the default agent, though the key that is derived for
    it says `main`.
    """
    return keys.agent_of(token(source.session_key), rules)
