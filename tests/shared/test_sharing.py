"""Several clients, each started with `--shared`, over one daemon."""

import asyncio
import json
import os
import signal
import socket
import struct
import subprocess
import sys
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from support.app import user
from support.client import DEADLINE, RpcError, spawned
from support.fronts import SESSIOND, Home, is_gone, until
from support.session_lines import header, line

from sessiond.shared.front import arguments, place, wire

# A front that gets a signal as soon as the daemon may serve.
STOPPED_AT_ONCE = (
    sys.executable,
    "-c",
    """
import os, signal, sys
from sessiond.__main__ import main
from sessiond.shared.front import wire
go = wire.go
def then_stopped(*given):
    go(*given)
    os.kill(os.getpid(), signal.SIGTERM)
wire.go = then_stopped
sys.exit(main())
""",
)


@pytest.fixture
def file(home: Home) -> str:
    path = home.path / "s" / "s.jsonl"
    path.parent.mkdir()
    path.write_text(header() + line("a"))
    return str(path)


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
async def test_the_locks_of_a_daemon_are_respected_by_openclaw(home: Home):
    """OpenClaw looks for an argument that is exactly its name, as docs/gateway.md says."""
    async with home.front() as one:
        shown = Path(f"/proc/{one.daemon}/cmdline").read_text()
    assert "openclaw" in shown.split("\0")


async def test_the_second_client_is_served_by_the_daemon_of_the_first(home: Home, file: str):
    async with home.front() as one, home.front() as two:
        assert one.is_shared
        assert one.daemon == two.daemon
        status = await two.client.request("daemon/status")
        assert (status["shared"], status["connections"]) == (True, 2)
        mine = (await one.client.request("session/open", {"path": file}))["session"]
        theirs = (await two.client.request("session/open", {"path": file}))["session"]
        message = {"session": mine, "message": user("x")}
        added = (await one.client.request("session/appendMessage", message))["id"]
        told = await two.client.notification("session/didChange")
        assert (told["session"], [each["id"] for each in told["entries"]]) == (theirs, [added])
        assert (await two.client.request("daemon/status"))["openSessions"] == 1
    assert (one.client.exit_code, two.client.exit_code) == (0, 0)


async def test_fronts_that_start_at_once_start_one_daemon(home: Home):
    async with AsyncExitStack() as stack:
        fronts = await asyncio.gather(*(stack.enter_async_context(home.front()) for _ in range(6)))
        assert len({front.daemon for front in fronts}) == 1
        assert all(front.is_shared for front in fronts)


async def test_settings_and_environment_belong_to_the_connection(home: Home, file: str):
    other = home.path / "other"
    (other / "sub").mkdir(parents=True)
    async with (
        home.front("--root", str(other), cwd=other) as confined,
        home.front("--read-only", env={"PI_CODING_AGENT_DIR": "rel"}, cwd=other / "sub") as looking,
        home.front("--profile", "clanker") as clanker,
    ):
        assert confined.daemon == looking.daemon == clanker.daemon
        with pytest.raises(RpcError) as raised:
            await confined.client.request("session/open", {"path": file})
        assert raised.value.kind == "PathNotAllowed"
        initialized = await looking.client.request("initialize", {})
        assert initialized["agentDir"] == str(other / "sub" / "rel")
        handle = (await looking.client.request("session/open", {"path": file}))["session"]
        with pytest.raises(RpcError) as raised:
            await looking.client.request(
                "session/appendMessage", {"session": handle, "message": user("x")}
            )
        assert raised.value.kind == "ReadOnly"
        initialized = await clanker.client.request("initialize", {})
        assert initialized["agentDir"] == str(home.path / ".clanker" / "agent")


async def test_clients_whose_engine_differs_have_different_daemons(home: Home):
    async with (
        home.front() as one,
        home.front(env={"SESSIOND_CACHE_BYTES": "1000"}) as two,
        home.front("--cache-bytes", "1000") as three,
    ):
        assert one.daemon != two.daemon == three.daemon
        status = await three.client.request("daemon/status")
        assert status["cache"]["limitBytes"] == 1000


