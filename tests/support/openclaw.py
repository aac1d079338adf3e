"""A copy of a database that OpenClaw made, and a writer that changes it as OpenClaw does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from typing import Any

import apsw
import attrs
import zstandard

from support.app import daemon
from support.client import Client

MAIN = "2c270c77-8ce9-43fe-9e48-3952dfb0c21c"
"""The session of `agent:main:main`: two turns, a reset, and another turn."""
INCIDENT = "2822dab1-285e-491d-9a09-188374a85900"
"""The session of `agent:main:incident-42`; a message in it is compressed."""
GROUP = "3e84d3d5-f24a-4dc8-a63c-4243533b2ef9"
"""The session of `agent:main:telegram:group:-1001`."""
COMPRESSED = "667525ec-282b-4618-b3c6-64f333b237bf"
"""The id of the compressed message."""
AGENTS = Path(__file__).parents[1] / "golden" / "agents"
RECORDED = AGENTS / "openclaw-2026.9.6"
OLDER = AGENTS / "openclaw-2026.8.1"
"""Its schema has version 19, which 2026.9.4 has too; its headers have version 3."""
(ARCHIVE,) = (RECORDED / "cold").iterdir()
"""The archive that OpenClaw made of `GROUP`."""
ARCHIVED_ROW = (GROUP, "dc872dd164d04d49ad24996a9bdc90d7", 6, 1891, 1388, 5, 1795368671825)
"""What it wrote into the database: also the numbers of lines and bytes, and when it did it."""


@attrs.define(eq=False)
class OpenClawDatabase:
    """The database of an agent, and a connection that writes it."""

    path: Path
    writer: apsw.Connection

    @property
    def directory(self) -> Path:
        return self.path.parent

    def transcript(self, session_id: str = MAIN) -> str:
        """The path under which clients know a transcript."""
        return f"{self.path}/{session_id}.jsonl"

    def lines(self, session_id: str = MAIN) -> list[bytes]:
        """The lines of a transcript, read in the simplest way."""
        rows = self.writer.execute(
            "SELECT * FROM transcript_events WHERE session_id = ? ORDER BY seq", (session_id,)
        )
        unpack = zstandard.ZstdDecompressor().decompress
        # Older databases lack the member with compressed lines.
        return [
            unpack(packed[0]) if text is None else text.encode() for _, _, text, _, *packed in rows
        ]

    def append(self, *entries: Any, session_id: str = MAIN) -> None:
        """Append entries as rows, in one transaction."""
        insert = "INSERT INTO transcript_events(session_id, seq, event_json, created_at)"
        last = "(SELECT coalesce(max(seq), -1) + 1 FROM transcript_events WHERE session_id = ?1)"
        with self.writer:
            for entry in entries:
                text = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
                self.writer.execute(
                    f"{insert} VALUES(?1, {last}, ?2, ?3)", (session_id, text, 1795355000000)
                )

    def rewrite(self, *lines: str, session_id: str = MAIN) -> None:
        """Replace a transcript, with another generation."""
        with self.writer:
            self.writer.execute("DELETE FROM transcript_events WHERE session_id = ?", (session_id,))
            for seq, text in enumerate(lines):
                self.writer.execute(
                    "INSERT INTO transcript_events(session_id, seq, event_json, created_at)"
                    " VALUES(?, ?, ?, 1)",
                    (session_id, seq, text),
                )
            self.writer.execute(
                "UPDATE transcript_rewrite_watermarks SET generation = generation || 'x'"
                " WHERE session_id = ?",
                (session_id,),
            )

    def archive(self, *, in_database: bool = False) -> Path:
        """Archive `GROUP` as OpenClaw did; `in_database`: first without a file. Returns the file."""
        place = self.directory.parent / "sessions" / "cold" / ARCHIVE.name
        if not in_database:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(ARCHIVE.read_bytes())
        blob = ARCHIVE.read_bytes() if in_database else None
        storage = "sqlite" if in_database else "file"
        with self.writer:
            self.writer.execute(
                "INSERT INTO session_transcript_cold_archives(session_id, generation, event_count,"
                " raw_bytes, archive_bytes, last_seq, archived_at, archive_name, archive_sha256,"
                " storage, archive_blob) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*ARCHIVED_ROW, ARCHIVE.name, ARCHIVE.name.partition(".")[0], storage, blob),
            )
            self.writer.execute("DELETE FROM transcript_events WHERE session_id = ?", (GROUP,))
        return place

    def loosen(self) -> list[str]:
        """Let every table accept any value in any column, as damage does; returns the tables."""
        names = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
        tables = [str(name) for (name,) in self.writer.execute(names).fetchall()]
        for table in tables:
            columns = ", ".join(self.columns(table))
            with self.writer:
                self.writer.execute(f"CREATE TABLE loose({columns})")
                self.writer.execute(f"INSERT INTO loose SELECT {columns} FROM {table}")
                self.writer.execute(f"DROP TABLE {table}")
                self.writer.execute(f"ALTER TABLE loose RENAME TO {table}")
        return tables

    def columns(self, table: str) -> list[str]:
        found = self.writer.execute("SELECT name FROM pragma_table_info(?)", (table,))
        return [str(name) for (name,) in found]

    def add_node(self, key: str, entry: dict[str, Any]) -> None:
        """Add an entry, or replace it."""
        with self.writer:
            self.writer.execute(
                "INSERT OR REPLACE INTO session_nodes"
                "(session_key, current_session_id, entry_json, updated_at) VALUES(?, ?, ?, ?)",
                (key, entry["sessionId"], json.dumps(entry), entry["updatedAt"]),
            )

    def add_session(self, session_id: str, *entries: Any, key: str = "agent:main:main") -> None:
        """Add a transcript, which needs a window."""
        with self.writer:
            self.writer.execute(
                "INSERT INTO session_windows(session_id, session_key, created_at, updated_at)"
                " VALUES(?, ?, 1, 1)",
                (session_id, key),
            )
        self.append(*entries, session_id=session_id)


@contextmanager
def openclaw_database(
    state: Path, agent: str = "main", recorded: Path = RECORDED
) -> Iterator[OpenClawDatabase]:
    """OpenClaw's database of an agent in a state directory, open in a writer as by a gateway."""
    path = state / "agents" / agent / "agent" / "openclaw-agent.sqlite"
    path.parent.mkdir(parents=True)
    writer = apsw.Connection(str(path))
    try:
        writer.execute("PRAGMA journal_mode=WAL").fetchall()
        writer.execute("PRAGMA wal_autocheckpoint=0").fetchall()
        with writer:
            writer.execute((recorded / "openclaw-agent.sql").read_text())
        yield OpenClawDatabase(path, writer)
    finally:
        writer.close()


def served(state: Path, **options: Any) -> AbstractAsyncContextManager[Client]:
    """A daemon and its client, with the profile of OpenClaw and a state directory."""
    options = {"profile": "openclaw", "agent_dir": str(state), **options}
    return daemon(state.parent, **options)


def said(entry_id: str, parent_id: str | None, role: str, text: str) -> dict[str, Any]:
    """A message as OpenClaw appends it."""
    return {
        "type": "message",
        "id": entry_id,
        "parentId": parent_id,
        "timestamp": "2026-11-22T14:00:00.000Z",
        "message": {"role": role, "content": text, "timestamp": 1795355000000},
    }


def everything_in(directory: Path) -> dict[str, tuple[int, int, int, int, bytes]]:
    """The files of a directory: inode, size, times of the last changes, and bytes.

    For root, SQLite sets the owner of a `-shm` again whenever it opens one, which changes a time.
    """
    return {
        path.name: (
            seen.st_ino,
            seen.st_size,
            seen.st_mtime_ns,
            0 if path.name.endswith("-shm") else seen.st_ctime_ns,
            path.read_bytes(),
        )
        for path in directory.iterdir()
        for seen in [path.stat()]
    }
