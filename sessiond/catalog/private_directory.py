"""Directories of the user's cache, which other users cannot read."""

from __future__ import annotations

import contextlib
import os
import stat


def prepare_private(directory: str, *, follows_links: bool = False) -> None:
    """Create a directory with mode 0700, or set this mode on an existing one. Blocking.

    Raises OSError, also if another user owns it, if it is another kind of file, or if it is a
    symbolic link and `follows_links` is false.
    """
    os.makedirs(os.path.dirname(directory), mode=0o700, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.mkdir(directory, 0o700)
    status = os.stat(directory, follow_symlinks=follows_links)
    # Another kind of file, for example /dev/null, must not get the mode below.
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        raise PermissionError(f"{directory} is not a directory of this user")
    if status.st_mode & 0o077:
        os.chmod(directory, 0o700)
