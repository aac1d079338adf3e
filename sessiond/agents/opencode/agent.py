"""opencode: all sessions in one database."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

import attrs

from sessiond.agents.agent import Agent
from sessiond.agents.source import Record
from sessiond.agents.translation import INSTEAD, TranslatedReading, Translation
from sessiond.errors import Unsupported
from sessiond.home import absolute

_DATABASE = "opencode.db"
_SUFFIX = ".jsonl"


class OpencodeSessions(Translation):
    """The sessions of a database, which counts as a directory of files."""

    def holds(self, path: str) -> bool:
        database, name = os.path.split(path)
        return self.is_place(database) and name.endswith(_SUFFIX)

    def is_place(self, path: str) -> bool:
        return os.path.basename(path) == _DATABASE

    def file_of(self, path: str) -> str:
        return os.path.dirname(path)

    def stat(self, path: str) -> os.stat_result | None:
        # Imported here and below, because most readers never see a database.
        from sessiond.agents.opencode.reading import stat_session  # noqa: PLC0415

        return stat_session(self.file_of(path), self.id_of(path))

    def stat_all(self, place: str) -> Iterable[tuple[str, os.stat_result | None]]:
        from sessiond.agents.opencode.reading import stat_sessions  # noqa: PLC0415

        return [
            (f"{place}/{session_id}{_SUFFIX}", seen) for session_id, seen in stat_sessions(place)
        ]

    def read(self, path: str, known: object | None = None) -> TranslatedReading | None:
        from sessiond.agents.opencode.reading import Place, read_session  # noqa: PLC0415

        place = known if isinstance(known, Place) else None
        return read_session(self.file_of(path), self.id_of(path), place)

    def records(self, path: str, entry_id: str, most: int) -> list[Record]:
        from sessiond.agents.opencode.reading import rows  # noqa: PLC0415

        found = rows(self.file_of(path), entry_id)
        return [Record(self.file_of(path), len(row), row[:most]) for row in found]

    def refusal(self, path: str) -> Unsupported:
        return Unsupported(f"opencode alone writes {path}", path, INSTEAD)

    def refusal_beside(self, path: str, place: str) -> Unsupported:
        return Unsupported(f"opencode keeps its sessions in {place}", path, INSTEAD)


@attrs.frozen
class OpencodeAgent(Agent):
    """opencode, whose sessions are read and never written."""

    @property
    def agent_dir_variable(self) -> str:
        return "XDG_DATA_HOME"

    @property
    def translation(self) -> OpencodeSessions:
        return _SESSIONS

    def agent_dir(self, env: Mapping[str, str]) -> str:
        return absolute(f"{env.get(self.agent_dir_variable) or '~/.local/share'}/opencode", env)

    def sessions_dir(self, agent_dir: str, agent_id: str | None) -> str:  # noqa: ARG002
        return os.path.join(agent_dir, _DATABASE)

    def start_command(self, prompt: str) -> list[str]:
        return ["opencode", "--prompt", prompt]

    def resume_command(self, file: str) -> list[str]:
        return ["opencode", "-s", _SESSIONS.id_of(file)]


_SESSIONS = OpencodeSessions()
OPENCODE = OpencodeAgent("opencode")
