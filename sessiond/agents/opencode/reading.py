"""Read opencode's database: sessions with their states, and their messages as entry lines.

opencode changes messages and parts in their rows while it works, and counts every change of a
session in `event_sequence`. A message becomes entries when it has ended, or when another one
follows it, because opencode was killed. So entries only come, and hardly ever change. A session
that was turned back (`revert`) ends before that message.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import apsw

from sessiond.agents import document_translation
from sessiond.agents.database import Maker, columns, read, state_of
from sessiond.agents.document_translation import WholeSession, end_of
from sessiond.agents.opencode.messages import Message, Session, entries_of, header_of
from sessiond.agents.translation import TranslatedReading
from sessiond.files import disk
from sessiond.files.identity import FileState
from sessiond.text.dates import iso_from_ms
from sessiond.text.parts import members_of_line, string_of

_MAKER = Maker("opencode", "opencode 1.18")
_STATES = """
SELECT session.id, session.time_created, session.time_updated, {sequence},
       (SELECT coalesce(sum(octet_length(data)), 0) FROM part WHERE session_id = session.id)
FROM session WHERE {which}
"""
_SEQUENCE = "(SELECT seq FROM event_sequence WHERE aggregate_id = session.id)"
_PARTS = """
SELECT message.id, message.time_created, CAST(message.data AS BLOB),
       part.id, CAST(part.data AS BLOB)
FROM message LEFT JOIN part ON part.message_id = message.id
WHERE message.session_id = ? ORDER BY message.id, part.id
"""
_ROWS = """
SELECT CAST(data AS BLOB) FROM message WHERE id = :id
UNION ALL
SELECT * FROM (
    SELECT CAST(data AS BLOB) FROM part WHERE message_id = :id OR part.id = :id ORDER BY id
)
"""


def stat_session(database: str, session_id: str) -> os.stat_result | None:
    """Return the state of a session as that of a file; None if there is none. Blocking.

    Raises as `database.read` does, also for the others here.
    """

    def work(connection: apsw.Connection) -> os.stat_result | None:
        states = list(_states(database, connection, "session.id = ?", (session_id,)))
        return states[0][1] if states else None

    return read(database, work, _MAKER)


def stat_sessions(database: str) -> list[tuple[str, os.stat_result]]:
    """Return the ids of all sessions with their states. Blocking."""

    def work(connection: apsw.Connection) -> list[tuple[str, os.stat_result]]:
        return list(_states(database, connection, "true", ()))

    return read(database, work, _MAKER)


def read_session(database: str, session_id: str, before: object | None) -> TranslatedReading | None:
    """Return the lines of a session, or those after the known ones. Blocking."""

    def work(connection: apsw.Connection) -> TranslatedReading | None:
        states = list(_states(database, connection, "session.id = ?", (session_id,)))
        if not states:
            return None
        session = _session(connection, session_id)
        messages = _messages(connection, session_id)
        return reading_of(database, session, messages, states[0][1], before)

    return read(database, work, _MAKER)


def rows(database: str, entry_id: str) -> list[bytes]:
    """Return the data of the rows that an entry was made of. Blocking.

    These are a message with its parts, or one part for the result of a tool.
    """

    def work(connection: apsw.Connection) -> list[bytes]:
        return [bytes(data) for (data,) in connection.execute(_ROWS, {"id": entry_id})]

    return read(database, work, _MAKER)


def reading_of(
    place_of_sessions: str,
    session: Session,
    messages: Iterator[Message],
    status: os.stat_result,
    before: object | None,
) -> TranslatedReading:
    """Return the lines of a session in the state `status`, or those after the known ones."""
    lines = [header_of(place_of_sessions, session), *_entries(messages, session)]
    updated = iso_from_ms(session.updated) or ""
    whole = WholeSession(session.id, lines, session.title, updated)
    return document_translation.reading_of(whole, FileState.of(status), before)


def _session(connection: apsw.Connection, session_id: str) -> Session:
    sql = (
        "SELECT directory, title, parent_id, time_created, time_updated, revert"
        " FROM session WHERE id = ?"
    )
    ((directory, title, parent_id, created, updated, revert),) = connection.execute(
        sql, (session_id,)
    )
    reverted = members_of_line(str(revert).encode()) if revert else None
    return Session(
        session_id,
        str(directory),
        str(title or ""),
        None if parent_id is None else str(parent_id),
        _ms(created),
        _ms(updated),
        None if reverted is None else string_of(reverted.get("messageID")),
    )


def _entries(messages: Iterator[Message], session: Session) -> Iterator[bytes]:
    """Yield the entries of a session; only the last message may be under way."""
    tip: str | None = None
    message = next(messages, None)
    while message is not None and not (session.reverted and message.id >= session.reverted):
        following = next(messages, None)
        if following is None and not message.has_ended:
            return
        lines = list(entries_of(message, tip))
        tip = end_of(lines) or tip
        yield from lines
        message = following


def _messages(connection: apsw.Connection, session_id: str) -> Iterator[Message]:
    message: Message | None = None
    for message_id, created, data, part_id, part in connection.execute(_PARTS, (session_id,)):
        if message is None or message.id != message_id:
            if message is not None:
                yield message
            message = Message(str(message_id), _ms(created), members_of_line(data or b"") or {})
        if part is not None:
            message.parts.append((str(part_id), members_of_line(part) or {}))
    if message is not None:
        yield message


def _states(
    database: str, connection: apsw.Connection, which: str, values: tuple[str, ...]
) -> Iterator[tuple[str, os.stat_result]]:
    status = disk.stat(database)
    has_sequence = "seq" in columns(connection, "event_sequence")
    sql = _STATES.format(sequence=_SEQUENCE if has_sequence else "NULL", which=which)
    for session_id, created, updated, sequence, size in connection.execute(sql, values):
        changes, at_ms = f"{sequence} {size} {updated}", _ms(updated) or _ms(created)
        yield str(session_id), state_of(status, str(session_id), changes, size, at_ms)


def _ms(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
