"""Processes of sessiond without the time an interpreter needs to start and import.

One process has everything imported and forks whenever a daemon or a command is wanted; the child
then runs the same `main` as the command does. For tests that start them by the dozen.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import attrs

from support.client import DEADLINE, Client, over
from support.process import isolated_environment

_PROGRAM = """
import importlib, json, os, pkgutil, select, signal, socket, sys, time
from sessiond.__main__ import main
listening, packages = socket.socket(fileno=int(sys.argv[1])), sys.argv[2:]
for package in packages:
    path = importlib.import_module(package).__path__
    for module in pkgutil.walk_packages(path, package + "."):
        importlib.import_module(module.name)


def supervise(connection):
    # Tell the process id and the exit code of a new process.
    order, descriptors, _, _ = socket.recv_fds(connection, 65536, 3)
    while not order.endswith(b"\\n"):
        order += connection.recv(65536)
    child = os.fork()
    if not child:
        connection.close()
        become(json.loads(order), descriptors)
        return
    for descriptor in (0, 1, 2, *descriptors):
        os.close(descriptor)
    try:
        connection.sendall(b"%d\\n" % child)
        _, status = os.waitpid(child, 0)
        connection.sendall(b"%d\\n" % os.waitstatus_to_exitcode(status))
    finally:
        os._exit(0)


def become(order, descriptors):
    # Take the place of a program that was started with these arguments.
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(order["env"])
    time.tzset()
    os.chdir(order["cwd"])
    sys.argv[1:] = order["arguments"]
    for name, mode, errors in (
        ("stdin", "r", "surrogateescape"),
        ("stdout", "w", "surrogateescape"),
        ("stderr", "w", "backslashreplace"),
    ):
        number = ("stdin", "stdout", "stderr").index(name)
        file = open(number, mode, encoding="utf-8", errors=errors, closefd=False)
        setattr(sys, name, file)
        setattr(sys, f"__{name}__", file)
    sys.exit(main())


def reap(how):
    # Their processor time is added to ours, so that a measurement of the tests has it.
    try:
        while os.waitpid(-1, how)[0]:
            pass
    except ChildProcessError:
        pass


while True:
    # The test's end of standard input is closed with it.
    ready, _, _ = select.select([listening, 0], [], [])
    if listening not in ready:
        reap(0)
        break
    connection, _ = listening.accept()
    reap(os.WNOHANG)
    if not os.fork():
        listening.close()
        supervise(connection)
        break
    connection.close()
"""

_FRONT = """
import json, os, signal, socket, sys
with socket.socket(socket.AF_UNIX) as to:
    to.connect(sys.argv[1])
    order = {"arguments": sys.argv[2:], "env": dict(os.environ), "cwd": os.getcwd()}
    socket.send_fds(to, [json.dumps(order).encode() + b"\\n"], [0, 1, 2])
    with to.makefile() as told:
        child = int(told.readline())
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: os.kill(child, number))
        for number in (0, 1, 2):
            os.close(number)
        code = int(told.readline())
if code < 0:
    signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
os._exit(code)
"""

_CAPBSET_DROP, _DAC_OVERRIDE, _DAC_READ_SEARCH = 24, 1, 2


@attrs.frozen
class Preloaded:
    """The process that forks, and the socket on which it takes orders."""

    address: str
    _home: Path

    def command(self, *arguments: str) -> list[str]:
        """The command of a process that only waits for the one that is forked for it."""
        return [sys.executable, "-S", "-E", "-c", _FRONT, self.address, *arguments]

    @asynccontextmanager
    async def daemon(self, *arguments: str) -> AsyncIterator[tuple[Client, int]]:
        """A client of a new daemon, and the daemon's process id."""
        server_in, client_out = os.pipe()
        client_in, server_out = os.pipe()
        order = {
            "arguments": arguments,
            "env": isolated_environment(self._home),
            "cwd": str(self._home),
        }
        with socket.socket(socket.AF_UNIX) as orders:
            try:
                orders.connect(self.address)
                content = json.dumps(order).encode() + b"\n"
                socket.send_fds(orders, [content], [server_in, server_out])
                pid = int(orders.makefile().readline())
            finally:
                os.close(server_in)
                os.close(server_out)
            client = await over(client_in, client_out, "line")
            try:
                yield client, pid
            finally:
                client.end_input()
                await client.output_ends()
                await client.close()


@contextmanager
def preloaded(home: Path, *packages: str, privileged: bool = True) -> Iterator[Preloaded]:
    """`home` is the home directory of all its daemons; all modules of
    these packages are imported before the first.

    Unless they are `privileged`, the rights of files mean something to them even if we are root.
    """
    # A path of a socket has at most some 100 characters.
    place = tempfile.mkdtemp(prefix="sd-pre-")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"{place}/s")
        listening.listen()
        process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, str(listening.fileno()), *packages],
            env=isolated_environment(home, PYTHONUTF8="1"),
            stdin=subprocess.PIPE,
            pass_fds=[listening.fileno()],
            preexec_fn=None if privileged else _renounce,  # noqa: PLW1509 - no threads here
        )
    try:
        yield Preloaded(f"{place}/s", home)
    finally:
        process.communicate(timeout=DEADLINE)
        shutil.rmtree(place)


@functools.cache
def shared(*packages: str) -> Preloaded:
    """The one of all tests of this process, with these packages; it ends with them."""
    running = preloaded(Path(tempfile.gettempdir()), *packages)
    found = running.__enter__()
    atexit.register(running.__exit__, None, None, None)
    return found


def _renounce() -> None:
    """Let root's next program have no right to overlook the rights of files."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        for capability in (_DAC_OVERRIDE, _DAC_READ_SEARCH):
            if libc.prctl(_CAPBSET_DROP, capability, 0, 0, 0):
                raise OSError(ctypes.get_errno(), "a privilege cannot be dropped")
