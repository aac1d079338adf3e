"""Decide whether a reply is silent, and whether replies of a session may be sent."""

from __future__ import annotations

import functools
import re
from typing import Literal

import attrs

from sessiond.agents.dialect import USUAL, Dialect
from sessiond.gateway.config.reader import Part
from sessiond.gateway.keys.identity import token
from sessiond.gateway.keys.session_key import parse
from sessiond.jsontext.spans import JS_SPACE

SILENT_TOKEN = "NO_REPLY"  # noqa: S105 - a word, not a secret


def is_silent(text: str, token: str = SILENT_TOKEN, dialect: Dialect = USUAL) -> bool:
    """Whether a reply begins with the token, or ends with it except for punctuation.

    Only ASCII letters, digits and `_` form words, and the case of the token counts. In OpenClaw the
    whole reply must be the token, in any case.
    """
    if dialect.silence_is_whole:
        return text.strip(JS_SPACE).upper() == token.upper()
    return bool(text) and _pattern(token).search(text) is not None


def could_become_silent(text: str, token: str = SILENT_TOKEN, dialect: Dialect = USUAL) -> bool:
    """Whether the end of an incomplete reply could be the beginning of the token.

    Such text is held back until this is decided, so that the token is never shown.
    """
    if is_silent(text, token, dialect):
        return False
    if dialect.silence_is_whole:
        return token.upper().startswith(text.lstrip(JS_SPACE).upper())
    if token.startswith(text.lstrip(JS_SPACE)):
        return True
    return any(
        text.endswith(token[:size]) and _BOUNDARY.match(text, len(text) - size)
        for size in range(min(len(token), len(text)) - 1, 0, -1)
    )


_BOUNDARY = re.compile(r"\b", re.ASCII)


@functools.lru_cache(maxsize=16)
def _pattern(token: str) -> re.Pattern[str]:
    word = re.escape(token)
    leading = rf"\A[{JS_SPACE}]*{word}(?=\Z|\W)"
    trailing = rf"\b{word}\b\W*+\Z"
    return re.compile(f"{leading}|{trailing}", re.ASCII)


SendPolicy = Literal["allow", "deny"]
_ACTIONS = ("allow", "deny")
_CHAT_TYPES = ("direct", "dm", "group", "channel")


@attrs.frozen
class Conversation:
    """The conversation that rules are matched with. Missing values are taken from its key."""

    session_key: str
    channel: str | None = None
    chat_type: str | None = None
    override: str | None = None
    """`sendPolicy` of the session's entry, which overrides every rule."""


def send_policy(config: Part, conversation: Conversation) -> SendPolicy:
    """Decide by the override, then by a rule that denies, a rule that allows, and the default.

    As in CoderClaw, a rule with an invalid action allows, and an invalid `chatType` is no
    condition. Both are also reported as problems of the configuration.
    """
    override = _action(token(conversation.override))
    if override is not None:
        return override
    configured = config.part("session").part("sendPolicy")
    allowed = False
    for rule in configured.items("rules"):
        if rule.present and _matches(rule.part("match"), conversation):
            if _action(rule.word("action", _ACTIONS)) == "deny":
                return "deny"
            allowed = True
    if allowed:
        return "allow"
    return _action(configured.word("default", _ACTIONS)) or "allow"


def _action(text: str | None) -> SendPolicy | None:
    if text == "allow":
        return "allow"
    return "deny" if text == "deny" else None


def _matches(match: Part, conversation: Conversation) -> bool:
    key = conversation.session_key
    parsed = parse(key)
    short = key if parsed is None else parsed.rest
    raw, lower = key.lower(), short.lower()
    channel, chat_type = token(match.text("channel")), match.word("chatType", _CHAT_TYPES)
    prefix, raw_prefix = token(match.text("keyPrefix")), token(match.text("rawKeyPrefix"))
    return (
        (not channel or channel == (token(conversation.channel) or _channel_in(short)))
        and (not chat_type or _direct(chat_type) == _chat_type(conversation, short))
        and raw.startswith(raw_prefix)
        and (raw.startswith(prefix) or lower.startswith(prefix))
    )


def _chat_type(conversation: Conversation, short: str) -> str | None:
    given = token(conversation.chat_type)
    if given in _CHAT_TYPES:
        return _direct(given)
    return next((kind for kind in ("group", "channel") if f":{kind}:" in short), None)


def _channel_in(short: str) -> str:
    """The channel of a group's key; empty if it has no lower-case `group` or `channel`."""
    parts = [part for part in short.split(":") if part]
    return token(parts[0]) if len(parts) > 2 and parts[1] in {"group", "channel"} else ""


def _direct(chat_type: str) -> str:
    return "direct" if chat_type == "dm" else chat_type