async def test_the_exit_code_is_that_of_the_connection(home: Home):
    async with home.front() as keeper:
        async with home.front() as one:
            one.client.notify("exit")
        assert one.client.exit_code == 1
        async with home.front() as two:
            await two.client.request("shutdown")
            two.client.notify("exit")
        assert two.client.exit_code == 0
        async with home.front() as three:
            three.process.send_signal(signal.SIGTERM)
            await three.client.output_ends()
        assert three.client.exit_code == 0
        async with spawned([*STOPPED_AT_ONCE, "--shared"], env=home.env()) as (client, _):
            await client.output_ends()
        assert client.exit_code == 0
        assert (await keeper.client.request("daemon/status"))["connections"] == 1


@pytest.mark.parametrize("option", [("--watch", "sometimes"), ("--idle-exit", "soon")])
async def test_wrong_usage_fails_in_the_same_way_with_a_shared_daemon(
    home: Home, option: tuple[str, str]
):
    async with home.front():
        results = []
        for shared in ((), ("--shared",)):
            process = await asyncio.create_subprocess_exec(
                *(*SESSIOND, *shared, *option),
                env=home.env(),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
            async with asyncio.timeout(DEADLINE):
                results.append((*await process.communicate(), process.returncode))
    assert results[0] == results[1]
    assert results[0][2] == 2


async def test_a_front_that_is_killed_ends_its_connection(home: Home, file: str):
    async with home.front() as keeper, home.front() as killed:
        await killed.client.request("session/open", {"path": file})
        client, where = keeper.client, {"sessionDir": str(Path(file).parent)}
        listed = await client.request("session/listAll", where)
        assert listed["sessions"][0]["inUse"] == {"pids": [killed.process.pid]}
        killed.process.kill()
        # The daemon closes the streams when it has ended the connection.
        await killed.client.output_ends()
        assert (await client.request("daemon/status"))["connections"] == 1
        listed = await client.request("session/listAll", where)
        assert "inUse" not in listed["sessions"][0]


async def test_a_connection_ends_with_the_process_that_started_its_front(home: Home):
    async with home.front() as keeper, home.front() as watched:
        # The front itself, which here is its own and only ancestor that ends.
        await watched.client.request("initialize", {"processId": watched.process.pid})
        watched.process.kill()
        await watched.process.wait()
        await watched.client.output_ends()
        while (await keeper.client.request("daemon/status"))["connections"] != 1:
            pass


async def test_other_connections_of_the_daemon_count_as_other_users(home: Home, file: str):
    async with home.front() as one, home.front() as two:
        first = await one.client.request("session/open", {"path": file})
        assert "inUse" not in first
        second = await two.client.request("session/open", {"path": file})
        assert second["inUse"] == {"pids": [one.process.pid]}
        state = await one.client.request("session/getState", {"session": first["session"]})
        assert state["inUse"] == {"pids": [two.process.pid]}


async def test_a_daemon_that_is_killed_ends_its_clients_and_is_replaced(home: Home, file: str):
    async with home.front() as one:
        handle = (await one.client.request("session/open", {"path": file}))["session"]
        message = {"session": handle, "message": user("kept")}
        added = (await one.client.request("session/appendMessage", message))["id"]
        os.kill(one.daemon, signal.SIGKILL)
        await one.client.output_ends()
    assert one.client.exit_code == 70
    # The socket of the dead daemon is still there.
    assert list(home.sockets.glob("*.sock"))
    async with home.front() as two:
        assert two.is_shared
        assert two.daemon != one.daemon
        state = await two.client.request("session/open", {"path": file})
        assert state["tipId"] == added


async def test_an_idle_daemon_ends_and_takes_its_socket_away(home: Home):
    async with home.front("--idle-exit", "0.05") as one:
        pass
    await until(lambda: is_gone(one.daemon))
    assert not list(home.sockets.glob("*.sock"))
    async with home.front("--idle-exit", "0.05") as two:
        assert two.is_shared


async def test_a_daemon_that_exits_refuses_no_new_client(home: Home):
    async def visit() -> bool:
        async with home.front("--idle-exit", "0") as front:
            return front.is_shared

    for _ in range(3):
        assert all(await asyncio.gather(*(visit() for _ in range(4))))


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="needs root")
def test_a_directory_of_another_user_is_refused(home: Home):
    env = home.env()
    home.sockets.mkdir(mode=0o700)
    os.chown(home.sockets, 65534, 65534)
    with pytest.raises(place.Refused, match="of this user"):
        place.private_directory(env)


