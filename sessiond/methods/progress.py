"""Report the progress of a request that carries a token."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Self, cast

from msgspec import UNSET, Raw
from sessiond_protocol.connection.progress import PartialSessions, ProgressParams, WorkDoneProgress
from sessiond_protocol.session.list import ListingParams
from sessiond_protocol.session.state import SessionInfo
from sessiond_protocol.wire import Token, given

from sessiond.catalog.listing import newest_first
from sessiond.catalog.summaries import Summary
from sessiond.isolation import Faults
from sessiond.rpc.codec import encode

if TYPE_CHECKING:
    from sessiond.methods.client import Listener

_REPORT_SECONDS = 0.1
_PARTIAL_SECONDS = 0.25


class ListingProgress:
    """Reports the progress of a listing.

    It is called in the worker thread. Messages are sent on the event loop, and dropped while the
    client does not read.
    """

    def __init__(
        self,
        listener: Listener,
        params: ListingParams,
        info: Callable[[Summary], SessionInfo],
    ) -> None:
        self._listener = listener
        self._named = bool(given(params.named))
        self._info = info
        self._loop = asyncio.get_running_loop()
        # Without the cast a union of two types is inferred as their common base.
        self._work = cast("Token | None", given(params.workDoneToken))
        self._partial = cast("Token | None", given(params.partialResultToken))
        self._limit = given(params.limit)
        self._next_report = self._next_partial = 0.0

    def __enter__(self) -> Self:
        if self._work is not None:
            self._send(self._work, WorkDoneProgress(kind="begin"))
        return self

    def __exit__(self, *_: object) -> None:
        if self._work is not None:
            self._send(self._work, WorkDoneProgress(kind="end"))

    def __call__(self, loaded: int, total: int, summaries: Mapping[str, Summary]) -> None:
        now = time.monotonic()
        done = loaded == total
        if self._work is not None and (done or now >= self._next_report):
            self._next_report = now + _REPORT_SECONDS
            report = WorkDoneProgress(
                kind="report",
                percentage=100 * loaded / total if total else UNSET,
                loaded=loaded,
                total=total,
            )
            self._loop.call_soon_threadsafe(self._send, self._work, report)
        if self._partial is not None and (done or now >= self._next_partial):
            # A copy, because the worker changes the original.
            every = tuple(summaries.values())
            taken = [item for item in every if item.name or not self._named]
            current = newest_first(taken)[: self._limit]
            sessions = Faults().each(current, lambda item: item.path, self._info)
            self._next_partial = time.monotonic() + _PARTIAL_SECONDS
            self._loop.call_soon_threadsafe(
                self._send, self._partial, PartialSessions(sessions=sessions)
            )

    def _send(self, token: Token, value: WorkDoneProgress | PartialSessions) -> None:
        if self._listener.writable:
            raw = Raw(encode(value))
            self._listener.notify("$/progress", ProgressParams(token=token, value=raw))
