"""A daemon serves only clients that reach the same files as itself: sandboxes share none."""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from support.client import Client, RpcError, spawned
from support.fronts import SESSIOND, Home
from support.session_lines import header, line

from sessiond.shared.front import place, sight, wire

pytestmark = pytest.mark.skipif(not sight.IS_KNOWN, reason="only Linux tells")

LANDLOCKED = """
import ctypes, os, sys
own, *command = sys.argv[1:]
system = ctypes.CDLL(None, use_errno=True)
everything = ctypes.c_uint64((1 << 13) - 1)
rules = system.syscall(444, ctypes.byref(everything), 8, 0)

class Below(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("access", ctypes.c_uint64), ("directory", ctypes.c_int32)]

parent = os.path.dirname(own)
others = [entry.path for entry in os.scandir(parent) if entry.path != own]
above = [entry.path for entry in os.scandir("/") if not parent.startswith(entry.path + "/")]
shared = [path for path in others if os.path.basename(path) in ("run", "home")]
for path in [own, *shared, *above, *sys.path[1:], sys.prefix, sys.base_prefix, os.getcwd()]:
    if not os.path.exists(path):
        continue
    rule = Below(everything.value if os.path.isdir(path) else 7, os.open(path, os.O_PATH))
    system.syscall(445, rules, 1, ctypes.byref(rule), 0)
system.prctl(38, 1, 0, 0, 0)
if system.syscall(446, rules, 0):
    sys.exit("cannot restrict itself")
os.execv(command[0], command)
"""
"""Runs a command that reaches of the files beside a directory only that directory itself."""


def has_landlock() -> bool:
    return ctypes.CDLL(None).syscall(444, None, 0, 1) > 0


@asynccontextmanager
async def client(home: Home, *before: str) -> AsyncIterator[tuple[Client, int]]:
    """A client that would share a daemon, and the process that serves it."""
    command = [*before, *SESSIOND, "--shared"]
    async with spawned(command, env=home.env(), cwd=Path(place.__file__).parents[2]) as (
        made,
        process,
    ):
        status = await made.request("daemon/status")
        if status["pid"] != process.pid:
            home.daemons.add(status["pid"])
        yield made, status["pid"]


@pytest.mark.skipif(not has_landlock(), reason="the kernel has no Landlock")
@pytest.mark.parametrize("first", ["one", "two", ""], ids=["one", "two", "none"])
async def test_sandboxes_made_with_landlock_share_no_daemon(home: Home, first: str):
    def within(name: str) -> list[str]:
        return [sys.executable, "-c", LANDLOCKED, str(home.path / name)] if name else []

    files = {}
    for name in ("one", "two"):
        files[name] = home.path / name / "s.jsonl"
        files[name].parent.mkdir()
        files[name].write_text(header() + line("a"))
    async with client(home, *within(first)) as (_, daemon):
        assert daemon in home.daemons
        second = "one" if first == "two" else "two"
        async with client(home, *within(second)) as (other, another):
            assert another != daemon
            hidden = files["two" if second == "one" else "one"]
            with pytest.raises(RpcError, match="Permission denied"):
                await other.request("session/open", {"path": str(hidden), "mustExist": True})


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may")
def test_the_effective_group_is_part_of_the_agreement():
    script = "import os, sys\nfrom sessiond.shared.front import place\n"
    make = script + "os.setegid(int(sys.argv[1]))\nprint(place.agreement([], {}))"
    told = {
        subprocess.run(
            [sys.executable, "-c", make, group], capture_output=True, text=True, check=True
        ).stdout
        for group in ("0", "7777")
    }
    assert len(told) == 2


def greet(socket_path: str, agreement: str) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(30)
    connection.connect(socket_path)
    greeting = wire.Greeting(agreement, wire.SERVE, os.getpid(), "/", [], {"HOME": "/none"})
    wire.greet(connection, greeting, [0, 1, 2])
    return connection


async def test_a_front_must_prove_that_it_may_look_into_the_daemon(home: Home):
    agreement = place.agreement((), wire.environment() | home.env())
    async with home.front() as one:
        [path] = home.sockets.glob("*.sock")
        guarded = f"/proc/{one.daemon}/auxv"
        for proof in (None, os.open(guarded, os.O_PATH), os.open("/proc/self/auxv", os.O_RDONLY)):
            with greet(str(path), agreement) as connection:
                answer = wire.receive(connection)
                assert answer == (wire.ACCEPTED, str(one.daemon))
                head = wire.GO + wire.LENGTH.pack(0)
                if proof is None:
                    connection.sendall(head)
                else:
                    socket.send_fds(connection, [head], [proof])
                    os.close(proof)
                assert wire.receive(connection) is None
