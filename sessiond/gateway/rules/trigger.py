"""Find a reset trigger, such as `/new`, at the start of a message."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sessiond.gateway.config.reader import Part
from sessiond.gateway.keys.identity import trim
from sessiond.jsontext.spans import JS_SPACE

DEFAULT_TRIGGERS = ("/new", "/reset")
_NUMBER = re.compile(r"@[0-9+]{5,}")


def triggers_of(config: Part) -> Sequence[str]:
    """`session.resetTriggers`; the defaults if it is empty."""
    return config.part("session").texts("resetTriggers") or DEFAULT_TRIGGERS


def after_trigger(text: str, triggers: Sequence[str], *, in_group: bool) -> str | None:
    """The text after the trigger at the start of a message, in any case; None without a trigger.

    White space ends a trigger; empty triggers are ignored. In a group, mentioned numbers are left
    out.
    """
    said = trim(_NUMBER.sub(" ", text) if in_group else text)
    for trigger in triggers:
        start, rest = said[: len(trigger)], said[len(trigger) :]
        left = rest.lstrip(JS_SPACE)
        if trigger and start.lower() == trigger.lower() and (not rest or left != rest):
            return left
    return None
