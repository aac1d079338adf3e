"""Isolate failures of single entries while many are processed.

A failure is noted as a problem of that entry and logged with its path; the others are answered.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable

import attrs

from sessiond.gateway.store.snapshot import StoreProblem
from sessiond.isolation import Abandoned, fault_of, go_on

logger = logging.getLogger(__name__)


@attrs.define
class EntryFaults:
    """Collects one problem for each entry with which a step failed."""

    problems: list[StoreProblem]
    _failed: set[tuple[str, str]] = attrs.field(factory=set)

    def isolate(self, key: str, path: str) -> _Isolated:
        """Run a step for one entry: `with faults.isolate(key, path): ...`.

        Raises Abandoned if the request was cancelled. Another Exception ends the body early and is
        noted; it does not propagate.
        """
        return _Isolated(self, key, path)

    def of_store(self, path: str) -> Callable[[str], _Isolated]:
        """`isolate` for the entries of one store."""
        return functools.partial(self.isolate, path=path)

    def note(self, key: str, path: str, error: Exception) -> None:
        """Note and log the error that an entry of the store or transcript at `path` raised."""
        fault = fault_of(path, error)
        if fault is None or (key, path) in self._failed:
            return
        self._failed.add((key, path))
        if fault.kind == "unreadable":
            logger.warning("%s in %s is left out: %s", key, path, fault.message)
        else:
            logger.error("%s in %s is left out: %s", key, path, fault.message, exc_info=error)
        self.problems.append(StoreProblem("unreadableEntry", f"{key}: {fault.message}", key, path))


@attrs.frozen
class _Isolated:
    faults: EntryFaults
    key: str
    path: str

    def __enter__(self) -> None:
        go_on()

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        if not isinstance(error, Exception) or isinstance(error, Abandoned):
            return False
        self.faults.note(self.key, self.path, error)
        return True
