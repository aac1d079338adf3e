"""Report the progress of a request that carries a token."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Self

from msgspec import UNSET, Raw
from sessiond_protocol.connection.progress import PartialSessions, ProgressParams, WorkDoneProgress
from sessiond_protocol.session.state import SessionInfo
from sessiond_protocol.wire import Token

from sessiond.catalog.list_query import ListQuery
from sessiond.catalog.listing import newest_first
from sessiond.catalog.summaries import Summary
from sessiond.rpc.codec import encode
from sessiond.runtime import isolation
from sessiond.runtime.isolation import Faults

if TYPE_CHECKING:
    from sessiond.methods.client import Listener

_REPORT_SECONDS = 0.1
_PARTIAL_SECONDS = 0.25
_PHASES = {"catalog/search": 2, "catalog/usage": 2}
"""The number of lists of files that a method goes through one after another; one for all others."""


class _Reports:
    """Sends reports under a token from worker threads, as long as the client reads."""

    def __init__(self, listener: Listener, token: Token) -> None:
        self._listener = listener
        self._token = token
        self._loop = asyncio.get_running_loop()

    def send(self, value: WorkDoneProgress | PartialSessions) -> None:
        self._loop.call_soon_threadsafe(self._send, value)

    def _send(self, value: WorkDoneProgress | PartialSessions) -> None:
        if self._listener.writable:
            raw = Raw(encode(value))
            self._listener.notify("$/progress", ProgressParams(token=self._token, value=raw))


class WorkProgress(_Reports):
    """Reports how far one request is: `begin`, then reports that never go back, then `end`."""

    def __init__(self, listener: Listener, token: Token, method: str) -> None:
        super().__init__(listener, token)
        self._phases = _PHASES.get(method, 1)
        self._phase = 0
        self._reached = 0.0
        self._next = 0.0
        self._has_ended = False

    def __enter__(self) -> Self:
        self._send(WorkDoneProgress(kind="begin"))
        self._before = isolation.advanced.set(self.advance)
        return self

    def __exit__(self, *_: object) -> None:
        isolation.advanced.reset(self._before)
        self._has_ended = True
        self._send(WorkDoneProgress(kind="end"))

    def advance(self, done: int, total: int) -> None:
        """Take note that so many files of a list are done. Called in worker threads."""
        now, is_done = time.monotonic(), done >= total
        if self._has_ended or not (is_done or now >= self._next):
            return
        self._next = now + _REPORT_SECONDS
        share = (self._phase + (done / total if total else 1)) / self._phases
        self._reached = max(self._reached, min(share, 1))
        if is_done:
            self._phase += 1
        self.send(
            WorkDoneProgress(
                kind="report",
                percentage=100 * self._reached if total else UNSET,
                loaded=done,
                total=total,
            )
        )


class PartialList(_Reports):
    """Reports the sessions that were read so far, while a list is made."""

    def __init__(
        self,
        listener: Listener,
        token: Token,
        query: ListQuery,
        info: Callable[[Summary], SessionInfo],
    ) -> None:
        super().__init__(listener, token)
        self._query = query
        self._info = info
        self._next = 0.0

    def __call__(self, loaded: int, total: int, summaries: Mapping[str, Summary]) -> None:
        """Report the first sessions of the list so far. Called in worker threads.

        Nothing is known yet of a later page, and of a list that depends on what sessions used.
        """
        query = self._query
        if (
            query.cursor is not None
            or query.needs_usage
            or (loaded < total and time.monotonic() < self._next)
        ):
            return
        # A copy, because the worker changes the original.
        of_kinds = [*filter(query.kinds.have, tuple(summaries.values()))]
        best = query.ordered(newest_first(query.select(of_kinds)), {})[: query.limit]
        sessions = Faults().each(best, lambda item: item.path, self._info)
        self._next = time.monotonic() + _PARTIAL_SECONDS
        self.send(PartialSessions(sessions=sessions))
