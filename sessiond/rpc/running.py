"""Run the handlers of one connection: at once, joined, and further in tasks if they suspend."""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from sessiond import limits
from sessiond.errors import TooLarge
from sessiond.files import workers
from sessiond.jsontext.spans import loads
from sessiond.rpc.admission import Admission, Call
from sessiond.rpc.answers import Answers, made_plain
from sessiond.rpc.connection import Connection
from sessiond.rpc.dispatch import Started
from sessiond.rpc.message import Ready, params_of

logger = logging.getLogger(__name__)

Key = int | float | str
"""A request id as `$/cancelRequest` gives it."""

_MOST_REQUESTS = 64
"""Requests in one call: they take as long as a slice of the event loop, at most."""

_MOST_BYTES = 128 * 1024
"""Bytes of the params of one call."""


class Joined:
    """Requests of one kind that arrived one after another, and wait to be served by one call.

    Nothing else is started before they are served. So no answer waits for a later request, and the
    order of requests stays.
    """

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._params: list[Any] = []
        self._size = 0

    def accepts(self, call: Call) -> bool:
        """Whether this request may be joined with others, if it is `add`ed.

        Decodes its params. A request whose params are not valid is served alone.
        """
        if call.method.joint is None or call.size > _MOST_BYTES:
            return False
        message = call.message
        if isinstance(message, Ready) or call.method.takes_id:
            return False
        try:
            params = params_of(message, call.method)
        except Exception:  # noqa: BLE001 - raised again when the request is served
            return False
        call.message = Ready(message, params)
        return True

    def continues(self, call: Call) -> bool:
        """Whether this accepted request can be served together with those that wait."""
        first = self.calls[0]
        joint = first.method.joint
        return (
            joint is not None
            and call.method is first.method
            and len(self.calls) < _MOST_REQUESTS
            and self._size + call.size <= _MOST_BYTES
            and joint.key(self._params[0]) == joint.key(_decoded(call))
        )

    def add(self, call: Call) -> None:
        """Let an accepted request wait."""
        self.calls.append(call)
        self._params.append(_decoded(call))
        self._size += call.size

    def take(self) -> tuple[list[Call], list[Any]]:
        """Remove and return the requests that wait, and their params."""
        taken = self.calls, self._params
        self.calls, self._params, self._size = [], [], 0
        return taken


def _decoded(call: Call) -> Any:
    assert isinstance(call.message, Ready), "not accepted"  # noqa: S101 - for the type checker
    return call.message.params


