"""Commands for people use a running shared daemon, and print the same with and without it.

One process runs all commands of a kind, because to start a process for each would take most of the
time.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from support.fronts import SESSIOND, Front, Home
from support.process import DEADLINE

from sessiond.shared.front import place
from sessiond.shared.front.caller import Caller

sys.path.append(str(Path(__file__).parent.parent / "cli"))
from fixed_sessions import write_all

SESSION = "019b0001-2222-7000-8000-00000000000a"
FILE = f".pi/agent/sessions/--home-me-code-shop--/2026_{SESSION}.jsonl"
DRIVER = """
import json, os, sys
given = json.loads(sys.stdin.readline())
exec(given["before"])
from sessiond.cli.main import run
for arguments in given["commands"]:
    code = run(arguments)
    sys.stdout.flush()
    os.write(1, f"@@{code}@@".encode())
    here = any(name in sys.modules for name in given["absent"])
    os.write(2, b"@@%d@@" % here)
"""

READING = [
    ["list", "--all"],
    ["list", "--all", "--json"],
    ["list", "--all", "--named", "-n", "1"],
    ["list", "--all", "--sort", "cost", "--since", "2025-01-01"],
    ["list", "--cwd", "/home/hostile"],
    ["list"],
    ["list", "--all", "--model", "no such model"],
    ["search", "the"],
    ["search", "--json", "the"],
    ["search", "no such words"],
    ["search", "re:[a-z]+er", "-n", "1"],
    ["usage"],
    ["usage", "--by", "session", "--json"],
    ["usage", "--by", "project", "--timezone", "Asia/Kolkata"],
    ["usage", "--since", "2099-01-01"],
    ["stats", "last"],
    ["stats", SESSION, "--json"],
    ["show", "@1"],
    ["show", SESSION, "--details", "--full"],
    ["show", "019b9999", "--json"],
    ["show", f"~/{FILE}"],
    ["show", SESSION, "--leaf", "e02"],
    ["tree", "019b9999"],
    ["tree", SESSION, "--json"],
    ["tail", "019b9999", "--json", "-n", "50"],
    ["export", SESSION],
    ["export", SESSION, "--format", "html"],
    ["show", "broken"],
    ["--profile", "clanker", "list", "--all"],
    ["--read-only", "list", "--all"],
    ["--root", ".pi", "list", "--all", "--json"],
    ["--agent-dir", "sub", "list", "--all"],
    ["gateway", "list"],
    ["gateway", "list", "--json", "--search", "Shop"],
    ["gateway", "show", "agent:main:main"],
    ["gateway", "show", "agent:main:absent", "--json"],
    ["gateway", "list", "--store", ".coderclaw/agents/main/sessions/sessions.json"],
]
"""Commands that the daemon answers."""

REFUSED = [
    ["show", "no-such-id"],
    ["show", "019b0001"],
    ["show", "/no/such.jsonl"],
    ["show", SESSION, "--leaf", "e"],
    ["show", SESSION, "--leaf", "\udcff\x1b"],
    ["search", "re:(", "--json"],
    ["usage", "--timezone", "Nowhere/None"],
    ["--root", "sub", "list", "--all", "--json"],
    ["--root", "sub", "show", SESSION],
    ["--root", "sub", "show", f"~/{FILE}"],
    ["--root", "sub", "export", SESSION, "-o", "../outside.md"],
    ["--log-level", "debug", "show", "/no/such.jsonl"],
    ["--lock-timeout", "1", "list", "--all"],
    ["list", "--all", "--cwd", "."],
    ["check", "--all"],
    ["repair", SESSION],
    ["gateway", "show", "agent:main:away"],
    ["gateway", "reset", "agent:main:absent"],
]
"""Commands that the daemon answers with an error, or that do not use it."""


@pytest.fixture
def sessions(home: Home) -> Home:
    write_all(home.path)
    (home.path / "sub").mkdir()
    broken = home.path / ".pi/agent/sessions/--home-me-code-shop--/2026_broken.jsonl"
    content = (home.path / FILE).read_text().replace(SESSION, "broken").splitlines()
    _write_gateway(home.path / ".coderclaw/agents/main/sessions")
    broken.write_text("\n".join([*content[:2], "{broken", *content[2:], '{"type":"message","i']))
    return home


def _write_gateway(folder: Path) -> None:
    """A gateway's store with a session whose transcript exists, and one without."""
    folder.mkdir(parents=True)
    (folder / f"{SESSION}.jsonl").symlink_to(f"../../../../{FILE}")
    entries = {
        "agent:main:main": {"sessionId": SESSION, "updatedAt": 1, "displayName": "Shop"},
        "agent:main:away": {"sessionId": "../outside", "updatedAt": 2},
    }
    (folder / "sessions.json").write_text(json.dumps(entries))


