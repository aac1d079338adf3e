"""A process that cannot share serves alone, and says why in one line."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest
from support.client import DEADLINE
from support.fronts import SESSIOND, Home

from sessiond.shared.front import place

STATUS = b'{"jsonrpc":"2.0","id":1,"method":"daemon/status"}\n'

WITHOUT = """
import runpy, socket, sys
{}
sys.argv = ["sessiond", "--shared"]
runpy.run_module("sessiond", run_name="__main__")
"""


async def told(home: Home, *command: str) -> str:
    """What the process says on standard error, which answers but is not shared."""
    process = await asyncio.create_subprocess_exec(
        *command,
        env=home.env(),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(DEADLINE):
        out, err = await process.communicate(STATUS)
    answer = json.loads(out)["result"]
    assert (answer["pid"], answer["shared"], answer["connections"]) == (process.pid, False, 1)
    assert process.returncode == 0
    return err.decode()


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("mode", "can be entered by other users"),
        ("file", "File exists"),
        ("lock", "Is a directory"),
        ("log", "Is a directory"),
    ],
)
async def test_a_directory_in_which_nothing_can_be_shared(home: Home, fault: str, why: str):
    env = home.env()
    if fault == "file":
        home.sockets.write_text("")
    else:
        home.sockets.mkdir(mode=0o755 if fault == "mode" else 0o700)
    if fault in ("lock", "log"):
        name = place.Place(str(home.sockets), place.agreement((), {**env, "PWD": "/"}))
        Path(getattr(name, fault)).mkdir()
    said = await told(home, *SESSIOND, "--shared")
    assert said.startswith("sessiond: not shared: ")
    assert why in said
    assert said.count("\n") == 1


@pytest.mark.skipif(os.getuid() == 0, reason="root may write anywhere")
async def test_a_directory_that_cannot_be_written(home: Home):
    home.env()
    home.sockets.mkdir(mode=0o500)
    said = await told(home, *SESSIOND, "--shared")
    assert said.startswith("sessiond: not shared: ")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("without", "why"),
    [
        ("del socket.send_fds", "this system has no sockets that pass open files"),
        ("del socket.SO_PEERCRED", "does not tell who is at the other end"),
        ("sys.executable = '/bin/false'", "the daemon ended before it took the connection"),
    ],
)
async def test_a_system_that_lacks_what_sharing_needs(home: Home, without: str, why: str):
    said = await told(home, sys.executable, "-c", WITHOUT.format(without))
    assert said.startswith("sessiond: not shared: ")
    assert why in said
    assert said.count("\n") == 1
