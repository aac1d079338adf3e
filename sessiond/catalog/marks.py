"""Marks that people give sessions: pinned, hidden, and tags."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol, TypeAlias

import attrs

from sessiond.catalog.summaries import Summary
from sessiond.runtime.errors import InvalidParams
from sessiond.text.safe import visible

MarkKey: TypeAlias = tuple[str, str]
"""The agent of a session, and its id."""

_LONGEST_TAG = 64
_MOST_TAGS = 100


@attrs.frozen
class Marks:
    """The marks of a session."""

    pinned: bool = False
    hidden: bool = False
    tags: tuple[str, ...] = ()
    """Sorted."""
    changed: str = ""
    """When they were last changed, in ISO 8601 UTC."""

    @property
    def are_any(self) -> bool:
        """Whether the session has a mark."""
        return self.pinned or self.hidden or bool(self.tags)


NO_MARKS = Marks()


@attrs.frozen
class MarkChange:
    """Marks that sessions get or lose; what is None stays as it is."""

    pinned: bool | None = None
    hidden: bool | None = None
    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()

    def apply(self, marks: Marks, at: str) -> Marks:
        """Return the marks after the change. Raises InvalidParams for too many tags."""
        tags = tuple(sorted((set(marks.tags) - self.removed) | self.added))
        if len(tags) > _MOST_TAGS:
            raise InvalidParams(f"a session has at most {_MOST_TAGS} tags", "$.addTags")
        pinned = marks.pinned if self.pinned is None else self.pinned
        hidden = marks.hidden if self.hidden is None else self.hidden
        return Marks(pinned, hidden, tags, at)


def checked_tag(tag: str, place: str) -> str:
    """Return a tag in the spelling in which it is stored. Raises InvalidParams, naming `place`."""
    tag = unicodedata.normalize("NFC", tag)
    is_word = tag and not any(each.isspace() or each == "," for each in tag)
    if not is_word or len(tag) > _LONGEST_TAG or visible(tag) != tag:
        raise InvalidParams(
            f"a tag is a word of at most {_LONGEST_TAG} characters without commas: {tag[:80]!r}",
            place,
        )
    return tag


class MarkStore(Protocol):
    """Keeps the marks of one source of sessions."""

    latest: Mapping[MarkKey, Marks]
    """The marks as they were read last. Never changed, but replaced."""

    @property
    def path(self) -> str | None:
        """The file that changes with them, which can be watched; None: there is none."""

    async def read(self) -> Mapping[MarkKey, Marks]:
        """Return the marks of all sessions that ever had some, as they are now."""

    async def change(self, keys: Sequence[MarkKey], change: MarkChange) -> list[Marks]:
        """Change the marks of sessions; returns them in the order of `keys`.

        Raises InvalidParams, Busy, WriteFailed, and Unsupported.
        """


class NoMarks:
    """The marks of a source whose sessions cannot be marked: see `Source.refuse`."""

    path = None

    def __init__(self) -> None:
        self.latest: Mapping[MarkKey, Marks] = {}

    async def read(self) -> Mapping[MarkKey, Marks]:
        return self.latest

    async def change(self, keys: Sequence[MarkKey], change: MarkChange) -> list[Marks]:
        raise NotImplementedError


@attrs.frozen
class MarkFilter:
    """Which sessions a list has by their marks, and whether pinned ones come first."""

    marks: Mapping[MarkKey, Marks] = attrs.field(factory=dict, eq=False)
    agent_of: Callable[[str], str] = attrs.field(default=str, eq=False)
    """Returns the agent of a session by its path."""
    tag: str | None = None
    hidden: Literal["include", "exclude", "only"] = "include"
    pinned_first: bool = False

    def marks_of(self, summary: Summary) -> Marks:
        """Return the marks of a session."""
        if not self.marks:
            return NO_MARKS
        return self.marks.get((self.agent_of(summary.path), summary.header.id), NO_MARKS)

    @property
    def chooses(self) -> bool:
        """Whether a list with it differs from one without it."""
        if not self.marks:
            return self.tag is not None or self.hidden == "only"
        return self.tag is not None or self.hidden != "include" or self.pinned_first

    def has(self, summary: Summary) -> bool:
        """Whether a session is in the list."""
        if self.tag is None and self.hidden == "include":
            return True
        marks = self.marks_of(summary)
        if self.tag is not None and self.tag not in marks.tags:
            return False
        return self.hidden == "include" or marks.hidden == (self.hidden == "only")

    def is_pinned(self, summary: Summary) -> bool:
        """Whether a session is pinned."""
        return self.marks_of(summary).pinned

    def in_order(self, summaries: Sequence[Summary]) -> Sequence[Summary]:
        """Return sessions with the pinned ones first, if they come first; else as they are."""
        if not (self.pinned_first and self.marks):
            return summaries
        return sorted(summaries, key=self.is_pinned, reverse=True)

    @property
    def bound(self) -> list[object]:
        """The parts of the name of a list that it determines; empty for a list without it."""
        if self == MarkFilter():
            return []
        return [self.tag, self.hidden, self.pinned_first]
