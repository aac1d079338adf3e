"""Daemons as processes of their own without the time an interpreter needs to start.

One process has everything imported and forks whenever a daemon is wanted; the child then runs the
same `main` as the command does. For tests that start and kill them by the dozen, and for daemons
that run as another user, who may not be allowed to read our files.
"""

from __future__ import annotations

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
import json, os, signal, socket, sys
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
        arguments, user = json.loads(order)
        if user is not None:
            os.setgroups([])
            os.setuid(user)
        code = main(arguments)
    finally:
        os._exit(code)
"""


@attrs.frozen
class Preloaded:
    """The process that forks."""

    _orders: socket.socket

    @asynccontextmanager
    async def daemon(
        self, *arguments: str, user: int | None = None
    ) -> AsyncIterator[tuple[Client, int]]:
        """A client of a new daemon, and the daemon's process id. `user` is whom it runs as."""
        server_in, client_out = os.pipe()
        client_in, server_out = os.pipe()
        order = json.dumps([arguments, user]).encode()
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
def preloaded(home: Path) -> Iterator[Preloaded]:
    """`home` is the home directory of all its daemons."""
    ours, theirs = socket.socketpair()
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, str(theirs.fileno())],
        env=isolated_environment(home),
        pass_fds=[theirs.fileno()],
    )
    theirs.close()
    try:
        yield Preloaded(ours)
    finally:
        ours.close()
        process.wait(DEADLINE)
