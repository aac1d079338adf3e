"""Read the sessions that opencode until 1.1 kept in JSON files, one for each thing.

`storage/session/<project>/<session>.json`, `storage/message/<session>/<message>.json` and
`storage/part/<message>/<part>.json`. Later versions move them into the database, or leave them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from sessiond.agents.database import state_of
from sessiond.agents.messages import Members, count_of, members_of
from sessiond.agents.opencode.messages import Message, Session
from sessiond.files import disk
from sessiond.files.identity import OpenedFile, read_from
from sessiond.runtime.errors import SessiondError, SessionNotFound
from sessiond.text.parts import members_of_line, string_of

_SUFFIX = ".json"


def session_files(storage: str) -> Iterator[tuple[str, str]]:
    """Yield the ids of all sessions with their files. Blocking."""
    for project in _entries(f"{storage}/session"):
        for name in _entries(f"{storage}/session/{project}"):
            if name.endswith(_SUFFIX):
                yield name.removesuffix(_SUFFIX), f"{storage}/session/{project}/{name}"


def stat_session(storage: str, session_id: str, file: str) -> os.stat_result:
    """Return the state of a session, which differs whenever one of its files does. Blocking."""
    status = disk.stat(file)
    changes = [_version(status)]
    size, latest_ns = status.st_size, status.st_mtime_ns
    for message in _files(f"{storage}/message/{session_id}"):
        for path in (message, *_files(f"{storage}/part/{_id_of(message)}")):
            part = disk.stat(path)
            changes.append(_version(part))
            size, latest_ns = size + part.st_size, max(latest_ns, part.st_mtime_ns)
    return state_of(status, session_id, " ".join(changes), size, latest_ns // 1_000_000)


def read_session(session_id: str, file: str) -> Session:
    """Return a session without its messages. Blocking. Raises SessionNotFound and ReadFailed."""
    row = _read(file)
    time, revert = members_of(row.get("time")), members_of(row.get("revert"))
    return Session(
        session_id,
        string_of(row.get("directory")) or "",
        string_of(row.get("title")) or "",
        string_of(row.get("parentID")),
        count_of(time.get("created")),
        count_of(time.get("updated")),
        string_of(revert.get("messageID")),
    )


def messages(storage: str, session_id: str) -> Iterator[Message]:
    """Yield the messages of a session with their parts, in the order of their ids. Blocking."""
    for path in _files(f"{storage}/message/{session_id}"):
        data = _read(path)
        created = count_of(members_of(data.get("time")).get("created"))
        message = Message(_id_of(path), created, data)
        message.parts += [
            (_id_of(part), _read(part)) for part in _files(f"{storage}/part/{message.id}")
        ]
        yield message


def record_files(storage: str, entry_id: str) -> list[str]:
    """Return the files that an entry was made of: a message with its parts, or a part."""
    parts = _files(f"{storage}/part/{entry_id}")
    messages_ = f"{storage}/message"
    files = [f"{messages_}/{session}/{entry_id}{_SUFFIX}" for session in _entries(messages_)]
    files += [*parts]
    for message in _entries(f"{storage}/part") if not parts else ():
        files.append(f"{storage}/part/{message}/{entry_id}{_SUFFIX}")
    return [path for path in files if disk.is_file(path)]


def _version(status: os.stat_result) -> str:
    return f"{status.st_ino}:{status.st_size}:{status.st_mtime_ns}"


def _id_of(path: str) -> str:
    return os.path.basename(path).removesuffix(_SUFFIX)


def _files(directory: str) -> list[str]:
    return [f"{directory}/{name}" for name in _entries(directory) if name.endswith(_SUFFIX)]


def _entries(directory: str) -> list[str]:
    try:
        return sorted(disk.listdir(directory))
    except FileNotFoundError:
        return []


def _read(path: str) -> Members:
    """Return the members of the object in a file; none if it is damaged."""
    try:
        with OpenedFile(path) as (descriptor, state):
            return members_of_line(read_from(descriptor, 0, state.size).strip()) or {}
    except SessionNotFound:
        raise
    except SessiondError:
        return {}
