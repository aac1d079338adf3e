"""Reading many files: what goes wrong with one is that one's problem, and the others are answered.

Every step that a reading of many takes for one file (or directory, or store) runs in
`faults.isolate(path)`. Whatever it raises, foreseen or not, is noted and logged with the path. What
ends the whole reading is raised outside of it, or is one of the exceptions that are let through.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, TypeVar

import attrs

from sessiond.errors import PathNotAllowed, SessiondError, SessionNotFound

logger = logging.getLogger(__name__)

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


class Abandoned(Exception):
    """Nobody waits for the result any more: the whole reading ends. It is no file's problem."""


@attrs.frozen
class Fault:
    """Why a file, or a directory with all that is in it, is missing from an answer."""

    path: str
    kind: Literal["unreadable", "internalError"]
    """`unreadable`: the system refused. `internalError`: a limit or an error of our own."""
    message: str
    """One sentence, for people."""


class Faults:
    """What went wrong while many files were read: one fault for each path, the first one.

    `known` are those of an earlier reading of the same files, which are not logged again.
    """

    def __init__(self, known: Iterable[Fault] = ()) -> None:
        self._known = {fault.path: fault for fault in known}
        self._found: dict[str, Fault] = {}

    def __iter__(self) -> Iterator[Fault]:
        return iter(self._found.values())

    def __len__(self) -> int:
        return len(self._found)

    def __contains__(self, path: object) -> bool:
        return path in self._found

    def isolate(self, path: str, *through: type[Exception]) -> Isolated:
        """Run a step for one file: `with faults.isolate(path): ...`.

        The body may end early without an exception. `Abandoned` and what is named in `through`
        come out of it; so does everything that is no `Exception`. A file that is gone has no fault.
        """
        return Isolated(self, path, through)

    def each(
        self, items: Iterable[_Item], path: Callable[[_Item], str], make: Callable[[_Item], _Made]
    ) -> list[_Made]:
        """What `make` makes of each item; items with which that fails are left out."""
        made = []
        for item in items:
            with self.isolate(path(item)):
                made.append(make(item))
        return made

    def note(self, path: str, error: Exception) -> None:
        """Note and log what a file raised."""
        fault = fault_of(path, error)
        if fault is None or path in self._found:
            return
        self._found[path] = fault
        if self._known.get(path) == fault:
            return
        if fault.kind == "unreadable":
            logger.warning("%s is left out: %s", path, fault.message)
        else:
            logger.error("%s is left out: %s", path, fault.message, exc_info=error)


class Isolated:
    """The body of a `with` in which one file's step runs."""

    def __init__(self, faults: Faults, path: str, through: tuple[type[Exception], ...]) -> None:
        self._faults = faults
        self._path = path
        self._through: tuple[type[Exception], ...] = (Abandoned, *through)

    def __enter__(self) -> None:
        return

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        if not isinstance(error, Exception) or isinstance(error, self._through):
            return False
        self._faults.note(self._path, error)
        return True


def fault_of(path: str, error: Exception) -> Fault | None:
    """What an exception says of a file; None if there is none (inside the roots)."""
    match error:
        case SessionNotFound() | FileNotFoundError() | PathNotAllowed():
            return None
        case SessiondError():
            reason = str(error.data.get("strerror") or error.message)
            return Fault(path, "unreadable", f"It cannot be read: {reason}.")
        case OSError():
            return Fault(path, "unreadable", f"It cannot be read: {error.strerror or error}.")
        case _:
            what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            return Fault(path, "internalError", f"It cannot be read because of {what}.")
