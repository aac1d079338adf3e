"""Call methods of a shared daemon that runs already, as a client that waits for each answer."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping, Sequence

from sessiond.front import wire
from sessiond.front.arguments import is_yes
from sessiond.front.place import Place, Refused, find

ACCEPT_SECONDS = 1.0
"""How long the daemon may take to accept the connection."""

SILENCE_SECONDS = 0.5
"""How long to wait for an answer before the daemon is asked whether it works, and then for any
sign of it. Its event loop answers that question beside all other work."""

_CHUNK = 1 << 20


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
        wire.go(self._front)

    def call(self, method: str, params: Mapping[str, object]) -> bytes:
        """Return the result as the exact JSON that the daemon sent.

        Raises OSError if the daemon has ended or is silent, Refused if it answers with an error.
        """
        mine = self._send(method, params)
        start = b'{"jsonrpc":"2.0","id":%d,' % mine
        while not (line := self._line()).startswith(start):
            # The answer to an earlier question whether the daemon works, or a notification.
            continue
        result = start + b'"result":'
        if not line.startswith(result):
            raise Refused(f"{method} has failed")
        return line[len(result) : -1]

    def _send(self, method: str, params: Mapping[str, object]) -> int:
        self._last_id += 1
        request = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
        self._stream.settimeout(ACCEPT_SECONDS)
        self._stream.sendall(json.dumps(request).encode() + b"\n")
        return self._last_id

    def _line(self) -> bytes:
        """Return the next line without its end. Raises OSError."""
        while (end := self._received.find(b"\n", self._searched)) < 0:
            self._searched = len(self._received)
            self._received += self._more()
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        self._searched = 0
        return line

    def _more(self) -> bytes:
        """Wait for bytes; while none arrive, ask whether the daemon works. Raises OSError."""
        self._stream.settimeout(SILENCE_SECONDS)
        try:
            data = self._stream.recv(_CHUNK)
        except TimeoutError:
            self._send("daemon/status", {})
            self._stream.settimeout(SILENCE_SECONDS)
            data = self._stream.recv(_CHUNK)
        if not data:
            raise ConnectionResetError("the daemon has ended")
        return data

    def close(self) -> None:
        """End the connection; the daemon cancels what still runs for it."""
        self._stream.close()
        self._front.close()
