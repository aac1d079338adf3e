"""Read many files so that a fault in one file does not affect the others.

Each step that concerns one file (or directory, or store) runs in `faults.isolate(path)`. Every
exception, expected or not, is recorded and logged with the path. An error that must end the whole
operation is raised outside, or is named as an exception to propagate.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from threading import Event
from typing import Literal, TypeVar

import attrs

from sessiond.runtime.errors import OutOfResources, PathNotAllowed, SessiondError, SessionNotFound

logger = logging.getLogger(__name__)

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


class Abandoned(Exception):
    """The result is not needed any more, so the whole operation ends. No file is at fault."""


class OutOfTime(Abandoned):
    """The operation has taken as long as it may."""


abandoned: ContextVar[Event | None] = ContextVar("abandoned", default=None)
"""Set when nobody waits any more for what this context works on in a worker thread."""


def go_on() -> None:
    """Raise Abandoned in a worker thread if the request it works for was cancelled."""
    event = abandoned.get()
    if event is not None and event.is_set():
        raise Abandoned


advanced: ContextVar[Callable[[int, int], None] | None] = ContextVar("advanced", default=None)
"""Called with how many items of how many this context has done, if somebody wants to know."""


def advance(done: int, total: int) -> None:
    """Tell whoever waits for this context's work how far it is."""
    report = advanced.get()
    if report is not None:
        report(done, total)


@attrs.frozen
class Fault:
    """Why a file, or a directory with its contents, is missing from an answer."""

    path: str
    kind: Literal["unreadable", "internalError", "timedOut"]
    """`unreadable`: the system refused access. `internalError`: a limit or an error of sessiond.
    `timedOut`: there was no time left for it."""
    message: str
    """One sentence, for people."""


class Faults:
    """Faults recorded while many files are read: the first one for each path.

    `earlier` are faults of an earlier run on the same files, which are not logged again.
    """

    def __init__(self, earlier: Iterable[Fault] = ()) -> None:
        self._earlier = {fault.path: fault for fault in earlier}
        self._faults_by_path: dict[str, Fault] = {}
        self._shortage: OutOfResources | None = None

    def raise_shortage(self) -> None:
        """Raise OutOfResources if one of the faults is a shortage of this process.

        For an answer that would be wrong, not merely incomplete, without the path.
        """
        if self._shortage is not None:
            raise self._shortage

    def __iter__(self) -> Iterator[Fault]:
        return iter(self._faults_by_path.values())

    def __len__(self) -> int:
        return len(self._faults_by_path)

    def __contains__(self, path: object) -> bool:
        return path in self._faults_by_path

    def isolate(self, path: str, *through: type[Exception]) -> Isolated:
        """Run a step for one file: `with faults.isolate(path): ...`.

        Calls `go_on` first. An exception ends the body and is recorded. `Abandoned`, the exceptions
        named in `through` and those that are not an `Exception` propagate. A missing file is not a
        fault.
        """
        return Isolated(self, path, through)

    def each(
        self, items: Iterable[_Item], path: Callable[[_Item], str], make: Callable[[_Item], _Made]
    ) -> list[_Made]:
        """Call `make` for each item; items for which it fails are omitted, as in `isolate`."""
        results = []
        for item in items:
            go_on()
            # Without a context manager, which takes longer than many a step.
            try:
                results.append(make(item))
            except Abandoned:
                raise
            except Exception as error:  # noqa: BLE001 - of this item alone
                self.note(path(item), error)
        return results

    @property
    def has_timed_out(self) -> bool:
        """Whether there was no time left for some file."""
        return any(fault.kind == "timedOut" for fault in self)

    def leave_out(self, path: str) -> None:
        """Record that there is no time left for a file."""
        message = "There was no time left to search it; search again, or for something simpler."
        self._faults_by_path.setdefault(path, Fault(path, "timedOut", message))

    def note(self, path: str, error: Exception) -> None:
        """Record and log the exception of a file."""
        self._shortage = OutOfResources.of(error) or self._shortage
        fault = fault_of(path, error)
        if fault is None or path in self._faults_by_path:
            return
        self._faults_by_path[path] = fault
        if self._earlier.get(path) == fault:
            return
        if fault.kind == "unreadable":
            logger.warning("%s is omitted: %s", path, fault.message)
        else:
            logger.error("%s is omitted: %s", path, fault.message, exc_info=error)


class Isolated:
    """A context manager for a step that concerns one file."""

    def __init__(self, faults: Faults, path: str, through: tuple[type[Exception], ...]) -> None:
        self._faults = faults
        self._path = path
        self._through: tuple[type[Exception], ...] = (Abandoned, *through)

    def __enter__(self) -> None:
        go_on()

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        if not isinstance(error, Exception) or isinstance(error, self._through):
            return False
        self._faults.note(self._path, error)
        return True


def fault_of(path: str, error: Exception) -> Fault | None:
    """Convert an exception to a fault; None if the file is missing or outside the roots."""
    error = OutOfResources.of(error) or error
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
