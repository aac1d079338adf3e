"""Resolve the path of a session's transcript. Pure: the disk is not read."""

from __future__ import annotations

import contextlib
import os
import posixpath
import re
from collections.abc import Sequence
from urllib.parse import quote

import attrs

from sessiond.errors import GatewayRejected
from sessiond.gateway.keys.identity import trim
from sessiond.jsontext.javascript import number_text

_SESSION_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,127}", re.IGNORECASE | re.ASCII)
_NOT_TRANSCRIPT = re.compile(r"(?:\.json(?:\.(?:bak|corrupt)\.[0-9]+)?|\.lock|/sessions)\Z")
_UNRESERVED = "-_.!~*'()"
"""The characters, except letters and digits, that encodeURIComponent does not escape."""

OUTSIDE = "Session file path must be within sessions directory"
EMPTY = "Session file path must not be empty"


def session_id_of(given: str) -> str:
    """The trimmed id. Raises GatewayRejected with rule `sessionId`."""
    trimmed = trim(given)
    if not _SESSION_ID.fullmatch(trimmed):
        raise GatewayRejected(f"Invalid session ID: {given}", "sessionId")
    return trimmed


def file_name(session_id: str, topic_id: str | float | None = None) -> str:
    """The default name of a transcript. Raises GatewayRejected (rules `sessionId`, `topicId`)."""
    name = session_id_of(session_id)
    if topic_id is None:
        return f"{name}.jsonl"
    return f"{name}-topic-{_topic(topic_id)}.jsonl"


def _topic(topic_id: str | float) -> str:
    if not isinstance(topic_id, str):
        return number_text(repr(topic_id).encode())
    try:
        return quote(topic_id, safe=_UNRESERVED)
    except UnicodeEncodeError:
        raise GatewayRejected("Topic id holds half of a surrogate pair", "topicId") from None


@attrs.frozen
class Directory:
    """The directory in which session files lie, or in the sessions directory of any agent."""

    path: str
    """Absolute."""

    def default(self, session_id: str, topic_id: str | float | None = None) -> str:
        """The path for a session without `sessionFile`. Raises GatewayRejected."""
        return _join(_normal(self.path), file_name(session_id, topic_id))

    def locate(self, session_file: str) -> str:
        """The absolute path of an entry's session file.

        Paths are normalised before they are checked, so that `..` cannot lead outside. An absolute
        path may lead into the sessions directory of any agent. Raises GatewayRejected with rule
        `sessionFile`.
        """
        given = trim(session_file)
        if not given:
            raise GatewayRejected(EMPTY, "sessionFile")
        if "\0" in given:
            raise GatewayRejected(OUTSIDE, "sessionFile")
        base = _normal(self.path)
        if not given.startswith("/"):
            relative = posixpath.normpath(given)
            if relative in {".", ".."} or relative.startswith("../"):
                raise GatewayRejected(OUTSIDE, "sessionFile")
            return _join(base, relative)
        path = _normal(given)
        if _is_inside(path, base) or (path != base and _is_an_agents(path)):
            return path
        raise GatewayRejected(OUTSIDE, "sessionFile")


def is_transcript(path: str) -> bool:
    """Whether the path can be that of a transcript.

    Stores, their copies, locks, directories, and names that no file can have are excluded.
    """
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return _NOT_TRANSCRIPT.search(path) is None


def candidates(
    session_id: str, session_file: str | None, directories: Sequence[Directory]
) -> list[str]:
    """The paths at which a transcript may lie, the most likely first; invalid ones are left out.

    `directories` are those of the store and of the agent; `session_file` is
    resolved against the first. The transcript of a topic is found only by its `session_file`.
    """
    candidates: dict[str, None] = {}
    if session_file is not None:
        with contextlib.suppress(GatewayRejected):
            path = directories[0].locate(session_file)
            if is_transcript(path):
                candidates[path] = None
    with contextlib.suppress(GatewayRejected):
        candidates |= dict.fromkeys(directory.default(session_id) for directory in directories)
    return list(candidates)


def _is_an_agents(path: str) -> bool:
    """Whether the path is in `agents/<id>/sessions`, by its last `sessions`."""
    parts = [part for part in path.split("/") if part]
    backwards = parts[::-1]
    if "sessions" not in backwards:
        return False
    at = len(parts) - 1 - backwards.index("sessions")
    return at >= 2 and parts[at - 2] == "agents"


def _is_inside(path: str, base: str) -> bool:
    return path != base and path.startswith(f"{base.rstrip('/')}/")


def _join(base: str, relative: str) -> str:
    return f"{base.rstrip('/')}/{relative}"


def _normal(path: str) -> str:
    # POSIX keeps two leading slashes; Node does not.
    return "/" + posixpath.normpath(path).lstrip("/")
