"""Where stores and transcripts of agents lie."""

from __future__ import annotations

import contextlib
import os
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from urllib.parse import quote

import attrs

from sessiond.agents.agent_ids import normal_agent_id
from sessiond.files import disk
from sessiond.files.watching import WatchedPath
from sessiond.gateway.config import Part
from sessiond.gateway.keys import KeyRules, trim
from sessiond.runtime.errors import GatewayRejected
from sessiond.runtime.home import absolute
from sessiond.text.javascript import number_text

_SESSION_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,127}", re.IGNORECASE | re.ASCII)
_NOT_TRANSCRIPT = re.compile(r"(?:\.json(?:\.(?:bak|corrupt)\.[0-9]+)?|\.lock|/sessions)\Z")
_UNRESERVED = "-_.!~*'()"
"""The characters, except letters and digits, that encodeURIComponent does not escape."""

OUTSIDE = "Session file path must be within sessions directory"


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
            raise GatewayRejected("Session file path must not be empty", "sessionFile")
        base = _normal(self.path)
        if given.startswith("/"):
            path = _normal(given)
            is_inside = path != base and (path.startswith(_join(base, "")) or _is_an_agents(path))
        else:
            relative = posixpath.normpath(given)
            path = _join(base, relative)
            is_inside = relative not in {".", ".."} and not relative.startswith("../")
        if not is_inside or "\0" in given:
            raise GatewayRejected(OUTSIDE, "sessionFile")
        return path


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


def _join(base: str, relative: str) -> str:
    return f"{base.rstrip('/')}/{relative}"


def _normal(path: str) -> str:
    # POSIX keeps two leading slashes; Node does not.
    return "/" + posixpath.normpath(path).lstrip("/")


STORE_NAME = "sessions.json"
_AGENT = "{agentId}"


def _anywhere(_path: str) -> bool:
    return True


@attrs.frozen
class Layout:
    """The directories of a gateway under a configuration."""

    config: Part
    rules: KeyRules
    env: Mapping[str, str]
    state_dir: str | None
    """None if the profile has no gateway; then only stores that a request names exist."""
    template: str | None = None
    """Path of the stores, with or without `{agentId}`; None if each agent has its own."""
    allows: Callable[[str], bool] = _anywhere
    """Whether a directory is inside the roots."""

    @property
    def shared(self) -> bool:
        """Whether all agents share one store."""
        return self.template is not None and _AGENT not in self.template

    def store_path(self, agent_id: str) -> str | None:
        """The path of an agent's store; None if it has none."""
        owner = normal_agent_id(agent_id)
        if self.template is not None:
            return absolute(self.template.replace(_AGENT, owner), self.env)
        sessions = self.sessions_dir(owner)
        return None if sessions is None else posixpath.join(sessions, STORE_NAME)

    def sessions_dir(self, agent_id: str) -> str | None:
        """The directory of an agent's new transcripts, for any path of its store."""
        if self.state_dir is None:
            return None
        return posixpath.join(self.state_dir, "agents", normal_agent_id(agent_id), "sessions")

    def directories(self, agent_id: str, store_path: str) -> list[Directory]:
        """The directories in which a transcript may lie: that of the store, and that of the agent.

        `sessionFile` is resolved against the first.
        """
        paths = [posixpath.dirname(store_path)]
        own = self.sessions_dir(agent_id)
        # Outside the roots, not even the existence of a transcript is told.
        if own is not None and own not in paths and self.allows(own):
            paths.append(own)
        return [Directory(path) for path in paths]

    def own_directory(self, agent_id: str, store_path: str) -> Directory:
        """The directory of a new session's transcript."""
        return Directory(self.sessions_dir(agent_id) or posixpath.dirname(store_path))

    def workspace(self, agent_id: str) -> str | None:
        """The working directory that the configuration gives an agent; None if it gives none."""
        agents = self.config.part("agents")
        own = [item for item in agents.items("list") if item.present]
        named = [item for item in own if normal_agent_id(item.text("id")) == agent_id]
        for part in (*named[:1], agents.part("defaults")):
            path = part.text("workspace")
            if path and "\0" not in path:
                return absolute(path, self.env)
        return None

    def agents(self) -> list[str]:
        """All agents, the default one first: those configured, else those with a directory.

        Reads the disk.
        """
        default = self.rules.default_agent
        ids = [item.text("id") for item in self.config.part("agents").items("list")]
        agents = {normal_agent_id(name) for name in ids if name}
        if not agents and self.state_dir is not None:
            agents = _agent_directories(os.path.join(self.state_dir, "agents"))
        return [default, *sorted(agents - {default})]


def _agent_directories(path: str) -> set[str]:
    try:
        return {normal_agent_id(os.path.basename(each)) for each in disk.directories_in(path)}
    except OSError:
        return set()


@attrs.frozen(eq=False)
class StoreScope:
    """The store of one agent, or those of all present and future agents."""

    layout: Layout
    agent_id: str | None
    """None means all agents, or the store they share."""
    is_allowed: Callable[[str], bool]
    """Whether a path is inside the roots; other stores are left out."""

    def stores(self) -> dict[str, str]:
        """The agents by the absolute path of their store, the default agent first.

        Reads the disk, because stores may have appeared.
        """
        agents: dict[str, str] = {}
        for agent in self._agents():
            path = self.layout.store_path(agent)
            if path is not None and self.is_allowed(path):
                agents.setdefault(path, agent)
        return agents

    def _agents(self) -> list[str]:
        if self.agent_id is not None:
            return [self.agent_id]
        return [self.layout.rules.default_agent] if self.layout.shared else self.layout.agents()

    def watched(self, files: Iterable[str]) -> set[WatchedPath]:
        """The directories to watch for changes of these files, and for stores of new agents."""
        above = self._agents_dir
        directories = {
            directory
            for path in files
            for directory in (os.path.dirname(path), os.path.dirname(disk.realname(path)))
            if above is None or posixpath.dirname(posixpath.dirname(directory)) != above
        }
        watched = {(directory, False) for directory in directories}
        return watched if above is None else {*watched, (above, True)}

    @property
    def _agents_dir(self) -> str | None:
        """The directory in which directories of new agents appear; stores lie two levels below."""
        state = self.layout.state_dir
        if self.agent_id is not None or self.layout.shared or state is None:
            return None
        return posixpath.join(state, "agents")
