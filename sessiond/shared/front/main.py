"""Serve through a shared daemon: find or start it, pass it the streams, wait for the end."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import socket
import sys
import time
from collections.abc import Mapping, Sequence

from sessiond.shared.front import wire
from sessiond.shared.front.arguments import DAEMON, IDLE_SECONDS, normal, setting
from sessiond.shared.front.place import Place, Refused, find
from sessiond.shared.front.sight import Unseen

START_SECONDS = 30.0
"""How long to wait until a daemon takes the connection, then this process serves alone. Long,
because a busy machine is no reason to have two daemons."""

ANSWER_SECONDS = 10.0
"""How long to wait for the answer to a question about the daemon."""

_PAUSE_SECONDS = 0.01
_LOST = 70
_ENDING = (signal.SIGTERM, signal.SIGINT)
_TRIES = 5


def serve(arguments: Sequence[str], begun: bytes = b"") -> int | None:
    """Serve through a shared daemon; None if this process has to serve alone.

    Returns the exit code of the connection. Why a daemon could not be shared is written to standard
    error. `begun`: what the daemon must know of what was done with the streams before.
    """
    env = wire.environment()
    try:
        connection = _accepted(arguments, env, begun)
    except (OSError, Refused) as error:
        _say(f"sessiond: not shared: {error}")
        return None
    with connection:
        return _wait(connection)


def ask(path: str, wish: str) -> str:
    """Send a wish other than SERVE to the daemon at this socket; returns its answer as JSON.

    Raises OSError and Refused.
    """
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(ANSWER_SECONDS)
        connection.connect(path)
        if wire.peer(connection) != os.getuid():
            raise Refused(f"{path} belongs to another user")
        env = wire.environment()
        greeting = wire.Greeting("", wish, os.getpid(), env["PWD"], [], {})
        wire.greet(connection, greeting, _streams())
        answer = wire.receive(connection)
    if answer is None or answer[0] != wire.ANSWER:
        raise Refused("it gives no answer")
    return answer[1]


def _accepted(arguments: Sequence[str], env: Mapping[str, str], begun: bytes) -> socket.socket:
    """Return a connection that the daemon will serve. Raises OSError and Refused."""
    if not (hasattr(socket, "AF_UNIX") and hasattr(socket, "send_fds")):
        raise Refused("this system has no sockets that pass open files")
    place = find(arguments, env)
    deadline = time.monotonic() + START_SECONDS
    for _ in range(_TRIES):
        connection, is_new = _reach(place, arguments, env, deadline)
        try:
            connection.settimeout(max(deadline - time.monotonic(), 1.0))
            _greet(connection, place, wire.SERVE, arguments, env)
            answer = wire.receive(connection)
            if answer is not None and answer[0] == wire.ACCEPTED:
                connection.settimeout(None)
                _go(connection, answer[1], begun)
                return connection
        except Unseen as error:
            connection.close()
            raise Refused(f"the running daemon cannot be used: {error}") from None
        except TimeoutError:
            connection.close()
            raise Refused("the daemon did not answer in time") from None
        except ConnectionError:
            # The daemon has ended meanwhile, perhaps because it was idle.
            answer = None
        connection.close()
        if answer is not None:
            raise Refused(answer[1])
        if is_new:
            break
    raise Refused(f"the daemon ended before it took the connection; see {place.log}")


def _go(connection: socket.socket, daemon: str, begun: bytes) -> None:
    """Let the daemon serve. Then a signal ends the connection after the running requests."""

    def stop(_number: int, _frame: object) -> None:
        try:
            connection.send(wire.STOP)
        except OSError:
            # The daemon has ended, which `receive` reports.
            return

    # A signal in between must neither end this process nor be sent before GO.
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        wire.go(connection, daemon, begun)
        for number in _ENDING:
            signal.signal(number, stop)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)


def _greet(
    connection: socket.socket,
    place: Place,
    wish: str,
    arguments: Sequence[str],
    env: Mapping[str, str],
) -> None:
    greeting = wire.Greeting(
        place.agreement, wish, os.getpid(), env["PWD"], normal(arguments), dict(env)
    )
    wire.greet(connection, greeting, _streams())


def _streams() -> list[int]:
    for stream in (0, 1, 2):
        try:
            os.fstat(stream)
        except OSError:
            # The process was started with it closed; `open` returns the lowest free descriptor.
            os.open(os.devnull, os.O_RDWR)
    return [0, 1, 2]


def _reach(
    place: Place, arguments: Sequence[str], env: Mapping[str, str], deadline: float
) -> tuple[socket.socket, bool]:
    """Connect to the daemon, and start one if none runs; also tells whether it was started here."""
    is_new = False
    while time.monotonic() < deadline:
        connection = _connect(place)
        if connection is not None:
            return connection, is_new
        # Whether a daemon runs is known by the lock: a socket may be left from one that was killed.
        lock = os.open(place.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _start(place, lock, arguments, env)
            is_new = True
        except BlockingIOError:
            # Another front is starting it now.
            time.sleep(_PAUSE_SECONDS)
        finally:
            os.close(lock)
    raise Refused("no daemon could be started in time")


def _connect(place: Place) -> socket.socket | None:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(place.socket)
        owner = wire.peer(connection)
    except OSError as error:
        connection.close()
        if error.errno in (errno.ENOENT, errno.ECONNREFUSED):
            return None
        raise
    if owner != os.getuid():
        connection.close()
        raise Refused(f"{place.socket} belongs to another user")
    return connection


def _start(place: Place, lock: int, arguments: Sequence[str], env: Mapping[str, str]) -> None:
    """Start a daemon that has the locked descriptor and the listening socket.

    The socket listens before the daemon runs, so clients need not try again until it does. If the
    daemon dies, the system closes both.
    """
    import subprocess

    listener = socket.socket(socket.AF_UNIX)
    # Anything but a socket is not ours; binding fails then.
    with listener:
        _unlink_socket(place.socket)
        listener.bind(place.socket)
        os.chmod(place.socket, 0o600)
        listener.listen(socket.SOMAXCONN)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        log = os.open(place.log, flags, 0o600)
        try:
            subprocess.Popen(  # noqa: S603 - this program
                [
                    *(sys.executable, "-m", "sessiond", DAEMON, str(lock), str(listener.fileno())),
                    place.directory,
                    setting("--idle-exit", arguments, env) or IDLE_SECONDS,
                    # Without this argument some versions of OpenClaw remove the locks of the
                    # process: see docs/gateway.md.
                    "openclaw",
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                env={**env, "SESSIOND_SHARED_AGREEMENT": place.agreement},
                pass_fds=(lock, listener.fileno()),
                start_new_session=True,
            )
        finally:
            os.close(log)


def _unlink_socket(path: str) -> None:
    import stat

    try:
        if stat.S_ISSOCK(os.lstat(path).st_mode):
            os.unlink(path)
    except FileNotFoundError:
        pass


def _wait(connection: socket.socket) -> int:
    """Wait until the connection has ended; returns its exit code."""
    # The other ends of the streams must notice when the daemon closes them.
    empty = os.open(os.devnull, os.O_RDWR)
    os.dup2(empty, 0)
    os.dup2(empty, 1)
    os.close(empty)
    try:
        answer = wire.receive(connection)
    except OSError:
        answer = None
    if answer is None or answer[0] != wire.EXIT:
        _say("sessiond: the shared daemon has ended unexpectedly")
        return _LOST
    code, _, text = answer[1].partition("\n")
    if text:
        _say(text)
    return int(code)


def _say(text: str) -> None:
    try:
        os.write(2, (text + "\n").encode("utf-8", "backslashreplace"))
    except OSError:
        # The reader has gone.
        return
