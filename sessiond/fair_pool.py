"""Threads for which the clients of a process take turns.

A client that has much to do never occupies all threads: it may start further work only while more
threads are free than it has at work. So the first client gets half of them, the next one half of
the rest, and a client with nothing at work waits for the first thread that is free at most. Work
of a process for one client is not limited.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from typing import Any, ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")

_client: ContextVar[object] = ContextVar("client", default=None)
"""For whom this context works; None in a process for one client."""

_here = threading.local()
"""`work`: what this thread is doing."""


def take_turns() -> None:
    """Make this context, and all copies of it, take turns as one client with others."""
    _client.set(object())


def is_cancelled() -> bool:
    """Whether nobody waits any more for what this thread is doing; false outside of a pool."""
    work: _Work | None = getattr(_here, "work", None)
    return work is not None and work.is_unwanted


class _Work(Future[Any]):
    """A call, its result, and the client it is for."""

    def __init__(self, client: object, call: Callable[[], object]) -> None:
        super().__init__()
        self.client = client
        self.is_unwanted = False
        self.is_settled = False
        """Whether a thread has taken this work, or it was refused."""
        self._call = call

    def cancel(self) -> bool:
        """Cancel the call; if it has begun, it may ask `is_cancelled` and end early."""
        self.is_unwanted = True
        return super().cancel()

    def run(self) -> None:
        if not self.set_running_or_notify_cancel():
            return
        _here.work = self
        try:
            result = self._call()
        except BaseException as error:  # noqa: BLE001 - raised where the result is awaited
            self.set_exception(error)
        else:
            self.set_result(result)
        finally:
            _here.work = None


class FairPool(ThreadPoolExecutor):
    """A pool of threads that gives them to clients by turns.

    Work for which the system cannot start a thread fails with RuntimeError, and is never done.
    """

    def __init__(self, threads: int, name: str = "") -> None:
        super().__init__(threads, thread_name_prefix=name)
        self._threads_at_most = threads
        self._guard = threading.Lock()
        self._free = threads
        self._at_work: Counter[object] = Counter()
        self._queues: dict[object, deque[_Work]] = {}
        """What waits, by client; the client whose turn it is comes first."""

    def start_all(self) -> None:
        """Start all threads now, so that no shortage can prevent that later.

        What cannot be started now is started when there is work.
        """
        proceed = threading.Event()
        with suppress(RuntimeError):
            # Each gets a thread of its own, because those before it have not ended.
            for _ in range(self._threads_at_most):
                super().submit(proceed.wait)
        proceed.set()

    def submit(
        self, function: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> Future[_T]:
        """Call a function as soon as the client of this context gets a thread."""
        work = _Work(_client.get(), partial(function, *args, **kwargs))
        with self._guard:
            self._queues.setdefault(work.client, deque()).append(work)
        self._start()
        return work

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accept no more work, and cancel what waits for a thread."""
        with self._guard:
            waiting, self._queues = self._queues, {}
        for queue in waiting.values():
            for work in queue:
                work.cancel()
        super().shutdown(wait, cancel_futures=cancel_futures)

    def _start(self) -> None:
        while (work := self._next()) is not None:
            try:
                super().submit(self._run, work)
            except RuntimeError as error:
                # It is in the queue of the base class nevertheless, for the next thread.
                if self._settles(work):
                    self._end(work)
                    work.set_exception(error)

    def _next(self) -> _Work | None:
        """Take the next work that may be started now."""
        with self._guard:
            for client, queue in self._queues.items():
                if self._free > (self._at_work[client] if client else 0):
                    work = queue.popleft()
                    del self._queues[client]
                    if queue:
                        self._queues[client] = queue
                    self._free -= 1
                    self._at_work[client] += 1
                    return work
        return None

    def _run(self, work: _Work) -> None:
        if self._settles(work):
            work.run()
            self._end(work)
            self._start()

    def _settles(self, work: _Work) -> bool:
        """Whether the caller is the first to decide if this work is done or refused."""
        with self._guard:
            first, work.is_settled = not work.is_settled, True
            return first

    def _end(self, work: _Work) -> None:
        with self._guard:
            self._free += 1
            self._at_work[work.client] -= 1
            if not self._at_work[work.client]:
                del self._at_work[work.client]
