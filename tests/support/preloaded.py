"""Daemons as processes of their own without the time an interpreter needs to start.

One process has everything imported and forks whenever a daemon is wanted; the child then runs the
same `main` as the command does. For tests that start and kill them by the dozen.
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import attrs

from support.client import DEADLINE, Client, over
from support.process import isolated_environment

_PROGRAM = """
import json, os, signal, socket, sys, traceback
import sessiond.daemon
from sessiond.__main__ import main

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
wanted = socket.socket(fileno=int(sys.argv[1]))
while True:
    order, descriptors, _, _ = socket.recv_fds(wanted, 65536, 2)
    if not order:
        break
    child = os.fork()
    if child:
        for descriptor in descriptors:
            os.close(descriptor)
        wanted.send(b"%d" % child)
        continue
    code = 70
    try:
        wanted.close()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for number, descriptor in enumerate(descriptors):
            os.dup2(descriptor, number)
            os.close(descriptor)
        code = main(json.loads(order))
    except Exception:
        traceback.print_exc()
    finally:
        os._exit(code)
"""

_CAPBSET_DROP, _DAC_OVERRIDE, _DAC_READ_SEARCH = 24, 1, 2


@attrs.frozen
class Preloaded:
    """The process that forks."""

    _orders: socket.socket

    @asynccontextmanager
    async def daemon(self, *arguments: str) -> AsyncIterator[tuple[Client, int]]:
        """A client of a new daemon, and the daemon's process id."""
        server_in, client_out = os.pipe()
        client_in, server_out = os.pipe()
        order = json.dumps(arguments).encode()
        try:
            socket.send_fds(self._orders, [order], [server_in, server_out])
            pid = int(self._orders.recv(20))
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
def preloaded(home: Path, *, privileged: bool = True) -> Iterator[Preloaded]:
    """`home` is the home directory of all its daemons.

    Unless they are `privileged`, the rights of files mean something to them even if we are root.
    """
    ours, theirs = socket.socketpair()
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, str(theirs.fileno())],
        env=isolated_environment(home),
        pass_fds=[theirs.fileno()],
        preexec_fn=None if privileged else _renounce,  # noqa: PLW1509 - no threads here
    )
    theirs.close()
    try:
        yield Preloaded(ours)
    finally:
        ours.close()
        process.wait(DEADLINE)


def _renounce() -> None:
    """Let root's next program have no right to overlook the rights of files."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        for capability in (_DAC_OVERRIDE, _DAC_READ_SEARCH):
            if libc.prctl(_CAPBSET_DROP, capability, 0, 0, 0):
                raise OSError(ctypes.get_errno(), "a privilege cannot be dropped")
