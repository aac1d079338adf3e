"""Threads that fail safely where the system has none to give.

`Pool` is a thread pool that never runs work which it has refused. `Thread` is a thread whose start
never blocks for ever.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from queue import Empty

_BEGIN_SECONDS = 0.5
"""A thread that has not begun after this time counts as failed."""


class Pool(ThreadPoolExecutor):
    """Runs work in its existing threads if the system cannot start another one.

    If there is none at all, `submit` raises RuntimeError or MemoryError and the work is withdrawn.
    The base class leaves it in its queue, so that a later thread would do what was refused.
    """

    def start_all(self) -> None:
        """Start all threads now, so that no shortage can prevent or delay that later.

        A thread that begins without any memory ends at once, and `threading.Thread.start` then
        waits for it for ever. What cannot be started now is started when there is work.
        """
        with suppress(RuntimeError, MemoryError):
            for _ in range(self._max_workers):
                self._adjust_thread_count()

    def _adjust_thread_count(self) -> None:
        # Called by `submit` after the work was queued, while it holds the lock of this pool.
        try:
            super()._adjust_thread_count()
        except (RuntimeError, MemoryError) as error:
            if any(thread.is_alive() for thread in self._threads):
                return
            self._refuse_all(error)
            raise

    def _refuse_all(self, error: Exception) -> None:
        with suppress(Empty):
            while True:
                work = self._work_queue.get_nowait()
                if work is not None and work.future.set_running_or_notify_cancel():
                    work.future.set_exception(error)


class Thread(threading.Thread):
    """A thread whose `start` raises RuntimeError if it does not begin in time.

    It may begin later nevertheless; its function must check for that.
    """

    def start(self) -> None:
        self._started = _BoundedEvent()
        super().start()
        if not self._started.is_set():
            # Otherwise it would be listed as a thread that is about to begin.
            threading._limbo.pop(self, None)  # type: ignore[attr-defined]  # noqa: SLF001
            raise RuntimeError("can't start new thread")


class _BoundedEvent(threading.Event):
    def wait(self, timeout: float | None = None) -> bool:
        return super().wait(_BEGIN_SECONDS if timeout is None else timeout)
