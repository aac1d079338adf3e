"""The sessions of all agents as files of entry lines, whatever they are on disk.

Everything that reads sessions in worker threads and only needs their bytes asks here. All functions
block.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

import msgspec

from sessiond.agents.registry import translations
from sessiond.agents.runs import parent_of_run, places_of_runs
from sessiond.agents.source import Record, find_lines
from sessiond.agents.translation import GatewayDatabase, Translation, copy_of
from sessiond.files import disk
from sessiond.files.identity import FileState, OpenedFile, Reached, chunks, stat_regular
from sessiond.format.header import Header, Subagent
from sessiond.runtime.errors import ReadFailed, SessiondError, SessionNotFound

SUFFIX = ".jsonl"
_HEAD_BYTES = 4096
_VERSION_BYTES = 64 * 1024
_MOST_RECOGNIZED = 1000

_ARCHIVED = re.compile(r"\.jsonl\.(?:reset|deleted)\.[0-9]{4}-[0-9T.-]{10,30}Z")
"""The end of the name of a transcript that a gateway put away (`gateway/transcript.py`)."""
_CHECKPOINT = r"\.checkpoint\.[0-9a-f-]{36}\.jsonl$"

_recognized: dict[str, Translation] = {}
"""The translations of files that no path tells, as copies are, by how they began when last read."""


class SessionBytes(NamedTuple):
    """A session that is open for reading, as bytes of a file."""

    descriptor: int
    state: FileState
    end: int
    """The length of the lines in bytes: of a translated session not the size in its state."""


def translation_of(path: str) -> Translation | None:
    """Return what translates the session at a path; None for a file of pi's format.

    The path alone tells, or what `recognize` or `opened_session` saw there last.
    """
    return _of_path(path) or _recognized.get(path)


def recognize(path: str) -> Translation | None:
    """Return what translates the session at a path, by how the file begins if no path tells.

    Blocking. Raises ReadFailed and PathNotAllowed.
    """
    translation = _of_path(path)
    if translation is not None:
        return translation
    try:
        with OpenedFile(path) as (descriptor, _):
            return _recognize(path, descriptor)
    except SessionNotFound:
        return None


def _of_path(path: str) -> Translation | None:
    return next((each for each in translations() if each.holds(path)), None)


def _recognize(path: str, descriptor: int) -> Translation | None:
    head = os.pread(descriptor, _HEAD_BYTES, 0)
    translation = None
    if not head.startswith(b'{"type":"session",'):
        translation = next((each for each in translations() if each.begins(head)), None)
    if translation is None:
        _recognized.pop(path, None)
    else:
        if len(_recognized) >= _MOST_RECOGNIZED:
            # Those that are read again are recognized again.
            _recognized.clear()
        _recognized[path] = translation
    return translation


@contextmanager
def opened_session(
    path: str, before: Reached | None = None, *, is_brief: bool = False
) -> Iterator[SessionBytes]:
    """Open a session for reading; with `is_brief` only for what `Translation.read_briefly` keeps.

    The descriptor of a translated session leads to a copy in memory. If the session has only grown
    since `before`, the copy may have only the known tail and what follows. Raises SessionNotFound,
    ReadFailed and what reading a translation raises; an OSError in the block is a failed read.
    """
    translation = _of_path(path)
    if translation is None:
        with OpenedFile(path) as (descriptor, state):
            translation = _recognize(path, descriptor)
            if translation is None:
                yield SessionBytes(descriptor, state, state.size)
                return
    if is_brief:
        reading = translation.read_briefly(path, before)
    else:
        reading = None if before is None else translation.read_growth(path, before)
        reading = reading or translation.read(path)
    if reading is None:
        raise SessionNotFound(path)
    with copy_of(reading, before) as file:
        end = file.tell()
        file.seek(0)
        yield SessionBytes(file.fileno(), reading.state, end)


@contextmanager
def said_bytes(path: str) -> Iterator[Iterator[bytes] | None]:
    """Open the bytes that have every word said in a session as it is; None: there are no such.

    Raises SessionNotFound and ReadFailed; an OSError in the block is a failed read.
    """
    translation = _of_path(path)
    if translation is not None and translation.file_of(path) != path:
        # A database, or several files.
        yield None
        return
    with OpenedFile(path) as (descriptor, state):
        translation = translation or _recognize(path, descriptor)
        if translation is None or translation.keeps_words(path, descriptor):
            yield chunks(descriptor, 0, state.size)
        else:
            yield None


def stat_session(path: str) -> os.stat_result | None:
    """Return the `stat` of a session; None if there is none. Raises as `stat_regular` does."""
    translation = translation_of(path)
    if translation is None:
        return stat_regular(path)
    try:
        return translation.stat(path)
    except SessionNotFound:
        return None


def records_of(path: str, entry_id: str, most: int) -> list[Record]:
    """Return the records on disk that an entry was made of; see `Translation.records`.

    Raises SessionNotFound, ReadFailed and what reading a translation raises.
    """
    translation = recognize(path)
    if translation is None:
        return find_lines(path, entry_id, most, lambda line: (line,))
    return translation.records(path, entry_id, most)


def versions_in(paths: Iterable[str]) -> list[str]:
    """Return the versions of agents that the beginnings of sessions name, each once."""
    versions: dict[str, None] = {}
    for path in paths:
        translation = translation_of(path)
        pattern = None if translation is None else translation.version
        if pattern is not None:
            with suppress(SessiondError), OpenedFile(path) as (descriptor, _):
                match = pattern.search(os.pread(descriptor, _VERSION_BYTES, 0))
                if match is not None:
                    versions[match[1].decode(errors="replace")] = None
    return list(versions)


def is_session_name(name: str) -> bool:
    """Return whether a file of this name may be a session."""
    return _names(_ends()).fullmatch(name) is not None


def is_archived(path: str) -> bool:
    """Return whether a session is a transcript that a gateway put away, by the path alone."""
    at = path.rfind(SUFFIX) if path.endswith("Z") else -1
    return at >= 0 and _ARCHIVED.fullmatch(path, at) is not None


def suffixes() -> tuple[str, ...]:
    """Return what the names of sessions end with, besides `.jsonl`."""
    return tuple(suffix for each in translations() for suffix in each.suffixes)


def stat_sessions(directory: str) -> Iterator[tuple[str, os.stat_result | None]]:
    """Return the paths of the sessions of a directory with their `lstat`.

    Raises OSError, and what reading a translation raises; see `disk.stat_entries`.
    """
    translation = _translation_of_place(directory)
    if translation is None:
        entries = disk.stat_entries(directory, (SUFFIX, *suffixes(), "Z"))
        is_session, start = _names(_ends()).fullmatch, len(directory) + 1
        prefix = directory + "/" + _prefix_in(directory)
        return (
            (path, state)
            for path, state in entries
            if is_session(path, start) is not None and path.startswith(prefix)
        )
    return iter(translation.stat_all(directory))


def session_paths(directory: str) -> list[str]:
    """Return the paths of the sessions of a directory in the order of names.

    Raises as `stat_sessions` does.
    """
    if _translation_of_place(directory) is not None:
        return sorted(path for path, _ in stat_sessions(directory))
    names = sorted(disk.listdir(directory))
    is_session, prefix = _names(_ends()).fullmatch, _prefix_in(directory)
    return [
        f"{directory}/{name}"
        for name in names
        if is_session(name) is not None and name.startswith(prefix)
    ]


def _ends() -> tuple[str, ...]:
    """Return expressions for the names of sessions that do not end with `.jsonl`."""
    every = (each for each in translations() if each.suffixes)
    return tuple(each.names or f".*(?:{'|'.join(map(re.escape, each.suffixes))})" for each in every)


@functools.cache
def _names(ends: tuple[str, ...]) -> re.Pattern[str]:
    """Return what matches the names of sessions.

    No session is a copy that OpenClaw made before a compaction, until May 2026. A transcript that a
    gateway put away has the reason and the time at the end (`gateway/transcript.py`).
    """
    every = "|".join([*ends, f".*{_ARCHIVED.pattern}"])
    return re.compile(rf"(?!.*{_CHECKPOINT})(?:.*\.jsonl|{every})", re.DOTALL)


def _prefix_in(directory: str) -> str:
    return max((each.prefix_in(directory) for each in translations()), key=len)


def is_place(path: str) -> bool:
    """Return whether a path names what holds sessions as a directory does, by the path alone."""
    return any(each.is_place(path) for each in translations())


def places_beside(directory: str) -> list[str]:
    """Return where further sessions of a directory of sessions lie, or would lie."""
    if is_place(directory):
        return [directory]
    return [place for each in translations() if (place := each.place_beside(directory)) is not None]


def places_with(directory: str) -> list[str]:
    """Return what exists of the places beside a directory of sessions, and the directory.

    Reads the disk each time, because an agent may be upgraded while the daemon runs.
    """
    return list(dict.fromkeys([*filter(disk.exists, places_beside(directory)), directory]))


def further_places(directory: str) -> list[str]:
    """Return what holds further sessions of a directory of sessions. Raises OSError."""
    further = [place for each in translations() for place in each.further_places(directory)]
    return further if is_place(directory) else [*further, *places_of_runs(directory)]


def places_near(directory: str) -> list[str]:
    """Return directories whose sessions may have worked where those of a directory did.

    Raises OSError.
    """
    return [place for each in translations() for place in each.places_near(directory)]


def place_of(path: str) -> str:
    """Return the directory of sessions that a session belongs to, by the path alone."""
    translation = translation_of(path)
    if translation is not None:
        return translation.place_of(path)
    return os.path.dirname(parent_of_run(path) or path)


def changed_with(path: str) -> Iterable[str]:
    """Return other sessions to look at when one has changed. Blocking."""
    translation = translation_of(path)
    return () if translation is None else translation.changed_with(path)


def header_at(path: str, header: Header) -> Header:
    """Return what a header says, and what the path of the session says beside it."""
    parent = parent_of_run(path) if header.subagent is None else None
    if parent is None:
        return header
    parent_path = header.parent_session or parent
    return msgspec.structs.replace(header, subagent=Subagent(), parent_session=parent_path)


def file_beside(path: str) -> str | None:
    """Return where the file of a session lay before it was moved into a database, if it was."""
    translation = translation_of(path)
    return None if translation is None else translation.file_beside(path)


def file_of(path: str) -> str:
    """Return the file on disk that has the session at a path."""
    translation = translation_of(path)
    return path if translation is None else translation.file_of(path)


def refuse_writing(path: str) -> None:
    """Raise Unsupported for a session that only its agent may change. Blocking for a moment."""
    translation = translation_of(path)
    # What cannot be read can still be moved.
    with suppress(ReadFailed):
        translation = recognize(path)
    if translation is not None:
        raise translation.refusal(path)


def refuse_new_file(path: str) -> None:
    """Raise Unsupported where an agent would not read a new session file."""
    found = translation_of(path)
    if found is not None:
        raise found.refusal(path)
    directory = os.path.dirname(path)
    for translation in translations():
        place = (
            directory if translation.is_place(directory) else translation.place_beside(directory)
        )
        if place is not None and disk.exists(place):
            raise translation.refusal_beside(path, place)


def databases_beside_store(directory: str) -> list[str]:
    """Return where a database would lie that replaces a gateway's store in this directory."""
    return [each.beside_store(directory) for each in _databases()]


def database_at(path: str) -> GatewayDatabase:
    """Return what reads the database of a gateway with this path."""
    return next(each for each in _databases() if each.is_place(path))


def _databases() -> list[GatewayDatabase]:
    return [each for each in translations() if isinstance(each, GatewayDatabase)]


def _translation_of_place(directory: str) -> Translation | None:
    """Return what reads a place; a directory can have the name of one."""
    translation = next((each for each in translations() if each.is_place(directory)), None)
    return None if translation is None or disk.isdir(directory) else translation
