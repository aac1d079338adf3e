"""opencode: all sessions in one database."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

import attrs

from sessiond.agents.agent import ReadOnlyAgent
from sessiond.agents.source import Record
from sessiond.agents.translation import INSTEAD, DatabaseTranslation, TranslatedReading
from sessiond.errors import Unsupported


class OpencodeSessions(DatabaseTranslation):
    """The sessions of a database."""

    database = "opencode.db"

    def stat(self, path: str) -> os.stat_result | None:
        # Imported here and below, because most readers never see a database.
        from sessiond.agents.opencode.reading import stat_session  # noqa: PLC0415

        return stat_session(self.file_of(path), self.id_of(path))

    def stat_all(self, place: str) -> Iterable[tuple[str, os.stat_result | None]]:
        from sessiond.agents.opencode.reading import stat_sessions  # noqa: PLC0415

        return [(f"{place}/{session_id}.jsonl", seen) for session_id, seen in stat_sessions(place)]

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
class OpencodeAgent(ReadOnlyAgent):
    """opencode, whose directory lies below the one that its variable names."""

    def agent_dir(self, env: Mapping[str, str]) -> str:
        return os.path.join(super().agent_dir(env), "opencode")

    def start_command(self, prompt: str) -> list[str]:
        return ["opencode", "--prompt", prompt]

    def resume_command(self, file: str) -> list[str]:
        return ["opencode", "-s", self.translation.id_of(file)]


OPENCODE = OpencodeAgent(
    "opencode", "XDG_DATA_HOME", "~/.local/share", "opencode.db", OpencodeSessions()
)
