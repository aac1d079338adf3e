"""Sessions of subagents in a directory that has the name of the session that began them.

Packages for pi write them as `<session>/<run>/run-0/session.jsonl` or
`<session>/tasks/<name>.jsonl` beside `<session>.jsonl` (pi-subagents 0.67:
`src/extension/index.ts`, `src/shared/fork-context.ts`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from sessiond.agents.source import directories_below
from sessiond.files import disk

_STEM = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9-]{8,20}Z_[^/]{1,200}"
_RUN = re.compile(rf"(.*?/{_STEM})/.*\.jsonl", re.DOTALL)
_SUFFIX = ".jsonl"


def parent_of_run(path: str) -> str | None:
    """Return the session that began a subagent, by the path of the subagent; None for others."""
    run = _RUN.fullmatch(path) if "Z_" in path else None
    return None if run is None else run[1] + _SUFFIX


def directory_of_runs(path: str) -> str | None:
    """Return the directory with the subagents of a session; None if it has none. Blocking."""
    directory = path.removesuffix(_SUFFIX)
    is_named = re.fullmatch(_STEM, os.path.basename(directory)) is not None
    is_there = is_named and disk.isdir(directory) and not disk.islink(directory)
    return directory if is_there and path.endswith(_SUFFIX) else None


def run_files(directory: str) -> Iterator[str]:
    """Yield the sessions of subagents in a directory of runs. Raises OSError. Blocking."""
    for place in directories_below(directory):
        yield from (
            f"{place}/{name}" for name in sorted(disk.listdir(place)) if name.endswith(_SUFFIX)
        )


def places_of_runs(directory: str) -> Iterator[str]:
    """Yield the directories with subagents of the sessions of a directory. Raises OSError."""
    names = set(disk.listdir(directory))
    for name in sorted(names):
        if name + _SUFFIX in names and re.fullmatch(_STEM, name):
            yield from directories_below(os.path.join(directory, name))
