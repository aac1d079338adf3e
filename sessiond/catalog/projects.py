"""Projects: a directory with what is below it, up to the root of its repository."""

from __future__ import annotations

import os

import attrs

from sessiond.files import disk
from sessiond.runtime.errors import PathNotAllowed


@attrs.frozen
class Project:
    """A directory, with everything below it unless only the directory itself counts."""

    root: str
    below: bool = True

    def holds(self, directory: str) -> bool:
        """Whether a working directory belongs to the project, judged by its path alone."""
        path = os.path.normpath(directory) if directory else ""
        return path == self.root or (self.below and path.startswith(f"{self.root.rstrip('/')}/"))


def project_of(directory: str, home: str) -> Project:
    """Return the project of a directory: the nearest one above with `.git`, else itself.

    The home directory, the directories above it and `/` are nobody's project: programs with windows
    start there. Of those only the directory itself counts, so that it does not mean everything.
    """
    start, home = os.path.normpath(directory), os.path.normpath(home)
    root = start
    while not _is_general(root, home):
        if _is_repository(root):
            return Project(root)
        root = os.path.dirname(root)
    return Project(start, below=not _is_general(start, home))


def _is_general(directory: str, home: str) -> bool:
    return directory in ("/", home) or home.startswith(f"{directory}/")


def _is_repository(directory: str) -> bool:
    try:
        return disk.lexists(f"{directory}/.git")
    except (OSError, PathNotAllowed):
        # Outside of `--root`, or a name that no file can have.
        return False