def test_a_socket_whose_path_would_be_too_long_is_placed_in_tmp(home: Home):
    long = home.path / ("x" * 90)
    long.mkdir()
    directory = place.private_directory({"XDG_RUNTIME_DIR": str(long)})
    assert directory == f"/tmp/sessiond-{os.getuid()}"
    assert len(place.Place(directory, "x").socket) <= place.LONGEST_PATH


def test_versions_have_different_sockets_and_locks(monkeypatch: pytest.MonkeyPatch):
    ours = place.Place("/d", place.agreement((), {}))
    monkeypatch.setattr(place, "__version__", "9.9.9")
    theirs = place.Place("/d", place.agreement((), {}))
    assert not {ours.socket, ours.lock, ours.log} & {theirs.socket, theirs.lock, theirs.log}


LOGGING = """
import logging, sys
from sessiond.shared import connection_logs
connection_logs.LOG_BYTES = 1000
connection_logs.Logs(sys.argv[1])
for number in range(100):
    logging.getLogger("x").warning("record %d", number)
print("printed")
"""


def test_the_log_of_the_daemon_is_limited_to_two_files(tmp_path: Path):
    log = tmp_path / "d.log"
    subprocess.run([sys.executable, "-c", LOGGING, str(log)], check=True, timeout=30)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d.log", "d.log.1"]
    assert all(path.stat().st_size < 1100 for path in tmp_path.iterdir())
    assert "record 99" in log.read_text()
    assert log.read_text().endswith("printed\n")


async def test_each_connection_logs_to_its_own_standard_error(home: Home):
    async def logged(*options: str) -> bytes:
        command = [*SESSIOND, "--shared", *options]
        process = await asyncio.create_subprocess_exec(
            *command,
            env=home.env(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        body = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"me"}}}\n'
        async with asyncio.timeout(DEADLINE):
            return (await process.communicate(body))[1]

    async with home.front() as keeper:
        assert b"Client me" in await logged("--log-level", "info")
        assert await logged() == b""
        path = home.path / "own.log"
        assert await logged("--log-level", "info", "--log-file", str(path)) == b""
        assert "Client me" in path.read_text()
        assert path.stat().st_mode & 0o777 == 0o600
        assert (await keeper.client.request("daemon/status"))["connections"] == 1


async def test_connections_leave_nothing_behind(home: Home, file: str):
    async with home.front() as keeper:

        def descriptors() -> int:
            return len(os.listdir(f"/proc/{keeper.daemon}/fd"))

        async def visit() -> None:
            async with home.front() as front:
                await front.client.request("session/open", {"path": file})
                await front.client.request("catalog/subscribe", {"sessionDir": str(home.path)})

        await visit()
        before = descriptors()
        for _ in range(3):
            await asyncio.gather(*(visit() for _ in range(4)))
        # What watches the file that is kept in memory may have begun only now, with some
        # descriptors of its own; what each visit left behind would be twelve at least.
        await until(lambda: descriptors() < before + 12)
        status = await keeper.client.request("daemon/status")
        assert (status["connections"], status["openSessions"]) == (1, 0)


