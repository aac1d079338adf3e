"""Names of the directories in which Claude Code keeps sessions."""

from __future__ import annotations

import re

_OTHER = re.compile(r"[^A-Za-z0-9]")


def encoded_directory(cwd: str) -> str:
    """Return the name of the directory with the sessions of a working directory."""
    return _OTHER.sub("-", cwd)
