"""Looking for damage in session files. Reads only."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import attrs

from sessiond.catalog.discover import is_of, read_header
from sessiond.errors import ReadFailed, SessionNotFound
from sessiond.files import reading
from sessiond.format.entries import Diagnostic
from sessiond.format.repair import problems


@attrs.frozen
class Checked:
    """One file and what is wrong with it, in order of lines."""

    path: str
    problems: list[Diagnostic]


class Abandoned(Exception):
    """Nobody waits for the result any more."""


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


def check_all(
    paths: Iterable[str], cwd: str | None, abandoned: Callable[[], bool]
) -> list[Checked]:
    """Look at many files; with `cwd` only at sessions of that directory. Blocking.

    A file that cannot be read is a problem like others; one that is gone by now is left out.
    Raises Abandoned as soon as `abandoned` says so.
    """
    found: list[Checked] = []
    for path in paths:
        if abandoned():
            raise Abandoned
        if cwd is not None:
            header = read_header(path)
            if header is None or not is_of(header, cwd):
                continue
        try:
            found.append(check(path))
        except SessionNotFound:
            continue
        except ReadFailed as error:
            message = f"The file cannot be read: {error.data['strerror']}."
            found.append(Checked(path, [Diagnostic(0, "unreadable", message)]))
    return found
