"""Call methods of a shared daemon that runs already, as a client that waits for each answer."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping, Sequence

from sessiond.shared.front import wire
from sessiond.shared.front.arguments import is_yes
from sessiond.shared.front.place import Place, Refused, find
from sessiond.shared.front.sight import Unseen

ACCEPT_SECONDS = 1.0
"""How long the daemon may take to accept the connection."""

_INVALID_PARAMS = -32602
_CHUNK = 1 << 20


class Failed(Exception):
    """The daemon's answer is an error, or it has ended; `message` is for people.

    `kind` is the error's kind in the contract, None for params that violate it.
    """

    def __init__(self, message: str, kind: str | None) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind


def may_call(env: Mapping[str, str]) -> bool:
    """Return whether commands may use a shared daemon: unless SESSIOND_SHARED says no."""
    given = env.get("SESSIOND_SHARED", "").strip()
    return not given or is_yes(given)


class Caller:
    """A connection to a running daemon of this version and these settings.

    `options` belong to the connection, in one spelling: `--root=DIR`. The settings of the engine
    come from the environment. No daemon is started. Raises OSError and Refused.
    """

    def __init__(self, options: Sequence[str]) -> None:
        env = wire.environment()
        place = find([], env, create=False)
        self._front = socket.socket(socket.AF_UNIX)
        self._stream, theirs = socket.socketpair()
        self._received = bytearray()
        self._searched = 0
        self._last_id = 0
        try:
            with theirs:
                self._connect(place, theirs, options, env)
        except BaseException:
            self.close()
            raise

    def _connect(
        self, place: Place, theirs: socket.socket, options: Sequence[str], env: Mapping[str, str]
    ) -> None:
        self._front.settimeout(ACCEPT_SECONDS)
        self._front.connect(place.socket)
        if wire.peer(self._front) != os.getuid():
            raise Refused(f"{place.socket} belongs to another user")
        greeting = wire.Greeting(
            place.agreement, wire.SERVE, os.getpid(), env["PWD"], list(options), dict(env)
        )
        # A command reports problems itself, so the daemon's log of this connection is not shown.
        null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        try:
            wire.greet(self._front, greeting, [theirs.fileno(), theirs.fileno(), null])
        finally:
            os.close(null)
        answer = wire.receive(self._front)
        if answer is None or answer[0] != wire.ACCEPTED:
            raise Refused("the daemon refuses the connection")
        try:
            wire.go(self._front, answer[1])
        except Unseen as error:
            raise Refused(str(error)) from None

    def call(self, method: str, params: Mapping[str, object]) -> bytes:
        """Return the result as the exact JSON that the daemon sent.

        Raises Failed.
        """
        self._last_id += 1
        request = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
        start = b'{"jsonrpc":"2.0","id":%d,' % self._last_id
        try:
            self._stream.sendall(json.dumps(request).encode() + b"\n")
            while not (line := self._line()).startswith(start):
                # A notification.
                continue
        except OSError as error:
            why = error.strerror or str(error)
            raise Failed(f"the shared daemon does not answer ({why}); try again", "Busy") from error
        result = start + b'"result":'
        if line.startswith(result):
            return line[len(result) : -1]
        answer = json.loads(line)["error"]
        kind = None if answer["code"] == _INVALID_PARAMS else answer["data"]["kind"]
        raise Failed(answer["message"], kind)

    def _line(self) -> bytes:
        """Return the next line without its end. Raises OSError."""
        while (end := self._received.find(b"\n", self._searched)) < 0:
            self._searched = len(self._received)
            data = self._stream.recv(_CHUNK)
            if not data:
                raise ConnectionResetError("it has ended")
            self._received += data
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        self._searched = 0
        return line

    def close(self) -> None:
        """End the connection; the daemon cancels what still runs for it."""
        self._stream.close()
        self._front.close()
