"""The input and the result of a campaign, and the list of all campaigns."""

from __future__ import annotations

import os
import random
from pathlib import Path

import attrs

CAMPAIGNS = {
    "kills": 60,
    "soak": 60,
    "escapes": 60,
    "stores": 30,
    "files": 60,
    "agents": 40,
    "faults": 60,
    "storms": 20,
    "requests": 60,
    "mcp": 40,
    "shortages": 20,
    "power_cuts": 60,
    "database": 8,
    "mirrors": 5,
    "tips": 5,
    "openclaw": 60,
    "sync": 60,
}
"""Module names and the rounds that `make torture` runs of each; a round takes about a second."""

NOBODY = 65534

Figures = dict[str, int]
"""What a campaign did, as numbers by name: kills, requests, files, ..."""


class Violation(AssertionError):
    """A promise of the daemon was broken; the message says which one and how to repeat it."""


@attrs.frozen
class Settings:
    """`directory` is empty, and removed after the campaign."""

    directory: Path
    seed: int
    rounds: int

    def random(self, *names: object) -> random.Random:
        """Random choices that depend on the seed and `names`, and on nothing else."""
        return random.Random(repr((self.seed, *names)))

    def unprivileged(self, *command: str) -> list[str]:
        """A command that runs this one as the user nobody; the same command if we are not root.

        It may read everything, because the interpreter is often below /root, but writes only files
        that belong to nobody.
        """
        if os.geteuid() != 0:
            return list(command)
        capabilities = "-all,+dac_read_search"
        return [
            *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
            *(f"--inh-caps={capabilities}", f"--ambient-caps={capabilities}"),
            *("--no-new-privs", "--", *command),
        ]

    def give_away(self, *paths: Path) -> None:
        """Make the unprivileged user the owner of files and trees below `directory`."""
        if os.geteuid() != 0:
            return
        for path in paths:
            for each in (path, *path.rglob("*")):
                os.chown(each, NOBODY, NOBODY, follow_symlinks=False)
