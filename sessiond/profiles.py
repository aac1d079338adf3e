"""Where each agent of the family keeps its sessions, and which of its variables say otherwise."""

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
# JavaScript's `i` keeps to ASCII here; Python's would take the long s and the Kelvin sign along.
_PROPER = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}", re.IGNORECASE | re.ASCII)
_IMPROPER_RUN = re.compile(r"[^a-z0-9_-]+")
_LONGEST = 64


@attrs.frozen
class Profile:
    """One agent: its name and how its files are laid out.

    `pi`: a directory per working directory below `<agentDir>/sessions`, files named
    `<timestamp>_<id>.jsonl`. `gateway` (CoderClaw, OpenClaw): one directory per agent id below
    `<stateDir>/agents`, files named `<id>.jsonl`.
    """

    name: str
    layout: Layout
    argument: str | None = None
    """An argument that the owner of a lock must have, or the agent removes the lock."""

    @property
    def variable_prefix(self) -> str:
        return self.name.upper()

    def agent_dir(self, env: Mapping[str, str]) -> str:
        """The agent's own directory (pi's agentDir, CoderClaw's state directory), absolute."""
        return self._state_dir(env) if self.layout == "gateway" else self._pi_dir(env)

    def home_env(self, env: Mapping[str, str]) -> Mapping[str, str]:
        """The environment by which `~` is the agent's home: a gateway has a variable for that."""
        if self.layout == "pi":
            return env
        return {**env, "HOME": _gateway_home(self.variable_prefix, env)}

    def session_dir(self, env: Mapping[str, str]) -> str | None:
        """The directory that the agent's variable puts in place of all default ones, if any."""
        if self.layout == "gateway":
            return None
        value = env.get(f"{self.variable_prefix}_CODING_AGENT_SESSION_DIR")
        return absolute(value, env) if value else None

    def _pi_dir(self, env: Mapping[str, str]) -> str:
        value = env.get(f"{self.variable_prefix}_CODING_AGENT_DIR")
        return absolute(value or f"~/.{self.name}/agent", env)

    def _state_dir(self, env: Mapping[str, str]) -> str:
        prefix = self.variable_prefix
        home = _gateway_home(prefix, env)
        if override := env.get(f"{prefix}_STATE_DIR", "").strip():
            return _absolute_from(override, home, env)
        profile = env.get(f"{prefix}_PROFILE", "").strip()
        if profile and profile.lower() != "default":
            return str(Path(home, f".{self.name}-{profile}"))
        flat = Path(home, f".{self.name}")
        if (flat / "agents").is_dir():
            return str(flat)
        installs = [path.parent for path in flat.glob("*/agents") if _is_install(path)]
        # With several installs nothing tells which is meant; the flat form is the documented one.
        return str(installs[0] if len(installs) == 1 else flat)


PROFILES = {
    profile.name: profile
    for profile in (
        Profile("pi", "pi"),
        Profile("clanker", "pi"),
        Profile("indusagi", "pi"),
        Profile("companion", "pi"),
        Profile("coderclaw", "gateway"),
        Profile("openclaw", "gateway", argument="openclaw"),
    )
}


@attrs.frozen
class Directories:
    """The directories in force: a profile with the command line and `initialize` applied."""

    profile: Profile
    agent_dir: str
    agent_id: str = "main"
    session_dir: str | None = None
    """Stands in for every default session directory when an agent's variable says so."""

    @property
    def sessions_dir(self) -> str:
        """The directory above (pi) or of (gateway, override) the sessions."""
        if self.session_dir is not None:
            return self.session_dir
        if self.profile.layout == "gateway":
            return str(Path(self.agent_dir, "agents", normal_agent_id(self.agent_id), "sessions"))
        return str(Path(self.agent_dir, "sessions"))

    @property
    def one_for_all(self) -> bool:
        """Whether one directory holds the sessions of every working directory."""
        return self.session_dir is not None or self.profile.layout == "gateway"

    def default_dir(self, cwd: str) -> str:
        """The session directory of an (absolute) working directory."""
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
    """Resolve a profile: what is given over the agent's variables over its defaults.

    An agent directory that is given outranks the variable for session directories as well.
    """
    if agent_dir is not None:
        return Directories(profile, absolute(agent_dir, env), agent_id or "main")
    return Directories(
        profile, profile.agent_dir(env), agent_id or "main", profile.session_dir(env)
    )


def encode_cwd(cwd: str) -> str:
    r"""Name pi's directory of a working directory: one leading / or \ dropped, / \ : become -."""
    return f"--{_SEPARATORS.sub('-', _LEADING_SEPARATOR.sub('', cwd))}--"


def normal_agent_id(agent_id: str | None) -> str:
    """CoderClaw's spelling of an agent id; `main` where nothing is left of it."""
    return normal_name(agent_id, "main")


def normal_name(text: str | None, otherwise: str) -> str:
    """As CoderClaw spells ids: lower case, runs of other characters become `-`, cut to 64."""
    trimmed = js_trim(text or "")
    if _PROPER.fullmatch(trimmed):
        return trimmed.lower()
    return _IMPROPER_RUN.sub("-", trimmed.lower()).strip("-")[:_LONGEST] or otherwise


def absolute(path: str, env: Mapping[str, str]) -> str:
    """Expand a leading `~` and make the path absolute and normal; symlinks stay.

    A relative path is taken from `PWD`, which `with_working_directory` has put into `env`.
    """
    return _absolute_from(path, env.get("HOME") or str(Path.home()), env)


def with_working_directory(env: Mapping[str, str]) -> Mapping[str, str]:
    """The environment with `PWD` as the process's working directory is called at this moment.

    That directory may be removed later (a git worktree), and then the system cannot name it any
    more. Where it is gone already, `PWD` stays as it is, or becomes `/`.
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