class Running:
    """The requests that were started, found by their ids while they run in tasks."""

    def __init__(self, connection: Connection, admission: Admission, answers: Answers) -> None:
        self._connection = connection
        self._admission = admission
        self._answers = answers
        self._joined = Joined()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._by_key: dict[Key, asyncio.Task[Any]] = {}

    def __len__(self) -> int:
        return len(self._tasks) + len(self._joined.calls)

    def start(self, call: Call) -> None:
        """Run the handler of a request, or let the request wait for others to be joined with.

        Requests that wait are served before anything else is started: see `finish_joined`.
        """
        joined = self._joined
        if call.method.joint is None:
            if joined.calls:
                self.finish_joined()
            self._run(call)
            return
        is_refused = call.batch is not None and self._is_refused(call)
        accepted = not is_refused and joined.accepts(call)
        if joined.calls and not (accepted and joined.continues(call)):
            self.finish_joined()
        if accepted:
            joined.add(call)
        else:
            self._run(call)

    def finish_joined(self) -> None:
        """Serve the requests that wait, together as far as that is possible."""
        calls, params = self._joined.take()
        while calls:
            joint = calls[0].method.joint
            assert joint is not None, "only such methods are joined"  # noqa: S101
            context = contextvars.copy_context()
            done: Sequence[Any] = ()
            coroutine = joint.run(params)
            try:
                waiting_for = context.run(coroutine.send, None)
            except StopIteration as finished:
                done = finished.value
            except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - it is the answer
                # Something may be written already, so none is tried again.
                done = [error] * len(calls)
            else:
                self._carry_on(calls, Started(coroutine, waiting_for), context, joined=True)
                return
            self._answer_joined(calls, done)
            calls, params = calls[len(done) :], params[len(done) :]
            if calls:
                self._run(calls.pop(0))
                params.pop(0)

    def _answer_joined(self, calls: Sequence[Call], done: Sequence[Any]) -> None:
        for call, result in zip(calls, done, strict=False):
            if isinstance(result, BaseException):
                self._answers.failed(call, result)
            else:
                self._answers.succeeded(call, result)

    def _is_refused(self, call: Call) -> bool:
        return call.batch is not None and call.batch.size > limits.BATCH_ANSWER_BYTES

    def _run(self, call: Call) -> None:
        if self._is_refused(call):
            self._answers.failed(
                call, TooLarge("The answer to the batch", limits.BATCH_ANSWER_BYTES)
            )
            return
        try:
            params = params_of(call.message, call.method)
            coroutine = call.method.run(params)
            if self._connection.plain_json:
                coroutine = made_plain(coroutine)
            context = contextvars.copy_context()
        except Exception as error:  # noqa: BLE001 - every exception becomes the answer
            self._answers.failed(call, error)
            return
        try:
            waiting_for = context.run(coroutine.send, None)
        except StopIteration as finished:
            self._answers.succeeded(call, finished.value)
        except (Exception, asyncio.CancelledError, GeneratorExit) as error:  # noqa: BLE001 - likewise
            self._answers.failed(call, error)
        else:
            self._carry_on([call], Started(coroutine, waiting_for), context)

    def _carry_on(
        self,
        calls: Sequence[Call],
        coroutine: Started,
        context: contextvars.Context,
        *,
        joined: bool = False,
    ) -> None:
        """Continue a handler in a task; it answers these calls when it has ended."""
        try:
            id_ = None if joined else calls[0].id_
            key = None if id_ is None else loads(id_)
            try:
                task = asyncio.get_running_loop().create_task(coroutine, context=context)
            except Exception:
                coroutine.close()
                raise
        except Exception as error:  # noqa: BLE001 - it cannot continue, but it is answered
            for call in calls:
                self._answers.failed(call, error)
            return
        self._tasks.add(task)
        if key is not None:
            self._by_key[key] = task
        finished = self._finished_joined if joined else self._finished
        task.add_done_callback(partial(self._end, key, calls, finished))
        announced = context.get(workers.announced, 0) // len(calls)
        for call in calls:
            self._admission.started(call, announced)

    def _end(
        self,
        key: Key | None,
        calls: Sequence[Call],
        finished: Callable[[Sequence[Call], asyncio.Task[Any]], None],
        task: asyncio.Task[Any],
    ) -> None:
        self._tasks.discard(task)
        if key is not None and self._by_key.get(key) is task:
            del self._by_key[key]
        for call in calls:
            self._admission.finished(call)
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if error is not None:
            for call in calls:
                self._answers.failed(call, error)
        else:
            finished(calls, task)
        self._connection.proceed()

    def _finished(self, calls: Sequence[Call], task: asyncio.Task[Any]) -> None:
        for call in calls:
            call.method.learn(self._answers.succeeded(call, task.result()))

    def _finished_joined(self, calls: Sequence[Call], task: asyncio.Task[Any]) -> None:
        done: Sequence[Any] = task.result()
        self._answer_joined(calls, done)
        for call in calls[len(done) :]:
            self._run(call)

    def cancel(self, key: Key) -> bool:
        """Cancel the task of this request; returns whether there is one."""
        task = self._by_key.get(key)
        return task is not None and (task.cancel() or True)

    def cancel_all(self) -> None:
        for task in self._tasks:
            task.cancel()
