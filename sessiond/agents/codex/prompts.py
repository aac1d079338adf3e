"""Tell what a person typed from what Codex and editors wrote into the same messages."""

from __future__ import annotations

import re
from collections.abc import Sequence

import attrs

from sessiond.agents.injected import injected_length
from sessiond.agents.messages import Members, members_of
from sessiond.text.parts import elements, string_of

_TAGS = frozenset(
    {
        *("INSTRUCTIONS", "apps_instructions", "collaboration_mode", "environment_context"),
        *("environments", "hook_prompt", "model_switch", "permissions", "personality_spec"),
        *("plugins_instructions", "recommended_plugins", "skill", "skills_instructions"),
        *("subagent_notification", "turn_aborted", "user_instructions", "user_shell_command"),
    }
)
"""Elements that the program puts into messages of the user."""

_PROJECT = re.compile(r"\s*# AGENTS\.md instructions[^\n]{0,4096}\n\s*(?=<INSTRUCTIONS>)")
_EDITOR = re.compile(r"\s*# (?:Context from my IDE setup|Files mentioned by the user):")
_REQUEST = re.compile(r"^## My request for Codex:[ \t]*\n", re.MULTILINE)


@attrs.frozen
class Prompt:
    """The parts of a message of the user."""

    added: Sequence[str]
    """Texts that the program or an editor put before what was typed."""
    typed: str | None
    """The rest of the text that began with added context; None: nothing."""
    next_block: int
    """The number of the first block that is neither in `added` nor in `typed`."""
    first_text: str
    """The beginning of what was typed; empty: no text was."""


def split_prompt(item: Members) -> Prompt:
    """Split a message of the user.

    Newer versions say of each block whether it was typed (`content_item_kinds`). Older ones do not;
    what they add are elements that their own end tag closes.
    """
    content = item.get("content", b"[]")
    texts = [
        string_of(members_of(each).get("text")) or ""
        for each in (elements(content) if content.startswith(b"[") else [])
    ]
    passed = members_of(item.get("internal_chat_message_metadata_passthrough"))
    kinds = [string_of(each) or "" for each in elements(passed.get("content_item_kinds", b"[]"))]
    if kinds and not any(kind.startswith("user.") for kind in kinds):
        return Prompt(texts, None, len(texts), "")
    added: list[str] = []
    for number, text in enumerate(texts):
        length = _added_length(text, is_told=bool(kinds))
        if not length:
            return Prompt(added, None, number, text)
        added.append(text[:length].strip())
        rest = text[length:].strip()
        if rest:
            return Prompt(added, rest, number + 1, rest)
    return Prompt(added, None, len(texts), "")


def _added_length(text: str, *, is_told: bool) -> int:
    """Return the length of what was put before a prompt; 0: nothing."""
    if _EDITOR.match(text) is not None:
        request = _REQUEST.search(text)
        return 0 if request is None else request.end()
    if is_told:
        return 0
    heading = _PROJECT.match(text)
    start = 0 if heading is None else heading.end()
    length = injected_length(text[start:], _TAGS)
    return start + length if length else 0
