"""Start and end of a connection, and the description of the daemon."""

import asyncio
import json
import os
import signal
import stat
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from sessiond_protocol.registry import METHODS, NOTIFICATIONS
from support.app import daemon, user
from support.client import RpcError, spawned
from support.process import DEADLINE, isolated_environment

SESSIOND = [sys.executable, "-m", "sessiond"]


def run(home: Path, *arguments: str, stdin: bytes = b"", **env: str):
    return subprocess.run(
        [*SESSIOND, *arguments],
        input=stdin,
        env=isolated_environment(home, **env),
        capture_output=True,
        timeout=30,
        check=False,
    )


async def test_initialize_returns_the_effective_settings(tmp_path: Path):
    async with daemon(tmp_path) as client:
        result = await client.request(
            "initialize", {"clientInfo": {"name": "test"}, "positionEncoding": "utf-8"}
        )
    assert result["serverInfo"]["name"] == "sessiond"
    assert result["protocolVersion"] == "1"
    assert result["profile"] == "pi"
    assert result["agentDir"] == str(tmp_path / ".pi/agent")
    assert result["sessionsDir"] == str(tmp_path / ".pi/agent/sessions")
    assert result["positionEncoding"] == "utf-8"
    assert result["capabilities"]["framing"] == "header"


async def test_the_daemon_serves_exactly_the_methods_of_the_contract(tmp_path: Path):
    async with daemon(tmp_path) as client:
        capabilities = (await client.request("initialize"))["capabilities"]
        assert set(capabilities["methods"]) == set(METHODS)
        assert set(capabilities["notifications"]) == set(NOTIFICATIONS)
        document = await client.request("rpc.discover")
        sent = {each["name"] for each in document["methods"] if "x-sender" not in each}
        assert sent == set(METHODS)
        for name, method in METHODS.items():
            if method.kind == "request" and method.params is not None:
                # Without params: either done, or refused for what is missing, never unknown.
                try:
                    await client.request(name)
                except RpcError as error:
                    # 1015 and 1016 are how a gateway says what is missing.
                    assert error.code in {-32602, -32600, 1015, 1016}, name


async def test_initialize_is_optional_and_accepted_once(tmp_path: Path):
    async with daemon(tmp_path) as client:
        await client.request("session/inMemory")
        await client.request("initialize")
        with pytest.raises(RpcError, match="initialize") as raised:
            await client.request("initialize")
    assert raised.value.code == -32600


@pytest.mark.parametrize(
    ("params", "path"),
    [
        ({"profile": "emacs"}, "/profile"),
        ({"positionEncoding": "utf-7"}, "/positionEncoding"),
        ({"processId": "1"}, "/processId"),
        ({"capabilities": {"plainJson": 1}}, "/capabilities/plainJson"),
    ],
)
async def test_settings_that_do_not_fit_are_named(tmp_path: Path, params: dict, path: str):
    async with daemon(tmp_path) as client:
        with pytest.raises(RpcError) as raised:
            await client.request("initialize", params)
    assert raised.value.code == -32602
    assert raised.value.data["pointer"] == path


async def test_after_shutdown_only_exit_is_taken(tmp_path: Path):
    async with daemon(tmp_path) as client:
        assert await client.request("shutdown") is None
        with pytest.raises(RpcError) as raised:
            await client.request("daemon/status")
        assert raised.value.code == -32600
        client.notify("exit")
        assert await client.ends() == 0


async def test_exit_without_shutdown_is_exit_code_1(tmp_path: Path):
    async with daemon(tmp_path) as client:
        client.notify("exit")
        assert await client.ends() == 1


def test_piped_requests_are_answered_before_the_end(tmp_path: Path):
    requests = [
        {"jsonrpc": "2.0", "id": 1, "method": "session/inMemory", "params": {"cwd": "/w"}},
        {"jsonrpc": "2.0", "id": 2, "method": "session/listAll"},
        {"jsonrpc": "2.0", "id": 3, "method": "daemon/status"},
    ]
    done = run(tmp_path, stdin="".join(json.dumps(each) + "\n" for each in requests).encode())
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert sorted(answer["id"] for answer in answers) == [1, 2, 3]
    assert all("result" in answer for answer in answers)
    assert done.returncode == 0
    assert done.stderr == b""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_the_daemon_orderly(tmp_path: Path, number: signal.Signals):
    async with spawned(SESSIOND, env=isolated_environment(tmp_path)) as (client, process):
        state = await client.request("session/create", {"cwd": "/w", "sessionDir": str(tmp_path)})
        message = {"session": state["session"], "message": user("kept")}
        assert (await client.request("session/appendMessage", message))["written"]
        process.send_signal(number)
        assert await asyncio.wait_for(process.wait(), 30) == 0
    assert Path(state["sessionFile"]).read_bytes().endswith(b"\n")


BETWEEN = "import subprocess, sys; subprocess.Popen(sys.argv[1:]).wait()"


