"""Names of models, and the model and context window that a configuration gives every session."""

from __future__ import annotations

import attrs

from sessiond.gateway.config.reader import Part
from sessiond.gateway.keys.identity import token, trim

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
