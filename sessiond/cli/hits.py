"""The texts of search hits, and which of them to open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sessiond.cli.astext import one_line


class Said(NamedTuple):
    """A text of a session that matches, on one line, and the entry that has it."""

    text: str
    entry_id: str


NOTHING_SAID = Said("", "")


def words_of(query: str) -> list[str]:
    return query.replace('"', " ").casefold().split()


def best_snippet(hit: Mapping[str, Any], words: Sequence[str]) -> Said:
    """Return the snippet of a search hit with the most words; without snippets `NOTHING_SAID`."""
    said = [Said(one_line(each["text"]), each["entryId"]) for each in hit["snippets"]]
    return max(
        said,
        key=lambda each: sum(word in each.text.casefold() for word in words),
        default=NOTHING_SAID,
    )
