"""Encode the answers of requests and send them; a failure becomes the answer."""

from __future__ import annotations

import logging
from collections.abc import Coroutine
from typing import Any

from sessiond_protocol.errors import INTERNAL_ERROR, REQUEST_CANCELLED

from sessiond.files import workers
from sessiond.jsontext.spans import Json
from sessiond.limits import INLINE_READ_BYTES
from sessiond.rpc import codec
from sessiond.rpc.admission import Call
from sessiond.rpc.connection import Connection
from sessiond.rpc.dispatch import ANSWERED_LATER, RpcRules, Send, describe, protocol_error

logger = logging.getLogger(__name__)


async def made_plain(handler: Coroutine[Any, Any, Any]) -> Any:
    """The result of a handler; a large one is converted for `plainJson` in a worker."""
    result = await handler
    if isinstance(result, Json) and result.size > INLINE_READ_BYTES:
        return await workers.reading(result.size, codec.plain_result, result)
    return result


class Answers:
    """The answers of one connection."""

    def __init__(self, connection: Connection, rules: RpcRules) -> None:
        self._connection = connection
        self.rules = rules

    def succeeded(self, call: Call, result: Any) -> int:
        """Answer with `result`; returns the size of the answer in bytes."""
        if call.id_ is None or result is ANSWERED_LATER:
            return 0
        try:
            body = codec.answer(call.id_, result, plain_json=self._connection.plain_json)
            size = len(body) if isinstance(body, bytes) else body.size
            call.send(body)
        except Exception as error:  # noqa: BLE001 - a result that cannot be sent is an error, too
            self.failed(call, error)
            return 0
        return size

    def failed(self, call: Call, error: BaseException) -> None:
        try:
            described = describe(error, call.method.name)
        except Exception:
            logger.exception("An error of %s cannot be described", call.method.name)
            described = protocol_error(INTERNAL_ERROR, "Internal error")
        if call.id_ is not None:
            self.fail(call.id_, described, call.send)
        elif described["code"] != REQUEST_CANCELLED:
            logger.warning("Notification %s failed: %s", call.method.name, described["message"])

    def ignored(self, name: str, error: BaseException | None) -> None:
        """Log a notification that is not served, because its method is unknown or not loaded."""
        reason = "no such method" if error is None else describe(error, name)["message"]
        level = logging.DEBUG if error is None else logging.WARNING
        logger.log(level, "Notification %s failed: %s", name, reason)

    def fail(self, id_: bytes, error: dict[str, Any], send: Send) -> None:
        if error["code"] == REQUEST_CANCELLED and not self.rules.answers_cancelled:
            return
        try:
            answer = codec.failure(id_, error, plain_json=self._connection.plain_json)
            send(answer)
        except Exception:
            logger.exception("An error cannot be answered")
            send(codec.LAST_RESORT % id_)
