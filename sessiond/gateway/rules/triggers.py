"""Find reset triggers in a message, after removing what gateways add to it."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

from sessiond.agents.agent_ids import normal_agent_id
from sessiond.gateway.config.reader import Part
from sessiond.gateway.keys.identity import trim
from sessiond.jsontext.spans import JS_SPACE, JS_SPACES

DEFAULT_TRIGGERS = ("/new", "/reset")
CURRENT_MESSAGE = "[Current message - respond to this]"
"""Separates the history from the message."""

_MENTION_SECONDS = 0.1
"""Time limit for all patterns of a message, because they run on the event loop."""
# The start of a line in JavaScript; Python's `^` knows only \n.
_LABEL = re.compile(rf"(?:\A|(?<=[\n\r\u2028\u2029]))[A-Za-z0-9+()\-_. ]++:[{JS_SPACE}]*")
_NUMBER = re.compile(r"@[0-9+]{5,}")


def triggers_of(config: Part) -> Sequence[str]:
    """`session.resetTriggers`; the defaults if it is empty."""
    return config.part("session").texts("resetTriggers") or DEFAULT_TRIGGERS


def find_trigger(raw: str, bare: str, triggers: Sequence[str]) -> str | None:
    """The text after the trigger at the start of a message; None without a trigger.

    `raw` is the original message, `bare` the result of `command_text`. The rest is taken from the
    form that matched, `bare` first, in its original case. Only a space ends a trigger; empty
    triggers are ignored.
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
    """The length of the start of `text` whose lower case is `lower`; lower case may be longer."""
    length = 0
    for at, character in enumerate(text):
        length += len(character.lower())
        if length > len(lower):
            return at
    return len(text)


def command_text(text: str) -> str:
    """A message without history, bracketed time stamps and names of senders, on one line."""
    _, mark, current = text.partition(CURRENT_MESSAGE)
    bare = _LABEL.sub("", _without_brackets(current.lstrip(JS_SPACE) if mark else text))
    return trim(JS_SPACES.sub(" ", bare.replace("\\n", " ")))


def _without_brackets(text: str) -> str:
    # Not a regular expression, which would search for the end again from each of many brackets.
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
    """A group message without mentions: configured patterns and numbers."""
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
    # Rarely needed, and importing it takes a tenth of the daemon's start.
    import regex  # type: ignore[import-untyped]  # noqa: PLC0415

    try:
        compiled = regex.compile(pattern, regex.IGNORECASE | regex.VERSION0)
        left = max(deadline - time.monotonic(), 0.01)
        return str(compiled.sub(" ", text, timeout=left))
    except (regex.error, ValueError, OverflowError, RecursionError, TimeoutError):
        part.refuse(name, "a regular expression that is quick to try")
        return text
