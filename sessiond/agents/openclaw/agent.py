"""OpenClaw keeps files as CoderClaw does; since 2026.8 transcripts are in a database instead."""

from __future__ import annotations

import os
from collections.abc import Iterable
from types import ModuleType

import attrs

from sessiond.agents.coderclaw.agent import GatewayAgent
from sessiond.agents.dialect import Dialect
from sessiond.agents.openclaw.names import (
    DATABASE_NAME,
    StoredTranscript,
    is_database,
    transcript_at,
)
from sessiond.agents.translation import INSTEAD, GatewayDatabase, TranslatedReading
from sessiond.runtime.errors import Unsupported


class OpenClawDatabase(GatewayDatabase):
    """The databases of OpenClaw, which has one for each agent id."""

    instead = "Use OpenClaw's own commands, such as `openclaw sessions`, or its gateway"

    def holds(self, path: str) -> bool:
        return transcript_at(path) is not None

    def stat(self, path: str) -> os.stat_result | None:
        status: os.stat_result | None = _reading().stat_transcript(_transcript(path))
        return status

    def read(self, path: str, before: object | None = None) -> TranslatedReading | None:
        reading = _reading()
        place = before if isinstance(before, reading.ReadPlace) else None
        found: TranslatedReading | None = reading.read_transcript(_transcript(path), place)
        return found

    def refusal(self, path: str) -> Unsupported:
        return Unsupported(f"OpenClaw alone writes {path}", path, INSTEAD)

    def file_of(self, path: str) -> str:
        return _transcript(path).database

    def is_place(self, path: str) -> bool:
        return is_database(path)

    def place_beside(self, directory: str) -> str | None:
        above, name = os.path.split(directory.rstrip("/"))
        return os.path.join(above, "agent", DATABASE_NAME) if name == "sessions" else None

    def file_beside(self, path: str) -> str:
        transcript = _transcript(path)
        above = os.path.dirname(os.path.dirname(transcript.database))
        return os.path.join(above, "sessions", f"{transcript.session_id}.jsonl")

    def stat_all(self, place: str) -> Iterable[tuple[str, os.stat_result | None]]:
        statuses: Iterable[tuple[str, os.stat_result | None]] = _reading().stat_transcripts(place)
        return statuses

    def refusal_beside(self, path: str, place: str) -> Unsupported:
        return Unsupported(
            f"OpenClaw keeps its sessions in {place} and would not read {path}",
            path,
            "name another directory (`sessionDir`), or use OpenClaw itself",
        )

    def beside_store(self, directory: str) -> str:
        return os.path.join(os.path.dirname(directory), "agent", DATABASE_NAME)

    def transcript_path(self, database: str, session_id: str) -> str:
        return StoredTranscript(database, session_id).path

    def entries(self, database: str) -> dict[str, bytes]:
        entries: dict[str, bytes] = _reading().read_entries(database)
        return entries

    def explain(self, database: str) -> str:
        return f"OpenClaw keeps these sessions in {database}"


def _reading() -> ModuleType:
    # Imported when it is needed, because most readers never see a database.
    from sessiond.agents.openclaw import transcripts

    return transcripts


def _transcript(path: str) -> StoredTranscript:
    transcript = transcript_at(path)
    if transcript is None:
        raise ValueError(path)
    return transcript


_TRANSCRIPTS = OpenClawDatabase()
_DIALECT = Dialect(
    keeps_case=True,
    silence_is_whole=True,
)


@attrs.frozen
class OpenClawAgent(GatewayAgent):
    """OpenClaw, with transcripts in files and in databases."""

    @property
    def translation(self) -> OpenClawDatabase:
        return _TRANSCRIPTS

    @property
    def dialect(self) -> Dialect:
        return _DIALECT


OPENCLAW = OpenClawAgent("openclaw")
AGENTS = (OPENCLAW,)
