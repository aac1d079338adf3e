"""The directories in which each agent keeps its sessions, and the variables that change them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import attrs

from sessiond.jsontext.spans import js_trim

Layout = Literal["pi", "gateway"]

_LEADING_SEPARATOR = re.compile(r"^[/\\]")
_SEPARATORS = re.compile(r"[/\\:]")
_INSTALL_ID = re.compile(r"[0-9a-f]{8}")
# ASCII only, as the flag `i` in JavaScript; Python would also match the long s and the Kelvin sign.
_PROPER = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}", re.IGNORECASE | re.ASCII)
_IMPROPER_RUN = re.compile(r"[^a-z0-9_-]+")
_LONGEST = 64


@attrs.frozen
class Profile:
    """An agent: its name and the layout of its files.

    `pi`: a directory per working directory below `<agentDir>/sessions`, files named
    `<timestamp>_<id>.jsonl`. `gateway` (CoderClaw, OpenClaw): one directory per agent id below
    `<stateDir>/agents`, files named `<id>.jsonl`.
    """

    name: str
    layout: Layout

    @property
    def variable_prefix(self) -> str:
        return self.name.upper()

    @property
    def agent_dir_variable(self) -> str:
        """The variable of the agent that sets its directory."""
        kind = "STATE_DIR" if self.layout == "gateway" else "CODING_AGENT_DIR"
        return f"{self.variable_prefix}_{kind}"

    def agent_dir(self, env: Mapping[str, str]) -> str:
        """Return the absolute directory of the agent (pi: agentDir; CoderClaw: state directory)."""
        return self._state_dir(env) if self.layout == "gateway" else self._pi_dir(env)

    def home_env(self, env: Mapping[str, str]) -> Mapping[str, str]:
        """Return the environment in which `~` is the agent's home; gateways have a variable."""
        if self.layout == "pi":
            return env
        return {**env, "HOME": _gateway_home(self.variable_prefix, env)}

    def session_dir(self, env: Mapping[str, str]) -> str | None:
        """Return the directory that a variable sets for all sessions; None if it is not set."""
        if self.layout == "gateway":
            return None
        value = env.get(f"{self.variable_prefix}_CODING_AGENT_SESSION_DIR")
        return absolute(value, env) if value else None

    def _pi_dir(self, env: Mapping[str, str]) -> str:
        value = env.get(self.agent_dir_variable)
        return absolute(value or f"~/.{self.name}/agent", env)

    def _state_dir(self, env: Mapping[str, str]) -> str:
        prefix = self.variable_prefix
        home = _gateway_home(prefix, env)
        if override := env.get(self.agent_dir_variable, "").strip():
            return _absolute_from(override, home, env)
        profile = env.get(f"{prefix}_PROFILE", "").strip()
        if profile and profile.lower() != "default":
            return str(Path(home, f".{self.name}-{profile}"))
        flat = Path(home, f".{self.name}")
        if (flat / "agents").is_dir():
            return str(flat)
        installs = [path.parent for path in flat.glob("*/agents") if _is_install(path)]
        # With several installations none is preferred, so use the documented flat form.
        return str(installs[0] if len(installs) == 1 else flat)


PROFILES = {
    profile.name: profile
    for profile in (
        Profile("pi", "pi"),
        Profile("clanker", "pi"),
        Profile("indusagi", "pi"),
        Profile("companion", "pi"),
        Profile("coderclaw", "gateway"),
        Profile("openclaw", "gateway"),
    )
}


