"""Words that start a session over, found behind what gateways put around a message."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

from sessiond.gateway.config.reader import Part
from sessiond.gateway.keys.identity import trim
from sessiond.jsontext.spans import JS_SPACE, JS_SPACES
from sessiond.profiles import normal_agent_id

DEFAULT_TRIGGERS = ("/new", "/reset")
CURRENT_MESSAGE = "[Current message - respond to this]"
"""Stands between what was said before and the message."""

_MENTION_SECONDS = 0.1
"""How long all patterns of a message may take; nothing else is done meanwhile."""
# What begins a line in JavaScript; Python's `^` knows only \n.
_LABEL = re.compile(rf"(?:\A|(?<=[\n\r\u2028\u2029]))[A-Za-z0-9+()\-_. ]++:[{JS_SPACE}]*")
_NUMBER = re.compile(r"@[0-9+]{5,}")


def triggers_of(config: Part) -> Sequence[str]:
    """`session.resetTriggers`; an empty list is as good as none."""
    return config.part("session").texts("resetTriggers") or DEFAULT_TRIGGERS


def find_trigger(raw: str, bare: str, triggers: Sequence[str]) -> str | None:
    """What a message says after the first trigger it begins with; None: it begins with none.

    `raw` is the message as it came, `bare` the same without what was put around it (see
    `command_text`). The text is that of the form that matched, the bare one first, in its own
    case. Only a space ends a trigger; an empty trigger is none.
    """
    forms = [trim(bare), trim(raw)]
    for trigger in triggers:
        wanted = trigger.lower()
        if not wanted:
            continue
        if any(form.lower() == wanted for form in forms):
            return ""
        for form in forms:
            if form.lower().startswith(f"{wanted} "):
                return form[_length(form, wanted) :].lstrip(JS_SPACE)
    return None


def _length(text: str, lower: str) -> int:
    """How much of `text` is `lower` in lower case, which may be longer."""
    at = len(lower)
    while at and len(text[:at].lower()) > len(lower):
        at -= 1
    return at


def command_text(text: str) -> str:
    """A message without history, time stamps in brackets and names of senders, on one line."""
    _, mark, current = text.partition(CURRENT_MESSAGE)
    bare = _LABEL.sub("", _without_brackets(current.lstrip(JS_SPACE) if mark else text))
    return trim(JS_SPACES.sub(" ", bare.replace("\\n", " ")))


def _without_brackets(text: str) -> str:
    # By hand: an expression would look for the end anew from each of a million brackets.
    kept, at = [], 0
    while (start := text.find("[", at)) >= 0:
        end = text.find("]", start + 1)
        if end < 0:
            break
        if end == start + 1:
            kept.append(text[at : end + 1])
            at = end + 1
            continue
        kept.append(text[at:start])
        at = end + 1
        while at < len(text) and text[at] in JS_SPACE:
            at += 1
    kept.append(text[at:])
    return "".join(kept)


def without_mentions(text: str, config: Part, agent_id: str) -> str:
    """A message to a group without the names it calls: those configured, and numbers."""
    deadline = time.monotonic() + _MENTION_SECONDS
    for part, index, pattern in _patterns(config, agent_id):
        text = _without(text, pattern, part, f"mentionPatterns[{index}]", deadline)
    return trim(JS_SPACES.sub(" ", _NUMBER.sub(" ", text)))


def _patterns(config: Part, agent_id: str) -> list[tuple[Part, int, str]]:
    listed = config.part("agents").items("list")
    own = [item for item in listed if normal_agent_id(item.text("id")) == agent_id]
    for part in (*own[:1], config.part("messages")):
        chat = part.part("groupChat")
        patterns = chat.texts("mentionPatterns")
        if patterns is not None:
            return [(chat, index, pattern) for index, pattern in enumerate(patterns)]
    return []


def _without(text: str, pattern: str, part: Part, name: str, deadline: float) -> str:
    # Hardly anybody has one, and loading it is a tenth of the daemon's start.
    import regex  # type: ignore[import-untyped]  # noqa: PLC0415

    try:
        found = regex.compile(pattern, regex.IGNORECASE | regex.VERSION0)
        left = max(deadline - time.monotonic(), 0.01)
        return str(found.sub(" ", text, timeout=left))
    except (regex.error, ValueError, OverflowError, RecursionError, TimeoutError):
        part.refuse(name, "a regular expression that is quick to try")
        return text
