"""The messages between a front and a shared daemon, over a Unix socket.

Front to daemon: one greeting, with the descriptors of the three standard streams; then GO with the
beginning of the conversation; later STOP. Daemon to front: messages of one letter, a length and
a text. What the client and the daemon say to each other goes directly through the streams.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
from collections.abc import Mapping, Sequence

from sessiond.shared.front import sight

SERVE, STATUS, END = "serve", "status", "stop"
"""The requests of a greeting: a connection, a description of the daemon, or its end."""

GO = b"g"
"""Answers ACCEPTED; a length and what the front knows of a conversation that it has begun follow.
With it goes a descriptor that proves that the front may look into the daemon (`sight.py`).
Before it the daemon reads nothing from the streams, so that a front that has given up waiting can
still serve them itself."""

STOP = b"t"
"""Ends the connection after the running requests, as SIGTERM ends a daemon of one client."""

ACCEPTED, EXIT, REFUSED, ANSWER = b"a", b"x", b"r", b"j"
"""The connection will be served, by the process with this number; it has ended with this exit code
(and a text for standard error); it is not served, for this reason; the answer to STATUS as JSON."""

STREAMS = (0, 1, 2)
"""The descriptors that go with a greeting."""

_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED_VERSION = 0, 1, 0
"""Constants of macOS, from its sys/un.h and sys/ucred.h."""

_XUCRED = struct.Struct("=II")
"""The beginning of macOS' `struct xucred`: the version of the structure and the effective user."""

_XUCRED_SIZE = 76

LENGTH = struct.Struct("!I")
LONGEST_BEGINNING = 1024 * 1024
"""Largest number of bytes that may follow GO."""

LONGEST_GREETING = 8 * 1024 * 1024
"""Largest size in bytes. Linux limits arguments and environment together to 6 MiB by default."""


class Greeting:
    """The settings that a connection has of its own, apart from its streams.

    The umask is not among it: every file that sessiond creates has a mode for this user alone.
    """

    def __init__(  # noqa: PLR0917 - built in two places, in the order of the wire
        self,
        agreement: str,
        wish: str,
        pid: int,
        directory: str,
        arguments: list[str],
        env: dict[str, str],
    ) -> None:
        # A plain class: `typing` and `dataclasses` take half of the time of a front.
        self.agreement = agreement
        self.wish = wish
        self.pid = pid
        self.directory = directory
        self.arguments = arguments
        self.env = env

    def pack(self) -> bytes:
        """Join the fields by NUL, which none of them can contain."""
        fields = [
            *(self.agreement, self.wish, str(self.pid), self.directory),
            *(str(len(self.arguments)), *self.arguments),
            *(f"{name}={value}" for name, value in self.env.items()),
        ]
        return "\0".join(fields).encode("utf-8", "surrogateescape")


def unpack(data: bytes) -> Greeting:
    """Read a greeting. Raises ValueError."""
    agreement, wish, pid, directory, count, *rest = data.decode("utf-8", "surrogateescape").split(
        "\0"
    )
    split = int(count)
    if not 0 <= split <= len(rest):
        raise ValueError("the greeting is too short")
    env = dict(line.split("=", 1) for line in rest[split:])
    return Greeting(agreement, wish, int(pid), directory, rest[:split], env)


def greet(connection: socket.socket, greeting: Greeting, streams: Sequence[int]) -> None:
    """Send the greeting with the descriptors. Raises OSError."""
    body = greeting.pack()
    socket.send_fds(connection, [LENGTH.pack(len(body))], list(streams))
    connection.sendall(body)


def go(connection: socket.socket, daemon: str, begun: bytes = b"") -> None:
    """Let the daemon serve the streams; `daemon` came with ACCEPTED. Raises OSError and Unseen."""
    head = GO + LENGTH.pack(len(begun))
    if sight.IS_KNOWN:
        proof = sight.look(int(daemon))
        try:
            socket.send_fds(connection, [head], [proof])
        finally:
            os.close(proof)
    else:
        connection.sendall(head)
    if begun:
        # Not if it is empty: the daemon may have ended the connection already.
        connection.sendall(begun)


def message(kind: bytes, text: str = "") -> bytes:
    body = text.encode("utf-8", "surrogateescape")
    return kind + LENGTH.pack(len(body)) + body


def receive(connection: socket.socket) -> tuple[bytes, str] | None:
    """Wait for a message of the daemon; None at the end. Raises OSError, also at half a message."""
    head = _read(connection, 1 + LENGTH.size)
    if not head:
        return None
    (size,) = LENGTH.unpack(head[1:])
    return head[:1], _read(connection, size).decode("utf-8", "surrogateescape")


def _read(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            if data:
                raise ConnectionResetError("the daemon ended in the middle of a message")
            return b""
        data += more
    return data


def peer(connection: socket.socket) -> int:
    """Return the user at the other end. Raises OSError where the system does not tell."""
    if hasattr(socket, "SO_PEERCRED"):
        return _credentials(connection)[1]
    if sys.platform == "darwin":
        return user_of(connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED_SIZE))
    raise OSError("the system does not tell who is at the other end of a socket")


def peer_process(connection: socket.socket) -> int:
    """Return the process that has connected; 0 if it cannot be told."""
    return _credentials(connection)[0] if hasattr(socket, "SO_PEERCRED") else 0


def _credentials(connection: socket.socket) -> tuple[int, int]:
    size = struct.calcsize("3i")
    data = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    pid, user, _ = struct.unpack("3i", data)
    return int(pid), int(user)


def user_of(xucred: bytes) -> int:
    """Return the user in a `struct xucred` of macOS. Raises OSError if it is not one."""
    if len(xucred) >= _XUCRED.size:
        version, user = _XUCRED.unpack_from(xucred)
        if version == _XUCRED_VERSION:
            return int(user)
    raise OSError("the system describes the other end of a socket in an unknown way")


def environment() -> Mapping[str, str]:
    """The environment of this process, with its working directory as `PWD`."""
    try:
        return {**os.environ, "PWD": os.getcwd()}
    except OSError:
        directory = os.environ.get("PWD", "")
        return {**os.environ, "PWD": directory if directory.startswith("/") else "/"}
