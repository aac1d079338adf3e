"""A server whose methods a test registers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from sessiond.rpc import server
from sessiond.rpc.methods import Method
from sessiond.rpc.server import RpcRules
from sessiond.runtime.limits import MAX_MESSAGE_BYTES


class Server(server.Server):
    """Serves what `register` was called with."""

    def __init__(
        self,
        framing: Literal["auto", "header", "line"] = "auto",
        max_message_bytes: int = MAX_MESSAGE_BYTES,
        rules: RpcRules | None = None,
    ) -> None:
        self.known: dict[str, Method] = {}
        super().__init__(self.known.get, framing, max_message_bytes, rules)

    def register(
        self, name: str, params_type: type | None, run: Callable[[Any], Any], **more: Any
    ) -> None:
        self.known[name] = Method(name, run, params_type, **more)
