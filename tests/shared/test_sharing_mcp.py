"""`sessiond mcp --shared`: the Model Context Protocol, served by the shared daemon."""

import asyncio
import fcntl
import os
import subprocess

import pytest
from support.client import spawned
from support.fronts import SESSIOND, Home
from support.mcp import HELLO, STATELESS, directory_of
from support.mcp_text import values_of
from support.sessions_on_disk import write_session

from sessiond.cli import settings as serving
from sessiond.cli.main import parse
from sessiond.runtime.config import McpConfig
from sessiond.shared.front import arguments, place

INITIALIZE = {"protocolVersion": "2025-11-25", **HELLO}
HANDSHAKE = [("initialize", INITIALIZE), ("tools/list", {}), ("resources/templates/list", {})]
CALL = {"name": "list_sessions", "arguments": {}}


async def test_a_shared_daemon_serves_both_protocols(home: Home):
    project, other = home.path / "proj", home.path / "other"
    for cwd in (project, other):
        cwd.mkdir()
        write_session(
            directory_of(home.path, cwd) / f"{cwd.name}.jsonl",
            "needle",
            session_id=cwd.name,
            cwd=str(cwd),
        )
    async with home.front() as front:
        assert front.is_shared
        for options, found in (
            (["--shared"], ["proj"]),
            (["--shared", "--all"], ["other", "proj"]),
        ):
            command = [*SESSIOND, "mcp", *options]
            async with spawned(command, "line", env=home.env(), cwd=project) as (client, process):
                await client.request("initialize", INITIALIZE)
                call = {"name": "search_sessions", "arguments": {"query": "needle"}}
                result = await client.request("tools/call", call)
                hits = values_of("search_sessions", result["content"][0]["text"])["sessions"]
                assert sorted(hit["session"] for hit in hits) == found
                status = await front.client.request("daemon/status")
                assert status["connections"] == 2
                asked = [*SESSIOND, "daemon", "status"]
                shown = await asyncio.to_thread(subprocess.check_output, asked, env=home.env())
                assert b"test 1 (MCP)" in shown
            assert process.returncode == 0
        await front.client.request("session/inMemory", {"cwd": "/tmp"})


@pytest.mark.parametrize("shared", [["--shared"], []])
async def test_the_roots_of_a_client_confine_its_tools_only(home: Home, shared: list[str]):
    allowed, secret = home.path / "allowed", home.path / "secret"
    for directory in (allowed, secret):
        directory.mkdir()
        write_session(directory / "s.jsonl", "needle", session_id=directory.name, cwd="/c")
    (allowed / "link.jsonl").symlink_to(secret / "s.jsonl")
    options = [*shared, "--all", "--root", str(allowed)]
    env = home.env(PI_CODING_AGENT_SESSION_DIR=str(allowed))
    async with home.front(), spawned([*SESSIOND, "mcp", *options], "line", env=env) as (client, _):
        await client.request("initialize", INITIALIZE)
        result = await client.request("tools/call", {"name": "list_sessions", "arguments": {}})
        listed = values_of("list_sessions", result["content"][0]["text"])["sessions"]
        assert [each["session"] for each in listed] == ["allowed"]
        call = {"name": "search_sessions", "arguments": {"query": "needle"}}
        result = await client.request("tools/call", call)
        found = values_of("search_sessions", result["content"][0]["text"])["sessions"]
        assert [each["session"] for each in found] == ["allowed"]
        for asked in ("allowed", "secret"):
            call = {"name": "open_session", "arguments": {"session": asked}}
            opened = await client.request("tools/call", call)
            assert opened["isError"] is (asked == "secret")


async def test_a_front_answers_before_the_daemon_runs(home: Home):
    env = home.env()
    home.sockets.mkdir(mode=0o700)
    where = place.Place(str(home.sockets), place.agreement((), {**env, "PWD": "/"}))
    command = [*SESSIOND, "mcp", "--shared"]
    lock = os.open(where.lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        # As if another front were starting the daemon.
        fcntl.flock(lock, fcntl.LOCK_EX)
        async with spawned(command, "line", env=env, cwd=home.path) as (client, process):
            for method, params in HANDSHAKE:
                assert await client.request(method, params)
            assert await client.request("server/discover", {"_meta": STATELESS})
            assert await client.request("ping") == {}
            called = client.start("tools/call", CALL)
            fcntl.flock(lock, fcntl.LOCK_UN)
            async with asyncio.timeout(30):
                answer = (await called).value
            assert answer["result"]["content"][0]["text"].startswith("No session")
            # The daemon knows the version and the client from the front.
            assert "resultType" not in await client.request("tools/list")
            asked = [*SESSIOND, "daemon", "status"]
            shown = await asyncio.create_subprocess_exec(
                *asked, env=env, stdout=asyncio.subprocess.PIPE
            )
            assert b"test 1 (MCP)" in (await shown.communicate())[0]
        assert process.returncode == 0
    finally:
        os.close(lock)


@pytest.mark.parametrize("more", [["--framing", "line"], ["--log-file", "/nowhere/x"]])
async def test_a_process_that_cannot_share_continues_the_conversation(home: Home, more: list[str]):
    env = home.env()
    home.sockets.mkdir(mode=0o755)
    command = [*SESSIOND, "mcp", "--shared", *more]
    async with spawned(command, "line", env=env, cwd=home.path) as (client, process):
        assert await client.request("initialize", INITIALIZE)
        if "--log-file" in more:
            # Its settings are wrong, which it reports when it needs them.
            client.start("tools/call", CALL)
            await client.output_ends()
        else:
            assert await client.request("tools/call", CALL)
    assert (process.returncode == 0) is ("--log-file" not in more)


def test_the_front_accepts_every_option_of_mcp():
    options = serving.mcp_options()
    flags = {name for each in options if each.is_flag for name in each.opts}  # type: ignore[attr-defined]
    values = {name for each in options if not each.is_flag for name in each.opts}  # type: ignore[attr-defined]
    # What else the front accepts is refused by the daemon, as by the command itself.
    assert values <= arguments.VALUES
    assert flags <= arguments.FLAGS | arguments.MCP_FLAGS
    assert flags >= arguments.MCP_FLAGS


@pytest.mark.parametrize(
    ("words", "normal"),
    [
        (["mcp", "--shared"], ["mcp", "--shared"]),
        (["--profile", "mcp", "--shared", "mcp", "-a"], ["mcp", "--profile=mcp", "--shared", "-a"]),
        (
            ["mcp", "--shared", "--no-mask", "--root=/a"],
            ["mcp", "--shared", "--no-mask", "--root=/a"],
        ),
        (["--all", "--shared", "mcp"], None),
        (["--shared", "--all"], None),
        (["serve", "mcp", "--shared"], None),
        (["mcp", "--help", "--shared"], None),
    ],
)
def test_the_front_recognises_the_command(words: list[str], normal: list[str] | None):
    assert arguments.wants_shared(words, {}) is (normal is not None)
    if normal is not None:
        assert arguments.normal(words) == normal


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], {"everywhere": False, "mask": True, "read_only": True, "profile": "pi"}),
        (["--all", "--no-mask"], {"everywhere": True, "mask": False, "read_only": True}),
        (["--profile=clanker", "--root=/a"], {"profile": "clanker", "roots": ["/a"]}),
    ],
)
def test_the_daemon_reads_the_options(words: list[str], expected: dict[str, object]):
    config = parse(["mcp", *words], {})
    assert isinstance(config, McpConfig)
    assert {name: getattr(config, name) for name in expected} == expected
