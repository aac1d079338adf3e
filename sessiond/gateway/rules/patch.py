"""Apply a patch to a session's entry: one rule per member, in CoderClaw's order.

Pure. A rule rejects a value with GatewayRejected, whose `rule` is the member's name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from sessiond.errors import GatewayRejected
from sessiond.gateway.config.models import ModelRef, Models
from sessiond.gateway.keys import session_key
from sessiond.gateway.keys.identity import token, trim
from sessiond.gateway.store.entry import ABSENT, StoreEntry
from sessiond.gateway.store.snapshot import Items
from sessiond.jsontext.javascript import utf16_length
from sessiond.jsontext.spans import JS_SPACE

LABEL_LENGTH = 64
"""The maximum length of a label in UTF-16 units."""

_OFF = dict.fromkeys(("off", "false", "no", "0"), "off")
_THINKING = {
    "off": ("off",),
    "minimal": ("min", "minimal", "think"),
    "low": ("on", "enable", "enabled", "low", "thinkhard", "think-hard", "think_hard"),
    "medium": ("mid", "med", "medium", "thinkharder", "think-harder", "harder"),
    "high": ("high", "ultra", "ultrathink", "thinkhardest", "highest", "max"),
    "xhigh": ("xhigh", "extrahigh"),
}
_XHIGH = "xhigh"


def _words(spellings: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    return {word: stored for stored, words in spellings.items() for word in words}


_THINKING_WORDS = _words(_THINKING)


@attrs.frozen
class Choice:
    """A member with few values: the accepted words in lower case for each value."""

    words: Mapping[str, str]
    hint: str
    off_clears: bool = False
    """Whether `off` removes the member."""

    @classmethod
    def plain(cls, *values: str, off_clears: bool = False) -> Choice:
        hint = "|".join(f'"{value}"' for value in values)
        return cls({value: value for value in values}, hint, off_clears)


CHOICES = {
    "verboseLevel": Choice(
        _OFF
        | dict.fromkeys(("on", "minimal", "true", "yes", "1"), "on")
        | dict.fromkeys(("full", "all", "everything"), "full"),
        '"on"|"off"',
    ),
    "reasoningLevel": Choice(
        dict.fromkeys((*_OFF, "hide", "hidden", "disable", "disabled"), "off")
        | dict.fromkeys(("on", "true", "yes", "1", "show", "visible", "enable", "enabled"), "on")
        | dict.fromkeys(("stream", "streaming", "draft", "live"), "stream"),
        '"on"|"off"|"stream"',
        off_clears=True,
    ),
    "responseUsage": Choice(
        dict.fromkeys((*_OFF, "disable", "disabled"), "off")
        | dict.fromkeys(("on", "true", "yes", "1", "enable", "enabled"), "tokens")
        | dict.fromkeys(("tokens", "token", "tok", "minimal", "min"), "tokens")
        | dict.fromkeys(("full", "session"), "full"),
        '"off"|"tokens"|"full"',
        off_clears=True,
    ),
    "elevatedLevel": Choice(
        _OFF
        | dict.fromkeys(("on", "true", "yes", "1"), "on")
        | dict.fromkeys(("ask", "prompt", "approval", "approve"), "ask")
        | dict.fromkeys(("full", "auto", "auto-approve", "autoapprove"), "full"),
        '"on"|"off"|"ask"|"full"',
    ),
    "execHost": Choice.plain("sandbox", "gateway", "node"),
    "execSecurity": Choice.plain("deny", "allowlist", "full"),
    "execAsk": Choice.plain("off", "on-miss", "always"),
    "sendPolicy": Choice.plain("allow", "deny"),
    "groupActivation": Choice.plain("mention", "always"),
}


@attrs.frozen
class PatchSubject:
    """The entry to change, and what the rules need."""

    key: str
    """The key in the store."""
    entry: StoreEntry | None
    items: Items
    """All items of the store."""
    models: Models = attrs.field(factory=Models)
    xhigh: bool | None = None
    """Whether the model supports the level `xhigh`; None if unknown."""


def patched(subject: PatchSubject, patch: Mapping[str, Any], now: int, new_id: str) -> StoreEntry:
    """The entry after a patch: names as in `RULES`, None clears; raises at the first failure.

    `new_id` is the session id of a new entry; `now` in epoch milliseconds.
    """
    if subject.entry is None:
        entry = StoreEntry.of({"sessionId": new_id, "updatedAt": now})
    else:
        entry = subject.entry.changed({"updatedAt": max(subject.entry.last_update, now)})
    for name, rule in RULES.items():
        if name in patch:
            entry = entry.changed(rule(subject, name, patch[name]))
        if name == "model":
            entry = _without_unsupported(subject, entry, asked="thinkingLevel" in patch)
    return entry


def label_of(text: str) -> str:
    """The trimmed label. Raises GatewayRejected."""
    label = trim(text)
    if not label:
        raise GatewayRejected("invalid label: empty", "label")
    if utf16_length(label) > LABEL_LENGTH:
        raise GatewayRejected(f"invalid label: too long (max {LABEL_LENGTH})", "label")
    return label


def _spawned_by(subject: PatchSubject, name: str, value: str | None) -> Mapping[str, Any]:
    entry = subject.entry
    known = (entry.string(name) or None) if entry is not None else None
    if value is None:
        return _not_cleared(name, is_set=known is not None)
    parent = trim(value)
    if not parent:
        raise GatewayRejected(f"invalid {name}: empty", name)
    _only_of_subagents(subject, name)
    if known is not None and known != parent:
        raise GatewayRejected(f"{name} cannot be changed once set", name)
    return {name: parent}


def _spawn_depth(subject: PatchSubject, name: str, value: float | None) -> Mapping[str, Any]:
    known = None if subject.entry is None else subject.entry.number(name)
    if value is None:
        return _not_cleared(name, is_set=known is not None)
    _only_of_subagents(subject, name)
    if value < 0 or value != int(value):
        raise GatewayRejected(f"invalid {name} (use an integer >= 0)", name)
    if known is not None and known != value:
        raise GatewayRejected(f"{name} cannot be changed once set", name)
    return {name: value}


def _not_cleared(name: str, *, is_set: bool) -> Mapping[str, Any]:
    if is_set:
        raise GatewayRejected(f"{name} cannot be cleared once set", name)
    return {}


def _only_of_subagents(subject: PatchSubject, name: str) -> None:
    if not session_key.is_subagent(subject.key):
        raise GatewayRejected(f"{name} is only supported for subagent:* sessions", name)


def _label(subject: PatchSubject, name: str, value: str | None) -> Mapping[str, Any]:
    if value is None:
        return {name: ABSENT}
    label = label_of(value)
    for key, item in subject.items.items():
        if key != subject.key and isinstance(item, StoreEntry) and item.get(name) == label:
            raise GatewayRejected(f"label already in use: {label}", name)
    return {name: label}


def _thinking(subject: PatchSubject, name: str, value: str | None) -> Mapping[str, Any]:
    if value is None:
        return {name: ABSENT}
    word = token(value)
    level = _THINKING_WORDS.get(word)
    if level is None and _THINKING_WORDS.get(_closed_up(word)) == _XHIGH:
        level = _XHIGH
    if level is None:
        levels = [known for known in _THINKING if known != _XHIGH or subject.xhigh]
        raise GatewayRejected(f"invalid {name} (use {'|'.join(levels)})", name)
    return {name: level}


def _closed_up(word: str) -> str:
    return "".join(letter for letter in word if letter not in f"_-{JS_SPACE}")


def _choice(_subject: PatchSubject, name: str, value: str | None) -> Mapping[str, Any]:
    choice = CHOICES[name]
    if value is None:
        return {name: ABSENT}
    stored = choice.words.get(token(value))
    if stored is None:
        raise GatewayRejected(f"invalid {name} (use {choice.hint})", name)
    return {name: ABSENT if choice.off_clears and stored == "off" else stored}


def _exec_node(_subject: PatchSubject, name: str, value: str | None) -> Mapping[str, Any]:
    if value is None:
        return {name: ABSENT}
    node = trim(value)
    if not node:
        raise GatewayRejected(f"invalid {name}: empty", name)
    return {name: node}


def _model(subject: PatchSubject, name: str, value: str | None) -> Mapping[str, Any]:
    chosen = ModelRef()
    if value is not None:
        if not trim(value):
            raise GatewayRejected(f"invalid {name}: empty", name)
        chosen = subject.models.parse(value)
        if chosen.model is None:
            raise GatewayRejected(f"invalid {name}: {trim(value)}", name)
        if chosen == subject.models.default:
            chosen = ModelRef()
    return {
        "providerOverride": ABSENT if chosen.provider is None else chosen.provider,
        "modelOverride": ABSENT if chosen.model is None else chosen.model,
        # The model and account of the last run do not apply to the next one.
        "model": ABSENT,
        "modelProvider": ABSENT,
        "authProfileOverride": ABSENT,
        "authProfileOverrideSource": ABSENT,
        "authProfileOverrideCompactionCount": ABSENT,
    }


def _without_unsupported(subject: PatchSubject, entry: StoreEntry, *, asked: bool) -> StoreEntry:
    if subject.xhigh is not False or entry.string("thinkingLevel") != _XHIGH:
        return entry
    if asked:
        raise GatewayRejected(
            f'thinkingLevel "{_XHIGH}" is only supported for models that have it', "thinkingLevel"
        )
    return entry.changed({"thinkingLevel": "high"})


Rule = Callable[[PatchSubject, str, Any], Mapping[str, Any]]
RULES: dict[str, Rule] = {
    "spawnedBy": _spawned_by,
    "spawnDepth": _spawn_depth,
    "label": _label,
    "thinkingLevel": _thinking,
    "verboseLevel": _choice,
    "reasoningLevel": _choice,
    "responseUsage": _choice,
    "elevatedLevel": _choice,
    "execHost": _choice,
    "execSecurity": _choice,
    "execAsk": _choice,
    "execNode": _exec_node,
    "model": _model,
    "sendPolicy": _choice,
    "groupActivation": _choice,
}
"""All members that can be patched, in the order in which they are checked."""
