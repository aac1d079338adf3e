"""The project of a working directory: which sessions a server shows by default."""

from __future__ import annotations

import os
from collections.abc import Mapping

import attrs

from sessiond.errors import PathNotAllowed
from sessiond.files import disk


@attrs.frozen
class Project:
    """A directory, with everything below it unless only the directory itself counts."""

    root: str
    below: bool = True

    def holds(self, directory: str) -> bool:
        """Whether a working directory belongs to the project, judged by its path alone."""
        path = os.path.normpath(directory) if directory else ""
        return path == self.root or (self.below and path.startswith(f"{self.root.rstrip('/')}/"))


def project_of(env: Mapping[str, str]) -> Project:
    """Return the project of `PWD`: the nearest directory with `.git`, else `PWD` itself.

    The home directory, the directories above it and `/` are nobody's project: programs with windows
    start servers there. Of those only the directory itself counts, so that such a server does not
    show everything.
    """
    start = os.path.normpath(env.get("PWD") or "/")
    home = os.path.normpath(env.get("HOME") or "/")
    directory = start
    while not _is_general(directory, home):
        if _is_repository(directory):
            return Project(directory)
        directory = os.path.dirname(directory)
    return Project(start, below=not _is_general(start, home))


def _is_general(directory: str, home: str) -> bool:
    return directory in ("/", home) or home.startswith(f"{directory}/")


def _is_repository(directory: str) -> bool:
    try:
        return disk.lexists(f"{directory}/.git")
    except (OSError, PathNotAllowed):
        # Outside of `--root`, or a name that no file can have.
        return False