async def run(home: Home, *words: str) -> tuple[int | None, str, str]:
    process = await asyncio.create_subprocess_exec(
        *(*SESSIOND, *words),
        env=home.env(),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(DEADLINE):
        out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


async def test_the_daemon_command_shows_and_ends_daemons(home: Home):
    assert await run(home, "daemon", "status") == (1, "", "sessiond: no shared daemon runs\n")
    async with home.front() as front:
        await front.client.request("initialize", {"clientInfo": {"name": "me", "version": "3"}})
        code, out, _ = await run(home, "daemon", "status")
        assert code == 0
        assert f"process {front.daemon}, version" in out
        assert f"{front.process.pid}  me 3  pi  0 sessions open" in out
        code, out, _ = await run(home, "daemon", "stop")
        assert (code, out) == (0, f"process {front.daemon} ends, with 1 connection\n")
        await front.client.output_ends()
    assert front.client.exit_code == 0
    await until(lambda: is_gone(front.daemon))
    code, out, _ = await run(home, "daemon", "logs", "-n", "1")
    assert code == 0
    assert out.rstrip().endswith("Ended")


@pytest.mark.parametrize(
    ("words", "env", "shared"),
    [
        ([], {}, False),
        ([], {"SESSIOND_SHARED": "1"}, True),
        ([], {"SESSIOND_SHARED": "0"}, False),
        (["--shared"], {}, True),
        (["serve", "--shared"], {}, True),
        (["--profile", "serve", "serve", "--shared"], {}, True),
        (["--shared", "--root=/a", "--root", "/b"], {}, True),
        (["--shared", "list"], {}, False),
        (["list", "--shared"], {"SESSIOND_SHARED": "1"}, False),
        (["--shared", "--help"], {}, False),
        (["--shared", "--unknown"], {}, False),
        (["--shared", "--root"], {}, False),
        (["--shared=1"], {}, False),
    ],
)
def test_only_serving_invocations_are_shared(words: list[str], env: dict[str, str], shared: bool):
    assert arguments.wants_shared(words, env) is shared


def test_a_front_imports_small_modules_of_the_standard_library_alone():
    code = (
        "import sys; before = set(sys.modules); import sessiond.__main__, sessiond.shared.front.main;"
        "print(*sorted(set(sys.modules) - before))"
    )
    imported = subprocess.check_output([sys.executable, "-S", "-c", code], text=True).split()
    roots = {name.split(".")[0] for name in imported}
    assert "sessiond" in roots
    assert roots - {"sessiond"} <= set(sys.stdlib_module_names)
    assert not roots & {"asyncio", "json", "re", "subprocess", "logging", "hashlib", "typing"} - {
        "typing"
    }


def test_the_user_at_the_other_end_is_read_as_macos_describes_it():
    # struct xucred of sys/ucred.h: u_int version, uid_t uid, short ngroups, gid_t groups[16].
    described = struct.pack("@IIh16I", 0, 501, 1, 20, *[0] * 15)
    assert len(described) == 76
    assert wire.user_of(described) == 501


@pytest.mark.parametrize("described", [b"", b"\0" * 7, struct.pack("@IIh16I", 1, *[0] * 18)])
def test_an_unknown_description_of_the_other_end_is_refused(described: bytes):
    with pytest.raises(OSError, match="unknown way"):
        wire.user_of(described)


def test_a_greeting_survives_the_way():
    greeting = wire.Greeting(
        "a\nb", wire.SERVE, 7, "/\udcff", ["--root=x y"], {"A": "b=c", "B": ""}
    )
    assert vars(wire.unpack(greeting.pack())) == vars(greeting)


def visit(socket_path: str, agreement: str, file: str) -> None:
    """Be a front and its client: open a session, read the answer, and go."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(socket_path)
        streams = [*os.pipe(), *os.pipe()]
        their_in, our_out, our_in, their_out = streams
        greeting = wire.Greeting(agreement, wire.SERVE, os.getpid(), "/", [], {"HOME": "/none"})
        wire.greet(connection, greeting, [their_in, their_out, 2])
        os.close(their_in), os.close(their_out)
        answer = wire.receive(connection)
        assert answer is not None
        assert answer[0] == wire.ACCEPTED
        wire.go(connection, answer[1])
        request = {"jsonrpc": "2.0", "id": 1, "method": "session/open", "params": {"path": file}}
        os.write(our_out, json.dumps(request).encode() + b"\n")
        assert b"result" in os.read(our_in, 65536)
        os.close(our_out), os.close(our_in)
        assert wire.receive(connection) == (wire.EXIT, "0")


async def test_memory_does_not_grow_with_the_connections_that_have_ended(home: Home, file: str):
    env = wire.environment() | home.env()
    agreement = place.agreement((), env)
    async with home.front() as keeper:
        [path] = home.sockets.glob("*.sock")

        async def used() -> int:
            return (await keeper.client.request("daemon/status"))["memoryBytes"]

        async def visits(count: int) -> None:
            for _ in range(count):
                await asyncio.to_thread(visit, str(path), agreement, file)

        await visits(100)
        before = await used()
        await visits(400)
        assert await used() - before < 4_000_000
        assert (await keeper.client.request("daemon/status"))["connections"] == 1
