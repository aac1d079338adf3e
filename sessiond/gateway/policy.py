"""Whether replies of a session may be sent."""

from __future__ import annotations

from typing import Literal

import attrs

from sessiond.gateway.identity import token
from sessiond.gateway.keys import parse
from sessiond.gateway.settings import Part

SendPolicy = Literal["allow", "deny"]
_ACTIONS = ("allow", "deny")


@attrs.frozen
class Conversation:
    """What rules look at. What is not given is taken from the key, as far as it says so."""

    session_key: str
    channel: str | None = None
    chat_type: str | None = None
    override: str | None = None
    """`sendPolicy` of the session's entry, which goes before every rule."""


def send_policy(config: Part, conversation: Conversation) -> SendPolicy:
    """The override, else the first rule that denies, else any that allows, else the default."""
    override = _action(token(conversation.override))
    if override is not None:
        return override
    configured = config.part("session").part("sendPolicy")
    allowed = False
    for rule in configured.items("rules"):
        action = _action(rule.choice("action", _ACTIONS)) if rule.present else None
        if action is not None and _matches(rule.part("match"), conversation):
            if action == "deny":
                return "deny"
            allowed = True
    if allowed:
        return "allow"
    return _action(configured.choice("default", _ACTIONS)) or "allow"


def _action(text: str | None) -> SendPolicy | None:
    if text == "allow":
        return "allow"
    return "deny" if text == "deny" else None


def _matches(match: Part, conversation: Conversation) -> bool:
    raw = conversation.session_key.lower()
    parsed = parse(conversation.session_key)
    short = raw if parsed is None else parsed.rest.lower()
    channel, chat_type = token(match.text("channel")), token(match.text("chatType"))
    prefix, raw_prefix = token(match.text("keyPrefix")), token(match.text("rawKeyPrefix"))
    return (
        (not channel or channel == (token(conversation.channel) or _channel_in(short)))
        and (not chat_type or _direct(chat_type) == _chat_type(conversation, short))
        and raw.startswith(raw_prefix)
        and (raw.startswith(prefix) or short.startswith(prefix))
    )


def _chat_type(conversation: Conversation, short: str) -> str:
    given = token(conversation.chat_type)
    if given:
        return _direct(given)
    named = [_direct(part) for part in short.split(":")]
    return next((part for part in ("group", "channel", "direct") if part in named), "")


def _channel_in(short: str) -> str:
    """The channel that a key of a group begins with."""
    parts = short.split(":")
    return parts[0] if len(parts) > 2 and parts[1] in {"group", "channel"} else ""


def _direct(chat_type: str) -> str:
    return "direct" if chat_type == "dm" else chat_type
