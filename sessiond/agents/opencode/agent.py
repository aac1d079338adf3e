"""opencode: all sessions in one database for each release channel, before 1.2 in JSON files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping

import attrs

from sessiond.agents.agent import ReadOnlyAgent
from sessiond.agents.source import Record, file_record
from sessiond.agents.translation import INSTEAD, DatabaseTranslation, TranslatedReading
from sessiond.files import disk
from sessiond.runtime.errors import Unsupported
from sessiond.runtime.home import absolute

_DATABASE = "opencode.db"
_CHANNEL = re.compile(r"opencode-[A-Za-z0-9._-]{1,60}\.db")
_FILES = "storage.json"
"""Stands for the directory `storage` in the paths of sessions that lie in JSON files there."""


class OpencodeSessions(DatabaseTranslation):
    """The sessions of databases, and of the files before them."""

    database = _DATABASE

    def __init__(self) -> None:
        self.named: set[str] = set()
        """Databases that `OPENCODE_DB` has named, which only their paths tell from others."""

    def is_place(self, path: str) -> bool:
        name = os.path.basename(path)
        return name in (_DATABASE, _FILES) or path in self.named or bool(_CHANNEL.fullmatch(name))

    def holds(self, path: str) -> bool:
        place, name = os.path.split(path)
        return name.startswith("ses_") and name.endswith(".jsonl") and self.is_place(place)

    def place_of(self, path: str) -> str:
        place = os.path.dirname(path)
        above, name = os.path.split(place)
        is_further = name == _FILES or _CHANNEL.fullmatch(name)
        return f"{above}/{_DATABASE}" if is_further else place

    def further_places(self, directory: str) -> Iterable[str]:
        above, name = os.path.split(directory)
        if name != _DATABASE or not disk.isdir(above):
            return
        if disk.isdir(f"{above}/storage/session"):
            yield f"{above}/{_FILES}"
        for other in sorted(disk.listdir(above)):
            if _CHANNEL.fullmatch(other):
                yield f"{above}/{other}"

    def file_beside(self, path: str) -> str | None:
        place, name = os.path.split(path)
        above, database = os.path.split(place)
        return f"{above}/{_FILES}/{name}" if database != _FILES else None

    def file_of(self, path: str) -> str:
        storage = _storage_of(path)
        return os.path.dirname(path) if storage is None else storage

    def stat(self, path: str) -> os.stat_result | None:
        # Imported here and below, because most readers never see a database.
        from sessiond.agents.opencode.reading import stat_session

        storage = _storage_of(path)
        if storage is not None:
            return next((status for each, status in _stat_files(storage) if each == path), None)
        return stat_session(self.file_of(path), self.id_of(path))

    def stat_all(self, place: str) -> Iterable[tuple[str, os.stat_result | None]]:
        from sessiond.agents.opencode.reading import stat_sessions

        storage = _storage_of(f"{place}/")
        if storage is not None:
            return _stat_files(storage)
        return [
            (f"{place}/{session_id}.jsonl", status) for session_id, status in stat_sessions(place)
        ]

    def read(self, path: str, before: object | None = None) -> TranslatedReading | None:
        from sessiond.agents.opencode import storage as files
        from sessiond.agents.opencode.reading import read_session, reading_of

        storage = _storage_of(path)
        if storage is None:
            return read_session(self.file_of(path), self.id_of(path), before)
        session_id = self.id_of(path)
        file = dict(files.session_files(storage)).get(session_id)
        if file is None:
            return None
        status = files.stat_session(storage, session_id, file)
        session = files.read_session(session_id, file)
        messages = files.messages(storage, session_id)
        return reading_of(os.path.dirname(path), session, messages, status, before)

    def records(self, path: str, entry_id: str, most: int) -> list[Record]:
        from sessiond.agents.opencode.reading import rows
        from sessiond.agents.opencode.storage import record_files

        storage = _storage_of(path)
        if storage is not None:
            return [file_record(file, most) for file in record_files(storage, entry_id)]
        records_found = rows(self.file_of(path), entry_id)
        return [Record(self.file_of(path), len(row), row[:most]) for row in records_found]

    def refusal(self, path: str) -> Unsupported:
        return Unsupported(f"opencode alone writes {path}", path, INSTEAD)

    def refusal_beside(self, path: str, place: str) -> Unsupported:
        return Unsupported(f"opencode keeps its sessions in {place}", path, INSTEAD)


def _storage_of(path: str) -> str | None:
    """Return the directory of JSON files that has a session; None for one of a database."""
    place = os.path.dirname(path)
    return f"{os.path.dirname(place)}/storage" if place.endswith(f"/{_FILES}") else None


def _stat_files(storage: str) -> Iterator[tuple[str, os.stat_result]]:
    from sessiond.agents.opencode import storage as files

    place = f"{os.path.dirname(storage)}/{_FILES}"
    for session_id, file in files.session_files(storage):
        yield f"{place}/{session_id}.jsonl", files.stat_session(storage, session_id, file)


_SESSIONS = OpencodeSessions()


@attrs.frozen
class OpencodeAgent(ReadOnlyAgent):
    """opencode, whose directory lies below the one that its variable names."""

    def agent_dir(self, env: Mapping[str, str]) -> str:
        return os.path.join(super().agent_dir(env), "opencode")

    def session_dir(self, env: Mapping[str, str]) -> str | None:
        named = env.get("OPENCODE_DB")
        if not named:
            return None
        place = absolute(named, env)
        _SESSIONS.named.add(place)
        return place


OPENCODE = OpencodeAgent(
    "opencode",
    "XDG_DATA_HOME",
    "~/.local/share",
    _DATABASE,
    _SESSIONS,
    start_words=("opencode", "--prompt"),
    resume_words=("opencode", "-s", "{id}"),
)
AGENTS = (OPENCODE,)
