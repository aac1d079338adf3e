"""Projects: a directory with what is below it, up to the root of its repository."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import attrs

from sessiond.files import disk
from sessiond.files.identity import OpenedFile, read_from
from sessiond.runtime.errors import PathNotAllowed, SessiondError

if TYPE_CHECKING:
    from sessiond.catalog.summaries import Summary

_LONGEST_LINK = 8192
"""Bytes that are read of a file `.git`; no path is as long."""


@attrs.frozen
class Project:
    """A directory, with everything below it unless only the directory itself counts."""

    root: str
    below: bool = True

    def holds(self, directory: str) -> bool:
        """Whether a working directory belongs to the project, judged by its path alone."""
        path = os.path.normpath(directory) if directory else ""
        return path == self.root or (self.below and path.startswith(f"{self.root.rstrip('/')}/"))

    def has_session(self, summary: Summary) -> bool:
        """Whether a session has worked in a directory of the project."""
        return any(map(self.holds, (summary.cwd or "", *summary.directories)))


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


def repository_of(directory: str, home: str) -> str:
    """Return the directory of a project; of a worktree, that of the repository it belongs to."""
    root = project_of(directory, home).root
    try:
        # gitrepository-layout(5): the `.git` of a worktree is a file that names its directory in
        # the repository, `.git/worktrees/NAME`.
        with OpenedFile(f"{root}/.git") as (descriptor, _):
            link = read_from(descriptor, 0, _LONGEST_LINK).decode()
    except (OSError, SessiondError, UnicodeDecodeError):
        return root
    target = os.path.normpath(os.path.join(root, link.removeprefix("gitdir:").strip()))
    main, worktrees, name = target.rpartition("/.git/worktrees/")
    is_worktree = worktrees and name and "/" not in name and _is_repository(main)
    return main if is_worktree else root
