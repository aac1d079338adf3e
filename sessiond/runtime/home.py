"""Paths of a user: what `~` and relative paths mean, where caches are and what was done.

The XDG base directory specification says where: https://specifications.freedesktop.org/basedir-spec/
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from sessiond.runtime.errors import PathTooLong

_LONGEST = 4096
"""PATH_MAX of Linux, in bytes. Other systems refuse shorter paths themselves."""


_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")
"""How absolute paths of Windows begin: a drive, or `\\\\` and a server."""


def is_of_windows(directory: str) -> bool:
    """Whether a directory is named as on Windows; sessions that were copied from there have it."""
    return _WINDOWS.match(directory) is not None


def cache_directory(env: Mapping[str, str]) -> str:
    """Return where a user's caches are, by the XDG base directory specification."""
    cache = env.get("XDG_CACHE_HOME", "")
    # The specification says to ignore relative paths.
    parent = cache if os.path.isabs(cache) else absolute("~/.cache", env)
    return f"{parent}/sessiond"


def state_directory(env: Mapping[str, str]) -> str:
    """Return where a user's programs keep what they did, by the same specification."""
    state = env.get("XDG_STATE_HOME", "")
    parent = state if os.path.isabs(state) else absolute("~/.local/state", env)
    return f"{parent}/sessiond"


def data_directory(env: Mapping[str, str]) -> str:
    """Return where a user's programs keep what cannot be made again, by the same specification."""
    data = env.get("XDG_DATA_HOME", "")
    parent = data if os.path.isabs(data) else absolute("~/.local/share", env)
    return f"{parent}/sessiond"


def absolute(path: str, env: Mapping[str, str]) -> str:
    """Expand a leading `~` and make the path absolute and normalised; symlinks are not resolved.

    A relative path is relative to `PWD`, which `with_working_directory` sets in `env`. Raises
    PathTooLong.
    """
    return absolute_from(path, env.get("HOME") or os.path.expanduser("~"), env)


def absolute_from(path: str, home: str, env: Mapping[str, str]) -> str:
    """Make a path absolute as `absolute` does, with another home directory. Raises PathTooLong."""
    # Looking at each of its directories takes time that grows with the square of their number.
    if len(path) >= _LONGEST or len(path.encode("utf-8", "surrogatepass")) >= _LONGEST:
        raise PathTooLong(path)
    if path == "~" or path.startswith("~/"):
        path = home + path[1:]
    if not path.startswith("/"):
        path = os.path.join(env.get("PWD") or os.getcwd(), path)
    return os.path.normpath(path)


def with_tilde(path: str, home: str) -> str:
    """Return a path with `~` in place of a home directory."""
    home = home.rstrip("/")
    if home and (path == home or path.startswith(home + "/")):
        return "~" + path[len(home) :]
    return path


def environment() -> Mapping[str, str]:
    """Return the environment of this process as `with_working_directory` completes it."""
    return with_working_directory(os.environ)


def with_working_directory(env: Mapping[str, str]) -> Mapping[str, str]:
    """Return the environment with `PWD` set to the current working directory of the process.

    The directory may be removed later (a git worktree), and the system cannot name it then. If it
    is missing already, `PWD` keeps an absolute value or becomes `/`.
    """
    try:
        return {**env, "PWD": os.getcwd()}
    except OSError:
        directory = env.get("PWD", "")
        return {**env, "PWD": directory if directory.startswith("/") else "/"}
