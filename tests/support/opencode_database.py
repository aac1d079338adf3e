"""A database of opencode, with the tables and values that version 1.18.33 writes."""

from __future__ import annotations

import itertools
import json
import sqlite3
import weakref
from pathlib import Path
from typing import Any

SESSION = "ses_df01fea10ffesMJiwBEbKYSqey"
CWD = "/work/robots"
NOW = 1_767_323_045_000
_SCHEMA = """
CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT,
  revert TEXT, cost REAL, time_created INTEGER, time_updated INTEGER);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER,
  time_updated INTEGER, data TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,
  time_updated INTEGER, data TEXT);
CREATE TABLE event_sequence (aggregate_id TEXT PRIMARY KEY, seq INTEGER, owner_id TEXT);
"""
TOKENS = {
    "total": 120,
    "input": 60,
    "output": 15,
    "reasoning": 5,
    "cache": {"read": 40, "write": 0},
}


class Opencode:
    """Writes as opencode does: with a write-ahead log, counting each change of a session."""

    def __init__(self, home: Path) -> None:
        self.path = home / ".local" / "share" / "opencode" / "opencode.db"
        self.path.parent.mkdir(parents=True)
        self._connection = sqlite3.connect(self.path, isolation_level=None)
        # Python 3.13 warns of connections that nobody has closed.
        weakref.finalize(self, self._connection.close)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.executescript(_SCHEMA)
        self._numbers = itertools.count(1)

    def session_path(self, session: str = SESSION) -> str:
        return f"{self.path}/{session}.jsonl"

    def session(self, session: str = SESSION, **values: Any) -> None:
        row = {"id": session, "directory": CWD, "title": "New session", "time_created": NOW}
        row |= {"time_updated": NOW, **values}
        self._insert("session", row)
        self._changed(session)

    def change(self, session: str = SESSION, **values: Any) -> None:
        names = ", ".join(f"{name} = ?" for name in values)
        self._connection.execute(
            f"UPDATE session SET {names} WHERE id = ?", (*values.values(), session)
        )
        self._changed(session)

    def message(self, role: str, session: str = SESSION, **data: Any) -> str:
        """Add a message; returns its id."""
        number = next(self._numbers)
        made = f"msg_{number:08}"
        given = {"role": role, "time": {"created": NOW + number}, **data}
        if role == "assistant":
            given = {"cost": 0.0001, "tokens": TOKENS, "modelID": "m", "providerID": "p", **given}
        row = {"id": made, "session_id": session, "time_created": NOW + number}
        self._insert("message", {**row, "data": json.dumps(given)})
        self._changed(session)
        return made

    def complete(self, message: str, session: str = SESSION) -> None:
        found = self._connection.execute("SELECT data FROM message WHERE id = ?", (message,))
        data = json.loads(found.fetchone()[0])
        data["time"]["completed"] = NOW
        self._connection.execute(
            "UPDATE message SET data = ? WHERE id = ?", (json.dumps(data), message)
        )
        self._changed(session)

    def part(self, message: str, kind: str, session: str = SESSION, **data: Any) -> str:
        made = f"prt_{next(self._numbers):08}"
        row = {"id": made, "message_id": message, "session_id": session, "time_created": NOW}
        self._insert("part", {**row, "data": json.dumps({"type": kind, **data})})
        self._changed(session)
        return made

    def turn(self, session: str = SESSION) -> None:
        """A question, a look with a tool, and the answer."""
        asked = self.message("user", session)
        self.part(asked, "text", session, text="Where is the teddy bear?")
        looked = self.message("assistant", session)
        self.part(looked, "step-start", session)
        self.part(looked, "reasoning", session, text="Look around.")
        self.part(looked, "text", session, text="I look.")
        state = {"status": "completed", "input": {"command": "ls sofa"}, "output": "teddy\n"}
        self.part(looked, "tool", session, tool="bash", callID="c1", state=state)
        self.part(looked, "step-finish", session, reason="tool-calls")
        self.complete(looked, session)
        self.answer("Under the sofa.", session)

    def answer(self, text: str, session: str = SESSION, **data: Any) -> str:
        made = self.message("assistant", session, **data)
        self.part(made, "text", session, text=text)
        self.complete(made, session)
        return made

    def _insert(self, table: str, row: dict[str, Any]) -> None:
        marks = ", ".join("?" * len(row))
        self._connection.execute(
            f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values())
        )

    def _changed(self, session: str) -> None:
        self._connection.execute(
            "INSERT INTO event_sequence VALUES (?, 1, NULL)"
            " ON CONFLICT (aggregate_id) DO UPDATE SET seq = seq + 1",
            (session,),
        )

    def close(self) -> None:
        self._connection.close()
