"""The handlers of one connection that have suspended and continue in tasks."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from functools import partial
from typing import Any

from sessiond.rpc.dispatch import Started

Key = int | float | str
"""A request id as `$/cancelRequest` gives it."""

Done = Callable[[asyncio.Task[Any]], None]


class RunningTasks:
    """Tasks, found by the ids of their requests."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._by_key: dict[Key, asyncio.Task[Any]] = {}

    def __len__(self) -> int:
        return len(self._tasks)

    def start(
        self, coroutine: Started, context: contextvars.Context, key: Key | None, done: Done
    ) -> None:
        """Continue a handler in a task; `done` is called when it has ended.

        Raises what creating a task raises; the coroutine is closed then.
        """
        try:
            task = asyncio.get_running_loop().create_task(coroutine, context=context)
        except Exception:
            coroutine.close()
            raise
        self._tasks.add(task)
        if key is not None:
            self._by_key[key] = task
        task.add_done_callback(partial(self._end, key, done))

    def cancel(self, key: Key) -> bool:
        """Cancel the task of this request; returns whether there is one."""
        task = self._by_key.get(key)
        return task is not None and (task.cancel() or True)

    def cancel_all(self) -> None:
        for task in self._tasks:
            task.cancel()

    def _end(self, key: Key | None, done: Done, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if key is not None and self._by_key.get(key) is task:
            del self._by_key[key]
        done(task)
