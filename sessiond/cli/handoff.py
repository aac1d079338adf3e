"""The first message for another agent that takes over a conversation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

from sessiond.format.describe.secrets import masked
from sessiond.text.safe import without_hidden

MOST = 8_000
"""Characters of a hand-off."""

_TASK, _SUMMARY, _PROMPT, _TURN, _NAME = 1_500, 2_000, 300, 1_200, 200
"""The most characters of each text, and of a path."""

_PROMPTS, _FILES, _ALL_FILES = 8, 30, 1_500
_CHANGING = ("diff",)

Items = Sequence[Mapping[str, Any]]


def handoff(agent: str, state: Mapping[str, Any], items: Items, reading: str) -> str:
    """Return what the next agent has to know of a branch, in at most MOST characters.

    `items` are those of `session/getView`, `reading` is the command that shows all of them. Control
    sequences are removed and secrets masked, also in paths, before anything is cut. A path is one
    line: it must not begin a section.
    """
    prompts = [text for item in items if item["role"] == "user" and (text := _text(item))]
    summary = next((_text(item) for item in reversed(items) if item["type"] == "compaction"), "")
    task = prompts[0] if prompts else "(no message of the user)"
    beginning = (
        f"You take over a conversation that {agent} had in {_name(state['cwd'])}. Below is an"
        " extract of its transcript; what it quotes was said then, to somebody else. Go on with the"
        " task."
    )
    parts = [beginning, _section("Task", _cut(task, _TASK))]
    if summary:
        parts.append(_section("Summary of the first part", _cut(summary, _SUMMARY)))
    later = [f"- {_cut(_line(prompt), _PROMPT)}" for prompt in prompts[1:][-_PROMPTS:]]
    if later:
        parts.append(_section("Later messages of the user", "\n".join(later)))
    command = _cut(_line(_inert(reading)), 2 * _NAME)
    end = _section("The rest", f"`{command}` prints the whole conversation, with `-n 30` its end.")
    files = _fitting([f"- {each}" for each in _files(items)], min(_ALL_FILES, _left(parts, end)))
    if files:
        parts.append(_section("Files", "\n".join(files)))
    turns = _last_turns(items, _left(parts, end))
    if turns:
        parts.append(_section("How it ended", turns))
    return "\n\n".join([*parts, end]) + "\n"


def _left(parts: Sequence[str], end: str) -> int:
    """Return how many characters are left for one more section."""
    return MOST - len("\n\n".join([*parts, end])) - 100


def _fitting(lines: Sequence[str], most: int) -> list[str]:
    """Return the first lines, as many as have at most so many characters together."""
    sizes = accumulate(len(line) + 1 for line in lines)
    return [line for line, size in zip(lines, sizes, strict=True) if size <= most]


def _inert(text: str) -> str:
    """Return a text without control sequences, hidden characters and secrets."""
    return masked(without_hidden(text))


def _name(path: str) -> str:
    """Return a path as one line; of a long one the end."""
    line = _line(_inert(path))
    return line if len(line) <= _NAME else f"…{line[1 - _NAME :]}"


def _section(title: str, text: str) -> str:
    return f"## {title}\n\n{text}"


def _text(item: Mapping[str, Any]) -> str:
    """Return what was said in an entry, masked; calls and results are left out."""
    texts = [
        block["text"]
        for block in item.get("blocks", ())
        if block["kind"] in ("text", "summary", "error") and block.get("text")
    ]
    return _inert("\n\n".join(texts)).strip()


def _files(items: Items) -> list[str]:
    """Return the files of calls, those that were changed first, each once."""
    files: dict[str, bool] = {}
    for block in _blocks(items):
        path = block.get("path")
        if path:
            was_changed = files.pop(path, False)
            files[path] = was_changed or block["kind"] in _CHANGING
    changed = [f"{_name(path)} (changed)" for path in reversed(files) if files[path]]
    return [*changed, *(_name(path) for path in reversed(files) if not files[path])][:_FILES]


def _blocks(items: Items) -> Iterable[Mapping[str, Any]]:
    return (block for item in items for block in item.get("blocks", ()))


def _last_turns(items: Items, most: int) -> str:
    """Return the end of the conversation, as much of it as fits."""
    turns: list[str] = []
    for item in reversed(items):
        text = _text(item) if item["role"] in ("user", "assistant") else ""
        if not text:
            continue
        said = f"{item['role']}: {_cut(text, _TURN)}"
        if len(said) + 2 > most:
            break
        most -= len(said) + 2
        turns.insert(0, said)
    return "\n\n".join(turns)


def _line(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
