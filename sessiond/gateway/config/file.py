"""Read the gateway's own configuration file, for clients that send none."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Mapping
from typing import Any

from sessiond.agents.agent import Agent
from sessiond.errors import ReadFailed, SessionNotFound
from sessiond.files import journal
from sessiond.files.identity import FileState, OpenedFile, stat_regular
from sessiond.gateway.config.reader import ConfigProblems, Part
from sessiond.home import absolute
from sessiond.jsontext.spans import loads


def config_path(profile: Agent, state_dir: str, env: Mapping[str, str]) -> str:
    """`<state>/coderclaw.json`, or the path in the agent's environment variable."""
    named = env.get(f"{profile.variable_prefix}_CONFIG_PATH", "").strip()
    return absolute(named, env) if named else os.path.join(state_dir, f"{profile.name}.json")


class ConfigFile:
    """A configuration file that is read on demand, and again after it has changed."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._state: FileState | None = None
        self._seen_at = 0
        self._members: Mapping[str, Any] = {}
        self._problems: ConfigProblems = {}

    def read(self) -> Part:
        """The configuration.

        A file that cannot be read counts as empty and is reported as a problem.
        """
        try:
            now = time.time_ns()
            seen = stat_regular(self.path)
            if seen is None:
                return Part.root({})
            if not self._is_known(seen):
                self._members, self._problems = self._load()
                self._state, self._seen_at = FileState.of(seen), now
        except (ReadFailed, SessionNotFound) as error:
            return Part("", {}, {"": f"{error.message}; ignored"})
        return Part("", self._members, dict(self._problems))

    def _is_known(self, seen: os.stat_result) -> bool:
        state = self._state
        return state is not None and state.matches(seen) and state.would_show(self._seen_at)

    def _load(self) -> tuple[Mapping[str, Any], ConfigProblems]:
        with OpenedFile(self.path) as (descriptor, _):
            text = journal.read_from(descriptor, 0)
        try:
            content = json5(text)
        except ValueError as error:
            return {}, {"": f"{self.path} is not JSON5 ({error}); ignored"}
        if not isinstance(content, dict):
            return {}, {"": f"{self.path} does not hold an object; ignored"}
        session = content.get("session")
        if isinstance(session, dict):
            # A running CoderClaw always uses `main`, whatever its file says.
            session.pop("mainKey", None)
        return content, {}


def json5(text: bytes) -> Any:
    """Parse JSON or JSON5. Raises ValueError."""
    decoded = text.decode("utf-8-sig")
    try:
        return loads(decoded.encode())
    except ValueError:
        # Import only for files that are not plain JSON.
        import pyjson5  # noqa: PLC0415

        try:
            return _in_range(pyjson5.decode(decoded))
        except pyjson5.Json5Exception as error:
            raise ValueError(error.args[0] if error.args else "malformed") from None


def _in_range(value: Any) -> Any:
    """The value with infinity for integers that no double can hold, as `loads` returns them."""
    if isinstance(value, dict):
        return {name: _in_range(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_in_range(item) for item in value]
    if isinstance(value, int):
        try:
            float(value)
        except OverflowError:
            return math.copysign(math.inf, value > 0 or -1)
    return value