@attrs.frozen
class Directories:
    """The directories in use: a profile after the command line and `initialize`."""

    profile: Profile
    agent_dir: str
    agent_id: str | None = None
    """The agent of a gateway that was chosen; None: `main`, and lists show all agents."""
    session_dir: str | None = None
    """Replaces every default session directory if a variable of the agent sets it."""

    @property
    def sessions_dir(self) -> str:
        """The directory of the sessions, or (pi) of a directory for each working directory."""
        if self.session_dir is not None:
            return self.session_dir
        if self.profile.layout == "gateway":
            return str(Path(self._agents_dir, normal_agent_id(self.agent_id), "sessions"))
        return str(Path(self.agent_dir, "sessions"))

    @property
    def agents_dir(self) -> str | None:
        """The directory of all agents of a gateway; None for one that was chosen, and for pi."""
        is_chosen = self.agent_id is not None or self.profile.layout != "gateway"
        return None if is_chosen else self._agents_dir

    @property
    def _agents_dir(self) -> str:
        return str(Path(self.agent_dir, "agents"))

    @property
    def listed_dir(self) -> str:
        """The directory whose sessions lists show, without a working directory."""
        return self.agents_dir or self.sessions_dir

    @property
    def one_for_all(self) -> bool:
        """Whether one directory holds the sessions of every working directory."""
        return self.session_dir is not None or self.profile.layout == "gateway"

    def default_dir(self, cwd: str) -> str:
        """Return the session directory of an absolute working directory."""
        if self.one_for_all:
            return self.sessions_dir
        return str(Path(self.sessions_dir, encode_cwd(cwd)))

    def file_name(self, session_id: str, timestamp: str) -> str:
        if self.profile.layout == "gateway":
            return f"{session_id}.jsonl"
        return f"{re.sub('[:.]', '-', timestamp)}_{session_id}.jsonl"


def directories(
    profile: Profile,
    env: Mapping[str, str],
    agent_dir: str | None = None,
    agent_id: str | None = None,
) -> Directories:
    """Resolve a profile: arguments override the agent's variables, which override defaults.

    A given agent directory also overrides the variable for session directories.
    """
    if agent_dir is not None:
        return Directories(profile, absolute(agent_dir, env), agent_id or None)
    return Directories(profile, profile.agent_dir(env), agent_id or None, profile.session_dir(env))


def encode_cwd(cwd: str) -> str:
    r"""Return pi's directory name of a working directory: drop a leading / or \, / \ : become -."""
    return f"--{_SEPARATORS.sub('-', _LEADING_SEPARATOR.sub('', cwd))}--"


def normal_agent_id(agent_id: str | None) -> str:
    """Normalise an agent id as CoderClaw does; `main` if nothing remains."""
    return normal_name(agent_id, "main")


def normal_name(text: str | None, otherwise: str) -> str:
    """Normalise an id as CoderClaw does: lower case, `-` for other characters, at most 64."""
    trimmed = js_trim(text or "")
    if _PROPER.fullmatch(trimmed):
        return trimmed.lower()
    return _IMPROPER_RUN.sub("-", trimmed.lower()).strip("-")[:_LONGEST] or otherwise


def cache_directory(env: Mapping[str, str]) -> str:
    """Where a user's caches are, by the XDG base directory specification."""
    cache = env.get("XDG_CACHE_HOME", "")
    # The specification says to ignore relative paths.
    parent = cache if os.path.isabs(cache) else absolute("~/.cache", env)
    return f"{parent}/sessiond"


def absolute(path: str, env: Mapping[str, str]) -> str:
    """Expand a leading `~` and make the path absolute and normalised; symlinks are not resolved.

    A relative path is relative to `PWD`, which `with_working_directory` sets in `env`.
    """
    return _absolute_from(path, env.get("HOME") or str(Path.home()), env)


def with_working_directory(env: Mapping[str, str]) -> Mapping[str, str]:
    """Return the environment with `PWD` set to the current working directory of the process.

    The directory may be removed later (a git worktree), and the system cannot name it then. If it
    is missing already, `PWD` keeps an absolute value or becomes `/`.
    """
    try:
        return {**env, "PWD": os.getcwd()}
    except OSError:
        known = env.get("PWD", "")
        return {**env, "PWD": known if known.startswith("/") else "/"}


def _absolute_from(path: str, home: str, env: Mapping[str, str]) -> str:
    if path == "~" or path.startswith("~/"):
        path = home + path[1:]
    if not path.startswith("/"):
        path = os.path.join(env.get("PWD") or os.getcwd(), path)
    return os.path.normpath(path)


def _gateway_home(prefix: str, env: Mapping[str, str]) -> str:
    plain = env.get("HOME") or env.get("USERPROFILE") or str(Path.home())
    override = env.get(f"{prefix}_HOME", "").strip()
    return _absolute_from(override, plain, env) if override else plain


def _is_install(agents: Path) -> bool:
    return bool(_INSTALL_ID.fullmatch(agents.parent.name)) and agents.is_dir()