@asynccontextmanager
async def daemon(home: Home) -> AsyncIterator[Front]:
    async with home.front() as front:
        assert front.is_shared
        yield front


def outputs(
    home: Home,
    commands: Sequence[Sequence[str]],
    *,
    before: str = "",
    absent: Sequence[str] = ("sessiond.sessions.engine",),
    **env: str,
) -> tuple[list[tuple[str, ...]], list[Sequence[str]]]:
    """Output, exit code and messages of each command; and the commands that end with one of the
    modules `absent` imported."""
    done = subprocess.run(
        [sys.executable, "-c", DRIVER],
        input=json.dumps({"commands": commands, "before": before, "absent": absent}).encode()
        + b"\n",
        env=home.env(PYTHONUTF8="1", COLUMNS="100", **env),
        cwd=home.path,
        capture_output=True,
        timeout=DEADLINE,
        check=False,
    )
    # A page contains the time at which it was exported, and a list of a gateway when it was made.
    printed = re.sub(r'"exported":"[^"]*"|"ts":\d+', "", done.stdout.decode()).split("@@")
    told = done.stderr.decode().split("@@")
    assert len(told) == 2 * len(commands) + 1, done.stderr.decode()
    here = [command for command, given in zip(commands, told[1::2], strict=True) if given == "1"]
    return list(zip(printed[::2], printed[1::2], told[::2], strict=False)), here


async def in_thread(*given: Any, **more: Any) -> Any:
    return await asyncio.to_thread(outputs, *given, **more)


async def test_a_daemon_answers_the_same_and_no_engine_is_imported(sessions: Home):
    alone, here = await in_thread(sessions, READING, SESSIOND_SHARED="0")
    assert here
    async with daemon(sessions):
        there, here = await in_thread(sessions, READING)
    for command, expected, answered in zip(READING, alone, there, strict=False):
        assert (command, *answered) == (command, *expected)
    assert not here


async def test_a_list_imports_little_more_than_the_command_line(sessions: Home):
    large = ("sessiond.sessions.engine", "asyncio", "attrs", "msgspec", "logging", "rich")
    async with daemon(sessions):
        _, here = await in_thread(
            sessions, [["list", "--all"], ["usage"], ["stats", "last"]], absent=large
        )
    assert not here


async def test_errors_are_those_of_the_command_alone(sessions: Home):
    alone, _ = await in_thread(sessions, REFUSED, SESSIOND_SHARED="0")
    async with daemon(sessions):
        there, _ = await in_thread(sessions, REFUSED)
    for command, expected, answered in zip(REFUSED, alone, there, strict=False):
        assert (command, *answered) == (command, *expected)
    assert not (sessions.path / "outside.md").exists()


STOPPED = """
import os, signal
from sessiond.shared.front.caller import Caller
call = Caller.call
def end_before(self, method, params):
    if method == {method!r}:
        os.kill({pid}, signal.SIGKILL)
    return call(self, method, params)
Caller.call = end_before
"""


