"""Tell what a person typed from what Claude Code and editors wrote into the same messages."""

from __future__ import annotations

import re
from collections.abc import Sequence

import attrs

from sessiond.agents.injected import injected_length
from sessiond.text.parts import string_of
from sessiond.text.spans import js_string
from sessiond.text.utf8 import readable

_OUTPUTS = frozenset({"bash-stderr", "bash-stdout", "local-command-stderr", "local-command-stdout"})
_CONTEXT = frozenset(
    {
        *("bash-input", "ide_diagnostics", "ide_opened_file", "ide_selection"),
        *("local-command-caveat", "new-diagnostics", "system-reminder", "task-notification"),
        *("user-memory-input", "command-name", "command-message", "command-args"),
        "command-contents",
    }
)
_ADDED = _OUTPUTS | _CONTEXT
"""Elements that nobody typed as they stand there."""

_UNSEEN = re.compile(r"\s*<(?:ide_|new-diagnostics|system-reminder|local-command-caveat)")
"""The beginning of context that people need not see."""

_NAME = re.compile(r"<command-name>\s*(/?[^<>\s]{1,200})\s*</command-name>")
_ARGUMENTS = re.compile(r"<command-args>(.*)</command-args>", re.DOTALL)
_OWN_COMMANDS = frozenset(
    {
        *("/clear", "/compact", "/config", "/context", "/cost", "/exit", "/login", "/logout"),
        *("/mcp", "/model", "/quit", "/rename", "/resume", "/status", "/usage"),
    }
)
"""Commands that the program carries out itself; the model is not asked."""


@attrs.frozen
class Prompt:
    """The parts of a message of the user, as raw JSON strings and numbers of blocks."""

    added: Sequence[bytes]
    """Texts that the program or an editor put before what was typed."""
    typed: bytes | None
    """The rest of the text that began with added context; None: nothing."""
    next_block: int
    """The number of the first block that is neither in `added` nor in `typed`."""
    is_shown: bool
    """Whether people should see the added texts."""


def slash_command(text: str) -> str | None:
    """Return a slash command as it was typed; None for any other text.

    The program writes it as `<command-message>`, `<command-name>` and `<command-args>`. Commands
    that the program carries out itself are none.
    """
    if "<command-name>" not in text or injected_length(text, _ADDED) < len(text.rstrip()):
        return None
    name = _NAME.search(text)
    if name is None or name[1] in _OWN_COMMANDS:
        return None
    arguments = _ARGUMENTS.search(text)
    return f"{name[1]} {arguments[1].strip() if arguments else ''}".rstrip()


def split_prompt(texts: Sequence[bytes]) -> Prompt:
    """Split a message of the user, of which `texts` has the text of each block; empty: no text."""
    added: list[bytes] = []
    is_shown = False
    for number, raw in enumerate(texts):
        text = string_of(readable(raw)) or ""
        length = injected_length(text, _ADDED)
        if not length:
            return Prompt(added, None, number, is_shown)
        added.append(js_string(text[:length].strip()))
        is_shown = is_shown or _UNSEEN.match(text) is None
        rest = text[length:].strip()
        if rest:
            return Prompt(added, js_string(rest), number + 1, is_shown)
    return Prompt(added, None, len(texts), is_shown)
