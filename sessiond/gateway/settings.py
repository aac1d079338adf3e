"""Change the settings in a session's entry: a table of the values that each may have. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import attrs

from sessiond.gateway.config import Part
from sessiond.gateway.entry import ABSENT, Items, StoreEntry
from sessiond.gateway.keys import token, trim
from sessiond.runtime.errors import GatewayRejected
from sessiond.text.javascript import utf16_length

LABEL_LENGTH = 64
"""The maximum length of a label in UTF-16 units."""

SETTINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "label": (),
    "thinkingLevel": ("off", "minimal", "low", "medium", "high", "xhigh"),
    "verboseLevel": ("off", "on", "full"),
    "reasoningLevel": ("off", "on", "stream"),
    "responseUsage": ("off", "tokens", "full"),
    "elevatedLevel": ("off", "on", "ask", "full"),
    "execHost": ("sandbox", "gateway", "node"),
    "execSecurity": ("deny", "allowlist", "full"),
    "execAsk": ("off", "on-miss", "always"),
    "execNode": (),
    "model": (),
    "sendPolicy": ("allow", "deny"),
    "groupActivation": ("mention", "always"),
}
"""The values of each setting, in the order in which they are checked; () for any text."""
_CLEARED_BY_OFF: Final = ("reasoningLevel", "responseUsage")

_OF_LAST_RUN: Final = (
    *("model", "modelProvider", "authProfileOverride"),
    *("authProfileOverrideSource", "authProfileOverrideCompactionCount"),
)
"""Members that do not apply to the next run when another model is chosen."""


def changed_settings(settings: Mapping[str, str | None], key: str, items: Items) -> dict[str, Any]:
    """The members that change if these settings are made; None removes one.

    `key` is that of the entry among the `items` of the store. Raises GatewayRejected, whose `rule`
    is the name of the setting.
    """
    changes: dict[str, Any] = {}
    for name, value in settings.items():
        if name == "model":
            changes |= _model(value)
        elif value is None or (name in _CLEARED_BY_OFF and value == "off"):
            changes[name] = ABSENT
        elif name == "label":
            changes[name] = _label(value, key, items)
        elif not SETTINGS[name]:
            changes[name] = _text(name, value)
        elif value in SETTINGS[name]:
            changes[name] = value
        else:
            raise GatewayRejected(f"invalid {name} (use {'|'.join(SETTINGS[name])})", name)
    return changes


def _text(name: str, value: str) -> str:
    text = trim(value)
    if not text:
        raise GatewayRejected(f"invalid {name}: empty", name)
    return text


def _label(value: str, key: str, items: Items) -> str:
    label = _text("label", value)
    if utf16_length(label) > LABEL_LENGTH:
        raise GatewayRejected(f"invalid label: too long (max {LABEL_LENGTH})", "label")
    for other, item in items.items():
        if other != key and isinstance(item, StoreEntry) and item.get("label") == label:
            raise GatewayRejected(f"label already in use: {label}", "label")
    return label


def _model(value: str | None) -> dict[str, Any]:
    chosen = ModelRef() if value is None else ModelRef.of(_text("model", value))
    if value is not None and chosen.model is None:
        raise GatewayRejected(f"invalid model: {trim(value)} (use provider/model)", "model")
    return {
        **dict.fromkeys(_OF_LAST_RUN, ABSENT),
        "providerOverride": chosen.provider or ABSENT,
        "modelOverride": chosen.model or ABSENT,
    }


DEFAULT_WINDOW = 200_000
"""The context window, in tokens, of a model of which nothing is known."""


@attrs.frozen
class ModelRef:
    """A model and its provider; None where unknown."""

    provider: str | None = None
    model: str | None = None

    @classmethod
    def of(cls, text: str) -> ModelRef:
        """Parse `provider/model` or the name of a model; no model if one side is empty."""
        before, slash, after = text.partition("/")
        if not slash:
            return cls(None, trim(text) or None)
        return cls(token(before), trim(after)) if trim(before) and trim(after) else cls()

    @classmethod
    def default(cls, config: Part) -> ModelRef:
        """`agents.defaults.model`: a name, or an object with the name in `primary`."""
        part = config.part("agents").part("defaults")
        is_object = isinstance((part.members or {}).get("model"), dict)
        named = part.part("model").text("primary") if is_object else part.text("model")
        return cls.of(named or "")