@pytest.mark.parametrize("method", ["session/findById", "session/getView"])
async def test_a_command_tells_that_the_daemon_has_ended(sessions: Home, method: str):
    commands = [["show", SESSION, "--details"]]
    async with daemon(sessions) as front:
        before = STOPPED.format(method=method, pid=front.daemon)
        (told,), here = await in_thread(sessions, commands, before=before)
    assert not here
    output, code, message = told
    assert (output, code) == ("", "3")
    assert message.startswith("sessiond: the shared daemon does not answer (")


async def test_a_daemon_that_is_stopped_before_the_command_is_not_waited_for(sessions: Home):
    alone, _ = await in_thread(sessions, READING[:1], SESSIOND_SHARED="0")
    async with daemon(sessions) as front:
        os.kill(front.daemon, signal.SIGSTOP)
        there, here = await in_thread(sessions, READING[:1])
        os.kill(front.daemon, signal.SIGKILL)
    assert here
    assert there[0] == alone[0]


async def test_a_daemon_of_another_version_is_not_used(sessions: Home):
    async with daemon(sessions):
        before = "import sessiond; sessiond.__version__ = '0.0.0'"
        _, here = await in_thread(sessions, READING[:1], before=before)
    assert here


@pytest.mark.parametrize(
    "answer",
    [b"", b"a", b"r\0\0\0\x03no!", b"x\0\0\0\x010", b"nonsense" * 100],
    ids=["end", "half", "refusal", "exit", "nonsense"],
)
def test_whatever_else_answers_at_the_socket_is_not_used(
    sessions: Home, answer: bytes, monkeypatch: pytest.MonkeyPatch
):
    for name, value in sessions.env().items():
        monkeypatch.setenv(name, value)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place.find([], sessions.env()).socket)
        listener.listen()

        def reply() -> None:
            taken, _ = listener.accept()
            with taken:
                taken.recv(1 << 20)
                taken.sendall(answer)

        thread = Thread(target=reply)
        thread.start()
        with pytest.raises((OSError, place.Refused)):
            Caller([])
        thread.join(DEADLINE)


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("getgroups", lambda: [4711]),
        ("readlink", lambda _path: "mnt:[1]"),
        ("stat", lambda _path: os.stat_result(range(10))),
    ],
)
def test_processes_that_see_other_files_do_not_share(
    monkeypatch: pytest.MonkeyPatch, name: str, changed: Any
):
    before = place.agreement([], {})
    monkeypatch.setattr(os, name, changed)
    assert place.agreement([], {}) != before


def test_clients_in_other_time_zones_do_not_share():
    assert place.agreement([], {"TZ": "Asia/Kolkata"}) != place.agreement([], {})


def test_a_command_starts_no_daemon(sessions: Home):
    done = subprocess.run(
        [*SESSIOND, "list", "--all"],
        env=sessions.env(SESSIOND_SHARED="1"),
        capture_output=True,
        timeout=DEADLINE,
        check=False,
    )
    assert done.returncode == 0
    assert not sessions.sockets.exists()


INTERRUPTED = """
import asyncio, os, signal
# Make runs the tests in the background, where a shell makes processes ignore interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)
from sessiond.cli.local import LocalCommand
from sessiond.shared.front.caller import Caller
call = Caller.call
def in_daemon(self, method, params):
    os.kill(os.getpid(), signal.SIGINT)
    return call(self, method, params)
async def here(self, method, **params):
    os.kill(os.getpid(), signal.SIGINT)
    await asyncio.Event().wait()
Caller.call, LocalCommand.call_raw = in_daemon, here
"""


@pytest.mark.parametrize("variable", ["1", "0"])
async def test_an_interrupt_ends_the_command_with_its_code(sessions: Home, variable: str):
    async with daemon(sessions):
        (first,), _ = await in_thread(
            sessions, READING[:1], before=INTERRUPTED, SESSIOND_SHARED=variable
        )
    assert first == ("", "130", "")
