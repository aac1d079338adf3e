"""The content of the picker: which sessions match, in which order, and which parts of texts
match.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.utils import get_cwidth

from sessiond.cli.astext import (
    homely,
    last_use,
    marked_title,
    marks_text,
    one_line,
    tags_text,
    title,
)
from sessiond.cli.hits import NOTHING_SAID, Said, words_of
from sessiond.cli.terminal import shortened

Info = Mapping[str, Any]
"""A session, as lists answer it."""

_AGE = 4
_LEAST_TITLE, _MOST_DIRECTORY, _MOST_AGENT = 24, 32, 11
"""Cells of the columns."""
_BEFORE = 12
"""Characters shown before the first hit in what was said."""


class Choice(NamedTuple):
    """A session that can be chosen, and a text of it that matches."""

    info: Info
    said: Said = NOTHING_SAID


def choices(
    sessions: Sequence[Info], query: str, said: Mapping[str, Said] | None = None
) -> list[Choice]:
    """Return the sessions with every word of the query in their title, directory or id.

    Then those in which it was said: `said` are texts of sessions, by path. All in the order of the
    list.
    """
    words = words_of(query)
    named, spoken = [], []
    for info in sessions:
        marks = marks_text(info.get("marks"))
        texts = (title(info), info["cwd"], info["id"], info.get("agent", ""), marks)
        shown = " ".join(texts).casefold()
        each = (said or {}).get(info["path"], NOTHING_SAID)
        if all(word in shown for word in words):
            named.append(Choice(info, each))
        elif each.text:
            spoken.append(Choice(info, each))
    return [*named, *spoken]


def marked(text: str, words: Iterable[str], style: str = "") -> StyleAndTextTuples:
    """Return a text with the words highlighted, whatever their case."""
    pattern = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    if not pattern:
        return [(style, text)]
    parts: StyleAndTextTuples = []
    at = 0
    for match in re.finditer(pattern, text, re.IGNORECASE):
        parts += [(style, text[at : match.start()]), (f"{style} class:hit", match[0])]
        at = match.end()
    return [part for part in (*parts, (style, text[at:])) if part[1]]


def counts(sessions: Sequence[Info]) -> str:
    """Return how many sessions there are, and of which agents if these are several."""
    agents = Counter(str(info.get("agent", "")) for info in sessions)
    each = ", ".join(f"{count} {name}" for name, count in agents.most_common())
    many = "1 session" if len(sessions) == 1 else f"{len(sessions)} sessions"
    return f"{many}: {each}" if len(agents) > 1 else many


class Columns(NamedTuple):
    """The widths of the columns of a list, in cells; 0: the column is left out."""

    title: int
    directory: int
    agent: int

    @classmethod
    def of(cls, sessions: Sequence[Info], width: int) -> Columns:
        """Divide a width among the columns that there is something to show in."""
        agents = {str(info.get("agent", "")) for info in sessions}
        folders = {homely(one_line(cwd)) for cwd in {info["cwd"] for info in sessions}}
        agent = min(_MOST_AGENT, max(map(get_cwidth, agents), default=0)) if len(agents) > 1 else 0
        directory = 0
        if len(folders) > 1:
            directory = min(_MOST_DIRECTORY, width // 3, max(map(get_cwidth, folders)))
        rest = width - _AGE - 2
        if rest - agent - directory - 4 < _LEAST_TITLE:
            agent = 0
        if rest - directory - 2 < _LEAST_TITLE:
            directory = 0
        others = sum(each + 2 for each in (agent, directory) if each)
        return cls(max(1, rest - others), directory, agent)


def row(choice: Choice, words: Sequence[str], columns: Columns, style: str) -> StyleAndTextTuples:
    """Return the line of a session, with the words of the query highlighted."""
    info = choice.info
    parts: StyleAndTextTuples = [(style, f"{last_use(info):>{_AGE}}  ")]
    text = f"{marked_title(info)}  {tags_text(info)}".rstrip()
    is_said = bool(choice.said.text) and not all(word in text.casefold() for word in words)
    if is_said:
        text = f"{shortened(text, columns.title // 2)} · {_from_hit(choice.said.text, words)}"
    parts += _cell(text, columns.title, words, style)
    if columns.directory:
        folder = homely(one_line(info["cwd"]))
        tail = shortened(folder[::-1], columns.directory)[::-1]
        parts += [(style, "  "), *_cell(tail, columns.directory, words, f"{style} class:dim")]
    if columns.agent:
        agent = str(info.get("agent", ""))
        parts += [(style, "  "), *_cell(agent, columns.agent, words, f"{style} class:dim")]
    return parts


def _cell(text: str, width: int, words: Sequence[str], style: str) -> StyleAndTextTuples:
    cut = shortened(text, width)
    return [*marked(cut, words, style), (style, " " * (width - get_cwidth(cut)))]


def _from_hit(text: str, words: Sequence[str]) -> str:
    """Return a text from shortly before its first hit."""
    folded = text.casefold()
    hits = [at for word in words if (at := folded.find(word)) >= 0]
    start = max(0, min(hits, default=0) - _BEFORE)
    return f"…{text[start:].lstrip()}" if start else text
