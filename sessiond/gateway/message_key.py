"""The session key of an inbound message, and the display name of its group."""

from __future__ import annotations

import re
from typing import Literal

import attrs
from sessiond_protocol.gateway.keys import InboundContext
from sessiond_protocol.wire import given

from sessiond.agents.dialect import USUAL, Dialect
from sessiond.gateway import keys
from sessiond.gateway.config import Part
from sessiond.gateway.keys import GLOBAL, MAIN, UNKNOWN, KeyRules, token, trim
from sessiond.text.spans import JS_SPACES

_SURFACES = frozenset(
    {
        *("telegram", "whatsapp", "discord", "irc", "googlechat", "slack", "signal", "imessage"),
        "webchat",
    }
)
_NOT_CHANNELS = {"defaults", "modelbychannel"}
"""Members of `channels` that are not channels."""

_NOT_DIALLED = re.compile(r"[^0-9+]")


@attrs.frozen
class Group:
    """The group of a message."""

    channel: str
    kind: Literal["group", "channel"]
    id: str

    @property
    def key(self) -> str:
        return f"{self.channel}:{self.kind}:{self.id}"


def surfaces(config: Part) -> frozenset[str]:
    """Channels that `From` can begin with: the built-in ones and those configured."""
    configured = config.part("channels").members or {}
    return _SURFACES | ({token(name) for name in configured} - _NOT_CHANNELS - {""})


def group_of(
    source: InboundContext, surfaces: frozenset[str] = _SURFACES, dialect: Dialect = USUAL
) -> Group | None:
    """The group of a message; None for a direct message, or if channel or id are unknown."""
    sender, chat_type = trim(given(source.From) or ""), token(given(source.ChatType))
    is_whatsapp = sender.lower().endswith("@g.us")
    is_marked = ":group:" in sender or ":channel:" in sender
    if not (is_marked or is_whatsapp or chat_type in {"group", "channel"}):
        return None
    parts = [part for part in sender.split(":") if part]
    head = token(parts[0]) if parts else ""
    channel = _channel(source, head, surfaces, is_whatsapp=is_whatsapp)
    second = token(parts[1]) if len(parts) > 1 else ""
    has_kind = second in {"group", "channel"}
    kind = _group_kind(second if has_kind else chat_type, sender, has_kind=has_kind)
    id_ = trim(":".join(parts[2 if has_kind else 1 :])) if head in surfaces else sender
    if not (channel and id_):
        return None
    prefix = f"{channel}:{kind}:"
    return Group(channel, kind, keys.folded(prefix + id_, dialect).removeprefix(prefix))


def _channel(
    source: InboundContext, head: str, surfaces: frozenset[str], *, is_whatsapp: bool
) -> str:
    """The channel at the head of `From`, else the provider, else WhatsApp for its ids."""
    if head in surfaces:
        return head
    provider = given(source.Provider)
    if provider is not None:
        return token(provider)
    return "whatsapp" if is_whatsapp else ""


def _group_kind(word: str, sender: str, *, has_kind: bool) -> Literal["group", "channel"]:
    """The kind that `From` names in its second part, else any mark in it or the chat type."""
    is_channel = word == "channel" or (not has_kind and ":channel:" in sender)
    return "channel" if is_channel else "group"


def derived_key(
    source: InboundContext, rules: KeyRules, surfaces: frozenset[str] = _SURFACES
) -> str:
    """The key without an agent: that of the group, or the sender's number."""
    if rules.is_global:
        return GLOBAL
    group = group_of(source, surfaces, rules.dialect)
    if group is not None:
        return group.key
    sender = given(source.From)
    if not sender:
        return UNKNOWN
    return "+" + _NOT_DIALLED.sub("", sender).removeprefix("+")


def message_key(
    source: InboundContext, rules: KeyRules, surfaces: frozenset[str] = _SURFACES
) -> str:
    """The key of a message: the one it names, else its group's, else the main key.

    The agent is always `main`; a client that routes to another agent names the key.
    """
    explicit = keys.folded(given(source.SessionKey) or "", rules.dialect)
    if explicit:
        return explicit
    derived = derived_key(source, rules, surfaces)
    if rules.is_global:
        return derived
    grouped = ":group:" in derived or ":channel:" in derived
    return f"agent:{MAIN}:{derived}" if grouped else rules.main(MAIN)


def message_agent(source: InboundContext, rules: KeyRules) -> str:
    """The agent whose store has the session of a message.

    This is the agent of the key that the message names, else the default agent, although a derived
    key says `main`.
    """
    return keys.agent_of(token(given(source.SessionKey)), rules)


_OTHERS = re.compile(r"[^a-z0-9#@._+-]+")
_DASHES = re.compile(r"--+")


def parse_group_key(key: str) -> Group | None:
    """The group of a key `<channel>:group:<id>` or `<channel>:channel:<id>`, also with an agent."""
    parsed = keys.parse(key)
    parts = [part for part in (key if parsed is None else parsed.rest).split(":") if part]
    if len(parts) < 3 or parts[1] not in {"group", "channel"}:
        return None
    return Group(parts[0], "channel" if parts[1] == "channel" else "group", ":".join(parts[2:]))


def group_name(
    key: str,
    channel: str | None = None,
    *,
    group_channel: str | None = None,
    subject: str | None = None,
    space: str | None = None,
    id_: str | None = None,
) -> str:
    """The default name of a group, such as `discord:friends-of-x#general`.

    Built from its channel and space, else from the first of channel, subject, space, id and key
    that is not empty.
    """
    provider = token(channel) or "group"
    room, area = trim(group_channel or ""), trim(space or "")
    if room and area:
        said = f"{area}{room}" if room.startswith("#") else f"{area}#{room}"
    else:
        said = room or trim(subject or "") or area or trim(id_ or "") or key
    name = _slug(said)
    if not room:
        name = name.lstrip("#")
    if name and not name.startswith(("@", "g-")) and "#" not in name:
        name = f"g-{name}"
    return f"{provider}:{name}" if name else provider


def _slug(text: str) -> str:
    dashed = _OTHERS.sub("-", JS_SPACES.sub("-", token(text)))
    return _DASHES.sub("-", dashed).strip("-.")
