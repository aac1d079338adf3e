"""Looking for damage in session files. Reads only."""

from __future__ import annotations

import os
from collections.abc import Callable

import attrs

from sessiond.catalog.discover import is_of, read_header
from sessiond.catalog.scope import SessionScope
from sessiond.files import reading
from sessiond.format.entries import Diagnostic
from sessiond.format.repair.plan import problems
from sessiond.isolation import Abandoned, Fault, Faults

_TRAJECTORY = ".trajectory.jsonl"
"""What OpenClaw names the record of its steps, which lies beside the session."""


@attrs.frozen
class Checked:
    """One file and what is wrong with it, in order of lines."""

    path: str
    problems: list[Diagnostic]


def check(path: str) -> Checked:
    """Look at one file. Blocking; raises SessionNotFound and ReadFailed."""
    found = reading.read(path)
    if found.contents is not None:
        contents = found.contents
        return Checked(path, problems(contents.loaded, contents.tree))
    if found.state.size == 0:
        return Checked(path, [Diagnostic(0, "notASession", "The file is empty.")])
    message = "The line should be the header of a session; no agent reads the file without one."
    return Checked(path, [Diagnostic(found.bad_line or 1, "notASession", message)])


def check_all(scope: SessionScope, abandoned: Callable[[], bool]) -> list[Checked]:
    """Look at all files of a scope. Blocking.

    What keeps a file or a directory from being looked at is a problem of it like others; a file
    that is gone by now, or leads out of the roots, is left out, as is a trajectory beside its
    session. Raises Abandoned as soon as `abandoned` says so.
    """
    found: list[Checked] = []
    faults = Faults()
    for path in scope.files(faults):
        if abandoned():
            raise Abandoned
        with faults.isolate(path):
            if _is_meant(path, scope.cwd):
                found.append(check(path))
    every = [*found, *map(failed, faults)]
    return sorted(every, key=lambda checked: os.path.split(checked.path))


def failed(fault: Fault) -> Checked:
    """A file that could not be checked: the fault is its only problem."""
    return Checked(fault.path, [Diagnostic(0, fault.kind, fault.message)])


def _is_meant(path: str, cwd: str | None) -> bool:
    if cwd is None and not path.endswith(_TRAJECTORY):
        return True
    header = read_header(path)
    return header is not None and (cwd is None or is_of(header, cwd))
