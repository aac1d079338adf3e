"""Copy a session that only its agent writes into a session file that pi continues."""

from __future__ import annotations

import os
from collections.abc import Iterator

import attrs

from sessiond.agents.sessions import recognize, translation_of
from sessiond.agents.translated_documents import contents_of
from sessiond.catalog.scope import SessionScope
from sessiond.files import journal, workers
from sessiond.files.contents import Contents
from sessiond.format.for_pi import is_for_pi, lines_for_pi
from sessiond.format.header import Header
from sessiond.format.ids import iso_now, new_entry_id
from sessiond.format.lines import Stamp, custom_line
from sessiond.format.merged import merged_answers
from sessiond.runtime.errors import InvalidParams, SessionNotFound
from sessiond.runtime.isolation import Faults
from sessiond.text.parts import join_members
from sessiond.text.spans import js_string, replace_member


@attrs.frozen
class SessionCopy:
    """The lines of a session file that is to be written."""

    header: Header
    lines: list[bytes]

    async def write(self, path: str) -> None:
        """Write the file, with its directory. Raises AlreadyExists and WriteFailed."""
        await workers.writing(workers.LONG, journal.create, path, self.lines, settled=True)


async def pull(path: str) -> SessionCopy:
    """Read a translated session as a file with the same id. Raises as opening it does."""
    translation = await workers.reading(workers.LONG, recognize, path)
    if translation is None:
        raise SessionNotFound(path)
    contents = await contents_of(path, translation)
    make = _merged_lines(path, contents) if translation.splits_answers else _lines(contents)
    lines = await workers.computing(contents.offset, list, make)
    return SessionCopy(contents.header, [line + b"\n" for line in lines])


def _merged_lines(path: str, contents: Contents) -> Iterator[bytes]:
    """Yield the lines with answers in one piece, and an entry that names the source."""
    tree = contents.tree
    yield contents.header.raw
    yield from merged_answers(entry.raw for entry in tree.entries)
    at = Stamp(new_entry_id(tree.by_id), tree.leaf_id, iso_now())
    yield custom_line(at, "copied", join_members(("path", js_string(path))))


def _lines(contents: Contents) -> Iterator[bytes]:
    header, tree = contents.header, contents.tree
    if is_for_pi(header.version, tree):
        yield from contents.lines()
        return
    yield replace_member(header.raw, "version", b"3")
    yield from lines_for_pi(tree)


async def find(scope: SessionScope, session: str) -> str:
    """Find a translated session by its path, its id, or the beginning of its id.

    Returns its path. Raises SessionNotFound, InvalidParams if several ids begin so, and what
    reading the places of the scope raises.
    """
    if os.path.isabs(session):
        translation = await workers.reading(workers.LONG, recognize, session)
        if translation is not None:
            return session
    every = await workers.reading(workers.LONG, _paths, scope)
    beginning = {path: each for path, each in every.items() if each.startswith(session)}
    candidates = [path for path, each in beginning.items() if each == session] or list(beginning)
    if len(candidates) > 1:
        raise InvalidParams(f"several ids begin with {session}: {', '.join(candidates)}", "SESSION")
    if not candidates:
        raise SessionNotFound(session)
    return candidates[0]


def _paths(scope: SessionScope) -> dict[str, str]:
    """Return the paths of the translated sessions of a scope, with their ids."""
    paths = ((path, translation_of(path)) for path in scope.files(Faults()))
    return {path: each.id_of(path) for path, each in paths if each is not None}