async def test_the_daemon_exits_with_the_process_that_started_it(tmp_path: Path):
    command = [sys.executable, "-c", BETWEEN, *SESSIOND]
    async with spawned(command, env=isolated_environment(tmp_path)) as (client, parent):
        await client.request("initialize", {"processId": parent.pid})
        parent.kill()
        await parent.wait()
        # The daemon's end of the pipe is closed although ours is open.
        with pytest.raises(EOFError):
            await asyncio.wait_for(client.receive(), DEADLINE)


async def test_a_stranger_with_the_id_of_the_client_is_not_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A client over ssh names its own process, whose id another process may have here."""
    monkeypatch.setattr("sessiond.daemon.PARENT_CHECK_SECONDS", 0)
    stranger = await asyncio.create_subprocess_exec(sys.executable, "-c", "input()", stdin=-1)
    async with daemon(tmp_path) as client:
        await client.request("initialize", {"processId": stranger.pid})
        await stranger.communicate(b"\n")
        for _ in range(50):
            await client.request("daemon/status")
        assert client.exit_code is None


async def test_a_process_of_another_machine_is_not_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A client over ssh names its own process, whose id means nothing here."""
    monkeypatch.setattr("sessiond.daemon.PARENT_CHECK_SECONDS", 0)
    gone = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await gone.wait()
    async with daemon(tmp_path) as client:
        await client.request("initialize", {"processId": gone.pid})
        # Each request is a turn of the loop, in which the process would be looked at.
        for _ in range(50):
            await client.request("daemon/status")
        assert client.exit_code is None


async def test_garbage_that_hides_the_next_message_ends_with_code_1(tmp_path: Path):
    env = isolated_environment(tmp_path)
    async with spawned(SESSIOND, env=env, stderr=subprocess.PIPE) as (client, process):
        await client.send_raw(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = (await client.receive()).value
        assert (answer["id"], answer["error"]["code"]) == (None, -32700)
        _, said = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode == 1
    assert len(said.splitlines()) == 1


async def test_status_counts(tmp_path: Path):
    async with daemon(tmp_path) as client:
        await client.request("session/inMemory")
        await client.request("session/inMemory")
        status = await client.request("daemon/status")
    assert status["openSessions"] == 2
    assert status["requests"] == 3
    assert status["pid"] == os.getpid()
    assert status["memoryBytes"] > 1_000_000


def test_help_fits_a_screen(tmp_path: Path):
    done = run(tmp_path, "--help", COLUMNS="80")
    assert done.returncode == 0
    lines = done.stdout.decode().splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100


def test_version_is_that_of_the_distribution(tmp_path: Path):
    assert run(tmp_path, "--version").stdout.decode() == f"sessiond {version('sessiond')}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--profile", "vim"],
        ["--framing", "xml"],
        ["--max-message", "0"],
        ["--lock-timeout", "nan"],
        ["--lock-timeout", "soon"],
        ["--nonsense"],
    ],
)
def test_options_that_do_not_fit_are_refused_with_code_2(tmp_path: Path, arguments: list[str]):
    done = run(tmp_path, *arguments)
    assert done.returncode == 2
    assert arguments[0].encode() in done.stderr
    assert done.stdout == b""


def agent_dir(done: subprocess.CompletedProcess) -> str:
    return json.loads(done.stdout)["result"]["agentDir"]


def test_the_command_line_wins_over_variables_and_they_over_the_profile(tmp_path: Path):
    ask = b'{"jsonrpc":"2.0","id":1,"method":"initialize"}\n'
    pi = {"PI_CODING_AGENT_DIR": "/of/pi"}
    own = {"SESSIOND_AGENT_DIR": "/of/variable"}
    line = ["--agent-dir", "/of/line"]
    assert agent_dir(run(tmp_path, stdin=ask)) == str(tmp_path / ".pi/agent")
    assert agent_dir(run(tmp_path, stdin=ask, **pi)) == "/of/pi"
    assert agent_dir(run(tmp_path, stdin=ask, **pi, **own)) == "/of/variable"
    assert agent_dir(run(tmp_path, *line, stdin=ask, **pi, **own)) == "/of/line"
    asked = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"agentDir":"/of/client"}}\n'
    assert agent_dir(run(tmp_path, *line, stdin=asked, **pi, **own)) == "/of/client"


@pytest.mark.parametrize(("before", "after"), [(None, 0o600), (0o640, 0o640)])
async def test_a_log_file_is_private_unless_its_owner_made_it_otherwise(
    tmp_path: Path, before: int | None, after: int
):
    log = tmp_path / "log"
    if before is not None:
        log.touch()
        log.chmod(before)
    command = [*SESSIOND, "--log-file", str(log), "--log-level", "info"]
    environment = isolated_environment(tmp_path)
    async with spawned(command, env=environment, umask=0) as (client, _):
        await client.request("initialize", {"clientInfo": {"name": "someone"}})
    assert stat.S_IMODE(log.stat().st_mode) == after
    assert "someone" in log.read_text()
