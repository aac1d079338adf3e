"""Sessions that are read as a whole each time: one document for each, which its agent rewrites.

A session has grown if it begins with the entries that were read before; what its agent changed in
the middle makes it another one.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Sequence
from hashlib import blake2b

import attrs

from sessiond.agents.translation import TranslatedReading, Translation
from sessiond.files.identity import FileState, OpenedFile, read_from, stat_regular
from sessiond.format.lines import Stamp, session_info_line
from sessiond.runtime.errors import SessionNotFound
from sessiond.text.parts import object_members, string_of


@attrs.frozen
class WholeSession:
    """All entry lines of a session, of which the first is its header, and its title."""

    id: str
    lines: Sequence[bytes]
    title: str = ""
    updated: str = ""
    """The time of the last change, as ISO text."""


@attrs.frozen
class WholePlace:
    """How far a session was read: its entries, and its title."""

    count: int
    digest: bytes
    title: str


class DocumentTranslation(Translation):
    """The sessions of an agent that keeps one file for each, and rewrites what is in it."""

    @abstractmethod
    def session(self, path: str, data: bytes) -> WholeSession | None:
        """Return the session in a file; None if the bytes are none."""

    def stat(self, path: str) -> os.stat_result | None:
        return stat_regular(path)

    def read(self, path: str, before: object | None = None) -> TranslatedReading | None:
        try:
            with OpenedFile(path) as (descriptor, state):
                data = read_from(descriptor, 0, state.size)
        except SessionNotFound:
            return None
        return reading_of(self.session(path, data), state, before)


def reading_of(
    session: WholeSession | None, state: FileState, before: object | None
) -> TranslatedReading:
    """Return the lines of a session in a state, or those after the known ones.

    Without a session there are no lines, so the file is none.
    """
    if session is None:
        return TranslatedReading(state, None, [], is_growth=False)
    lines = session.lines
    place = WholePlace(len(lines), digest_of(lines), session.title)
    first, title = 0, ""
    if isinstance(before, WholePlace) and digest_of(lines[: before.count]) == before.digest:
        first, title = before.count, before.title
    grown = list(lines[first:])
    if session.title and session.title != title:
        # Named below the last entry, so that the entries before stay where they are.
        name = digest_of([session.title.encode(errors="surrogatepass")]).hex()[:8]
        at = Stamp(f"{session.id}-{name}", end_of(lines[1:]), session.updated)
        grown.append(session_info_line(at, session.title))
    return TranslatedReading(state, place, grown, is_growth=bool(first))


def end_of(lines: Sequence[bytes]) -> str | None:
    """Return the id of the last of these entries."""
    return string_of(object_members(lines[-1]).get("id")) if lines else None


def digest_of(lines: Sequence[bytes]) -> bytes:
    digest = blake2b(digest_size=16)
    for line in lines:
        digest.update(b"%d:" % len(line))
        digest.update(line)
    return digest.digest()
